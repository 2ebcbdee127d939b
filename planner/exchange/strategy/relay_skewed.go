package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// placedRelay is relay or cayley for uneven demands: the topologies of the uniform demand, with
// nodes placed so that those with much to send to each other are few hops apart.
type placedRelay struct {
	skewed
	even  func(ctx context.Context, d int) (*routing.Ways, error)
	known map[placing]placedStages
}

// placing is a number of stages and a try.
type placing struct{ stages, try int }

// placedStages are circuits between nodes, and the hops over all of them.
type placedStages struct {
	stages [][][]int
	hops   [][]int
}

func newRelaySkewed(p *Problem) solver {
	s, ok := newSkewed(p, Relay, true)
	if !ok {
		return nil
	}
	return newPlacedRelay(p, s)
}

// newPlacedRelay returns relay for uneven demands. All strategies that place its topologies
// share the placed ones.
func newPlacedRelay(p *Problem, s skewed) *placedRelay {
	if p.relays == nil {
		p.relays = map[placing]placedStages{}
	}
	return &placedRelay{skewed: s, even: evenRelay(s.nodes, s.ports).routing, known: p.relays}
}

// evenRelay is relay for one chunk between every two nodes.
func evenRelay(nodes, ports int) *relay {
	return &relay{uniform: uniform{nodes: nodes, ports: ports, each: 1, name: Relay, hops: model.RelayJumpHops}, seq: jumpset.NewRelaySequence(nodes)}
}

func (s *placedRelay) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	for try := range s.tries() {
		stages, _, err := s.topologies(ctx, d, try)
		if err != nil || stages == nil {
			return err
		}
		if err := s.routed(ctx, stages, worth, visit); err != nil {
			return err
		}
	}
	return nil
}

// topologies returns the circuits of d stages, or nil if there are none, and the hops
// between nodes over all of them.
func (s *placedRelay) topologies(ctx context.Context, d, try int) (stages [][][]int, hops [][]int, err error) {
	if p, ok := s.known[placing{stages: d, try: try}]; ok {
		return slices.Clone(p.stages), p.hops, nil
	}
	r, err := s.even(ctx, d)
	if err != nil || r == nil {
		return nil, nil, err
	}
	between := r.Hops()
	var places [][][]int
	for _, generators := range r.Generators {
		places = append(places, r.Circuits(generators))
	}
	at, stages, err := s.place(ctx, places, between, try)
	if err != nil {
		return nil, nil, err
	}
	hops = make([][]int, s.nodes)
	for u := range hops {
		hops[u] = make([]int, s.nodes)
		for v := range hops[u] {
			hops[u][v] = between[at[u]][at[v]]
		}
	}
	if s.known == nil {
		s.known = make(map[placing]placedStages)
	}
	s.known[placing{stages: d, try: try}] = placedStages{stages: stages, hops: hops}
	return slices.Clone(stages), hops, nil
}
