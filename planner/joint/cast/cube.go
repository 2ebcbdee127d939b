package cast

import (
	"fmt"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// cubeCasts returns the broadcast over the rotated hypercube, for large messages where
// reconfiguring is quick. There are n = 2^q nodes, and in round r every node has circuits to the
// node whose number differs in bit r mod q. Piece j leaves the root in round j, over bit j. In
// the next q-1 rounds all nodes that have it, except the root, forward it over the bit of the
// round, so that the half of the cube with bit j set has it. In round j+q that half passes it to
// the other half. That is k+q rounds for k pieces (the edge-disjoint spanning trees of Johnsson
// and Ho 1989, one bit at a time).
//
// No node sends two pieces in a round. A node whose bit of round r is set sends piece r-q. A node
// whose bit is not set takes the first of its set bits that follows the bit of the round,
// cyclically, and sends the piece of that bit: it got that piece before the rounds of all bits in
// between. The root, which has no set bit, sends piece r.
//
// Rotated circulants take one round less, but the hypercube connects nodes in pairs: on two-way
// circuits one port is enough.
func cubeCasts(s *digit.Search, nodes int, bytes float64) []cast {
	if nodes&(nodes-1) != 0 || nodes < 4 {
		return nil
	}
	q := bits.TrailingZeros(uint(nodes))
	w := float64(s.Ports)
	load := s.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1})
	each := s.Alpha + s.Delta + s.Wait
	most := mostPieces(nodes, 1, bytes)
	if s.Changes != digit.AnyChanges {
		if most = min(most, s.Changes+1-q); most < 1 {
			return nil // rounds are one more than changes
		}
	}
	pieces, time := bestPieces(q, s.PerByte*bytes*load, each, most)
	time -= s.Wait // none before the first round
	return []cast{{Time: time, Changes: q - 1 + pieces, About: fmt.Sprintf("%d pieces through a rotated hypercube", pieces), Build: func() Laid {
		return layCube(q, s.Ports, pieces)
	}}}
}

func layCube(q, width, pieces int) Laid {
	n := 1 << q
	graphs := make([]*topology.Graph, q)
	for b := range graphs {
		var edges []topology.Edge
		for v := range n {
			edges = append(edges, topology.Edge{From: v, To: v ^ 1<<b, Count: width})
		}
		graphs[b] = topology.New(n, fmt.Sprintf("bit %d of Q(%d)", b, q), edges)
	}
	l := Laid{Space: collective.SpaceOf(collective.Broadcast, n, pieces)}
	for r := range pieces + q {
		b := r % q
		var step plan.Step
		for v := range n {
			piece := r
			switch {
			case v>>b&1 == 1:
				piece = r - q
			case v != 0:
				for i := 1; v>>((b+i)%q)&1 == 0; i++ {
					piece++
				}
				piece = piece + 1 - q // piece now has the bit of round r+i
			}
			if piece < 0 || piece >= pieces || v == 1<<b {
				continue
			}
			step.Base = append(step.Base, copyOver([]int32{int32(v), int32(v ^ 1<<b)}, collective.Single(piece)))
		}
		l.Stages = append(l.Stages, plan.Stage{Topology: graphs[b], Steps: []plan.Step{step}})
	}
	return l
}
