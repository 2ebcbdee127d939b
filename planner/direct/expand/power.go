package expand

import (
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Power returns the schedule that Zhao et al., Definition 14, construct for Power(G,k)
// out of one for G. A shard is cut into k parts, and the i-th part is gathered along the
// dimensions i, i+1, .. in turn, so that every dimension is always busy with one part. There are
// k times as many steps, and with N nodes in G the bandwidth is multiplied by
// N/(N-1) (N^k-1)/N^k, which keeps it optimal (Theorem 12).
func Power(a *Allgather, k int) (*Allgather, error) {
	if err := powerFits(a.Graph, k); err != nil {
		return nil, err
	}
	s := &powerSource{base: a.source, nodes: a.Nodes, steps: a.Steps, dims: k}
	perStep := make([]*big.Rat, 0, k*a.Steps)
	shards := int64(1) // gathered along the earlier dimensions
	for range k {
		for _, load := range a.PerStep {
			perStep = append(perStep, new(big.Rat).Mul(load, big.NewRat(shards, int64(k))))
		}
		shards *= int64(a.Nodes)
	}
	return newAllgather(topology.CartesianPower(a.Graph, k), perStep, Allgather{
		Method:     "power",
		Derivation: fmt.Sprintf("Power(%s,%d)", a.Derivation, k),
		source:     s,
		grain:      a.grain * int64(k),
	})
}

// powerFits checks the conditions of topology.CartesianPower.
func powerFits(g *topology.Graph, k int) error {
	if k < 1 {
		return fmt.Errorf("%w: a power has at least one factor, not %d", ErrInput, k)
	}
	tooLarge := fmt.Errorf("%w: Power(%s,%d) would have more than %d nodes or %d circuits", ErrTooLarge, g.Name(), k, topology.MaxNodes, topology.MaxCircuits)
	if k > topology.MaxCircuits {
		return tooLarge
	}
	nodes := 1
	for range k {
		if nodes > topology.MaxNodes/g.Nodes() {
			return tooLarge
		}
		nodes *= g.Nodes()
	}
	if nodes/g.Nodes() > topology.MaxCircuits/max(1, k*g.Circuits()) {
		return tooLarge
	}
	return nil
}

// powerSource computes the transfers on a power of a graph.
type powerSource struct {
	base  source
	nodes int // of the base
	steps int // of the base
	dims  int
}

func (s *powerSource) stream(first, last int, yield emit) bool {
	for phase := (first - 1) / s.steps; phase*s.steps < last; phase++ {
		before := phase * s.steps
		lay := s.partPhases(phase)
		more := s.base.stream(max(1, first-before), min(s.steps, last-before), func(step int, t bfb.Transfer) bool {
			for part, l := range lay {
				if !l.place(before+step, s.inPart(t, part), yield) {
					return false
				}
			}
			return true
		})
		if !more {
			return false
		}
	}
	return true
}

// inPart moves a transfer into the part of shards that is the given one of dims.
func (s *powerSource) inPart(t bfb.Transfer, part int) bfb.Transfer {
	t.From = inPart(t.From, int64(part), int64(s.dims))
	t.To = inPart(t.To, int64(part), int64(s.dims))
	return t
}

// partPhase describes one part of all shards in one phase, where it is gathered along one
// dimension. In the dimensions of earlier phases, nodes and shards have any coordinates. In
// those of later phases, a node and a shard have the same coordinates.
type partPhase struct {
	weight  int   // of the dimension, as Translations read nodes
	earlier []int // offsets of all coordinates in the dimensions of earlier phases
	later   []int
}

// partPhases returns the partPhase of every part in a phase; phases count from 0. Part i starts
// with dimension i.
func (s *powerSource) partPhases(phase int) []partPhase {
	lay := make([]partPhase, s.dims)
	for part := range lay {
		l := partPhase{earlier: []int{0}, later: []int{0}}
		for j := range s.dims {
			weight := s.weight((part + j) % s.dims)
			switch {
			case j < phase:
				l.earlier = s.cross(l.earlier, weight)
			case j == phase:
				l.weight = weight
			default:
				l.later = s.cross(l.later, weight)
			}
		}
		lay[part] = l
	}
	return lay
}

// weight returns what one step along a dimension adds to a node's number: the last
// dimension is the fastest.
func (s *powerSource) weight(dim int) int {
	weight := 1
	for range s.dims - 1 - dim {
		weight *= s.nodes
	}
	return weight
}

// cross adds all coordinates of a dimension to every offset.
func (s *powerSource) cross(offsets []int, weight int) []int {
	all := make([]int, 0, len(offsets)*s.nodes)
	for _, offset := range offsets {
		for c := range s.nodes {
			all = append(all, offset+c*weight)
		}
	}
	return all
}

// place yields a transfer of the base in all copies of the graph along the dimension, for all
// shards that have been gathered in place of one.
func (l *partPhase) place(step int, t bfb.Transfer, yield emit) bool {
	x := t
	for _, same := range l.later {
		for _, node := range l.earlier {
			x.Src, x.Dst = t.Src*l.weight+same+node, t.Dst*l.weight+same+node
			for _, shard := range l.earlier {
				if x.Shard = t.Shard*l.weight + same + shard; !yield(step, x) {
					return false
				}
			}
		}
	}
	return true
}
