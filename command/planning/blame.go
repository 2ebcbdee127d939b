package planning

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
)

// BlamePattern turns "a wrong plan" into a complaint about the planned pattern, if there is one
// and the failed check concerns the data sent: the planner chooses circuits and routes, but the
// steps are the pattern's.
func BlamePattern(pattern *collective.PatternFile, err error) error {
	var wrong *command.WrongPlanError
	if pattern == nil || !errors.As(err, &wrong) {
		return err
	}
	switch wrong.Check.Name {
	case "form", "data", "reductions", "result":
		return field.Errorf("pattern", "it does not do what it says: %s: %s", wrong.Check.Name, wrong.Check.Detail)
	}
	return err
}

// Severed reports whether failures leave no plan for some of the operations, because the
// switches do not connect all GPUs or because a GPU is cut off. A GPU is cut off if it has no
// circuits in or no circuits out or, if the operation has a root, neither.
func Severed(f *fabric.Fabric, operations []collective.Operation) bool {
	for _, o := range operations {
		if f.Apart(o.GPUs) != "" {
			return true
		}
	}
	if f.Avoid.IsZero() {
		return false
	}
	for _, o := range operations {
		members := o.GPUs
		if members == nil {
			members = arithmetic.UpTo(f.Nodes)
		}
		if f.Shut(members, o.Op.Rooted()) {
			return true
		}
	}
	return false
}

// blameFabric is blameBase and blameFailures for the operations of a request.
func (r *PlanRequest) blameFabric(err error) error {
	var members []int
	for i, o := range r.Operations {
		if o.GPUs == nil {
			members = nil // all
			break
		}
		if i == 0 || members != nil {
			members = append(members, o.GPUs...)
		}
	}
	return BlameBase(&r.Fabric, BlameFailures(&r.Fabric, members, r.Operations, r.Planner, err))
}

// BlameFailures turns "there is no plan" into a complaint about failures that cut off a GPU or
// that no planner can avoid, or about switches that do not connect all GPUs. It first names a
// GPU to or from which the operations need circuits, and only then one that merely has none.
func BlameFailures(f *fabric.Fabric, members []int, operations []collective.Operation, by string, err error) error {
	if !errors.Is(err, planner.ErrInfeasible) {
		return err
	}
	if why := f.Apart(members); why != "" {
		return fmt.Errorf("%w: %s", planner.ErrImpossible, why)
	}
	if f.Avoid.IsZero() {
		return err
	}
	if why := f.CutOff(members, circuitsNeeded(f, operations)); why != "" {
		return fmt.Errorf("%w: %s", planner.ErrImpossible, why)
	}
	if errors.Is(err, planner.ErrImpossible) {
		return fmt.Errorf("%w (%s)", err, f.Avoid.About())
	}
	if why := f.CutOff(members, nil); why != "" {
		return fmt.Errorf("%w: %s", planner.ErrInfeasible, why)
	}
	if by == collective.Auto {
		return fmt.Errorf("%w: no planner knows a way around what has failed or is held (%s)", planner.ErrInfeasible, f.Avoid.About())
	}
	return err
}

// circuitsNeeded returns a function that says whether operations need circuits to a GPU and from
// it.
func circuitsNeeded(f *fabric.Fabric, operations []collective.Operation) func(u int) (to, from bool) {
	return func(u int) (to, from bool) {
		for _, o := range operations {
			members := o.GPUs
			if members == nil {
				members = f.Alive()
			}
			root := u == 0
			if members != nil {
				if !slices.Contains(members, u) {
					continue
				}
				root = u == members[0]
			}
			toRoot := o.Op == collective.RootReduce || o.Op == collective.Gather
			to = to || !o.Op.Rooted() || root == toRoot
			from = from || !o.Op.Rooted() || root != toRoot
		}
		return to, from
	}
}

// BlameBase turns "there is no plan" into a complaint about the base topology if the request
// sets it and it does not connect the GPUs.
func BlameBase(f *fabric.Fabric, err error) error {
	if f.Base == "" || !errors.Is(err, planner.ErrInfeasible) {
		return err
	}
	if base, baseErr := f.BaseTopology(); baseErr == nil {
		if _, connected := base.Diameter(); !connected {
			return field.Errorf("fabric.base", "%s does not lead from every GPU to every other (%v)", f.Base, err)
		}
	}
	return err
}
