package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// relay is the strategy of the best jumps found for chunks that may use several topologies:
// with k ports, the d*k jumps that are best for one port, divided among d stages.
type relay struct {
	uniform
	seq *jumpset.RelaySequence
}

func newRelay(p *Problem) solver {
	u, ok := newUniform(p, Relay, model.RelayJumpHops)
	if !ok {
		return newRelaySkewed(p)
	}
	return &relay{uniform: u, seq: jumpset.NewRelaySequence(u.nodes)}
}

func (s *relay) candidates(ctx context.Context, d int, _ func(slots int) bool, visit visitor) error {
	r, err := s.routing(ctx, d)
	if err != nil {
		return err
	}
	return visit(s.routed(r))
}

// routing returns the ways over the jumps that it finds for d stages.
func (s *relay) routing(ctx context.Context, d int) (*routing.Ways, error) {
	count := min(d*s.ports, s.nodes-1)
	if err := s.seq.Extend(ctx, count); err != nil {
		return nil, err
	}
	jumps, err := jumpset.SwapRelay(ctx, s.nodes, s.seq.Jumps[:count])
	if err != nil {
		return nil, err
	}
	if s.ports == 1 {
		return jumpset.Relayed(s.nodes, jumps), nil
	}
	share := jumpset.NewSharing(s.nodes, jumps)
	if err := share.Divide(ctx, s.ports); err != nil {
		return nil, err
	}
	return share.Ways(s.ports), nil
}
