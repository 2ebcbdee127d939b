package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
)

// randomMoves are transfers of some steps among nodes, most of them of whole runs.
func randomMoves(random *rand.Rand, nodes, total, steps int) []move {
	var moves []move
	for step := range steps {
		for at := range 1 + random.IntN(6) {
			m := move{Transfer: &collective.Transfer{}, step: int32(step), in: int32(step), at: int32(at)}
			m.Src = random.IntN(nodes)
			m.Dst = (m.Src + 1 + random.IntN(nodes-1)) % nodes
			m.Action = []collective.Action{collective.Copy, collective.Copy, collective.Reduce, collective.Replace}[random.IntN(4)]
			if random.IntN(4) == 0 {
				m.Part = collective.Parts()[random.IntN(3)]
			}
			for range 1 + random.IntN(2) {
				r := collective.Run{First: random.IntN(total), Count: 1 + random.IntN(total), Stride: 1 + random.IntN(5)/4}
				r.Count = min(r.Count, (total-1-r.First)/r.Stride+1)
				m.Chunks = append(m.Chunks, r)
			}
			moves = append(moves, m)
		}
	}
	return moves
}

// Neighbours in a span are in the same transfers and have the same duty, and all of what is
// counted and listed for spans exists.
func TestSpansAreOfChunksThatAreAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		op := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Scatter}[random.IntN(5)]
		space := collective.SpaceOf(op, 3+random.IntN(4), 1+random.IntN(40))
		total := space.Chunks()
		moves := randomMoves(random, space.Nodes, total, 1)
		s, err := newSpans(t.Context(), op, &space, moves, total)
		if err != nil {
			t.Fatal(err)
		}
		starts := slices.Collect(s.in(0, total))
		if len(starts) == 0 || starts[0] != 0 || !slices.IsSorted(starts) {
			t.Fatalf("spans start at %v, want one at 0", starts)
		}
		carried := func(c int) (by []int) {
			for i := range moves {
				for _, r := range moves[i].Chunks {
					if c >= r.First && c <= r.Last() && (c-r.First)%r.Stride == 0 {
						by = append(by, i)
					}
				}
			}
			return by
		}
		duties := collective.Duties(op, &space)
		for c := 1; c < total; c++ {
			if slices.Contains(starts, c) {
				continue
			}
			a, b := duties(c-1), duties(c)
			if !slices.Equal(carried(c-1), carried(c)) || !slices.Equal(a.From, b.From) || !slices.Equal(a.To, b.To) {
				t.Fatalf("%s: chunks %d and %d differ, and are in one span", op, c-1, c)
			}
		}
		low := random.IntN(total)
		high := low + random.IntN(total-low+1)
		within := 0
		for _, c := range starts {
			if c >= low && c < high {
				within++
			}
		}
		if got := s.count(low, high); got != within {
			t.Fatalf("%d spans start in %d..%d, want %d", got, low, high-1, within)
		}
	}
}

// The errors of a plan are the same, to the letter, whether the first chunk of a span
// represents it or every chunk is run.
func TestSpansShowWhatEveryChunkShows(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	wrong := map[violationKind]int{}
	for range 2000 {
		op := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce}[random.IntN(5)]
		p := &plan.Plan{}
		p.Fabric.Nodes = 2 + random.IntN(4)
		p.Collective.Op, p.Collective.Space = op, collective.SpaceOf(op, p.Fabric.Nodes, 1+random.IntN(8))
		total := p.Collective.Space.Chunks()
		moves := randomMoves(random, p.Fabric.Nodes, total, 1+random.IntN(4))
		alike, err := newSpans(t.Context(), op, &p.Collective.Space, moves, total)
		if err != nil {
			t.Fatal(err)
		}
		report := func(alike spans, most int) (texts [violationKinds]string) {
			f := &follower{run: newDataRun(p)}
			f.run.moves = moves
			if err := f.followSpans(t.Context(), alike, total, most); err != nil {
				t.Fatal(err)
			}
			for kind, v := range f.first {
				if v != nil {
					texts[kind] = v.text
					wrong[violationKind(kind)]++
				}
			}
			return texts
		}
		want := report(spans{}, eventsAtOnce)
		for _, most := range []int{1, 20, eventsAtOnce} {
			if got := report(alike, most); got != want {
				t.Fatalf("%s, %d events at once: %q, want %q", op, most, got, want)
			}
		}
	}
	for kind := range violationKind(violationKinds) {
		if wrong[kind] == 0 {
			t.Errorf("no plan had a violation of kind %d", kind)
		}
	}
}
