package lightpath

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// PlanRequest asks for a plan: of one operation, of several one after the other, or of a
// pattern.
type PlanRequest struct {
	Fabric     fabric.Fabric
	Operations []Operation
	Pattern    *collective.PatternFile // instead of Operations
	Planner    string                  // a name, or Auto or "": the fastest
	// Synthesis says where planner harvest takes topologies from; "": from its pool.
	// Budget is how long it may look for others, about: it stands for an effort that is the
	// same on every machine (staged.EffortFor); 0: staged.DefaultBudget.
	Synthesis staged.Synthesis
	Budget    time.Duration
	// Strategy, Stages and Chunk are for planner exchange: see exchange.Options.
	Strategy string
	Stages   int
	Chunk    units.Bytes
	// Progress, if not nil, is called now and then with the work done and in all.
	Progress func(done, total int)
	// Status, if not nil, is called with a line on what was found so far.
	Status func(text string)
}

// Plan makes a plan and verifies it. An error that wraps planner.ErrInfeasible means
// that there is none; any other means that the request makes no sense.
func Plan(ctx context.Context, r PlanRequest) (*plan.Plan, error) {
	harvest := staged.HarvestOptions{Synthesis: r.Synthesis, Effort: staged.EffortFor(r.Budget)}
	p, err := planners(options{harvest, r.exchange()}).Lookup(cmp.Or(r.Planner, Auto))
	if err != nil {
		return nil, err
	}
	if err := r.Fabric.Validate(); err != nil {
		return nil, err
	}
	request := planner.Request{
		Fabric: r.Fabric, Progress: r.Progress, Status: r.Status,
	}
	made, err := r.fastest(ctx, p, request)
	if err != nil {
		return nil, blameBase(&r.Fabric, err)
	}
	if err := prove(ctx, made); err != nil {
		return nil, blamePattern(r.Pattern, err)
	}
	if made.Baselines.Direct, err = staticDirect(ctx, made); err != nil {
		return nil, err
	}
	return made, nil
}

// exchange returns the options of planner exchange.
func (r *PlanRequest) exchange() exchange.Options {
	return exchange.Options{Strategy: r.Strategy, Stages: r.Stages, Chunk: r.Chunk}
}

// fastest plans with every algorithm that is left open.
func (r *PlanRequest) fastest(ctx context.Context, p planner.Planner, request planner.Request) (*plan.Plan, error) {
	if r.Pattern != nil {
		if len(r.Operations) > 0 {
			return nil, errors.New("a pattern and an operation: want one of them")
		}
		request.Collective, request.Size = r.Pattern.Collective, r.Pattern.Size
		return p.Plan(ctx, request)
	}
	switch len(r.Operations) {
	case 0:
		return nil, errors.New("no operation")
	case 1:
		ways, err := r.Operations[0].ways(&r.Fabric, p, r.exchange())
		if err != nil {
			return nil, err
		}
		return auto.Fastest(ctx, request, len(ways), func(i int) (planner.Planner, collective.Sized, error) {
			laid, err := ways[i].lay()
			return ways[i].planner, laid, err
		})
	}
	return r.sequence(ctx, p, request)
}

// maxSequences is the number of combinations of algorithms that are tried for a sequence
// of operations.
const maxSequences = 32

// sequence plans several operations as one. Where there are too many combinations of
// algorithms, each operation keeps those that are fastest when it is planned alone: the
// operations only meet in the circuits that one leaves to the next.
func (r *PlanRequest) sequence(ctx context.Context, p planner.Planner, request planner.Request) (*plan.Plan, error) {
	keep := 1
	for power(keep+1, len(r.Operations)) <= maxSequences {
		keep++
	}
	options := make([][]collective.Sized, len(r.Operations))
	for i := range options {
		ways, err := r.Operations[i].ways(&r.Fabric, p, r.exchange())
		if err != nil {
			return nil, err
		}
		if options[i], err = mostPromising(ctx, ways, request, keep); err != nil {
			return nil, err
		}
	}
	combinations := 1
	for _, o := range options {
		combinations *= len(o)
	}
	return auto.Fastest(ctx, request, combinations, func(k int) (planner.Planner, collective.Sized, error) {
		parts := make([]collective.Sized, len(options))
		for i, o := range options {
			parts[i] = o[k%len(o)]
			k /= len(o)
		}
		all, err := collective.InSequence(parts...)
		return p, all, err
	})
}

