package jumpset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/threads"
)

// TestNextJumpUnderACoverIsTheBest compares with trying all jumps from scratch, under covers
// and topologies that reach everything, something or nothing, and for limits that no jump,
// some jump or every jump meets.
func TestNextJumpUnderACoverIsTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for _, n := range append(UpTo(60)[1:], 64, 65, 127, 128, 130, 192, 200, 257) {
		next := newShiftNext(n)
		for trial := range 8 { // later trials with the working memory of earlier ones
			var stages [][]int
			for range trial % 4 {
				stages = append(stages, randomJumps(random, n, 1+random.IntN(4))[random.IntN(2):])
			}
			jumps := randomJumps(random, n, 1+random.IntN(4))[random.IntN(2):]
			if trial == 4 {
				jumps = nil
			}
			cover := coverOf(n, stages)
			want, least := 0, MaxTotal
			for j := 1; j < n; j++ {
				if d := totalCovered(cover, DistancesOf(n, append(slices.Clone(jumps), j)).Hops); d < least {
					want, least = j, d
				}
			}
			for _, limit := range []int{MaxTotal, least + 1, least} {
				jump, total := next.best(threads.Limit(t.Context(), 1+n%3), cover, DistancesOf(n, jumps).Hops, limit)
				if limit == least {
					want = 0
				}
				if jump != want || total != least {
					t.Errorf("n=%d stages %v jumps %v limit %d: %d with %d, want %d with %d", n, stages, jumps, limit, jump, total, want, least)
				}
			}
		}
	}
}

// plainStages is ShiftStages without its shortcuts: it tries every jump from scratch, and every
// jump and topology again after any change.
type plainStages struct{ nodes, ports int }

func (p plainStages) choose(cover []int32, jumps []int) []int {
	jumps = slices.Clone(jumps)
	total := func(jumps []int) int { return totalCovered(cover, DistancesOf(p.nodes, jumps).Hops) }
	for len(jumps) < p.ports {
		jumps = append(jumps, p.best(jumps, len(jumps), total))
	}
	for quiet, i := 0, 0; quiet < p.ports; i = (i + 1) % p.ports {
		quiet++
		others := slices.Clone(jumps)
		others[i] = p.best(slices.Delete(slices.Clone(jumps), i, i+1), i, total)
		if total(others) < total(jumps) {
			jumps, quiet = others, 0
		}
	}
	return jumps
}

func (p plainStages) best(jumps []int, at int, total func([]int) int) (jump int) {
	least := MaxTotal
	for j := 1; j < p.nodes; j++ {
		if t := total(slices.Insert(slices.Clone(jumps), at, j)); t < least {
			jump, least = j, t
		}
	}
	return jump
}

func (p plainStages) improve(stages [][]int) [][]int {
	stages = slices.Clone(stages)
	for quiet, i := 0, 0; quiet < len(stages); i = (i + 1) % len(stages) {
		quiet++
		if jumps := p.choose(coverOf(p.nodes, slices.Delete(slices.Clone(stages), i, i+1)), stages[i]); !slices.Equal(jumps, stages[i]) {
			stages[i], quiet = jumps, 0
		}
	}
	return stages
}

// TestShiftStagesAreThoseOfTryingEverything compares topologies with those of plainStages.
func TestShiftStagesAreThoseOfTryingEverything(t *testing.T) {
	for _, c := range []struct{ nodes, ports int }{{2, 2}, {7, 2}, {30, 2}, {31, 3}, {64, 2}, {81, 4}, {100, 2}, {130, 3}} {
		fast, plain := NewShiftStages(c.nodes, c.ports), plainStages{c.nodes, c.ports}
		for d := 1; d <= 4; d++ {
			if err := fast.Extend(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if want := plain.choose(coverOf(c.nodes, fast.Stages[:d-1]), nil); !slices.Equal(fast.Stages[d-1], want) {
				t.Errorf("%+v: topology %d has jumps %v, want %v", c, d, fast.Stages[d-1], want)
			}
			got, err := fast.Improve(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if want := plain.improve(fast.Stages[:d]); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%+v: %d topologies have jumps %v, want %v", c, d, got, want)
			}
		}
	}
}
