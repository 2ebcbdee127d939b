package strategy

import (
	"context"
	"iter"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// skewed holds what the solvers for arbitrary demands share: their problem and its lower bounds.
type skewed struct {
	demand       model.Demand
	nodes, ports int
	name         string
	relay        bool // chunks may use several topologies
	fluid        bool
	hop          float64
	duplex       bool
	faults       Faults
	circuits     func(stages [][][]int) func(slots int) bool
	rows         *demandRows
	memory       *Memory
	floors       []int // by number of topologies; 0 if not known yet
}

// demandRows are the sorted rows of a demand, made when a bound first needs them.
type demandRows struct{ made *model.DemandRows }

func (r *demandRows) of(demand model.Demand) *model.DemandRows {
	if r.made == nil {
		r.made = model.NewDemandRows(demand)
	}
	return r.made
}

// newAnyDemand makes a skewed for solvers that also take equal demands.
func newAnyDemand(p *Problem, name string, relay bool) skewed {
	if p.rows == nil {
		p.rows = &demandRows{}
	}
	return skewed{rows: p.rows, memory: p.Memory, demand: p.Demand, nodes: p.Demand.Nodes(), ports: p.ports(), name: name, relay: relay,
		fluid: p.Fluid, hop: p.Hop, duplex: p.Duplex, faults: p.Faults, circuits: p.Circuits}
}

// newSkewed returns false if all pairs have the same demand and nothing has failed.
func newSkewed(p *Problem, name string, relay bool) (skewed, bool) {
	_, equal := p.even()
	return newAnyDemand(p, name, relay), !equal
}

func (s *skewed) limit() int { return arithmetic.CeilDiv(s.nodes-1, s.ports) }

// denseNodes is the largest number of nodes for which solvers try every number of topologies.
// Beyond it, the search for routes takes long.
const denseNodes = 64

// worth lists the numbers of topologies to try: all, or for many nodes 1, 2, 3, 4, 6, 8, 12, 16,
// .., between which costs change little.
func (s *skewed) worth() []int {
	if s.nodes <= denseNodes {
		return jumpset.UpTo(s.limit())
	}
	var list []int
	for d := 1; d < s.limit(); d *= 2 {
		list = append(list, d)
		if more := d + d/2; d > 1 && more < s.limit() {
			list = append(list, more)
		}
	}
	return append(list, s.limit())
}

func (s *skewed) floor(d int) int {
	if s.floors == nil {
		s.floors = make([]int, s.limit()+1)
	}
	d = min(d, s.limit()) // further topologies do not lower the bound
	if s.floors[d] == 0 {
		s.floors[d] = s.bound(d)
		if s.fluid {
			s.floors[d]-- // the bound is rounded up
		}
	}
	return s.floors[d]
}

// bound returns a lower bound on the slots with d topologies.
func (s *skewed) bound(d int) int {
	if each, equal := s.demand.Each(); equal {
		hops := model.LoadHops
		if s.relay {
			hops = model.RelayHops
		}
		return arithmetic.CeilDiv(hops(s.nodes, s.ports, d)*each, s.ports)
	}
	return s.within(func(n int) iter.Seq[int] {
		if s.relay {
			return model.AcrossAll(s.ports, d, n)
		}
		return model.InOne(s.ports, d, n)
	})
}

// within returns a lower bound on the slots if reach yields upper bounds on the nodes at 1, 2, ..
// hops.
func (s *skewed) within(reach func(n int) iter.Seq[int]) int {
	return s.rows.of(s.demand).Slots(s.ports, reach)
}

// between returns a lower bound on the slots, wherever nodes are placed, if every pair of places
// makes the given hops.
func (s *skewed) between(hops [][]int) int {
	near := make([]int, 1) // the most places within 0, 1, .. hops from one place, or to one
	for p := range hops {
		from, to := make([]int, s.nodes), make([]int, s.nodes)
		for q := range hops {
			if p != q {
				from[hops[p][q]]++
				to[hops[q][p]]++
			}
		}
		for _, count := range [][]int{from, to} {
			sum := 0
			for h, here := range count {
				if h == len(near) {
					near = append(near, 0)
				}
				sum += here
				near[h] = max(near[h], sum)
			}
		}
	}
	return s.within(func(int) iter.Seq[int] {
		return func(yield func(int) bool) {
			for h := 1; h < len(near) && near[h-1] < s.nodes-1; h++ {
				if !yield(near[h] - near[h-1]) {
					return
				}
			}
		}
	})
}

// place finds places for the nodes, and returns the circuits of the stages between them. Nodes
// that exchange much data come few hops apart, and as few circuits as possible need failed
// links. Finding the best places is hard, so the caller may ask for several tries.
func (s *skewed) place(ctx context.Context, places [][][]int, hops [][]int, try int) (at []int, stages [][][]int, err error) {
	start := make([]int, s.nodes)
	for u := range start {
		start[u] = u
	}
	demand := s.demand
	switch {
	case try == 1:
		if demand, err = coarse(demand); err != nil {
			return nil, nil, err
		}
	case try > 1:
		start = rand.New(rand.NewPCG(uint64(try), uint64(s.nodes))).Perm(s.nodes)
	}
	if at, err = s.memory.relabel(ctx, demand, hops, start); err != nil {
		return nil, nil, err
	}
	placed := func() [][][]int {
		stages := make([][][]int, len(places))
		for i, circuits := range places {
			stages[i] = routing.Placed(circuits, at)
		}
		return stages
	}
	stages = placed()
	for broken := s.faults.broken(stages); broken > 0; {
		better := false
		for _, link := range s.faults.sorted() {
			for v := range s.nodes {
				u := link[0]
				at[u], at[v] = at[v], at[u]
				if other := placed(); s.faults.broken(other) < broken {
					stages, broken, better = other, s.faults.broken(other), true
				} else {
					at[u], at[v] = at[v], at[u]
				}
			}
		}
		if !better {
			break
		}
	}
	return at, stages, nil
}

// tries returns the number of times to search for places: fewer if a search takes long.
func (s *skewed) tries() int {
	_, equal := s.demand.Each()
	switch {
	case !s.fluid:
		return 1 // every try needs a schedule to know its slots
	case equal:
		return 1 // only failures make nodes differ
	case s.nodes <= 32:
		return 6
	case s.nodes <= 64:
		return 2
	}
	return 1
}

// coarseParts is the demand of the largest pair in a coarse demand.
const coarseParts = 4

// coarse returns a demand in units of 1/coarseParts of its largest pair, rounded up, so that
// small pairs count as much as slightly larger ones.
func coarse(demand model.Demand) (model.Demand, error) {
	n := demand.Nodes()
	largest := 1
	counts := make([][]int, n)
	for u := range counts {
		counts[u] = make([]int, n)
		for v := range counts[u] {
			counts[u][v] = demand.Count(u, v)
			largest = max(largest, counts[u][v])
		}
	}
	for u := range counts {
		for v := range counts[u] {
			counts[u][v] = arithmetic.CeilDiv(counts[u][v]*coarseParts, largest)
		}
	}
	return model.Amounts(counts)
}

// routed finds routes over topologies and visits the candidates. It visits none if some chunk
// cannot reach its destination, if a topology is not used, or if the routes take too many slots
// to be worth it.
func (s *skewed) routed(ctx context.Context, stages [][][]int, worth func(slots int) bool, visit visitor) error {
	left := make([][][]int, len(stages))
	for i, circuits := range stages {
		left[i] = s.faults.without(circuits, s.ports, s.duplex)
	}
	if s.circuits != nil {
		before, there := worth, s.circuits(left)
		worth = func(slots int) bool { return before(slots) && there(slots) }
	}
	for _, solve := range s.solves() {
		r := routing.NewRouter(left, s.ports, s.demand, s.relay)
		r.Least, r.Hop = s.floor(len(stages)), s.hop
		f, err := solve(r, ctx, worth)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		c, err := s.flowing(ctx, f)
		if err != nil {
			return err
		}
		if err := visitOne(visit, c); err != nil {
			return err
		}
	}
	return nil
}

// bothNodes is the largest number of nodes for which the solvers also route amounts in a few
// equal parts. These routes are seldom better, but have fewer hops.
const bothNodes = 8

// solve is a method of finding routes.
type solve func(r *routing.Router, ctx context.Context, worth func(slots int) bool) (*routing.Flows, error)

// solves lists the methods of finding routes for the demand. Only Solve keeps chunks whole.
func (s *skewed) solves() []solve {
	_, equal := s.demand.Each()
	switch {
	case !s.fluid || equal:
		return []solve{(*routing.Router).Solve}
	case s.nodes <= bothNodes:
		return []solve{(*routing.Router).SolveAmounts, (*routing.Router).Solve}
	}
	return []solve{(*routing.Router).SolveAmounts}
}

// flowing makes a candidate of flows, or returns nil if a topology is not used. If the problem is
// not fluid, it schedules the flows at once to find the slots.
func (s *skewed) flowing(ctx context.Context, f *routing.Flows) (*Candidate, error) {
	if f.Idle() {
		return nil, nil
	}
	c := &Candidate{
		Strategy: s.name, Stages: len(f.Stages), Slots: f.Slots(),
		route: func(ctx context.Context) (Route, error) { return Route{Flows: f}, ctx.Err() },
	}
	if s.fluid {
		return c, nil
	}
	made, err := f.Schedule(ctx, s.name)
	if err != nil {
		return nil, err
	}
	c.Slots = made.Slots()
	c.schedule = func(ctx context.Context) (*model.Schedule, error) { return made, ctx.Err() }
	return c, nil
}