// power returns a^b, or something above maxSequences.
func power(a, b int) int {
	p := 1
	for range b {
		if p *= a; p > maxSequences {
			break
		}
	}
	return p
}

// mostPromising returns the layouts to try in a sequence of several operations, at most
// keep. Planners that make their own steps take no part: they plan one operation.
func mostPromising(ctx context.Context, ways []way, request planner.Request, keep int) ([]collective.Sized, error) {
	var made []collective.Sized
	var p planner.Planner
	for _, w := range ways {
		if _, ok := w.planner.(planner.Composer); ok {
			continue
		}
		laid, err := w.lay()
		if err != nil {
			return nil, err
		}
		made, p = append(made, laid), w.planner
	}
	if len(made) == 0 {
		return nil, fmt.Errorf("planner %s plans one operation at a time", ways[0].planner.Name())
	}
	if len(made) <= keep {
		return made, nil
	}
	times := make(map[*collective.Collective]units.Time, len(made))
	var able []collective.Sized
	request.Progress = nil
	for _, m := range made {
		request.Collective, request.Size = m.Collective, m.Size
		alone, err := p.Plan(ctx, request)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return nil, err
		}
		times[m.Collective] = alone.Cost.Total()
		able = append(able, m)
	}
	if len(able) == 0 {
		return made[:keep], nil // for the reason why there is no plan
	}
	slices.SortStableFunc(able, func(a, b collective.Sized) int { return cmp.Compare(times[a.Collective], times[b.Collective]) })
	return able[:min(keep, len(able))], nil
}

// staticDirect returns the time of the all-to-all that sends everything at once over the
// base topology, the simplest there is; 0 for other operations, where it is not possible,
// and where pairs or GPUs differ, for which it takes a large linear program (compare has
// it).
func staticDirect(ctx context.Context, p *plan.Plan) (units.Time, error) {
	if p.Collective.Op != collective.AllToAll || !p.Collective.Space.Homogeneous() {
		return 0, nil
	}
	if p.Planner == "static" && p.Collective.Algorithm == "direct" {
		return p.Cost.Total(), nil
	}
	c, err := collective.New(collective.AllToAll, "direct", p.Fabric.Nodes, p.Fabric.Ports)
	if err != nil {
		return 0, err
	}
	static, err := Planners().Lookup("static")
	if err != nil {
		return 0, err
	}
	made, err := static.Plan(ctx, planner.Request{Fabric: p.Fabric, Collective: c, Size: p.Collective.Size})
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return made.Cost.Total(), nil
}

// prove verifies a plan of ours: one that is wrong is a bug.
func prove(ctx context.Context, p *plan.Plan) error {
	report, err := plan.Verify(ctx, p)
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
	check   plan.Check
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
		return fmt.Errorf("the pattern does not do what it says: %s: %s", wrong.check.Name, wrong.check.Detail)
	}
	return err
}

// blameBase turns "there is no plan" into a complaint about the base topology where
// that was asked for and does not connect the GPUs.
func blameBase(f *fabric.Fabric, err error) error {
	if f.Base == "" || !errors.Is(err, planner.ErrInfeasible) {
		return err
	}
	if base, baseErr := f.BaseTopology(); baseErr == nil {
		if _, connected := base.Diameter(); !connected {
			return fmt.Errorf("base: %s does not lead from every GPU to every other (%v)", f.Base, err)
		}
	}
	return err
}
