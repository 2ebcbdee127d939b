package verify

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
)

// exchangePlan adds up a chunk by recursive doubling among the largest power of two of nodes.
// The others send their values to these before, and copy the result after.
func exchangePlan(random *rand.Rand, n int) []move {
	var moves []move
	step := int32(0)
	add := func(src, dst int, action collective.Action) {
		moves = append(moves, move{Transfer: &collective.Transfer{Src: src, Dst: dst, Action: action, Chunks: collective.Single(0)}, step: step, in: step})
	}
	core := 1
	for 2*core <= n {
		core *= 2
	}
	order := random.Perm(n)
	for i := core; i < n; i++ {
		add(order[i], order[i-core], collective.Reduce)
	}
	for bit := 1; bit < core; bit *= 2 {
		step++
		for i := range core {
			add(order[i], order[i^bit], collective.Reduce)
		}
	}
	step++
	for i := core; i < n; i++ {
		add(order[i-core], order[i], collective.Copy)
	}
	return moves
}

// Columns of contributions prove a chunk exactly if sets do: for exchanges, trees, windows, and
// each with something changed.
func TestColumnsProveWhatSetsConfirm(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	right, wrong := 0, 0
	for trial := range 60 {
		p := &plan.Plan{}
		n := columnWords*64 + 1 + random.IntN(300)
		p.Fabric.Nodes = n
		p.Collective.Op, p.Collective.Space = collective.AllReduce, collective.SpaceOf(collective.AllReduce, n, 1)
		moves := exchangePlan(random, n)
		switch trial % 3 {
		case 0:
			moves = windowMoves(random, n)
			if trial%2 > 0 {
				aside(random, moves)
			}
		case 1:
			moves = nil
			for i := n - 1; i > 0; i-- {
				moves = append(moves, move{Transfer: &collective.Transfer{Src: i, Dst: random.IntN(i), Action: collective.Reduce, Chunks: collective.Single(0)}, step: int32(n - i)})
			}
			for i := 1; i < n; i++ {
				moves = append(moves, move{Transfer: &collective.Transfer{Src: random.IntN(i), Dst: i, Action: collective.Copy, Chunks: collective.Single(0)}, step: int32(n + i)})
			}
		}
		number(moves)
		for range trial / 3 % 2 {
			moves = damage(random, moves, n)
		}
		run := newDataRun(p)
		run.moves = moves
		var events []event
		for i := range moves {
			events = append(events, event{src: int32(moves[i].Src), dst: int32(moves[i].Dst), by: int32(i)})
		}
		got := run.proves(0, events)
		_, want := run.bySets(0, events)
		if got != want {
			t.Fatalf("trial %d, %d nodes: columns say %t, sets %t", trial, n, got, want)
		}
		if want {
			right++
		} else {
			wrong++
		}
	}
	if right < 20 || wrong < 10 {
		t.Errorf("%d were right and %d wrong: too few to say much", right, wrong)
	}
}
