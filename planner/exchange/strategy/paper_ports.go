package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// paperPorts is the paper's strategy with several ports: the better of the circulant and the
// generalised Kautz base for every number of topologies (section 4.2). Beyond explicitNodes it
// has only the circulant base: paths between all pairs of nodes would take gigabytes. Beyond
// sparingNodes it also has only that base if it is to leave out what takes too long.
type paperPorts struct {
	uniform
	sparing   bool
	memory    *Memory
	sequences []*sequence // by base
	// curves has, for each base, the slots with 1, 2, .. topologies; in a fluid problem these are
	// the slots of its routes.
	curves []curve
}

// bases are the topologies from which contraction starts.
var bases = []func(ctx context.Context, nodes, ports int) (*rounds.Contraction, error){rounds.NewCirculants, rounds.NewKautz}

// sparingNodes is the largest number of nodes for which the Kautz base is worth its time
// besides other strategies. At 512 nodes it takes 15 seconds with 8 ports and minutes with 4
// ports, and it was the best in none of ten settings of 130 to 512 nodes.
const sparingNodes = 128

// bases returns the number of bases to try.
func (s *paperPorts) bases() int {
	if s.nodes > explicitNodes || s.sparing && s.nodes > sparingNodes {
		return 1
	}
	return len(bases)
}

func (s *paperPorts) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	for i := range s.bases() {
		if err := s.extend(ctx, i, d); err != nil {
			return err
		}
		slots := s.curves[i].slots
		if len(slots) < d || !worth(slots[d-1]) {
			continue
		}
		c := &Candidate{Strategy: s.name, Stages: d, Slots: slots[d-1]}
		c.schedule = func(ctx context.Context) (*model.Schedule, error) { return s.build(ctx, i, d) }
		c.route = func(ctx context.Context) (Route, error) { return s.route(ctx, i, d) }
		if err := visit(c); err != nil {
			return err
		}
	}
	return nil
}

// extend finds the slots with up to d topologies.
func (s *paperPorts) extend(ctx context.Context, base, d int) error {
	of := curveCase{s.nodes, s.ports, s.each, base, s.fluid}
	if len(s.curves) <= base {
		s.sequences = append(s.sequences, newSequence(s.nodes, s.ports, base))
		s.curves = append(s.curves, s.memory.curve(of))
	}
	c := &s.curves[base]
	for len(c.slots) < d && !c.ends {
		state, err := s.sequences[base].of(ctx, len(c.slots)+1)
		if err != nil {
			return err
		}
		if state == nil {
			c.ends = true
		} else {
			c.slots = append(slices.Clip(c.slots), s.slotsOf(state))
		}
		s.memory.learn(of, *c)
	}
	return nil
}

// slotsOf returns the slots of a sequence.
func (s *paperPorts) slotsOf(state *rounds.Contraction) int {
	if s.fluid {
		return s.routeOf(state).slots(s.each)
	}
	return state.Slots() * s.each
}

// build returns the schedule of a sequence of d topologies.
func (s *paperPorts) build(ctx context.Context, base, d int) (*model.Schedule, error) {
	state, err := s.sequences[base].of(ctx, d)
	if err != nil {
		return nil, err
	}
	out := state.Schedule(s.nodes, s.ports, s.each)
	out.Strategy = s.name
	return out, nil
}

// route returns the ways of a sequence of d topologies.
func (s *paperPorts) route(ctx context.Context, base, d int) (Route, error) {
	state, err := s.sequences[base].of(ctx, d)
	if err != nil {
		return Route{}, err
	}
	return s.routeOf(state), nil
}

// routeOf returns the ways of a sequence.
func (s *paperPorts) routeOf(state *rounds.Contraction) Route {
	if ways := state.Symmetric(s.ports); ways != nil {
		return Route{Ways: ways}
	}
	f := &routing.Flows{Nodes: s.nodes, Ports: s.ports, Stages: state.Stages()}
	trips := state.Trips()
	for u := range s.nodes {
		for v := range s.nodes {
			if u == v {
				continue
			}
			stage, ports := trips(u, v)
			f.Parts = append(f.Parts, routing.Part{Src: int32(u), Dst: int32(v), Amount: s.each, Hops: hopsAlong(f.Stages[stage], stage, u, ports)})
		}
	}
	return Route{Flows: f}
}

// hopsAlong returns the hops over ports from a node.
func hopsAlong(circuits [][]int, stage, u int, ports []int32) []model.Leg {
	legs := make([]model.Leg, len(ports))
	for h, p := range ports {
		legs[h] = model.Leg{Stage: int32(stage), Port: p*int32(len(circuits[p])) + int32(u), Hops: 1}
		u = circuits[p][u]
	}
	return legs
}

// slots returns the sum of the largest loads when every pair has the given amount.
func (r Route) slots(each int) int {
	if r.Ways != nil {
		return r.Ways.MostLoaded(each)
	}
	return r.Flows.Slots()
}

// sequence makes the topologies of a base. The sequence of few topologies is the beginning of that
// of many, so one contraction leads to all of them.
type sequence struct {
	start func(ctx context.Context) (*rounds.Contraction, error)
	keeps bool
	kept  []*rounds.Contraction // with 1, 2, .. topologies
	last  *rounds.Contraction
	count int // topologies of last
}

// keptNodes is the largest number of nodes for which a sequence keeps all states on its way: the
// rounds of 128 nodes with 2 ports take about 100 MB.
const keptNodes = 128

func newSequence(nodes, ports, base int) *sequence {
	return &sequence{
		start: func(ctx context.Context) (*rounds.Contraction, error) { return bases[base](ctx, nodes, ports) },
		keeps: nodes <= keptNodes,
	}
}

// of returns the sequence of d topologies, or nil if that many topologies cannot help.
func (s *sequence) of(ctx context.Context, d int) (*rounds.Contraction, error) {
	if d <= len(s.kept) {
		return s.kept[d-1], nil
	}
	if s.count > d {
		s = &sequence{start: s.start} // make it once more
	}
	for s.count < d {
		if s.last == nil {
			first, err := s.start(ctx)
			if err != nil {
				return nil, err
			}
			s.last = first
		} else if more, err := s.last.Contract(ctx); err != nil || !more {
			return nil, err
		}
		s.count++
		if s.keeps {
			state := *s.last
			s.kept = append(s.kept, &state)
		}
	}
	return s.last, nil
}
