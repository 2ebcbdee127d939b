package jumpset

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/topology"
)

// randomJumps returns d jumps, repetitions allowed, the first of them 1.
func randomJumps(random *rand.Rand, n, d int) []int {
	jumps := []int{1}
	for len(jumps) < d {
		jumps = append(jumps, 1+random.IntN(n-1))
	}
	return jumps
}

// TestDistancesAreThoseOfTheGraph compares with breadth-first search.
func TestDistancesAreThoseOfTheGraph(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for n := 2; n <= 40; n++ {
		jumps := randomJumps(random, n, 1+random.IntN(3))
		var edges []topology.Edge
		for u := range n {
			for _, j := range jumps {
				edges = append(edges, topology.Edge{From: u, To: (u + j) % n, Count: 1})
			}
		}
		want := make([]int32, n)
		topology.New(n, "", edges).Distances(0, want, make([]int32, n))
		if got := DistancesOf(n, jumps); !slices.Equal(got.Hops, want) {
			t.Errorf("n=%d jumps %v: %v, want %v", n, jumps, got.Hops, want)
		}
	}
}

// TestNextJumpIsTheBest compares with trying all jumps from scratch, even if the set does not
// reach everything yet.
func TestNextJumpIsTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for _, n := range append(UpTo(60)[1:], 64, 65, 127, 128, 130, 192, 200) {
		jumps := randomJumps(random, n, 1+random.IntN(4))[random.IntN(2):]
		if n > 60 { // so that distances are few, and the offsets several words of bits
			jumps = append(randomJumps(random, n, 3), 1)
		}
		next := newNextJump(n)
		for range 2 { // the second time with the working memory of the first
			jump, total := next.best(threads.Limit(t.Context(), 1+n%3), DistancesOf(n, jumps), MaxTotal)
			want, least := 0, MaxTotal
			for j := 1; j < n; j++ {
				if d := DistancesOf(n, append(slices.Clone(jumps), j)).Total; d < least {
					want, least = j, d
				}
			}
			if jump != want || total != least {
				t.Errorf("n=%d after %v: %d with %d, want %d with %d", n, jumps, jump, total, want, least)
			}
		}
	}
}

// TestCoverageCountsHops compares with the congruence h*jump = o.
func TestCoverageCountsHops(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for n := 2; n <= 60; n++ {
		jumps := randomJumps(random, n, 1+random.IntN(5))
		cover := NewCoverage(n)
		for i, j := range jumps {
			gain, before := cover.gain(j), cover.Total
			cover.Add(j)
			if before-cover.Total != gain {
				t.Fatalf("n=%d: jump %d gains %d, said %d", n, j, before-cover.Total, gain)
			}
			total := 0
			for o := 1; o < n; o++ {
				least := n
				for _, j := range jumps[:i+1] {
					if h, ok := flow.CirculantHops(n, j, o); ok {
						least = min(least, h)
					}
				}
				total += least
			}
			if total != cover.Total {
				t.Fatalf("n=%d jumps %v: total %d, want %d", n, jumps[:i+1], cover.Total, total)
			}
		}
	}
}

// TestShiftSequenceIsGreedy: the bounds that save work do not change the choice.
func TestShiftSequenceIsGreedy(t *testing.T) {
	for _, n := range []int{2, 3, 12, 30, 37} {
		s := NewShiftSequence(n)
		s.Extend(n - 1)
		cover := NewCoverage(n)
		cover.Add(1)
		for d := 1; d < n-1; d++ {
			best := -1
			for j := 1; j < n; j++ {
				if !slices.Contains(s.jumps[:d], j) {
					best = max(best, cover.gain(j))
				}
			}
			if got := cover.gain(s.jumps[d]); got != best {
				t.Fatalf("n=%d: jump number %d gains %d, the best %d", n, d, got, best)
			}
			cover.Add(s.jumps[d])
		}
	}
}

