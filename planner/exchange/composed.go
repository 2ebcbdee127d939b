package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Matchings of an odd number of GPUs leave one out, and no group of odd order has an element that
// is its own inverse. So with one two-way port each, no strategy relays between an odd number of
// GPUs. Plans for other numbers fill the gap: those for two factors of the number (digits.go),
// for one GPU less (fold.go) and for one GPU more (left_out.go).

// variantComposed is the variant of the planner with only such plans.
const variantComposed = "composed"

// mostComposed is the largest number of GPUs for which plans are composed: they list all transfers.
const mostComposed = 256

// composesOn reports whether plans for fewer GPUs may help a number of GPUs of a fabric.
func composesOn(f *fabric.Fabric, gpus int) bool {
	_, uniform := f.Reconfig.Uniform()
	return f.Duplex && f.Ports == 1 && gpus%2 == 1 && gpus >= 5 && gpus <= mostComposed &&
		uniform && f.Open() && !f.Tiered() && f.Links.IsZero() && f.Layout.IsZero() && f.Base == "" &&
		(f.Initial == fabric.InitialFree || f.Initial == fabric.InitialDark)
}

// composes reports whether plans for fewer GPUs may help.
func (x exchanger) composes(r *planner.Request) bool {
	space := &r.Collective.Space
	return composesOn(&r.Fabric, space.MembersCount()) && space.Sizes == nil && r.Parts == 0 && !r.Alike &&
		x.options.Strategy == strategy.Auto && x.options.Stages == 0 && x.options.Chunk == 0
}

// onlyComposed is Plan for plans made from those for fewer GPUs.
func (x exchanger) onlyComposed(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	none := fmt.Errorf("%w: planner %s has no use for plans for fewer GPUs here", planner.ErrInfeasible, Name)
	if !x.composes(&r) {
		return nil, none
	}
	p, err := x.composed(ctx, r, nil, nil)
	switch {
	case err != nil || p != nil:
		return p, err
	case r.Limit > 0:
		return nil, &planner.Beyond{Least: r.Limit}
	}
	return nil, none
}

// composed returns the fastest of the given plan, if there is one, and those made from plans for
// fewer GPUs.
func (x exchanger) composed(ctx context.Context, r planner.Request, found *plan.Plan, otherwise error) (*plan.Plan, error) {
	if otherwise != nil && !errors.Is(otherwise, planner.ErrBeyond) || !x.composes(&r) {
		return found, otherwise
	}
	alone, members := r, r.Collective.Space.Members
	alone.Fabric.Nodes = r.Collective.Space.MembersCount()
	c := &composer{exchanger: x, request: &alone, best: found}
	if err := c.digits(ctx); err != nil {
		return nil, err
	}
	if err := c.fold(ctx); err != nil {
		return nil, err
	}
	if err := c.leaveOut(ctx); err != nil {
		return nil, err
	}
	switch {
	case c.best == nil:
		return nil, otherwise
	case c.best == found || members == nil:
		return c.best, nil
	}
	return among(ctx, c.best, &r.Fabric, members)
}

// among returns a plan for a fabric of only some GPUs as a plan for the whole fabric.
func among(ctx context.Context, p *plan.Plan, f *fabric.Fabric, members []int) (*plan.Plan, error) {
	p.Fabric = *f
	p.Collective.Space.Nodes, p.Collective.Space.Members = f.Nodes, members
	for i := range p.Stages {
		st := &p.Stages[i]
		st.Topology = st.Topology.Renumber(st.Topology.Name(), f.Nodes, members)
		for j := range st.Steps {
			for k := range st.Steps[j].Base {
				t := &st.Steps[j].Base[k]
				t.Src, t.Dst, t.Routes = members[t.Src], members[t.Dst], plan.RenumberRoutes(members, t.Routes)
			}
		}
	}
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	p.Bound = min(p.OperationBound().Total(), p.Cost.Total())
	return p, nil
}

// composer makes plans from those for fewer GPUs, and keeps the fastest.
type composer struct {
	exchanger
	request *planner.Request
	best    *plan.Plan // nil: none within the limit of the request
}

// useful reports whether a plan that takes the given time may be the best.
func (c *composer) useful(least units.Time) bool {
	return c.request.Beyond(least) == nil && (c.best == nil || least*(1+tie) < c.best.Cost.Total())
}

// fewer returns the best plan of some options for fewer GPUs with as much data each, or nil if
// there is none.
func (c *composer) fewer(ctx context.Context, nodes int, size units.Bytes, o Options) (*plan.Plan, error) {
	r := *c.request
	r.Fabric.Nodes, r.Size, r.Limit = nodes, size, 0
	r.Collective = &collective.Collective{Op: collective.AllToAll, Algorithm: Name, Nodes: nodes, Space: collective.SpaceOf(collective.AllToAll, nodes, 1)}
	r.Memory, r.Progress, r.Status, r.Better, r.Made = nil, nil, nil, nil, nil
	p, err := exchanger{options: o, memory: c.memory, sparing: c.sparing}.Plan(ctx, r)
	if errors.Is(err, planner.ErrInfeasible) {
		return nil, nil
	}
	return p, err
}

// take prices the stages of a plan, and keeps it if it is the best.
func (c *composer) take(ctx context.Context, name string, parts int, stages []plan.Stage) error {
	r := c.request
	p := &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: Name, Strategy: name}, Stages: stages,
		Collective: plan.Collective{
			Op: collective.AllToAll, Algorithm: Name, Size: r.Size, Space: collective.SpaceOf(collective.AllToAll, r.Fabric.Nodes, parts),
		},
	}
	if err := p.PriceContext(ctx); err != nil {
		return err
	}
	if !c.useful(p.Cost.Total()) {
		return nil
	}
	p.Bound = min(p.OperationBound().Total(), p.Cost.Total())
	r.Say("exchange: %v with %s", p.Cost.Total(), name)
	c.best = p
	return nil
}

// embedded returns copies of a plan's stages, with its steps' transfers listed in place of each GPU
// by the GPUs of every list in to. chunks renames a chunk of a copy, and may yield none or several.
func embedded(from *plan.Plan, nodes int, to [][]int, chunks func(k, chunk int) []int) []plan.Stage {
	stages := make([]plan.Stage, len(from.Stages))
	for i := range from.Stages {
		var edges []topology.Edge
		for e := range from.Stages[i].Topology.Edges() {
			for _, gpus := range to {
				edges = append(edges, topology.Edge{From: gpus[e.From], To: gpus[e.To], Count: e.Count})
			}
		}
		stages[i].Topology = topology.New(nodes, stageName(i), edges)
		for j := range from.Stages[i].Steps {
			var step plan.Step
			for t := range from.Stages[i].Steps[j].All(from.Collective.Space) {
				for k, gpus := range to {
					var numbers []int
					for chunk := range t.Chunks.All() {
						numbers = append(numbers, chunks(k, chunk)...)
					}
					slices.Sort(numbers)
					one := collective.Transfer{Src: gpus[t.Src], Dst: gpus[t.Dst], Action: t.Action, Chunks: collective.Of(numbers)}
					step.Base = append(step.Base, plan.Transfer{Transfer: one, Routes: plan.RenumberRoutes(gpus, t.Routes)})
				}
			}
			stages[i].Steps = append(stages[i].Steps, step)
		}
	}
	return stages
}

// renamed numbers the topologies of stages.
func renamed(stages []plan.Stage) []plan.Stage {
	for i := range stages {
		stages[i].Topology = stages[i].Topology.Named(stageName(i))
	}
	return stages
}
