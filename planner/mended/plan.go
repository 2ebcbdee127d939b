package mended

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/standin"
)

// mostNodes is the number of GPUs up to which steps are routed again: without symmetry that may
// take a linear program for each.
const mostNodes = 1 << 7

// Plan plans for the fabric with all ports working and adapts the plan. GPUs that have lost ports
// swap places with those that need the fewest ports, such as leaves of trees. There, the circuits
// that carry the least bypass them. Steps of stages whose circuits have changed are routed again.
func Plan(ctx context.Context, make standin.Make, r planner.Request) (*plan.Plan, error) {
	if !r.Fabric.LostPorts() || r.Fabric.Nodes > mostNodes || !r.Fabric.Links.IsZero() {
		return nil, fmt.Errorf("%w: no ports to do without, or too many GPUs", planner.ErrInfeasible)
	}
	whole := r
	whole.Fabric.Avoid = r.Fabric.Avoid.WithoutPorts()
	p, err := make(ctx, whole)
	if err != nil {
		return nil, err
	}
	if p.Staggered() {
		return nil, fmt.Errorf("%w: planes that do not wait for one another", planner.ErrInfeasible)
	}
	left := r.Fabric.Surviving()
	for _, u := range slices.Sorted(maps.Keys(left)) {
		if p, err = placed(p, u, left); err != nil {
			return nil, err
		}
	}
	other := *p
	other.Fabric, other.Stages = r.Fabric, slices.Clone(p.Stages)
	for i := range other.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := reroute(ctx, &other, &other.Stages[i]); err != nil {
			return nil, err
		}
	}
	if err := other.PriceContext(ctx); err != nil {
		return nil, err
	}
	other.Bound = min(other.OperationBound().Total(), other.Cost.Total())
	return &other, r.Beyond(other.Cost.Total())
}

// placed swaps a GPU that has lost ports with one that needs fewer. It leaves GPU 0, the root of
// rooted operations, in its place, and does not swap with other GPUs that have lost ports.
func placed(p *plan.Plan, u int, left map[int]int) (*plan.Plan, error) {
	uses := usesOf(p)
	best := u
	for v := 1; v < p.Fabric.Nodes; v++ {
		if _, lost := left[v]; !lost && uses[v] < uses[best] {
			best = v
		}
	}
	if best == u || u == 0 {
		return p, nil
	}
	swapped := standin.Swapped(p, u, best)
	if swapped == nil {
		return p, nil
	}
	return swapped, nil
}

// usesOf returns, by GPU, how many circuits it needs in the stage in which it needs the most.
func usesOf(p *plan.Plan) []int {
	most := make([]int, p.Fabric.Nodes)
	for i := range p.Stages {
		out, in := make([]int, len(most)), make([]int, len(most))
		for hop := range carried(&p.Stages[i]) {
			count := p.Stages[i].Topology.Count(hop[0], hop[1])
			out[hop[0]] += count
			in[hop[1]] += count
		}
		for u := range most {
			most[u] = max(most[u], out[u], in[u])
		}
	}
	return most
}

// carried returns how many chunks each circuit of a stage carries.
func carried(s *plan.Stage) map[[2]int]float64 {
	sum := map[[2]int]float64{}
	for i := range s.Steps {
		group := s.Steps[i].Group
		for j := range s.Steps[i].Base {
			t := &s.Steps[i].Base[j]
			for _, route := range t.Routes {
				for h := 1; h < len(route.Path); h++ {
					for k := range group.Order() {
						sum[[2]int{group.Apply(k, int(route.Path[h-1])), group.Apply(k, int(route.Path[h]))}] += route.Share * float64(t.Chunks.Len())
					}
				}
			}
		}
	}
	return sum
}

// reroute mends the circuits of a stage and routes its steps over them.
func reroute(ctx context.Context, p *plan.Plan, s *plan.Stage) error {
	load := carried(s)
	g := Graph(&p.Fabric, s.Topology, func(u int, from, to []int) (int, int) { return least(load, u, from, to) })
	switch {
	case g == nil:
		return fmt.Errorf("%w: no circuits around what has failed", planner.ErrInfeasible)
	case g == s.Topology:
		return nil
	}
	steps := make([]collective.Step, len(s.Steps))
	kept := true
	for i := range s.Steps {
		step := s.Steps[i]
		step.Unfold(p.Collective.Space)
		steps[i] = step.Unrouted()
	}
	for hop := range load {
		kept = kept && g.Count(hop[0], hop[1]) >= s.Topology.Count(hop[0], hop[1])
	}
	if kept { // everything in use is still there
		s.Steps = slices.Clone(s.Steps)
		for i := range s.Steps {
			s.Steps[i].Unfold(p.Collective.Space)
		}
		s.Topology = g
		return nil
	}
	request := planner.Request{Fabric: p.Fabric, Size: p.Collective.Size, Collective: &collective.Collective{
		Op: p.Collective.Op, Algorithm: p.Collective.Algorithm, Nodes: p.Fabric.Nodes, Space: p.Collective.Space, Steps: steps,
	}}
	routed, err := staged.OnCircuits(ctx, request, steps, g)
	if err != nil {
		return err
	}
	s.Topology, s.Steps = g, routed
	return nil
}