// TestExchangesAreJudgedRight compares the stated gain of an exchange of jumps with its actual
// gain, and checks that no useful exchange is left when the search ends.
func TestExchangesAreJudgedRight(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for n := 4; n <= 40; n += 3 {
		jumps := randomJumps(random, n, min(n-1, 2+random.IntN(5)))
		before := Covered(n, jumps).Total
		r := newRivals(n, jumps)
		for j := 1; j < n; j++ {
			position, gain := r.exchange(j)
			most := -1 << 30
			for i := range jumps {
				changed := slices.Clone(jumps)
				changed[i] = j
				most = max(most, before-Covered(n, changed).Total)
				if i == position && before-Covered(n, changed).Total != gain {
					t.Fatalf("n=%d %v: %d for number %d gains %d, said %d", n, jumps, j, i, before-Covered(n, changed).Total, gain)
				}
			}
			if gain != most {
				t.Fatalf("n=%d %v: the best exchange for %d gains %d, said %d", n, jumps, j, most, gain)
			}
		}
		better, err := swapShifts(context.Background(), n, jumps)
		if err != nil {
			t.Fatal(err)
		}
		total := Covered(n, better).Total
		for i := range better {
			for j := 1; j < n; j++ {
				changed := slices.Clone(better)
				changed[i] = j
				if Covered(n, changed).Total < total {
					t.Fatalf("n=%d: %v is better than the result %v", n, changed, better)
				}
			}
		}
	}
}

// TestRelayExchangesEnd at a set that no single exchange makes better.
func TestRelayExchangesEnd(t *testing.T) {
	for _, c := range []struct{ n, d int }{{12, 2}, {16, 3}, {27, 3}, {40, 4}} {
		seq := NewRelaySequence(c.n)
		if err := seq.Extend(context.Background(), c.d); err != nil {
			t.Fatal(err)
		}
		jumps, err := SwapRelay(context.Background(), c.n, seq.Jumps)
		if err != nil {
			t.Fatal(err)
		}
		total := DistancesOf(c.n, jumps).Total
		for i := range jumps {
			for j := 1; j < c.n; j++ {
				changed := slices.Clone(jumps)
				changed[i] = j
				if DistancesOf(c.n, changed).Total < total {
					t.Errorf("n=%d: %v is better than the result %v", c.n, changed, jumps)
				}
			}
		}
	}
}

// TestRelayExchangesSkipNothing compares with exchanges that also try a jump again that was
// just exchanged: the jumps are the same, one by one.
func TestRelayExchangesSkipNothing(t *testing.T) {
	exchanged := 0
	for n := 5; n <= 60; n += 5 {
		for d := 1; d <= 5; d++ {
			seq := NewRelaySequence(n)
			if err := seq.Extend(t.Context(), min(d, n-1)); err != nil {
				t.Fatal(err)
			}
			got, err := SwapRelay(t.Context(), n, seq.Jumps)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(seq.Jumps)
			for quiet, i := 0, 0; quiet < len(want); i = (i + 1) % len(want) {
				best, total := 0, DistancesOf(n, want).Total
				for j := 1; j < n; j++ {
					changed := slices.Clone(want)
					changed[i] = j
					if sum := DistancesOf(n, changed).Total; sum < total {
						best, total = j, sum
					}
				}
				if quiet++; best > 0 {
					want[i], quiet = best, 0
					exchanged++
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("n=%d, %v: exchanged for %v, without a skip for %v", n, seq.Jumps, got, want)
			}
		}
	}
	if exchanged < 5 {
		t.Errorf("%d exchanges only", exchanged)
	}
}

// BenchmarkNextJump finds a jump for a thousand nodes: 64 offsets at a time, and one by one,
// which is the twin.
func BenchmarkNextJump(b *testing.B) {
	const nodes = 1024
	d := DistancesOf(nodes, []int{1, 7, 45, 260})
	b.Run("levels", func(b *testing.B) {
		next := newNextJump(nodes)
		for b.Loop() {
			next.best(b.Context(), d, MaxTotal)
		}
	})
	b.Run("offsets", func(b *testing.B) {
		for b.Loop() {
			for j := 1; j < nodes; j++ {
				totalWith(d.Hops, j)
			}
		}
	})
}
