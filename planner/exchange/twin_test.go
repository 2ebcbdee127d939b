package exchange

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
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
		if got := distancesOf(n, jumps); !slices.Equal(got.hops, want) {
			t.Errorf("n=%d jumps %v: %v, want %v", n, jumps, got.hops, want)
		}
	}
}

// TestNextJumpIsTheBest compares with trying all jumps from scratch, also where the set does
// not reach everything yet.
func TestNextJumpIsTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for n := 2; n <= 60; n++ {
		jumps := randomJumps(random, n, 1+random.IntN(4))[random.IntN(2):]
		next := newNextJump(n)
		for range 2 { // the second time with what the first left behind
			jump, total := next.best(distancesOf(n, jumps), maxTotal)
			want, least := 0, maxTotal
			for j := 1; j < n; j++ {
				if d := distancesOf(n, append(slices.Clone(jumps), j)).total; d < least {
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
		cover := newCoverage(n)
		for i, j := range jumps {
			gain, before := cover.gain(j), cover.total
			cover.add(j)
			if before-cover.total != gain {
				t.Fatalf("n=%d: jump %d gains %d, said %d", n, j, before-cover.total, gain)
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
			if total != cover.total {
				t.Fatalf("n=%d jumps %v: total %d, want %d", n, jumps[:i+1], cover.total, total)
			}
		}
	}
}

// TestShiftSequenceIsGreedy: the bounds that spare work do not change the choice.
func TestShiftSequenceIsGreedy(t *testing.T) {
	for _, n := range []int{2, 3, 12, 30, 37} {
		s := newShiftSequence(n)
		s.extend(n - 1)
		cover := newCoverage(n)
		cover.add(1)
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
			cover.add(s.jumps[d])
		}
	}
}

// TestExchangesAreJudgedRight compares what an exchange of jumps is said to bring with what
// it brings, and checks that none is left when the search ends.
func TestExchangesAreJudgedRight(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for n := 4; n <= 40; n += 3 {
		jumps := randomJumps(random, n, min(n-1, 2+random.IntN(5)))
		before := covered(n, jumps).total
		r := newRivals(n, jumps)
		for j := 1; j < n; j++ {
			position, gain := r.exchange(j)
			most := -1 << 30
			for i := range jumps {
				changed := slices.Clone(jumps)
				changed[i] = j
				most = max(most, before-covered(n, changed).total)
				if i == position && before-covered(n, changed).total != gain {
					t.Fatalf("n=%d %v: %d for number %d gains %d, said %d", n, jumps, j, i, before-covered(n, changed).total, gain)
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
		total := covered(n, better).total
		for i := range better {
			for j := 1; j < n; j++ {
				changed := slices.Clone(better)
				changed[i] = j
				if covered(n, changed).total < total {
					t.Fatalf("n=%d: %v is better than the result %v", n, changed, better)
				}
			}
		}
	}
}

// TestRelayExchangesEnd at a set that no single exchange makes better.
func TestRelayExchangesEnd(t *testing.T) {
	for _, c := range []struct{ n, d int }{{12, 2}, {16, 3}, {27, 3}, {40, 4}} {
		seq := newRelaySequence(c.n)
		if err := seq.extend(context.Background(), c.d); err != nil {
			t.Fatal(err)
		}
		jumps, err := swapRelay(context.Background(), c.n, seq.jumps)
		if err != nil {
			t.Fatal(err)
		}
		total := distancesOf(c.n, jumps).total
		for i := range jumps {
			for j := 1; j < c.n; j++ {
				changed := slices.Clone(jumps)
				changed[i] = j
				if distancesOf(c.n, changed).total < total {
					t.Errorf("n=%d: %v is better than the result %v", c.n, changed, jumps)
				}
			}
		}
	}
}

// TestTwoJumpsAreTheBestPair compares relay with two topologies with all pairs of jumps.
func TestTwoJumpsAreTheBestPair(t *testing.T) {
	for n := 3; n <= 36; n++ {
		s := solved(t, Problem{Demand: uniformDemand(t, n, 1), Ports: 1, R: 1, T: 1, Stages: 2, Strategy: Relay})
		best := maxTotal
		for a := 1; a < n; a++ {
			for b := a; b < n; b++ {
				best = min(best, distancesOf(n, []int{a, b}).total)
			}
		}
		if s.Slots() != best {
			t.Errorf("n=%d: %d slots, the best pair of jumps takes %d", n, s.Slots(), best)
		}
	}
}

// TestOpenShopEndsAtTheBound on random work: pieces add up to the work, none overlap, and
// nothing ends later than the largest machine or job.
func TestOpenShopEndsAtTheBound(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		machines, jobs := 1+random.IntN(5), random.IntN(9)
		work := make([][]int32, jobs)
		bound := 0
		loads := make([]int, machines)
		for j := range work {
			work[j] = make([]int32, machines)
			sum := 0
			for m := range work[j] {
				if random.IntN(3) > 0 {
					work[j][m] = int32(random.IntN(7))
				}
				sum += int(work[j][m])
				loads[m] += int(work[j][m])
			}
			bound = max(bound, sum)
		}
		bound = max(bound, slices.Max(loads))
		pieces, end := openShop(work, machines)
		if end != bound {
			t.Fatalf("%v: ends at %d, want %d", work, end, bound)
		}
		for _, p := range pieces {
			work[p.job][p.machine] -= int32(p.length)
		}
		checkPieces(t, pieces, end)
		for _, row := range work {
			for _, left := range row {
				if left != 0 {
					t.Fatalf("%v is left", work)
				}
			}
		}
	}
}

// checkPieces checks that pieces are in order and that no machine and no job is in two of
// them at a time.
func checkPieces(t *testing.T, pieces []piece, end int) {
	t.Helper()
	for i, p := range pieces {
		if p.length < 1 || p.start < 0 || p.start+p.length > end || i > 0 && p.start < pieces[i-1].start {
			t.Fatalf("piece %v after %v, end %d", p, pieces[max(i-1, 0)], end)
		}
		for _, q := range pieces[:i] {
			if (p.job == q.job || p.machine == q.machine) && p.start < q.start+q.length {
				t.Fatalf("%v overlaps %v", p, q)
			}
		}
	}
}

// TestJobShopKeepsTheOrder of legs on random jobs.
func TestJobShopKeepsTheOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for range 300 {
		machines := 1 + random.IntN(4)
		jobs := make([][]leg, random.IntN(9))
		for j := range jobs {
			for range random.IntN(4) {
				jobs[j] = append(jobs[j], leg{port: int32(random.IntN(machines)), hops: int32(1 + random.IntN(3))})
			}
		}
		pieces, end := jobShop(jobs, machines)
		checkPieces(t, pieces, end)
		last := 0
		made := make([][]int32, len(jobs))
		for _, p := range pieces {
			for range p.length {
				made[p.job] = append(made[p.job], int32(p.machine))
			}
			last = max(last, p.start+p.length)
		}
		if last != end {
			t.Fatalf("ends at %d, said %d", last, end)
		}
		for j, legs := range jobs {
			var want []int32
			for _, l := range legs {
				want = append(want, slices.Repeat([]int32{l.port}, int(l.hops))...)
			}
			if !slices.Equal(made[j], want) {
				t.Fatalf("job %d: ports %v, want %v", j, made[j], want)
			}
		}
	}
}

// TestHopSetsAreAllOfThem compares with choosing any sets.
func TestHopSetsAreAllOfThem(t *testing.T) {
	for _, c := range []struct{ elements, d, extra int }{{4, 2, 0}, {5, 2, 2}, {6, 3, 2}, {5, 1, 3}} {
		sum := loadHops(c.elements+1, 1, c.d) + c.extra
		got := 0
		for sets := range hopSets(c.elements, c.d, sum) {
			count, total := 0, 0
			for i, set := range sets {
				if i > 0 && set > sets[i-1] {
					t.Fatalf("%v is not in descending order", sets)
				}
				for h := range 64 {
					if set>>h&1 == 1 {
						count, total = count+1, total+h
					}
				}
			}
			if len(sets) != c.d || count != c.elements || total != sum {
				t.Fatalf("%b: %d elements with sum %d, want %d with %d", sets, count, total, c.elements, sum)
			}
			got++
		}
		if want := countHopSets(c.elements, c.d, sum, 1<<(c.elements+c.extra+1)); got != want {
			t.Errorf("%d elements in %d sets with sum %d: %d ways, want %d", c.elements, c.d, sum, got, want)
		}
	}
}

// countHopSets counts descending sequences of d sets below a limit, by brute force.
func countHopSets(elements, d, sum, limit int) int {
	if d == 0 {
		if elements == 0 && sum == 0 {
			return 1
		}
		return 0
	}
	count := 0
	for set := 2; set < limit; set += 2 {
		size, total := 0, 0
		for h := 1; 1<<h <= set; h++ {
			if set>>h&1 == 1 {
				size, total = size+1, total+h
			}
		}
		if size <= elements && total <= sum {
			count += countHopSets(elements-size, d-1, sum-total, set+1)
		}
	}
	return count
}
