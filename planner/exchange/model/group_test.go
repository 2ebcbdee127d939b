package model

import (
	"slices"
	"testing"
)

// TestGroupsAreGroups checks the axioms, and that circuits follow products.
func TestGroupsAreGroups(t *testing.T) {
	for _, n := range []int{2, 4, 6, 8, 12, 16, 18, 20, 21} {
		list := Groups(n)
		if list[0] != Rotations(n) {
			t.Errorf("n=%d: first %v, want rotations", n, list[0])
		}
		for _, g := range list {
			if err := g.check(n); err != nil {
				t.Fatal(err)
			}
			commutes := true
			next, row := make([]int32, n), make([]int32, n)
			for a := range n {
				g.Step(a, next)
				g.Row(a, row)
				seen := make([]bool, n)
				for b := range n {
					if g.Multiply(b, a) != int(next[b]) {
						t.Fatalf("%v: %d*%d is %d, the circuit leads to %d", g, b, a, g.Multiply(b, a), next[b])
					}
					if g.Multiply(a, b) != int(row[b]) {
						t.Fatalf("%v: %d*%d is %d, its row has %d", g, a, b, g.Multiply(a, b), row[b])
					}
					seen[next[b]] = true
					commutes = commutes && g.Multiply(a, b) == g.Multiply(b, a)
					for c := range n {
						if g.Multiply(g.Multiply(a, b), c) != g.Multiply(a, g.Multiply(b, c)) {
							t.Fatalf("%v: (%d*%d)*%d differs from %d*(%d*%d)", g, a, b, c, a, b, c)
						}
					}
				}
				if slices.Contains(seen, false) || g.Multiply(a, 0) != a || g.Multiply(0, a) != a || g.Multiply(a, g.Inverse(a)) != 0 || g.Multiply(g.Inverse(a), a) != 0 {
					t.Fatalf("%v: %d has no inverse or 0 is not neutral", g, a)
				}
			}
			if commutes != g.Commutative() {
				t.Errorf("%v commutes: %v, said %v", g, commutes, g.Commutative())
			}
		}
	}
}

// TestGroupsOfPrimeOrderAreRotations: there is no other group.
func TestGroupsOfPrimeOrderAreRotations(t *testing.T) {
	for _, n := range []int{2, 3, 5, 7, 61} {
		if list := Groups(n); len(list) != 1 {
			t.Errorf("n=%d: %v", n, list)
		}
	}
}
