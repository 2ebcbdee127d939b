package expand

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Errors that callers can tell apart with errors.Is.
var (
	// ErrInput: the input does not meet the conditions of the expansion.
	ErrInput = errors.New("expand: invalid input")
	// ErrTooLarge: the result would pass the limits of package topology, or cut shards
	// more finely than 64 bits describe.
	ErrTooLarge = errors.New("expand: too large")
)

// Figures are what a schedule costs, exactly.
type Figures struct {
	Nodes  int
	Degree int // ports of a node, circuits to itself included
	Steps  int
	// PerStep is the load of the busiest circuit in each step, in shards. Parallel
	// circuits share what their bundle carries evenly.
	PerStep []*big.Rat
	// Time is the sum of PerStep.
	Time *big.Rat
	// Bandwidth is the time in units of M/B, where M is the size of all shards together
	// and B what the ports of a node carry: Time x Degree / Nodes. (Zhao et al., Eq. 4.)
	Bandwidth *big.Rat
	// BandwidthOptimal says that Bandwidth is (Nodes-1)/Nodes for each collective that is
	// performed, which no schedule on any topology can beat. (Zhao et al., Theorem 6.)
	BandwidthOptimal bool
}

// newFigures sums up the steps of one or two collectives.
func newFigures(g *topology.Graph, perStep []*big.Rat, collectives int) Figures {
	f := Figures{Nodes: g.Nodes(), Degree: g.Degree(), Steps: len(perStep), PerStep: perStep, Time: new(big.Rat)}
	for _, load := range perStep {
		f.Time.Add(f.Time, load)
	}
	nodes := int64(f.Nodes)
	f.Bandwidth = new(big.Rat).Mul(f.Time, big.NewRat(int64(f.Degree), nodes))
	f.BandwidthOptimal = f.Bandwidth.Cmp(big.NewRat(int64(collectives)*(nodes-1), nodes)) == 0
	return f
}

// Allgather is an allgather on a graph: every node ends with the shards of all others.
// It is the form that all expansions take and give.
//
// Invariant: a node receives every point of every shard but its own exactly once, in a
// later step than the one in which its sender received it. So it can be run backwards as
// a reduce-scatter.
type Allgather struct {
	Figures
	// Graph holds the circuits, under the numbers of nodes that transfers use.
	Graph *topology.Graph
	// Method names how the schedule was made: bfb, line, degree, power,
	// bidirect, arrivals, given.
	Method string
	// Derivation writes down the whole construction, such as Line(BFB(C(16;3,4)),3).
	Derivation string

	source source
	grain  int64 // see finest
}

// source computes the transfers of an allgather.
type source interface {
	// stream yields the transfers of steps first to last, which all exist, and reports whether
	// yield took all of them.
	stream(first, last int, yield emit) bool
}

// scattered is a source that can stream nodes separately: a node receives over links that no
// other node uses.
type scattered interface {
	source
	// streamOf yields the transfers of all steps to the nodes first to last-1.
	streamOf(first, last int, yield emit) bool
}

// emit takes a transfer of a step, and reports whether it wants more.
type emit func(step int, t bfb.Transfer) bool

// newAllgather fills in the figures. It drops steps at the end in which nothing is sent:
// expansions add one even if the base has nothing left to deliver.
func newAllgather(g *topology.Graph, perStep []*big.Rat, a Allgather) (*Allgather, error) {
	if a.grain > finest {
		return nil, fmt.Errorf("%w: %s cuts shards into more than 2^31 pieces", ErrTooLarge, a.Derivation)
	}
	for len(perStep) > 0 && perStep[len(perStep)-1].Sign() == 0 {
		perStep = perStep[:len(perStep)-1]
	}
	a.Graph = g
	a.Figures = newFigures(g, perStep, 1)
	return &a, nil
}

// All yields every transfer with its step, in an order that depends on the construction and not
// only on steps.
func (a *Allgather) All() iter.Seq2[int, bfb.Transfer] {
	return func(yield func(int, bfb.Transfer) bool) {
		if a.Steps > 0 {
			a.source.stream(1, a.Steps, yield)
		}
	}
}

// BFB returns the best breadth-first-broadcast allgather of a graph, by bfb.Solve.
func BFB(ctx context.Context, g *topology.Graph) (*Allgather, error) {
	return solveBFB(ctx, g, bfb.Options{})
}

func solveBFB(ctx context.Context, g *topology.Graph, opts bfb.Options) (*Allgather, error) {
	s, err := bfb.Solve(ctx, g, opts)
	if err != nil {
		return nil, err
	}
	return newAllgather(g, s.PerStep, Allgather{
		Method:     "bfb",
		Derivation: "BFB(" + g.Name() + ")",
		source:     broadcast{s},
		// A step of a node takes shards/weight for some set of its circuits, and cuts at
		// multiples of 1/weight. Whole chunks are finer, but are not expanded.
		grain: int64(s.Degree),
	})
}

// broadcast is an allgather by package bfb.
type broadcast struct{ s *bfb.Schedule }

func (b broadcast) stream(first, last int, yield emit) bool {
	if first == 1 && last == b.s.Steps {
		return b.streamOf(0, b.s.Nodes, yield)
	}
	for step := first; step <= last; step++ {
		for t := range b.s.Transfers(step) {
			if !yield(step, t) {
				return false
			}
		}
	}
	return true
}

func (b broadcast) streamOf(first, last int, yield emit) bool {
	more := true
	b.s.Of(first, last)(func(step int, t bfb.Transfer) bool {
		more = yield(step, t)
		return more
	})
	return more
}
