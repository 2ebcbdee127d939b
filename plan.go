package lightpath

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// PlanRequest asks for a plan: of one operation, of several one after the other, or of a
// pattern.
type PlanRequest struct {
	// Operations are performed one after the other.
	Operations []Operation `json:"operations,omitempty"`
	// Pattern is a user-defined collective, instead of Operations.
	Pattern *collective.PatternFile `json:"pattern,omitempty"`
	Fabric  fabric.Fabric           `json:"fabric,omitzero"`
	Planner string                  `json:"planner,omitempty"` // a name, or Auto or "": the fastest
	HarvestOptions
	ExchangeOptions
	PacketOptions
}

// HarvestOptions are for planner harvest.
type HarvestOptions struct {
	// Synthesis says where harvest takes topologies from; "": from its pool.
	Synthesis staged.Synthesis `json:"synthesis,omitempty"`
	// Budget is roughly how long the topology search may take for each algorithm, number of
	// pieces and number of ports in use. It stands for an effort that is the same on every machine
	// (staged.EffortFor); 0: staged.DefaultBudget.
	Budget units.Duration `json:"budget_ns,omitzero"`
}

// ExchangeOptions are for planner exchange.
type ExchangeOptions struct {
	Strategy string      `json:"strategy,omitempty"`   // one of strategy.Names() of package exchange/strategy; "": the best
	Stages   int         `json:"stages,omitempty"`     // exactly so many topologies; 0: the best number
	Chunk    units.Bytes `json:"chunk_bytes,omitzero"` // the largest that is sent at once; 0: the best
}

// UnmarshalJSON reads the JSON form.
func (r *PlanRequest) UnmarshalJSON(data []byte) error {
	type plain PlanRequest
	return readRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *PlanRequest) Complete() error {
	if err := r.completeFabric(); err != nil {
		return err
	}
	r.Planner = cmp.Or(r.Planner, Auto)
	switch {
	case r.Pattern != nil && len(r.Operations) > 0:
		return field.Errorf("pattern", "a pattern and an operation: want one of them")
	case r.Pattern == nil && len(r.Operations) == 0:
		return field.Errorf("operations", "no operation; want one of %v", collective.Ops())
	case r.Pattern != nil && r.Pattern.Nodes != r.Fabric.Nodes:
		return patternNodes(r.Pattern, &r.Fabric)
	}
	for i := range r.Operations {
		if err := r.Operations[i].Complete(r.Fabric.Nodes); err != nil {
			return field.In(field.Index("operations", i), err)
		}
	}
	if err := r.HarvestOptions.complete(); err != nil {
		return err
	}
	if err := r.PacketOptions.complete(); err != nil {
		return err
	}
	if err := r.ExchangeOptions.complete(); err != nil {
		return err
	}
	exchanges := func(o Operation) bool { return o.Op == collective.AllToAll }
	if r.Pattern == nil && !slices.ContainsFunc(r.Operations, exchanges) {
		return r.unused()
	}
	return nil
}

// patternNodes says that a pattern is for another fabric.
func patternNodes(p *collective.PatternFile, f *fabric.Fabric) error {
	return field.Errorf("pattern", "it is for %d nodes, the fabric has %d", p.Nodes, f.Nodes)
}

// completePattern fills in the fabric that a pattern is for.
func completePattern(p *collective.PatternFile, f *fabric.Fabric) error {
	if f.IsZero() {
		*f = fabric.Default()
		f.Nodes, f.Ports = p.Nodes, cmp.Or(p.Ports, f.Ports)
	}
	if err := completeFabric(f); err != nil {
		return err
	}
	if p.Nodes != f.Nodes {
		return patternNodes(p, f)
	}
	return nil
}

