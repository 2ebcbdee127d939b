package strategy

import (
	"context"

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
	sparing bool
	states  []*rounds.Contraction
	// curves has, for each state, the slots with 1, 2, .. topologies; in a fluid problem these
	// are the slots of its routes. A curve ends where no further topology can help. One
	// sequence gives a whole curve, because the sequence of few topologies is the beginning of
	// that of many. Only a sequence that is worth it is made once more.
	curves [][]int
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
		if curve := s.curves[i]; len(curve) < d || !worth(curve[d-1]) {
			continue
		}
		c := &Candidate{Strategy: s.name, Stages: d, Slots: s.curves[i][d-1]}
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
	if len(s.states) <= base {
		state, err := bases[base](ctx, s.nodes, s.ports)
		if err != nil {
			return err
		}
		s.states = append(s.states, state)
		s.curves = append(s.curves, []int{s.slotsOf(state)})
	}
	for len(s.curves[base]) < d {
		more, err := s.states[base].Contract(ctx)
		if err != nil || !more {
			return err
		}
		s.curves[base] = append(s.curves[base], s.slotsOf(s.states[base]))
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

// build makes the sequence once more: keeping all rounds of all sequences would take much
// memory.
func (s *paperPorts) build(ctx context.Context, base, d int) (*model.Schedule, error) {
	state, err := s.contracted(ctx, base, d)
	if err != nil {
		return nil, err
	}
	out := state.Schedule(s.nodes, s.ports, s.each)
	out.Strategy = s.name
	return out, nil
}

// route returns the ways of the sequence, which it makes once more unless it is the last.
func (s *paperPorts) route(ctx context.Context, base, d int) (Route, error) {
	state := s.states[base]
	if len(s.curves[base]) != d {
		var err error
		if state, err = s.contracted(ctx, base, d); err != nil {
			return Route{}, err
		}
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

// contracted returns the sequence of d topologies, or nil if that many topologies cannot help.
func (s *paperPorts) contracted(ctx context.Context, base, d int) (*rounds.Contraction, error) {
	state, err := bases[base](ctx, s.nodes, s.ports)
	if err != nil {
		return nil, err
	}
	for range d - 1 {
		if more, err := state.Contract(ctx); err != nil || !more {
			return nil, err
		}
	}
	return state, nil
}
