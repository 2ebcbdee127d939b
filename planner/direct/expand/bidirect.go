package expand

import (
	"context"
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Bidirect returns the schedule for Bidirect(G) that sends one half of every shard by a
// schedule of G and the other by one of its transpose, at the same time. (Zhao et al.,
// appendix F.) If both cost the same, so does the result: half the data on half of the ports.
// If G is already two-way, its circuits are doubled and the better of the two schedules is kept
// unchanged.
//
// What the paper leaves open: if G has circuits both ways between two nodes, the circuits of G
// and of its transpose between them share their load, and the result may cost less. Computing
// the figures then streams both schedules.
func Bidirect(ctx context.Context, forward, backward *Allgather) (*Allgather, error) {
	g := forward.Graph
	turned := g.Transpose("")
	if !turned.Equal(backward.Graph) {
		return nil, fmt.Errorf("%w: %s is not the transpose of %s", ErrInput, backward.Graph.Name(), g.Name())
	}
	if g.Circuits() > topology.MaxCircuits/2 {
		return nil, fmt.Errorf("%w: Bidirect(%s) would have more than %d circuits", ErrTooLarge, g.Name(), topology.MaxCircuits)
	}
	both := topology.Bidirect(g)
	if turned.Equal(g) {
		return doubled(both, better(forward, backward))
	}
	s := halves{forward.source, backward.source, forward.Steps, backward.Steps}
	perStep := halfLoads(forward.PerStep, backward.PerStep)
	if both.Bundles() < 2*g.Bundles() {
		var err error
		if perStep, err = measure(ctx, both, s, len(perStep)); err != nil {
			return nil, err
		}
	}
	return newAllgather(both, perStep, Allgather{
		Method:     "bidirect",
		Derivation: "Bidirect(" + forward.Derivation + "," + backward.Derivation + ")",
		source:     s,
		grain:      2 * max(forward.grain, backward.grain),
	})
}

// doubled returns the schedule on a graph with twice the circuits in every bundle.
func doubled(g *topology.Graph, a *Allgather) (*Allgather, error) {
	return newAllgather(g, halfLoads(a.PerStep, nil), Allgather{
		Method:     "bidirect",
		Derivation: "Bidirect(" + a.Derivation + ")",
		source:     a.source,
		grain:      a.grain,
	})
}

// halfLoads returns the loads of two schedules that run side by side, each with half of
// the data.
func halfLoads(a, b []*big.Rat) []*big.Rat {
	if len(a) < len(b) {
		a, b = b, a
	}
	perStep := make([]*big.Rat, len(a))
	for i, load := range a {
		if i < len(b) && load.Cmp(b[i]) < 0 {
			load = b[i]
		}
		perStep[i] = new(big.Rat).Mul(load, big.NewRat(1, 2))
	}
	return perStep
}

// better returns the schedule with less bandwidth or, if equal, fewer steps, the first of
// equals.
func better(a, b *Allgather) *Allgather {
	if order := b.Bandwidth.Cmp(a.Bandwidth); order < 0 || order == 0 && b.Steps < a.Steps {
		return b
	}
	return a
}

// halves runs two schedules side by side.
type halves struct {
	forward, backward           source
	forwardSteps, backwardSteps int
}

func (h halves) stream(first, last int, yield emit) bool {
	return streamHalf(h.forward, h.forwardSteps, 0, first, last, yield) &&
		streamHalf(h.backward, h.backwardSteps, 1, first, last, yield)
}

func streamHalf(s source, steps int, half int64, first, last int, yield emit) bool {
	if first > steps {
		return true
	}
	return s.stream(first, min(last, steps), func(step int, t bfb.Transfer) bool {
		t.From, t.To = inPart(t.From, half, 2), inPart(t.To, half, 2)
		return yield(step, t)
	})
}