// completeFabric fills in the fabric. Where there is none at all, a pattern or a demand
// says how many GPUs there are.
func (r *PlanRequest) completeFabric() error {
	if r.Fabric.IsZero() {
		r.Fabric = fabric.Default()
		switch {
		case r.Pattern != nil:
			r.Fabric.Nodes, r.Fabric.Ports = r.Pattern.Nodes, cmp.Or(r.Pattern.Ports, r.Fabric.Ports)
		case len(r.Operations) == 1 && r.Operations[0].Demand != nil && r.Operations[0].GPUs == nil:
			r.Fabric.Nodes = len(r.Operations[0].Demand)
		}
	}
	return field.In("fabric", r.Fabric.Validate())
}

func (o *HarvestOptions) complete() error {
	if o.Synthesis == "" {
		o.Synthesis = staged.SynthesisPool
	}
	if _, err := staged.ParseSynthesis(string(o.Synthesis)); err != nil {
		return field.In("synthesis", err)
	}
	if o.Budget < 0 {
		return field.Errorf("budget_ns", "must be above 0s")
	}
	return nil
}

// unused reports the first option that is set, where there is no exchange.
func (o *ExchangeOptions) unused() error {
	const words = "is for alltoall, which planner exchange plans"
	switch {
	case o.Strategy != strategy.Auto:
		return field.Errorf("strategy", words)
	case o.Stages != 0:
		return field.Errorf("stages", words)
	case o.Chunk != 0:
		return field.Errorf("chunk_bytes", words)
	}
	return nil
}

func (o *ExchangeOptions) complete() error {
	o.Strategy = cmp.Or(o.Strategy, strategy.Auto)
	switch {
	case !slices.Contains(strategy.Names(), o.Strategy):
		return field.Errorf("strategy", "unknown strategy %q; use %s", o.Strategy, strings.Join(strategy.Names(), ", "))
	case o.Stages < 0:
		return field.Errorf("stages", "%d; want 1 or more", o.Stages)
	case o.Chunk < 0:
		return field.Errorf("chunk_bytes", "must be above 0B")
	}
	return nil
}

// planners returns the planners that there are, with the options of the request. It is the
// one place that knows how these reach them.
func (r *PlanRequest) planners(e *environment) planner.Registry {
	return e.planners(portfolio.Options{
		Harvest:  staged.HarvestOptions{Synthesis: r.Synthesis, Effort: staged.EffortFor(r.Budget.Std())},
		Exchange: exchange.Options{Strategy: r.Strategy, Stages: r.Stages, Chunk: r.Chunk},
	})
}

// asked is the request as the search has it.
func (r *PlanRequest) asked() *portfolio.Request {
	return &portfolio.Request{Operations: r.Operations, Pattern: r.Pattern, Fabric: r.Fabric}
}

// fastest returns the plan that takes least by the model.
func (r *PlanRequest) fastest(ctx context.Context, p planner.Planner, e *environment) (*plan.Plan, error) {
	return r.asked().Fastest(ctx, p, &e.search)
}

// Plan makes a plan, verifies it, and simulates it and its baselines packet by packet. An error
// that wraps planner.ErrInfeasible means that there is no plan; any other means that the request
// is invalid.
func Plan(ctx context.Context, r PlanRequest, options ...Option) (*plan.Plan, error) {
	e := newEnvironment(options)
	r.Operations = slices.Clone(r.Operations)
	r.Fabric = e.fabric(r.Fabric)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	e.search.Planners = r.planners(e)
	e.search.Improves = r.Synthesis != staged.SynthesisPool
	p, err := e.search.Planners.Lookup(r.Planner)
	if err != nil {
		return nil, field.In("planner", err)
	}
	if r.severed() {
		return nil, r.blameFabric(planner.ErrInfeasible)
	}
	choose := r.fastest
	if r.ChooseBy == ChooseBySimulated {
		choose = r.fastestInPackets
	}
	made, err := choose(ctx, p, e)
	if err != nil {
		return nil, r.blameFabric(err)
	}
	e.search.Better = nil // what follows is not for its time
	made = e.know(made)
	return r.finish(ctx, made, e)
}

