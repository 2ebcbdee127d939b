package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
)

// paperPorts is the paper's strategy with several ports: the better of the circulant and
// the generalised Kautz base for every number of topologies (section 4.2). Beyond
// explicitNodes it is the circulant base: paths between all pairs of nodes would take
// gigabytes.
type paperPorts struct {
	uniform
	states []*rounds.Contraction
	curves [][]int // slots with 1, 2, .. topologies of each; ends where none can help
}

// bases are the topologies from which contraction starts.
var bases = []func(ctx context.Context, nodes, ports int) (rounds.Topologies, error){rounds.NewCirculants, rounds.NewKautzGraphs}

// bases returns the number of bases to try.
func (s *paperPorts) bases() int {
	if s.nodes > explicitNodes {
		return 1
	}
	return len(bases)
}

// start returns the sequence that has only a base.
func (s *paperPorts) start(ctx context.Context, base int) (*rounds.Contraction, error) {
	t, err := bases[base](ctx, s.nodes, s.ports)
	if err != nil {
		return nil, err
	}
	return rounds.NewContraction(ctx, t)
}

func (s *paperPorts) draft(ctx context.Context, d, _ int) (*draft, error) {
	best, slots := -1, 0
	for i := range s.bases() {
		if err := s.extend(ctx, i, d); err != nil {
			return nil, err
		}
		if curve := s.curves[i]; len(curve) >= d && (best < 0 || curve[d-1] < slots) {
			best, slots = i, curve[d-1]
		}
	}
	if best < 0 {
		return nil, nil
	}
	return &draft{strategy: s.name, stages: d, slots: slots * s.each, build: func(ctx context.Context) (*model.Schedule, error) {
		return s.build(ctx, best, d)
	}}, nil
}

// extend finds the slots with up to d topologies.
func (s *paperPorts) extend(ctx context.Context, base, d int) error {
	if len(s.states) <= base {
		state, err := s.start(ctx, base)
		if err != nil {
			return err
		}
		s.states = append(s.states, state)
		s.curves = append(s.curves, []int{state.Slots()})
	}
	for len(s.curves[base]) < d {
		more, err := s.states[base].Contract(ctx)
		if err != nil || !more {
			return err
		}
		s.curves[base] = append(s.curves[base], s.states[base].Slots())
	}
	return nil
}

// build makes the sequence once more: to keep all rounds of all sequences would take much
// memory.
func (s *paperPorts) build(ctx context.Context, base, d int) (*model.Schedule, error) {
	state, err := s.contracted(ctx, base, d)
	if err != nil {
		return nil, err
	}
	out := state.Schedule(s.ports, s.each)
	out.Strategy = s.name
	return out, nil
}

// contracted returns the sequence of d topologies, or nil if so many cannot help.
func (s *paperPorts) contracted(ctx context.Context, base, d int) (*rounds.Contraction, error) {
	state, err := s.start(ctx, base)
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
