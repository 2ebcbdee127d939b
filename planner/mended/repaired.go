package mended

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// Limits on the work of a repair.
const (
	mostListed  = 1 << 21 // transfers of a plan that has lost its symmetry
	mostSearch  = 1 << 17 // paths to search for
	mostChunked = 1 << 24 // chunks of all failed GPUs
)

var errNoWay = fmt.Errorf("%w: circuits, links and islands that are left do not connect what a step has send", planner.ErrInfeasible)

// Repaired turns a plan for the intact fabric into one for a fabric in which something has failed
// or is held. GPUs near a failed one do its part (standIns). Working circuits stay, and those of
// failed ports bypass the GPU (Graph). Transfers over failed parts take other routes, divided so
// that no hop is busy for longer than necessary. Everything that uses no failed part stays as it
// is, with the remaining symmetry.
func Repaired(ctx context.Context, p *plan.Plan, f fabric.Fabric) (*plan.Plan, error) {
	space := &p.Collective.Space
	switch {
	case p.Staggered() || p.Independent || !f.Links.IsZero():
		return nil, fmt.Errorf("%w: planes do not wait for one another, or circuits differ", planner.ErrInfeasible)
	case space.Sizes != nil || space.Kind == collective.Listed || space.Kind == collective.Sections:
		return nil, fmt.Errorf("%w: chunks differ", planner.ErrInfeasible)
	}
	made := *p
	made.Fabric, made.Slots, made.Synthesis = f, 0, nil
	made.Baselines, made.SameAlgorithm, made.Among, made.StaticAmong = plan.Baselines{}, plan.Baselines{}, "", ""
	made.Stages = slices.Clone(p.Stages)
	if f.Alive() != nil {
		if err := standIn(&made); err != nil {
			return nil, err
		}
	}
	listed, left := 0, mostSearch
	for i := range made.Stages {
		r := &repair{plan: &made, stage: &made.Stages[i], parts: map[string]topology.Translations{}}
		if err := r.run(ctx, &listed, &left); err != nil {
			return nil, err
		}
	}
	made.Stages = slices.DeleteFunc(made.Stages, func(s plan.Stage) bool { return len(s.Steps) == 0 })
	if len(made.Stages) == 0 {
		return nil, fmt.Errorf("%w: nothing is left to send", planner.ErrInfeasible)
	}
	if err := made.PriceContext(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, errors.Join(planner.ErrInfeasible, err)
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return &made, nil
}

// repair is the repair of one stage.
type repair struct {
	plan    *plan.Plan
	stage   *plan.Stage
	network *network
	parts   map[string]topology.Translations // by group of a step: the remaining subgroup
}

func (r *repair) run(ctx context.Context, listed, left *int) error {
	f, before := &r.plan.Fabric, r.stage.Topology
	r.stage.Topology, r.stage.Circuits = r.circuits(), nil
	r.network = newNetwork(f, r.stage.Topology)
	r.stage.Steps = slices.Clone(r.stage.Steps)
	for i := range r.stage.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := &r.stage.Steps[i]
		r.unfold(step)
		if *listed += len(step.Base); *listed > mostListed {
			return fmt.Errorf("%w: over %d transfers without symmetry", planner.ErrInfeasible, mostListed)
		}
		if err := r.reroute(step, before, left); err != nil {
			return err
		}
	}
	r.stage.Steps = slices.DeleteFunc(r.stage.Steps, func(s plan.Step) bool { return len(s.Base) == 0 })
	return nil
}

// circuits returns the remaining circuits of the stage: a GPU that has lost a port gives up those
// that carry the least.
func (r *repair) circuits() *topology.Graph {
	f, g := &r.plan.Fabric, r.stage.Topology
	if f.Fits(g) == nil {
		return g
	}
	load := sync.OnceValue(func() map[[2]int]float64 { return carried(r.stage) })
	if other := Graph(f, g, func(u int, from, to []int) (int, int) { return least(load(), u, from, to) }); other != nil {
		return other
	}
	return f.Possible(g)
}

