package expand

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Schedule performs a collective operation on a graph.
type Schedule struct {
	Figures
	Op     bfb.Op
	Chunks int // per shard, 0 if shards are cut anywhere
	Graph  *topology.Graph
	// Method is the method of the allgather, which is performed or run in reverse. An allreduce
	// joins its two methods with + if they differ, the reduce-scatter's first.
	Method string
	// Derivation is the derivation of the allgather, on the transpose for a reduce-scatter. An
	// allreduce joins its two derivations with + if they differ.
	Derivation string

	halves []half
}

// half is one of the collectives that a schedule consists of.
type half struct {
	*Allgather
	reversed bool
}

// Perform returns the schedule of an operation on the graph of forward. A reduce-scatter
// runs an allgather of the transposed graph, backward, in reverse (Zhao et al., Definition
// 7 and Theorem 3), and an allreduce is a reduce-scatter followed by an allgather. The
// allgather that the operation does not need may be nil.
func Perform(op bfb.Op, forward, backward *Allgather) (*Schedule, error) {
	s := &Schedule{Op: op}
	if op < bfb.AllGather || op > bfb.AllReduce {
		return nil, fmt.Errorf("%w: unknown operation %d", ErrInput, int(op))
	}
	if op != bfb.AllGather {
		if backward == nil {
			return nil, fmt.Errorf("%w: %v without an allgather on the transpose", ErrInput, op)
		}
		s.Graph = backward.Graph.Transpose("Transpose(" + backward.Graph.Name() + ")")
		s.halves = append(s.halves, half{backward, true})
	}
	if op != bfb.ReduceScatter {
		if forward == nil {
			return nil, fmt.Errorf("%w: %v without an allgather", ErrInput, op)
		}
		if s.Graph != nil && !s.Graph.Equal(forward.Graph) {
			return nil, fmt.Errorf("%w: %s is not the transpose of %s", ErrInput, backward.Graph.Name(), forward.Graph.Name())
		}
		s.Graph = forward.Graph
		s.halves = append(s.halves, half{forward, false})
	}
	s.describe()
	return s, nil
}

// describe fills in what follows from the halves.
func (s *Schedule) describe() {
	var perStep []*big.Rat
	for _, h := range s.halves {
		loads := slices.Clone(h.PerStep)
		if h.reversed {
			slices.Reverse(loads)
		}
		perStep = append(perStep, loads...)
	}
	s.Figures = newFigures(s.Graph, perStep, len(s.halves))
	first, last := s.halves[0], s.halves[len(s.halves)-1]
	s.Method, s.Derivation = last.Method, last.Derivation
	if first.Method != last.Method {
		s.Method = first.Method + "+" + last.Method
	}
	if first.Derivation != last.Derivation {
		s.Derivation = first.Derivation + "+" + last.Derivation
	}
}

// All yields every transfer with its step; those of a reduce-scatter come before those of
// the allgather that follows it, and within each the order is that of Allgather.All.
func (s *Schedule) All() iter.Seq2[int, bfb.Transfer] {
	return func(yield func(int, bfb.Transfer) bool) {
		before := 0
		for _, h := range s.halves {
			if h.Steps > 0 && !h.source.stream(1, h.Steps, h.facing(before, yield)) {
				return
			}
			before += h.Steps
		}
	}
}

// Of is All for some nodes: the transfers to the nodes first to last-1 or, in a reduce-scatter,
// from them. Other nodes have no transfers over the same links in the same steps. So ranges of
// nodes can be streamed in parallel, and each link has its transfers in the order of All. Of
// returns nil if the construction does not go node by node.
func (s *Schedule) Of(first, last int) iter.Seq2[int, bfb.Transfer] {
	for _, h := range s.halves {
		if _, ok := h.source.(scattered); !ok {
			return nil
		}
	}
	return func(yield func(int, bfb.Transfer) bool) {
		before := 0
		for _, h := range s.halves {
			if h.Steps > 0 && !h.source.(scattered).streamOf(first, last, h.facing(before, yield)) {
				return
			}
			before += h.Steps
		}
	}
}

// turn converts between steps of the half and of its allgather, in both directions.
func (h half) turn(step int) int {
	if h.reversed {
		return h.Steps + 1 - step
	}
	return step
}

// facing returns an emit that takes transfers of the allgather and yields those of the half,
// which begins after before steps.
func (h half) facing(before int, yield emit) emit {
	if h.reversed {
		return func(step int, t bfb.Transfer) bool {
			t.Src, t.Dst, t.Reduce = t.Dst, t.Src, true
			return yield(before+h.turn(step), t)
		}
	}
	if before == 0 {
		return yield
	}
	return func(step int, t bfb.Transfer) bool { return yield(before+step, t) }
}
