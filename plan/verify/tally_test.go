package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
)

// treePlan sends every block of an operation up a tree of its own, if it is reduced, and down
// another: one move per step, or at once all moves whose sources are ready.
func treePlan(random *rand.Rand, op collective.Op, space *collective.Space) []move {
	n, parts := space.Nodes, space.Parts
	var moves []move
	duties := collective.Duties(op, space)
	for first := 0; first < space.Chunks(); {
		count := 1 + random.IntN(parts-first%parts)
		duty := duties(first)
		chunks := collective.Every(first, 1, count)
		step := int32(0)
		add := func(src, dst int, action collective.Action, step int32) {
			moves = append(moves, move{Transfer: &collective.Transfer{Src: src, Dst: dst, Action: action, Chunks: chunks}, step: step, in: step})
		}
		order := random.Perm(n)
		root := duty.From[0]
		if len(duty.To) == 1 {
			root = duty.To[0]
		}
		k := slices.Index(order, root)
		order[0], order[k] = order[k], order[0]
		if duty.Reduces {
			for i := n - 1; i > 0; i-- {
				add(order[i], order[random.IntN(i)], collective.Reduce, step)
				step++
			}
		}
		if len(duty.To) > 1 {
			for i := 1; i < n; i++ {
				add(order[random.IntN(i)], order[i], collective.Copy, step)
				step++
			}
		}
		first += count
	}
	slices.SortStableFunc(moves, func(a, b move) int { return int(a.step - b.step) })
	number(moves)
	return moves
}

// number numbers the moves of every step, in ascending order.
func number(moves []move) {
	for i := range moves {
		if moves[i].at = 0; i > 0 && moves[i-1].step == moves[i].step {
			moves[i].at = moves[i-1].at + 1
		}
	}
}

// damage changes a plan a little.
func damage(random *rand.Rand, moves []move, nodes int) []move {
	moves = slices.Clone(moves)
	k := random.IntN(len(moves))
	m := &moves[k]
	changed := *m.Transfer
	m.Transfer = &changed
	switch random.IntN(7) {
	case 0:
		moves = slices.Delete(moves, k, k+1)
	case 1:
		m.Action = []collective.Action{collective.Copy, collective.Reduce, collective.Replace}[random.IntN(3)]
	case 2:
		m.Dst = (m.Src + 1 + random.IntN(nodes-1)) % nodes
	case 3:
		m.Src = (m.Dst + 1 + random.IntN(nodes-1)) % nodes
	case 4:
		moves = slices.Insert(moves, k, moves[k])
	case 5:
		m.step = int32(random.IntN(int(moves[len(moves)-1].step) + 1))
		m.in = m.step
	case 6:
		m.Part = collective.Parts()[random.IntN(5)]
	}
	slices.SortStableFunc(moves, func(a, b move) int { return int(a.step - b.step) })
	number(moves)
	return moves
}

// The tally proves all plans that move everything along trees. For damaged and random plans it
// proves nothing that sets of contributions refute.
func TestTallyKnowsOnlyWhatSetsConfirm(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce}
	wrong, known := 0, 0
	for trial := range 3000 {
		op := ops[random.IntN(len(ops))]
		most, width := 6, 9
		if trial%5 == 0 { // rows of several words
			most, width = 60, 300
		}
		p := &plan.Plan{}
		p.Fabric.Nodes = 2 + random.IntN(5)
		p.Collective.Op, p.Collective.Space = op, collective.SpaceOf(op, p.Fabric.Nodes, 1+random.IntN(most))
		space := &p.Collective.Space
		total := space.Chunks()
		var moves []move
		whole := trial%4 == 0
		switch {
		case trial%8 == 1:
			moves = randomMoves(random, p.Fabric.Nodes, total, 1+random.IntN(3))
		default:
			moves = treePlan(random, op, space)
			for range trial % 4 {
				if len(moves) > 1 {
					moves = damage(random, moves, p.Fabric.Nodes)
				}
			}
		}
		alike, err := newSpans(t.Context(), op, space, moves, total)
		if err != nil {
			t.Fatal(err)
		}
		tally := newTally(t.Context(), p, moves, alike)
		tally.width = 1 + random.IntN(width)
		left, err := tally.unknown(threads.Limit(t.Context(), 1+trial%3), total)
		if err != nil {
			t.Fatal(err)
		}
		open := slices.Collect(left.in(0, total))
		if whole && len(open) > 0 {
			t.Fatalf("%s along trees: chunks %v are not known to be complete", op, open)
		}
		f := &follower{run: newDataRun(p)}
		f.run.moves = moves
		if err := f.followSpans(t.Context(), spans{}, total, eventsAtOnce); err != nil {
			t.Fatal(err)
		}
		g := &follower{run: newDataRun(p)}
		g.run.moves = moves
		if err := g.followSpans(t.Context(), left, total, eventsAtOnce); err != nil {
			t.Fatal(err)
		}
		if describe(f) != describe(g) {
			t.Fatalf("%s: %q, of what the tally leaves %q", op, describe(f), describe(g))
		}
		if describe(f) != describe(&follower{}) {
			wrong++
		} else if len(open) == 0 {
			known++
		}
	}
	if wrong < 500 || known < 500 {
		t.Errorf("%d plans were wrong and %d known to be right: too few to say much", wrong, known)
	}
}

func describe(f *follower) (texts [violationKinds]string) {
	for kind, v := range f.first {
		if v != nil {
			texts[kind] = v.text
		}
	}
	return texts
}

// Moves of one chunk each are run event by event, because going through all of them for every
// block would take the square of their number. Moves of many chunks are counted.
func TestTallyIsForMovesOfManyChunks(t *testing.T) {
	const n = 64
	p := &plan.Plan{}
	p.Fabric.Nodes = n
	p.Collective.Op, p.Collective.Space = collective.AllToAll, collective.SpaceOf(collective.AllToAll, n, 64)
	total := p.Collective.Space.Chunks()
	var single []move
	for c := range total {
		single = append(single, move{Transfer: &collective.Transfer{Src: 0, Dst: 1, Action: collective.Copy, Chunks: collective.Single(c)}})
	}
	whole := []move{{Transfer: &collective.Transfer{Src: 0, Dst: 1, Action: collective.Copy, Chunks: collective.Chunks{{First: 0, Count: total, Stride: 1}}}}}
	for _, c := range []struct {
		moves []move
		pays  bool
	}{{single, false}, {whole, true}} {
		every := spans{make([]uint64, (total+63)/64)} // as if all neighbours differed
		for i := range total {
			every.cut(i, total)
		}
		tally := newTally(t.Context(), p, c.moves, every)
		tally.width = 64
		if got := tally.pays(total); got != c.pays {
			t.Errorf("%d moves: pays %t, want %t", len(c.moves), got, c.pays)
		}
	}
}