// least chooses, among the circuits to a GPU and those from it, the ones that carry the least.
func least(load map[[2]int]float64, u int, from, to []int) (i, j int) {
	for k := range from {
		if load[[2]int{from[k], u}] < load[[2]int{from[i], u}] {
			i = k
		}
	}
	for k := range to {
		if load[[2]int{u, to[k]}] < load[[2]int{u, to[j]}] {
			j = k
		}
	}
	return i, j
}

// unfold makes a step list the transfers that the remaining symmetry no longer covers.
func (r *repair) unfold(step *plan.Step) {
	if step.Group.Trivial() {
		return
	}
	key := fmt.Sprint(step.Group.Dims, step.Group.Stride)
	part, known := r.parts[key]
	if !known {
		f := &r.plan.Fabric
		part = step.Group.Restrict(func(part topology.Translations) bool {
			return part.Invariant(r.stage.Topology) && f.KeepsFixed(part) && f.KeepsIslands(part)
		})
		r.parts[key] = part
	}
	if part.Equal(step.Group) {
		return
	}
	space := &r.plan.Collective.Space
	var base []plan.Transfer
	for _, k := range step.Group.Cosets(part) {
		for i := range step.Base {
			base = append(base, step.Image(space, k, i))
		}
	}
	step.Base, step.Group = base, part
}

// reroute gives new routes to transfers whose routes have failed.
func (r *repair) reroute(step *plan.Step, before *topology.Graph, left *int) error {
	n, f := r.network, &r.plan.Fabric
	n.clear()
	fewer := func(path []int32) bool { // than before on some hop
		for i := 1; i < len(path) && before != r.stage.Topology; i++ {
			if u, v := int(path[i-1]), int(path[i]); r.stage.Topology.Count(u, v) < before.Count(u, v) {
				return true
			}
		}
		return false
	}
	var broken []int
	for i := range step.Base {
		t := &step.Base[i]
		whole := len(t.Routes) > 0
		for _, route := range t.Routes {
			whole = whole && n.follows(route.Path) && !fewer(route.Path)
		}
		if !whole {
			broken = append(broken, i)
			continue
		}
		bytes := r.plan.Bytes(t.Chunks)
		for _, route := range t.Routes {
			n.carry(route.Path, bytes*route.Share, step.Group)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	parts := max(1, min(mostParts, 2*mostParts*mostParts*mostParts/len(broken)))
	if f.Forwarding == fabric.StoreAndForward {
		parts = 1
	}
	if *left -= parts * len(broken); *left < 0 {
		return fmt.Errorf("%w: over %d ways to look for", planner.ErrInfeasible, mostSearch)
	}
	slices.SortStableFunc(broken, func(i, j int) int {
		return cmp.Compare(r.plan.Bytes(step.Base[j].Chunks), r.plan.Bytes(step.Base[i].Chunks))
	})
	step.Base = slices.Clone(step.Base)
	send := func() error {
		for _, i := range broken {
			t := &step.Base[i]
			bytes := r.plan.Bytes(t.Chunks)
			for _, route := range t.Routes {
				n.carry(route.Path, -bytes*route.Share, step.Group)
			}
			if t.Routes = n.routes(t.Src, t.Dst, bytes, parts, step.Group); t.Routes == nil {
				return errNoWay
			}
		}
		return nil
	}
	for _, i := range broken {
		step.Base[i].Routes = nil
	}
	if err := send(); err != nil {
		return err
	}
	best, least := slices.Clone(step.Base), n.takes(step.Base)
	for range rounds {
		n.peak = slices.Max(n.load) * lower
		if *left -= parts * len(broken); *left < 0 {
			break
		}
		if err := send(); err != nil {
			return err
		}
		if time := n.takes(step.Base); time < least {
			best, least = slices.Clone(step.Base), time
		}
	}
	step.Base = best
	return nil
}

// After all routes have been found one by one, each is searched for again with all others in
// place, in several rounds. A round aims to have no hop busy for longer than lower times the time
// of the busiest one.
const (
	rounds = 3
	lower  = 0.9
)
