package cast

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// turns is the schedule over rotated circulants, for large messages to any number of nodes where
// reconfiguring is quick. With q = ceil(log2 n), round r has circuits from every node x to
// x + skip[r mod q], where skip[q] = n and each skip is half of the next, rounded up. K pieces
// take K-1+q rounds, the fewest possible over one port (J. L. Träff, Optimal Broadcast Schedules
// in Logarithmic Time, 2023, Algorithms 3 to 6; the rotated hypercube of cube.go takes one more,
// and powers of two).
//
// A turn is q rounds. In a turn a node receives pieces of the turn before, and one piece of this
// turn, its own. In round k it receives piece received[k], counted from the first piece of this
// turn, so that pieces of the turn before are negative. What a node sends in round k is what its
// neighbour receives.
type turns struct {
	skip []int // skip[q] is the number of nodes
}

func newTurns(nodes int) turns {
	t := turns{skip: []int{nodes}}
	for t.skip[0] > 1 {
		t.skip = append([]int{(t.skip[0] + 1) / 2}, t.skip...)
	}
	return t
}

func (t turns) rounds() int { return len(t.skip) - 1 }

// own returns the piece that a node gets in the turn in which the root sends it. On the route
// from the root to the node that takes the largest skips first, it is the smallest skip; for the
// root it is q.
func (t turns) own(node int) int {
	for k := t.rounds() - 1; k >= 0; k-- {
		if t.skip[k] == node {
			return k
		}
		if t.skip[k] < node {
			node -= t.skip[k]
		}
	}
	return t.rounds()
}

// received returns what a node receives in the rounds of a turn. For k = 0, 1, .. it looks for a
// route from the root to a node that lies skip[k] or more before the given one, but less than
// skip[k+1]. Each route has a smallest skip of its own, and that skip is the piece.
func (t turns) received(node int) []int {
	q := t.rounds()
	w := &waysTo{turns: t, node: t.skip[q] + node, pieces: make([]int, q), next: make([]int, q+2), before: make([]int, q+2)}
	for e := range q + 1 { // from q down to 0, and then the end, which is q+1
		w.next[e] = e - 1
		w.before[e] = e + 1
	}
	end := q + 1
	w.next[0], w.before[end], w.next[end], w.before[q] = end, 0, q, end
	own := t.own(node)
	if node != 0 {
		w.take(own)
	}
	w.find(0, 2*t.skip[q], q, 0)
	for k, piece := range w.pieces {
		if piece == q {
			w.pieces[k] = own
		} else {
			w.pieces[k] = piece - q
		}
	}
	return w.pieces
}

// waysTo searches what a node receives. The skips that no route has taken yet are in a linked
// list, from which each can be removed at once.
type waysTo struct {
	turns
	node         int
	pieces       []int
	next, before []int
}

func (w *waysTo) take(e int) {
	w.next[w.before[e]], w.before[w.next[e]] = w.next[e], w.before[e]
}

// find extends a route from a node by skips from e on, to nodes before a limit. k pieces are
// known; it returns how many are known afterwards.
func (w *waysTo) find(at, limit, e, k int) int {
	for end := w.rounds() + 1; e != end && k < w.rounds(); e = w.next[e] {
		to := at + w.skip[e]
		if to > w.node-w.skip[k] || to >= limit {
			continue
		}
		if to <= w.node-w.skip[k+1] {
			k = w.find(to, limit, e, k)
		}
		if k == w.rounds() || at > w.node-w.skip[k+1] {
			return k
		}
		limit = to
		w.pieces[k] = e
		k++
		w.take(e)
	}
	return k
}

// circulantCasts returns the broadcast over rotated circulants with the best number of pieces.
func circulantCasts(s *digit.Search, nodes int, bytes float64) []cast {
	if nodes < 3 || s.Duplex && s.Ports < 2 {
		return nil
	}
	width := s.Ports
	if s.Duplex {
		width = s.Ports / 2 // circuits lead back as well
	}
	t := newTurns(nodes)
	w := float64(width)
	load := s.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1})
	most := mostPieces(nodes, 1, bytes)
	if s.Changes != digit.AnyChanges {
		if most = min(most, s.Changes+2-t.rounds()); most < 1 {
			return nil // rounds are one more than changes
		}
	}
	pieces, time := bestPieces(t.rounds()-1, s.PerByte*bytes*load, s.Alpha+s.Delta+s.Wait, most)
	time -= s.Wait // none before the first round
	return []cast{{Time: time, Changes: t.rounds() - 2 + pieces, About: fmt.Sprintf("%d pieces over rotated circulants", pieces), Build: func() Laid {
		return t.lay(width, pieces, s.Duplex)
	}}}
}

// lay lays out the rounds. The last round has the longest skip, which determines the first one.
// There are no pieces before the first; instead of a piece beyond the last one, the last one is
// sent to nodes that lack it.
func (t turns) lay(width, pieces int, duplex bool) Laid {
	q, n := t.rounds(), t.skip[t.rounds()]
	graphs := make([]*topology.Graph, q)
	for k := range graphs {
		jumps := []int{t.skip[k]}
		if duplex {
			jumps = append(jumps, n-t.skip[k])
		}
		graphs[k] = topology.DirectedCirculant(n, digit.Repeat(jumps, slices.Repeat([]int{width}, len(jumps)))...)
	}
	received := make([][]int, n)
	has := make([][]bool, n)
	for v := range received {
		received[v], has[v] = t.received(v), make([]bool, pieces)
	}
	l := Laid{Space: collective.SpaceOf(collective.Broadcast, n, pieces)}
	first := (q - (pieces-1)%q) % q
	for i := first; i < first+pieces-1+q; i++ {
		k, turn := i%q, i/q
		var step plan.Step
		for v := 1; v < n; v++ {
			piece := min(received[v][k]+turn*q-first, pieces-1)
			if piece < 0 || has[v][piece] {
				continue
			}
			has[v][piece] = true
			from := arithmetic.Offset(t.skip[k], v, n)
			step.Base = append(step.Base, copyOver([]int32{int32(from), int32(v)}, collective.Single(piece)))
		}
		l.Stages = append(l.Stages, plan.Stage{Topology: graphs[k], Steps: []plan.Step{step}})
	}
	return l
}
