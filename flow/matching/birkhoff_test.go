package matching_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow/matching"
)

// classicBirkhoff counts the matchings of the textbook: fill the demand up to equal
// sums from the top left corner, then subtract any perfect matching of positive entries.
func classicBirkhoff(demand [][]int) (slots, total int) {
	n := len(demand)
	row, column := make([]int, n), make([]int, n)
	for i := range n {
		for j, d := range demand[i] {
			row[i] += d
			column[j] += d
		}
	}
	bound := 0
	for i := range n {
		bound = max(bound, row[i], column[i])
	}
	full := make([][]int, n)
	for i := range n {
		full[i] = make([]int, n)
		for j := range n {
			fill := min(bound-row[i], bound-column[j])
			full[i][j] = demand[i][j] + fill
			row[i] += fill
			column[j] += fill
		}
	}
	for ; total < bound; slots++ {
		match := perfectMatching(n, func(i, j int) bool { return full[i][j] > 0 })
		length := bound
		for i, j := range match {
			length = min(length, full[i][j])
		}
		for i, j := range match {
			full[i][j] -= length
		}
		total += length
	}
	return slots, total
}

func TestShortestSlotsAreFewerThanTheTextbooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 4))
	ours, theirs := 0, 0
	for k := range 100 {
		n := 2 + k%9
		whole := make([][]int, n)
		demand := matrix(n, func(int, int) float64 { return float64(rng.IntN(50) * rng.IntN(2)) })
		for i, row := range demand {
			whole[i] = make([]int, n)
			for j, d := range row {
				whole[i][j] = int(d)
			}
		}
		slots, err := matching.ShortestSlots(context.Background(), demand)
		if err != nil {
			t.Fatal(err)
		}
		count, total := classicBirkhoff(whole)
		if got := matching.SlotsTime(slots, 0); math.Abs(got-float64(total)) > 1e-9*max(1, float64(total)) {
			t.Errorf("slots last %v, the textbook's %d", got, total)
		}
		ours += len(slots)
		theirs += count
	}
	if t.Logf("%d slots, the textbook makes %d", ours, theirs); 3*ours > 2*theirs {
		t.Errorf("%d slots where the textbook makes %d", ours, theirs)
	}
}

// leastTime is the exact least time of demands of whole numbers on three nodes when
// matchings hold for whole times, by dynamic programming over what is left.
type leastTime struct {
	delay int
	known map[[6]int]int
}

// The pairs of three nodes, and the matchings that cannot be extended.
var (
	threePairs     = [6][2]int{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}
	threeMatchings = [][]int{{0, 3, 4}, {1, 2, 5}, {0, 2}, {1, 4}, {3, 5}}
)

func (l *leastTime) of(left [6]int) int {
	if left == ([6]int{}) {
		return -l.delay // there is one change less than there are matchings
	}
	if t, ok := l.known[left]; ok {
		return t
	}
	least := math.MaxInt
	for _, matching := range threeMatchings {
		longest := 0
		for _, p := range matching {
			longest = max(longest, left[p])
		}
		for length := 1; length <= longest; length++ {
			rest := left
			for _, p := range matching {
				rest[p] = max(0, rest[p]-length)
			}
			least = min(least, length+l.delay+l.of(rest))
		}
	}
	l.known[left] = least
	return least
}

// worstOfThree returns how many times the exact optimum BestSlots takes at most.
func (l *leastTime) worstOfThree(t *testing.T, entries func(pair, sample int) int, samples int) float64 {
	t.Helper()
	worst := 1.0
	for sample := range samples {
		var left [6]int
		demand := matrix(3, func(int, int) float64 { return 0 })
		for p, pair := range threePairs {
			left[p] = entries(p, sample)
			demand[pair[0]][pair[1]] = float64(left[p])
		}
		if left == ([6]int{}) {
			continue
		}
		slots, err := matching.BestSlots(context.Background(), demand, float64(l.delay))
		if err != nil {
			t.Fatal(err)
		}
		want := float64(l.of(left))
		got := matching.SlotsTime(slots, float64(l.delay))
		if l.delay == 0 && math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("%v takes %v without delay, want %v", demand, got, want)
		}
		worst = max(worst, got/want)
	}
	return worst
}

// On three nodes the test compares the best slots with the exact optimum: for every demand with
// entries up to 3, where they reach it, and for some demands with larger entries.
func TestBestSlotsAreCloseToTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 8))
	for _, delay := range []int{0, 1, 2, 20} {
		l := &leastTime{delay: delay, known: map[[6]int]int{}}
		small := l.worstOfThree(t, func(pair, sample int) int { return sample >> (2 * pair) & 3 }, 1<<12)
		large := l.worstOfThree(t, func(int, int) int { return rng.IntN(7) }, 1000)
		t.Logf("delay %d: at most %.4f and %.4f times the optimum", delay, small, large)
		if small > 1+1e-9 || large > 1.15 {
			t.Errorf("delay %d: %v and %v times the optimum", delay, small, large)
		}
	}
}

// perfectMatching finds a column for every row by augmenting paths (Kuhn 1955); there must
// be one.
func perfectMatching(n int, allowed func(row, column int) bool) []int {
	row := make([]int, n) // of each column, -1 for none
	for j := range row {
		row[j] = -1
	}
	var seen []bool
	var place func(i int) bool
	place = func(i int) bool {
		for j := range n {
			if allowed(i, j) && !seen[j] {
				seen[j] = true
				if row[j] < 0 || place(row[j]) {
					row[j] = i
					return true
				}
			}
		}
		return false
	}
	match := make([]int, n)
	for i := range n {
		seen = make([]bool, n)
		place(i)
	}
	for j, i := range row {
		match[i] = j
	}
	return match
}