// finish verifies a plan and says how long its packets take, and, unless that is not wanted,
// what it is compared with. While the one is checked the others are planned.
func (r *PlanRequest) finish(ctx context.Context, made *plan.Plan, e *environment) (*plan.Plan, error) {
	if e.bare {
		err := prove(ctx, made)
		switch {
		case err != nil:
			return nil, blamePattern(r.Pattern, err)
		case r.Simulate:
			err = r.simulatePlan(ctx, made)
		}
		return made, err
	}
	var extremes []portfolio.Extreme
	var wrong, err error
	proven, refuted := context.WithCancel(ctx)
	defer refuted()
	threads.Each(ctx, 2, func(i int) {
		if i == 0 {
			if wrong = prove(ctx, made); wrong != nil {
				refuted()
			}
			return
		}
		extremes, err = r.compared(proven, made, e)
	})
	if wrong != nil {
		return nil, blamePattern(r.Pattern, wrong)
	}
	if err != nil {
		return made, err
	}
	if faster := r.overtaking(made, extremes); faster != nil {
		if err := prove(ctx, faster); err != nil {
			return nil, err
		}
		made = faster
	}
	return made, r.noteExtremes(ctx, made, extremes, e)
}

// prove verifies a plan of ours: one that is wrong is a bug.
func prove(ctx context.Context, p *plan.Plan) error {
	report, err := verify.Plan(ctx, p)
	if err != nil {
		return err
	}
	if bad := report.First(); bad != nil {
		return &wrongPlan{p.Planner, *bad}
	}
	return nil
}

// wrongPlan is a plan of ours that a check refutes.
type wrongPlan struct {
	planner string
	check   verify.Check
}

func (w *wrongPlan) Error() string {
	return fmt.Sprintf("planner %s made a wrong plan (this is a bug): %s: %s", w.planner, w.check.Name, w.check.Detail)
}

// blamePattern turns "a wrong plan" into a complaint about the pattern that was planned,
// if there is one and the check is of what is sent: a planner chooses circuits and
// routes, the steps are those of the pattern.
func blamePattern(pattern *collective.PatternFile, err error) error {
	var wrong *wrongPlan
	if pattern == nil || !errors.As(err, &wrong) {
		return err
	}
	switch wrong.check.Name {
	case "form", "data", "reductions", "result":
		return field.Errorf("pattern", "it does not do what it says: %s: %s", wrong.check.Name, wrong.check.Detail)
	}
	return err
}

// severed reports whether what has failed leaves no plan, because some GPU has no circuits: none
// that lead to it or none from it, or, where an operation has a root, neither.
func (r *PlanRequest) severed() bool {
	if r.Fabric.Avoid.IsZero() {
		return false
	}
	for _, o := range r.Operations {
		members := o.GPUs
		if members == nil {
			members = make([]int, r.Fabric.Nodes)
			for u := range members {
				members[u] = u
			}
		}
		if r.Fabric.Shut(members, o.Op.Rooted()) {
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
	return blameBase(&r.Fabric, blameFailures(&r.Fabric, members, r.Operations, r.Planner, err))
}

// blameFailures turns "there is no plan" into a complaint about what has failed, where that
// cuts a GPU off, or where no planner finds a way around it. A GPU that the operations need
// circuits to, or from, is named before one that merely has none.
func blameFailures(f *fabric.Fabric, members []int, operations []Operation, by string, err error) error {
	if f.Avoid.IsZero() || !errors.Is(err, planner.ErrInfeasible) {
		return err
	}
	if why := cmp.Or(f.CutOff(members, circuitsNeeded(f, operations)), f.CutOff(members, nil)); why != "" {
		return fmt.Errorf("%w: %s", planner.ErrInfeasible, why)
	}
	if by == Auto {
		return fmt.Errorf("%w: no planner knows a way around what has failed (avoid %s)", planner.ErrInfeasible, f.Avoid)
	}
	return err
}

// circuitsNeeded returns whether operations need circuits that lead to a GPU, and from it.
func circuitsNeeded(f *fabric.Fabric, operations []Operation) func(u int) (to, from bool) {
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

// blameBase turns "there is no plan" into a complaint about the base topology where
// that was asked for and does not connect the GPUs.
func blameBase(f *fabric.Fabric, err error) error {
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
