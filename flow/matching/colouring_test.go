package matching_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow/matching"
)

func checkMatchings(t *testing.T, n int, pairs [][2]int) {
	t.Helper()
	out, in := make([]int, n), make([]int, n)
	degree := 0
	for _, p := range pairs {
		out[p[0]]++
		in[p[1]]++
		degree = max(degree, out[p[0]], in[p[1]])
	}
	groups := matching.Divide(n, pairs)
	if len(groups) != degree {
		t.Fatalf("%d groups for degree %d", len(groups), degree)
	}
	seen := make([]bool, len(pairs))
	for _, group := range groups {
		if len(group) == 0 || !slices.IsSorted(group) {
			t.Fatalf("group %v is empty or not in order", group)
		}
		src, dst := make([]bool, n), make([]bool, n)
		for _, i := range group {
			u, v := pairs[i][0], pairs[i][1]
			if seen[i] || src[u] || dst[v] {
				t.Fatalf("pair %d (%d -> %d) collides", i, u, v)
			}
			seen[i], src[u], dst[v] = true, true, true
		}
	}
	if slices.Contains(seen, false) {
		t.Fatal("a pair is in no group")
	}
}

func TestMatchingsAreAsFewAsTheDegree(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	checkMatchings(t, 4, nil)
	for range 300 {
		n := 1 + rng.IntN(20)
		pairs := make([][2]int, rng.IntN(6*n))
		for i := range pairs {
			pairs[i] = [2]int{rng.IntN(n), rng.IntN(n)}
		}
		checkMatchings(t, n, pairs)
	}
}

func TestAllToAllIsNMinusOneMatchings(t *testing.T) {
	for _, n := range []int{2, 7, 64, 130} {
		checkMatchings(t, n, everyPair(n))
	}
}

// everyPair lists the n(n-1) pairs in a scrambled order.
func everyPair(n int) [][2]int {
	var pairs [][2]int
	for u := range n {
		for v := range n {
			if u != v {
				pairs = append(pairs, [2]int{u, v})
			}
		}
	}
	rand.New(rand.NewPCG(3, 0)).Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs
}

func BenchmarkMatchings(b *testing.B) {
	pairs := everyPair(256)
	for b.Loop() {
		matching.Divide(256, pairs)
	}
}
