package expand

import (
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Degree returns the schedule that Zhao et al., Definition 4, construct for Degree(G,k) from
// one for G, which has no circuits from a node to itself. The shard of a copy travels through
// that copy of the graph and from there to all others. In a new last step the copies of a node
// get each other's shards, a part over each of their circuits. In a d-regular graph of N nodes
// the bandwidth grows by (k-1)/(kN), which keeps it optimal (Theorem 11).
func Degree(a *Allgather, k int) (*Allgather, error) {
	if err := degreeFits(a.Graph, k); err != nil {
		return nil, err
	}
	s := &degreeSource{base: a.source, g: a.Graph, steps: a.Steps, copies: k, in: a.Graph.Transpose("")}
	s.inDegree = a.Graph.InDegrees()
	perStep := append([]*big.Rat(nil), a.PerStep...)
	last, grain := new(big.Rat), a.grain
	for _, in := range s.inDegree {
		// The shards of k-1 copies come over the circuits of k.
		all := int64(k) * int64(in)
		if load := big.NewRat(int64(k-1), all); last.Cmp(load) < 0 {
			last = load
		}
		grain = max(grain, all)
	}
	return newAllgather(topology.DegreeExpansion(a.Graph, k), append(perStep, last), Allgather{
		Method:     "degree",
		Derivation: fmt.Sprintf("Degree(%s,%d)", a.Derivation, k),
		source:     s,
		grain:      grain,
	})
}

// degreeFits checks the conditions of topology.DegreeExpansion.
func degreeFits(g *topology.Graph, k int) error {
	if k < 1 {
		return fmt.Errorf("%w: degree expansion takes at least one copy, not %d", ErrInput, k)
	}
	if g.Nodes() < 2 {
		return fmt.Errorf("%w: degree expansion of a single node is not connected", ErrInput)
	}
	for u := range g.Nodes() {
		if g.Find(u, u) >= 0 {
			return fmt.Errorf("%w: degree expansion of %s, which has a circuit from node %d to itself", ErrInput, g.Name(), u)
		}
	}
	if k > topology.MaxNodes/g.Nodes() || k*k > topology.MaxCircuits/g.Circuits() {
		return fmt.Errorf("%w: Degree(%s,%d) would have more than %d nodes or %d circuits", ErrTooLarge, g.Name(), k, topology.MaxNodes, topology.MaxCircuits)
	}
	return nil
}

// degreeSource computes the transfers on Degree(g,copies).
type degreeSource struct {
	base     source
	g, in    *topology.Graph // in is the transpose of g
	steps    int             // of the base
	copies   int
	inDegree []int
}

func (s *degreeSource) stream(first, last int, yield emit) bool {
	if first <= s.steps {
		more := s.base.stream(first, min(last, s.steps), func(step int, t bfb.Transfer) bool {
			return s.spread(step, t, yield)
		})
		if !more {
			return false
		}
	}
	return last <= s.steps || s.exchange(yield)
}

// spread yields what a transfer of the base becomes: the shard's own copy of the sender
// sends to all copies of the receiver.
func (s *degreeSource) spread(step int, t bfb.Transfer, yield emit) bool {
	n := s.g.Nodes()
	for own := range s.copies {
		x := bfb.Transfer{Shard: own*n + t.Shard, Src: own*n + t.Src, From: t.From, To: t.To}
		for other := range s.copies {
			if x.Dst = other*n + t.Dst; !yield(step, x) {
				return false
			}
		}
	}
	return true
}

// exchange yields the last step: every copy of a node gets the shards of the others from
// all copies of the node's neighbours, which have them whole.
func (s *degreeSource) exchange(yield emit) bool {
	n := s.g.Nodes()
	for dst := range s.copies * n {
		node := dst % n
		senders, circuits := s.in.Row(node)
		all := int64(s.copies) * int64(s.inDegree[node])
		for shard := node; shard < s.copies*n; shard += n {
			if shard == dst {
				continue
			}
			at := int64(0)
			for copied := range s.copies {
				for i, sender := range senders {
					x := bfb.Transfer{Shard: shard, Src: copied*n + int(sender), Dst: dst}
					x.From, x.To = ratio(at, all), ratio(at+int64(circuits[i]), all)
					if at += int64(circuits[i]); !yield(s.steps+1, x) {
						return false
					}
				}
			}
		}
	}
	return true
}
