package cast

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/planner/joint/pairing"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has broadcasts in rounds of calls between pairs, for large messages where
// reconfiguring is quick. All ports of a node lead to one other node, so one two-way port is
// enough; see pairing.Cast for the rounds. One-way circuits have rotated circulants, which take no
// more rounds.

const (
	// maxCalls limits the calls of a plan, and so its memory: every round has its own circuits.
	maxCalls = 1 << 20
	// maxCounted limits the calls that are made only to count the rounds of an odd number of nodes.
	maxCounted = 1 << 18
)

// callsKey is what the number of rounds depends on.
type callsKey struct{ nodes, pieces int }

// rounds returns the number of rounds, and of those for which circuits change, the first among
// them.
func (k callsKey) rounds(m *planner.Memory) (rounds, circuits int) {
	if k.nodes%2 == 0 {
		return pairing.CastRounds(k.nodes, k.pieces)
	}
	both := planner.Kept(m, k, func() ([2]int, bool) {
		rounds, circuits := pairing.CastRounds(k.nodes, k.pieces)
		return [2]int{rounds, circuits}, true
	})
	return both[0], both[1]
}

// callCasts returns the broadcast in rounds of calls with the best number of pieces if it may take
// less than limit.
func callCasts(s *digit.Search, nodes int, bytes, limit float64) []cast {
	most := min(mostPieces(nodes, 1, bytes), maxCalls/nodes)
	if !s.Duplex || nodes < pairing.Least || most < 1 {
		return nil
	}
	w := float64(s.Ports)
	whole := s.PerByte * bytes * s.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1})
	each := s.Alpha + s.Delta
	even := nodes &^ 1
	spare := bits.Len(uint(even-1)) - 1 // and more if nodes is odd
	if s.Changes != digit.AnyChanges {
		most = min(most, s.Changes+1-spare) // all but repairs change circuits
	}
	if most < 1 {
		return nil
	}
	guess, time := bestPieces(spare, whole, each+s.Wait, most)
	if time-s.Wait >= limit {
		return nil
	}
	tried := []int{guess}
	if nodes%2 == 1 {
		tried = oddPieces(nodes, guess, most)
	}
	best := cast{Time: math.Inf(1)}
	for _, pieces := range tried {
		rounds, circuits := callsKey{nodes, pieces}.rounds(s.Memory)
		changes := circuits - 1
		time := float64(rounds)*(each+whole/float64(pieces)) + float64(changes)*s.Wait
		if time >= best.Time || s.Changes != digit.AnyChanges && changes > s.Changes {
			continue
		}
		best = cast{Time: time, Changes: changes, About: fmt.Sprintf("%d pieces in rounds of calls", pieces), Build: func() Laid {
			return layCalls(nodes, s.Ports, pieces)
		}}
	}
	if best.Build == nil {
		return nil
	}
	return []cast{best}
}

// oddPieces lists the numbers of pieces to try for an odd number of nodes. There is a round for
// every nodes-1 pieces or so in which no piece leaves the root, so the best number is next to
// guess or just before one that takes such a round.
func oddPieces(nodes, guess, most int) []int {
	list := []int{guess}
	for step := 1; step <= max(1, guess/3); step += max(1, guess/24) {
		for _, pieces := range [...]int{guess - step, guess + step} {
			if pieces >= 1 && pieces <= most && nodes*pieces*(len(list)+1) <= maxCounted {
				list = append(list, pieces)
			}
		}
	}
	return list
}

// layCalls lays out the rounds over circuits of a width.
func layCalls(nodes, width, pieces int) Laid {
	l := Laid{Space: collective.SpaceOf(collective.Broadcast, nodes, pieces)}
	for i, round := range pairing.Cast(nodes, pieces) {
		var edges []topology.Edge
		var step plan.Step
		give := func(from, to, piece int) {
			if piece != pairing.None {
				step.Base = append(step.Base, copyOver([]int32{int32(from), int32(to)}, collective.Single(piece)))
			}
		}
		for _, c := range round.Of {
			edges = append(edges, topology.Edge{From: c.A, To: c.B, Count: width})
			give(c.A, c.B, c.FromA)
			give(c.B, c.A, c.FromB)
		}
		if last := len(l.Stages) - 1; round.Stay {
			l.Stages[last].Steps = append(l.Stages[last].Steps, step)
			continue
		}
		g := topology.New(nodes, fmt.Sprintf("calls of round %d", i+1), tieUp(edges, true))
		l.Stages = append(l.Stages, plan.Stage{Topology: g, Steps: []plan.Step{step}})
	}
	return l
}
