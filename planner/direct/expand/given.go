package expand

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Given returns an allgather with the given transfers, found by other means, so that it can be
// expanded. steps[i] holds the transfers of step i+1 and must not be changed afterwards. Given
// checks that the transfers perform an allgather; the error names the first transfer that is
// wrong.
func Given(ctx context.Context, g *topology.Graph, steps [][]bfb.Transfer) (*Allgather, error) {
	if g.Nodes() == 0 {
		return nil, fmt.Errorf("%w: a graph without nodes", ErrInput)
	}
	grain, err := checkGiven(g, steps)
	if err != nil {
		return nil, err
	}
	s := given(steps)
	perStep, err := measure(ctx, g, s, len(steps))
	if err != nil {
		return nil, err
	}
	return newAllgather(g, perStep, Allgather{
		Method:     "given",
		Derivation: "Given(" + g.Name() + ")",
		source:     s,
		grain:      grain,
	})
}

// given holds the transfers of every step.
type given [][]bfb.Transfer

func (s given) stream(first, last int, yield emit) bool {
	for step := first; step <= last; step++ {
		for _, t := range s[step-1] {
			if !yield(step, t) {
				return false
			}
		}
	}
	return true
}

// checkGiven runs the transfers and returns their grain.
func checkGiven(g *topology.Graph, steps [][]bfb.Transfer) (grain int64, err error) {
	held := newHoldings(g.Nodes())
	grain = 1
	for i, transfers := range steps {
		for _, t := range transfers {
			if err := checkTransfer(g, t); err != nil {
				return 0, fmt.Errorf("%w: step %d: %v: %w", ErrInput, i+1, t, err)
			}
			if !held.has(t.Src, t.Shard, t.From, t.To) {
				return 0, fmt.Errorf("%w: step %d: %v: the sender does not have all of it", ErrInput, i+1, t)
			}
			_, _, den := together(t.From, t.To)
			grain = max(grain, den)
		}
		// What arrives can be sent on in the next step.
		for _, t := range transfers {
			if !held.put(t.Dst, t.Shard, t.From, t.To) {
				return 0, fmt.Errorf("%w: step %d: %v: the receiver has some of it already", ErrInput, i+1, t)
			}
		}
	}
	for node := range g.Nodes() {
		for shard := range g.Nodes() {
			if !held.has(node, shard, zero, one) {
				return 0, fmt.Errorf("%w: node %d ends without all of shard %d", ErrInput, node, shard)
			}
		}
	}
	return grain, nil
}

// checkTransfer checks a transfer by itself.
func checkTransfer(g *topology.Graph, t bfb.Transfer) error {
	n := g.Nodes()
	switch {
	case t.Reduce:
		return fmt.Errorf("an allgather does not reduce")
	case t.Shard < 0 || t.Shard >= n || t.Src < 0 || t.Src >= n || t.Dst < 0 || t.Dst >= n:
		return fmt.Errorf("nodes are 0..%d", n-1)
	case t.Src == t.Dst || g.Find(t.Src, t.Dst) < 0:
		return fmt.Errorf("there is no circuit from %d to %d", t.Src, t.Dst)
	case !lowest(t.From) || !lowest(t.To):
		return fmt.Errorf("the ends are not fractions in lowest terms with denominators of at most 2^31")
	case !t.From.Less(t.To) || one.Less(t.To):
		return fmt.Errorf("the interval is empty or leaves the shard, which is [0, 1)")
	}
	return nil
}

func lowest(f bfb.Frac) bool {
	return f.Num >= 0 && f.Den >= 1 && f.Den <= finest && arithmetic.GCD(f.Num, f.Den) == 1
}

// holdings are the intervals that each node has of each shard.
type holdings struct {
	nodes int
	parts [][]interval // of every node and shard: ascending, apart from each other
}

type interval struct{ from, to bfb.Frac }

// newHoldings gives every node its own shard.
func newHoldings(nodes int) *holdings {
	h := &holdings{nodes: nodes, parts: make([][]interval, nodes*nodes)}
	for u := range nodes {
		h.parts[u*nodes+u] = []interval{{zero, one}}
	}
	return h
}

// has reports whether a node has an interval. Neighbouring intervals are merged, so that
// it must lie in one of them.
func (h *holdings) has(node, shard int, from, to bfb.Frac) bool {
	return slices.ContainsFunc(h.parts[node*h.nodes+shard], func(p interval) bool {
		return !from.Less(p.from) && !p.to.Less(to)
	})
}

// put adds an interval, or reports that the node has some of it.
func (h *holdings) put(node, shard int, from, to bfb.Frac) bool {
	parts := &h.parts[node*h.nodes+shard]
	at := 0
	for at < len(*parts) && !from.Less((*parts)[at].to) {
		at++ // this one ends before the new one begins
	}
	if at < len(*parts) && (*parts)[at].from.Less(to) {
		return false
	}
	added := interval{from, to}
	end := at
	if end < len(*parts) && (*parts)[end].from == to {
		added.to = (*parts)[end].to
		end++
	}
	if at > 0 && (*parts)[at-1].to == from {
		at--
		added.from = (*parts)[at].from
	}
	*parts = slices.Replace(*parts, at, end, added)
	return true
}
