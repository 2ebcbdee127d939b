package flow_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
)

// mostMatched is the size of a maximum matching, by trying for every row all the
// columns that may be left over.
func mostMatched(adjacent [][]int, used uint) int {
	if len(adjacent) == 0 {
		return 0
	}
	most := mostMatched(adjacent[1:], used)
	for _, j := range adjacent[0] {
		if used>>j&1 == 0 {
			most = max(most, 1+mostMatched(adjacent[1:], used|1<<j))
		}
	}
	return most
}

func checkMatching(t *testing.T, columns int, adjacent [][]int) {
	t.Helper()
	match, size := flow.MaximumMatching(columns, adjacent)
	taken := make([]bool, columns)
	count := 0
	for i, j := range match {
		if j < 0 {
			continue
		}
		if taken[j] || !slices.Contains(adjacent[i], j) {
			t.Fatalf("row %d may not have column %d", i, j)
		}
		taken[j] = true
		count++
	}
	if want := mostMatched(adjacent, 0); size != want || count != want {
		t.Fatalf("%d matched, said to be %d, want %d", count, size, want)
	}
}

func randomAdjacency(rng *rand.Rand, rows, columns, percent int) [][]int {
	adjacent := make([][]int, rows)
	for i := range adjacent {
		for j := range columns {
			if rng.IntN(100) < percent {
				adjacent[i] = append(adjacent[i], j)
			}
		}
	}
	return adjacent
}

func TestMaximumMatchingEqualsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	checkMatching(t, 0, nil)
	checkMatching(t, 3, nil)
	checkMatching(t, 0, [][]int{nil, nil})
	for range 500 {
		rows, columns := 1+rng.IntN(7), 1+rng.IntN(7)
		checkMatching(t, columns, randomAdjacency(rng, rows, columns, 10+rng.IntN(60)))
	}
}

// checkPerfect verifies the certificate of either answer.
func checkPerfect(t *testing.T, n int, allowed func(i, j int) bool) (found bool) {
	t.Helper()
	match, violator := flow.PerfectMatching(n, allowed)
	if violator == nil {
		taken := make([]bool, n)
		for i, j := range match {
			if taken[j] || !allowed(i, j) {
				t.Fatalf("row %d may not have column %d", i, j)
			}
			taken[j] = true
		}
		return true
	}
	if match != nil || !slices.IsSorted(violator) {
		t.Fatalf("match %v with violator %v", match, violator)
	}
	near := 0
	for j := range n {
		if slices.ContainsFunc(violator, func(i int) bool { return allowed(i, j) }) {
			near++
		}
	}
	if rows := len(slices.Compact(violator)); near >= rows {
		t.Fatalf("%d rows are allowed %d columns", rows, near)
	}
	return false
}

func TestPerfectMatchingProvesItsAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	answers := map[bool]int{}
	for range 500 {
		n := 1 + rng.IntN(40)
		adjacent := randomAdjacency(rng, n, n, 100*(1+rng.IntN(5))/n)
		answers[checkPerfect(t, n, func(i, j int) bool { return slices.Contains(adjacent[i], j) })]++
	}
	if answers[true] < 50 || answers[false] < 50 {
		t.Errorf("one-sided sample: %v", answers)
	}
}

// The rows of a long chain can only move up all together.
func TestMaximumMatchingFollowsLongPaths(t *testing.T) {
	const n = 2000
	adjacent := make([][]int, n)
	for i := range n - 1 {
		adjacent[i] = []int{i, i + 1}
	}
	adjacent[n-1] = []int{0}
	if _, size := flow.MaximumMatching(n, adjacent); size != n {
		t.Errorf("%d of %d matched", size, n)
	}
}

func FuzzPerfectMatching(f *testing.F) {
	f.Add([]byte{0b1110, 0b1101, 0b1011, 0b0111})
	f.Add([]byte{1, 1, 0xff})
	f.Fuzz(func(t *testing.T, rows []byte) {
		if len(rows) > 8 {
			rows = rows[:8]
		}
		n := len(rows)
		allowed := func(i, j int) bool { return rows[i]>>j&1 == 1 }
		hall := true
		for set := range 1 << n {
			var near byte
			for i, row := range rows {
				if set>>i&1 == 1 {
					near |= row
				}
			}
			near &= byte(1<<n - 1)
			hall = hall && bits.OnesCount8(near) >= bits.OnesCount(uint(set))
		}
		if found := checkPerfect(t, n, allowed); found != hall {
			t.Fatalf("matching found: %v, Hall's condition: %v", found, hall)
		}
	})
}

// Node 0 may not talk to itself, and nodes 1 and 2 only to node 0.
func ExamplePerfectMatching() {
	allowed := func(i, j int) bool { return i != j && (i == 0 || j == 0) }
	match, violator := flow.PerfectMatching(3, allowed)
	fmt.Println(match, violator)
	match, violator = flow.PerfectMatching(2, allowed)
	fmt.Println(match, violator)
	// Output:
	// [] [1 2]
	// [1 0] []
}

func ExampleMaximumMatching() {
	match, size := flow.MaximumMatching(3, [][]int{{0, 1}, {0}, {0, 1}})
	fmt.Println(match, size)
	// Output:
	// [0 -1 1] 2
}

func BenchmarkMaximumMatching(b *testing.B) {
	rng := rand.New(rand.NewPCG(21, 3))
	for _, c := range []struct{ n, percent int }{{64, 10}, {1024, 1}, {1024, 50}} {
		adjacent := randomAdjacency(rng, c.n, c.n, c.percent)
		b.Run(fmt.Sprintf("n%d-%d%%", c.n, c.percent), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				flow.MaximumMatching(c.n, adjacent)
			}
		})
	}
}
