package matching_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow/matching"
)

// leastCost returns the smallest sum over all permutations, or +Inf if none is allowed.
func leastCost(cost [][]float64, used uint) float64 {
	i := bits.OnesCount(used) // the next row
	if i == len(cost) {
		return 0
	}
	least := math.Inf(1)
	for j := range cost {
		if used>>j&1 == 0 {
			least = min(least, cost[i][j]+leastCost(cost, used|1<<j))
		}
	}
	return least
}

// checkAssignment verifies that an assignment is one, and by its potentials that
// none costs less.
func checkAssignment(t *testing.T, cost [][]float64, a *matching.Assignment) {
	t.Helper()
	n := len(cost)
	scale := 0.0
	for _, row := range cost {
		for _, c := range row {
			if !math.IsInf(c, 1) {
				scale = max(scale, math.Abs(c))
			}
		}
	}
	tolerance := 1e-14 * scale * float64(n)
	taken := make([]bool, n)
	sum, dual := 0.0, 0.0
	for i, j := range a.Columns {
		if taken[j] {
			t.Fatalf("column %d is taken twice", j)
		}
		taken[j] = true
		sum += cost[i][j]
		dual += a.Row[i] + a.Column[i]
		if gap := cost[i][j] - a.Row[i] - a.Column[j]; !(math.Abs(gap) <= tolerance) {
			t.Fatalf("chosen entry (%d, %d) has reduced cost %v", i, j, gap)
		}
	}
	for i, row := range cost {
		for j, c := range row {
			if gap := c - a.Row[i] - a.Column[j]; !(gap >= -tolerance) {
				t.Fatalf("entry (%d, %d) has reduced cost %v", i, j, gap)
			}
		}
	}
	if sum != a.Cost || !(math.Abs(sum-dual) <= tolerance*float64(n)) {
		t.Fatalf("cost %v, chosen entries %v, potentials %v", a.Cost, sum, dual)
	}
}

// costs returns a random matrix in which the given percentage of entries is forbidden.
func costs(rng *rand.Rand, n, forbidden int, entry func() float64) [][]float64 {
	cost := make([][]float64, n)
	for i := range cost {
		cost[i] = make([]float64, n)
		for j := range cost[i] {
			if cost[i][j] = entry(); rng.IntN(100) < forbidden {
				cost[i][j] = math.Inf(1)
			}
		}
	}
	return cost
}

// compareAssignment checks Assign against all permutations and says whether one
// is allowed.
func compareAssignment(t *testing.T, cost [][]float64) bool {
	t.Helper()
	want := leastCost(cost, 0)
	a, err := matching.Assign(cost)
	if math.IsInf(want, 1) {
		if !errors.Is(err, matching.ErrInfeasible) {
			t.Fatalf("error %v where every permutation is forbidden", err)
		}
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	checkAssignment(t, cost, a)
	if math.Abs(a.Cost-want) > 1e-12*max(1, math.Abs(want)) {
		t.Fatalf("cost %v, want %v", a.Cost, want)
	}
	return true
}

func TestAssignEqualsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	entries := []func() float64{
		func() float64 { return float64(rng.IntN(4)) }, // many ties
		func() float64 { return rng.NormFloat64() },
		func() float64 { return math.Exp(20 * rng.NormFloat64()) },
	}
	feasible := map[bool]int{}
	for k := range 300 {
		n := k % 8
		feasible[compareAssignment(t, costs(rng, n, 20*rng.IntN(5), entries[k%3]))]++
	}
	if feasible[true] < 50 || feasible[false] < 50 {
		t.Errorf("one-sided sample: %v", feasible)
	}
}

func TestAssignProvesLargeCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	for _, n := range []int{50, 200} {
		for _, entry := range []func() float64{
			rng.Float64,
			func() float64 { return float64(rng.IntN(10)) },
			func() float64 { return -math.Exp(5 * rng.NormFloat64()) },
		} {
			cost := costs(rng, n, 30, entry)
			a, err := matching.Assign(cost)
			if err != nil {
				t.Fatal(err)
			}
			checkAssignment(t, cost, a)
		}
	}
}

func TestBadCosts(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		cost [][]float64
		want error
	}{
		{[][]float64{{1, 2}}, matching.ErrCost},
		{[][]float64{{math.NaN()}}, matching.ErrCost},
		{[][]float64{{-inf}}, matching.ErrCost},
		{[][]float64{{inf}}, matching.ErrInfeasible},
		{[][]float64{{1, inf, inf}, {1, inf, inf}, {1, 1, 1}}, matching.ErrInfeasible},
		{[][]float64{{1, inf, 2}, {3, inf, 1}, {1, inf, 1}}, matching.ErrInfeasible},
		{[][]float64{{1, 1, inf}, {1, 1, inf}, {inf, 1, inf}}, matching.ErrInfeasible},
	} {
		if _, err := matching.Assign(c.cost); !errors.Is(err, c.want) {
			t.Errorf("%v: error %v, want %v", c.cost, err, c.want)
		}
	}
}

func FuzzAssign(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Add([]byte{255, 2, 3, 255, 255, 9, 1, 255, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		n := min(6, int(math.Sqrt(float64(len(data)))))
		cost := make([][]float64, n)
		for i := range cost {
			cost[i] = make([]float64, n)
			for j := range cost[i] {
				if cost[i][j] = float64(int8(data[i*n+j])) / 3; data[i*n+j] >= 250 {
					cost[i][j] = math.Inf(1)
				}
			}
		}
		compareAssignment(t, cost)
	})
}

// Three jobs on three machines; the first machine cannot do the first job.
func ExampleAssign() {
	a, err := matching.Assign([][]float64{
		{math.Inf(1), 4, 3},
		{2, 1, 5},
		{3, 4, 2},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Columns, a.Cost)
	// Output:
	// [2 1 0] 7
}

func BenchmarkAssignment(b *testing.B) {
	rng := rand.New(rand.NewPCG(22, 3))
	for _, n := range []int{64, 256, 1024} {
		cost := costs(rng, n, 0, rng.Float64)
		b.Run(fmt.Sprintf("n%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := matching.Assign(cost); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
