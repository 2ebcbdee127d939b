package swarm

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Stage is a stage of a gather: the circuits, and what they carry.
type Stage struct {
	Graph *topology.Graph
	Steps []Step
}

// Step lists the messages of a step.
type Step struct {
	Messages []Message
	Load     int // the most pieces over one circuit
}

// Message lists pieces that a node sends to another.
type Message struct {
	From, To int32
	Pieces   []int32
}

// Gather brings all pieces to all nodes. owners has the node that has each piece at first. A
// circuit carries at most each pieces in a step. The graphs are used one after the other, each for
// the given number of steps and the last until all is done. Gather returns nil if a node lacks
// something that nobody can send to it, or if the context ends.
//
// It looks at all pieces for every piece sent: O(n p^2) for p pieces.
func Gather(ctx context.Context, graphs []*topology.Graph, until, owners []int, each int) []Stage {
	s := newState(graphs[0].Nodes(), owners)
	var all []Stage
	for i, g := range graphs {
		stage := Stage{Graph: g}
		senders := sendersOf(g)
		for s.missing > 0 && (i == len(graphs)-1 || len(stage.Steps) < until[i]) {
			step := s.step(senders, each)
			if len(step.Messages) == 0 || ctx.Err() != nil {
				return nil
			}
			stage.Steps = append(stage.Steps, step)
		}
		if len(stage.Steps) > 0 {
			all = append(all, stage)
		}
	}
	return all
}

// sendersOf lists, for every node, who sends to it, once for each circuit.
func sendersOf(g *topology.Graph) [][]int32 {
	all := make([][]int32, g.Nodes())
	for e := range g.Edges() {
		if e.From == e.To {
			continue
		}
		for range e.Count {
			all[e.To] = append(all[e.To], int32(e.From))
		}
	}
	return all
}

// state is who has what.
type state struct {
	words   int
	had     [][]uint64 // pieces of each node when the step began
	has     [][]uint64
	copies  []int32 // of each piece
	missing int     // pieces times nodes
}

func newState(n int, owners []int) *state {
	pieces := len(owners)
	s := &state{words: (pieces + 63) / 64, copies: slices.Repeat([]int32{1}, pieces), missing: (n - 1) * pieces}
	for range n {
		s.has = append(s.has, make([]uint64, s.words))
		s.had = append(s.had, make([]uint64, s.words))
	}
	for p, u := range owners {
		s.has[u][p/64] |= 1 << (p % 64)
	}
	return s
}

// step lets every node take what it lacks, at most each pieces over every circuit.
func (s *state) step(senders [][]int32, each int) Step {
	for u := range s.has {
		copy(s.had[u], s.has[u])
	}
	var step Step
	for v, from := range senders {
		first := len(step.Messages)
		taken := make([]int, len(from))
		for range each {
			// The circuit with the least choice goes first.
			order := make([]int, 0, len(from))
			choice := make([]int, len(from))
			for i, u := range from {
				choice[i] = s.wanted(u, v)
				order = append(order, i)
			}
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(choice[i], choice[j]) })
			for _, i := range order {
				piece := s.rarest(from[i], v)
				if piece < 0 {
					continue
				}
				s.has[v][piece/64] |= 1 << (piece % 64)
				s.copies[piece]++
				s.missing--
				taken[i]++
				step.Load = max(step.Load, taken[i])
				step.add(first, from[i], int32(v), piece)
			}
		}
	}
	return step
}

// add adds a piece to the message of a sender, among those from first on.
func (s *Step) add(first int, from, to, piece int32) {
	for i := first; i < len(s.Messages); i++ {
		if s.Messages[i].From == from {
			s.Messages[i].Pieces = append(s.Messages[i].Pieces, piece)
			return
		}
	}
	s.Messages = append(s.Messages, Message{from, to, []int32{piece}})
}

// wanted counts the pieces that u could send to v.
func (s *state) wanted(u int32, v int) int {
	count := 0
	for w, had := range s.had[u] {
		count += bits.OnesCount64(had &^ s.has[v][w])
	}
	return count
}

// rarest returns a piece that u can send to v, one that the fewest nodes have; -1 if there is
// none. Of equally rare pieces v takes the first after its own number, so that nodes take
// different ones.
func (s *state) rarest(u int32, v int) int32 {
	best, least := int32(-1), int32(0)
	start := v * len(s.copies) / len(s.has) / 64
	for k := range s.words {
		w := (start + k) % s.words
		for left := s.had[u][w] &^ s.has[v][w]; left != 0; left &= left - 1 {
			if p := int32(64*w + bits.TrailingZeros64(left)); best < 0 || s.copies[p] < least {
				best, least = p, s.copies[p]
			}
		}
	}
	return best
}
