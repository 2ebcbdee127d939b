package finder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

func TestSpanFindsDiameters(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for n := 2; n <= 200; n++ {
		jumps := []int{1}
		for range r.IntN(4) {
			jumps = append(jumps, 1+r.IntN(n-1))
		}
		want, _ := topology.DirectedCirculant(n, jumps...).Diameter()
		s := newSpan(n)
		if got, ok := s.diameter(jumps, want); !ok || got != want {
			t.Errorf("DC(%d;%v): diameter %d, %v, want %d", n, jumps, got, ok, want)
		}
		if got, ok := s.diameter(jumps, want-1); ok {
			t.Errorf("DC(%d;%v): diameter %d with limit %d, want none", n, jumps, got, want-1)
		}
	}
}

func TestReturnsAreEven(t *testing.T) {
	for _, c := range []struct {
		nodes int
		jumps []int
		even  int
	}{
		{64, []int{1, 12}, 4}, // 4 of 1 and 5 of 12 make a round
		{7, []int{1, 3}, 1},   // 1 of 1 and 2 of 3
		{8, []int{1, 3}, 2},   // 2 of 1 and 2 of 3
		{9, []int{1, 2, 4}, 0},
	} {
		if got := newReturns(c.nodes).even(c.jumps, 6); got != c.even {
			t.Errorf("DC(%d;%v): %d, want %d", c.nodes, c.jumps, got, c.even)
		}
	}
}

// TestJumpSetsAreAllDifferentSets compares with an enumeration of all subsets, or multisets if
// jumps must repeat.
func TestJumpSetsAreAllDifferentSets(t *testing.T) {
	for largest := 1; largest <= 6; largest++ {
		for jumps := 1; jumps <= 5; jumps++ {
			var want []string
			set := make([]int, jumps)
			var choose func(i int)
			choose = func(i int) {
				if i == jumps {
					repeats := len(slices.Compact(slices.Clone(set))) < jumps
					if set[0] == 1 && slices.IsSorted(set) && (!repeats || jumps > largest) {
						want = append(want, fmt.Sprint(set))
					}
					return
				}
				for a := 1; a <= largest; a++ {
					set[i] = a
					choose(i + 1)
				}
			}
			choose(0)
			s := newJumpSets(jumps, largest, nil)
			var got []string
			for set := range s.all(largest+1, len(want)) {
				got = append(got, fmt.Sprint(set))
			}
			if !slices.Equal(got, want) || s.sets(1000) != len(want) {
				t.Errorf("%d jumps up to %d: %d sets %v, want %v", jumps, largest, s.sets(1000), got, want)
			}
		}
	}
}

func TestRandomJumpSetsAreSets(t *testing.T) {
	s := newJumpSets(4, 30, rand.New(rand.NewPCG(3, 3)))
	count := 0
	for set := range s.all(31, 50) {
		count++
		if len(set) != 4 || set[0] != 1 || !slices.IsSorted(set) || set[3] > 30 || len(slices.Compact(slices.Clone(set))) < 4 {
			t.Errorf("%v is not a set of four jumps", set)
		}
	}
	if count != 50 {
		t.Errorf("%d sets, want 50", count)
	}
}

// TestLeastCirculantDiameter compares the bound with the best of all jumps, with which it
// often agrees.
func TestLeastCirculantDiameter(t *testing.T) {
	tight := 0
	for _, degree := range []int{1, 2, 3, 4, 5, 6} {
		for _, two := range []bool{false, true} {
			for n := 3; n <= 16; n++ {
				k := key{n, degree, two}
				if !k.hasCirculants() {
					continue
				}
				jumps, largest := degree, n-1
				if two {
					jumps, largest = degree/2, (n-1)/2
				}
				best := n
				for set := range newJumpSets(jumps, largest, nil).enumerate {
					if d, ok := newSpan(n).diameter(outJumps(k, set), best); ok {
						best = d
					}
				}
				switch bound := leastCirculantDiameter(k); {
				case best < bound:
					t.Errorf("%+v: diameter %d below the bound %d", k, best, bound)
				case best == bound:
					tight++
				}
			}
		}
	}
	if tight < 100 {
		t.Errorf("the bound is reached only %d times", tight)
	}
}

func TestClosestCirculantHasTheLeastDiameter(t *testing.T) {
	for n := 5; n <= 60; n++ {
		g, err := closestCirculant(n).Build()
		if err != nil {
			t.Fatal(err)
		}
		got, _ := g.Diameter()
		best := n
		for a := 1; a <= (n-1)/2; a++ {
			for b := a + 1; b <= (n-1)/2; b++ {
				if d, ok := newSpan(n).diameter([]int{a, b, n - a, n - b}, best); ok {
					best = d
				}
			}
		}
		if got != best {
			t.Errorf("%s: diameter %d, want %d (Theorem 22)", g.Name(), got, best)
		}
	}
}

func TestFamiliesHaveTheSizeAndDegree(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for d := 1; d <= 20; d++ {
			for _, expr := range append(bases(n, d), lowDiameterBases(n, d)...) {
				g, err := expr.Build()
				if err != nil {
					t.Fatal(err)
				}
				if _, connected := g.Diameter(); g.Nodes() != n || g.Degree() != d || !g.Regular() || !connected {
					t.Errorf("%v: %d nodes, degree %d, connected %v, want %d and %d", expr, g.Nodes(), g.Degree(), connected, n, d)
				}
			}
		}
	}
}

// TestCompleteMultigraphIsTheBestOfOneStep: with d ports a pair has floor(d/(n-1)) circuits
// at best, if all pairs must have one.
func TestCompleteMultigraphIsTheBestOfOneStep(t *testing.T) {
	for n := 3; n <= 7; n++ {
		for d := n - 1; d <= 3*n; d++ {
			g, err := completeMultigraph(n, d).Build()
			if err != nil {
				t.Fatal(err)
			}
			s, err := bfb.Solve(context.Background(), g, bfb.Options{})
			if err != nil || s.Steps != 1 || s.PerStep[0].Num().Int64()*int64(d/(n-1)) != s.PerStep[0].Denom().Int64() {
				t.Errorf("%s: %d steps, %v, %v", g.Name(), s.Steps, s.PerStep, err)
			}
			if (d%2 == 0 || n%2 == 0) && !g.Bidirectional() {
				t.Errorf("%s is not two-way", g.Name())
			}
		}
	}
}
