package verify

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
)

// tallied is a node's value of one chunk as numbers: node u contributes 16^u, so every
// hexadecimal digit of a sum counts how often a contribution is in it.
type tallied struct {
	value    int64
	received int64
	aside    [collective.MostSides]int64
	apart    bool // received is the value without the node's own contribution
	has      bool
}

// runOnNumbers carries out moves of one chunk with real additions, and reports whether they are
// correct: senders have what they send, no contribution is counted twice, and every node ends
// with all.
func runOnNumbers(moves []move, nodes int) bool {
	own := func(u int) int64 { return 1 << (4 * u) }
	state := make([]tallied, nodes)
	all := int64(0)
	for u := range state {
		state[u] = tallied{value: own(u), apart: true, has: true}
		all += own(u)
	}
	for i := 0; i < len(moves); {
		end := i
		sent := make([]int64, 0, 8)
		for ; end < len(moves) && moves[end].step == moves[i].step; end++ {
			s := state[moves[end].Src]
			if side, with := moves[end].Part.Side(); side > 0 {
				value := s.aside[side-1]
				if !s.apart || value == 0 {
					return false
				}
				if with {
					value += own(moves[end].Src)
				}
				sent = append(sent, value)
				continue
			}
			switch moves[end].Part {
			case collective.OwnPart:
				sent = append(sent, own(moves[end].Src))
			case collective.ReceivedPart:
				if !s.apart || s.received == 0 {
					return false
				}
				sent = append(sent, s.received)
			default:
				sent = append(sent, s.value)
			}
		}
		wrote := map[int]collective.Action{}
		for k, value := range sent {
			m := &moves[i+k]
			s := &state[m.Dst]
			before, again := wrote[m.Dst]
			if again && (m.Action == collective.Copy || before != m.Action) {
				return false
			}
			wrote[m.Dst] = m.Action
			switch {
			case m.Action == collective.Reduce:
				s.value += value
				s.received += value
				for side := range m.Sides.All() {
					s.aside[side-1] += value
				}
			case m.Action == collective.Replace && again:
				s.value += value
			default:
				s.value, s.apart = value, false
			}
			for u := range nodes {
				if s.value>>(4*u)&15 > 1 {
					return false
				}
			}
		}
		i = end
	}
	for u := range state {
		if state[u].value != all {
			return false
		}
	}
	return true
}

// windowMoves returns an allreduce by windows that grow at random: by whole values, by what was
// received and by what nodes contribute themselves.
func windowMoves(random *rand.Rand, nodes int) []move {
	var moves []move
	step := int32(0)
	for window := 1; window < nodes; step++ {
		grown := window
		for grown < nodes && (grown == window || random.IntN(3) > 0) {
			jump, part, length := grown, collective.OwnPart, 1
			switch left := nodes - grown; {
			case window <= left && random.IntN(3) > 0:
				part, length = collective.WholePart, window
			case window > 1 && window-1 <= left && random.IntN(3) > 0:
				jump, part, length = grown-1, collective.ReceivedPart, window-1
			}
			for u := range nodes {
				moves = append(moves, move{step: step, in: step, Transfer: &collective.Transfer{
					Src: u, Dst: (u + jump) % nodes, Action: collective.Reduce, Part: part, Chunks: collective.Single(0),
				}})
			}
			grown += length
		}
		window = grown
	}
	number(moves)
	return moves
}

// aside sends what was received, and whole values, as side sums to which everything is added, and
// adds some of the rest to other side sums.
func aside(random *rand.Rand, moves []move) {
	first := moves[0].step
	for i := range moves {
		changed := *moves[i].Transfer
		moves[i].Transfer = &changed
		if changed.Action != collective.Reduce {
			continue
		}
		changed.Sides = collective.SidesOf(1+random.IntN(2), 5)
		switch whole := changed.Part == collective.WholePart; {
		case random.IntN(2) > 0:
		case whole && moves[i].step > first, changed.Part == collective.ReceivedPart:
			changed.Part = collective.SidePart(5, whole)
		}
	}
}

// The verifier and real additions agree on moves with parts: on windows, on damaged windows,
// and on random moves.
func TestPartsAreFollowedAsNumbersAre(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	right, wrong := 0, 0
	for trial := range 6000 {
		p := &plan.Plan{}
		p.Fabric.Nodes = 2 + random.IntN(10)
		p.Collective.Op = collective.AllReduce
		p.Collective.Space = collective.Space{Kind: collective.Whole, Nodes: p.Fabric.Nodes, Parts: 1}
		moves := windowMoves(random, p.Fabric.Nodes)
		if trial%2 > 0 {
			aside(random, moves)
		}
		for range trial / 2 % 3 {
			if len(moves) > 1 {
				moves = damage(random, moves, p.Fabric.Nodes)
			}
		}
		f := &follower{run: newDataRun(p)}
		f.run.moves = moves
		if err := f.followSpans(t.Context(), spans{}, 1, eventsAtOnce); err != nil {
			t.Fatal(err)
		}
		report := f.report()
		ok := report.missing == nil && report.counted == nil && report.result == nil
		if want := runOnNumbers(moves, p.Fabric.Nodes); ok != want {
			t.Fatalf("trial %d: the verifier says %v (%v), numbers say %v: %+v", trial, ok, report, want, moves)
		}
		if trial/2%3 == 0 && !ok {
			t.Fatalf("trial %d: windows are refused: %+v", trial, report)
		}
		if ok {
			right++
		} else {
			wrong++
		}
	}
	if right < 1000 || wrong < 1000 {
		t.Errorf("%d right and %d wrong; want many of both", right, wrong)
	}
}
