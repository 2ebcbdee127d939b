package algorithms_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// Thakur et al. 2005: steps send m/2, m/4, .. and back. With a fold, chunks are parts of a block.
func TestRabenseifner(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "rabenseifner",
		ops:       allReductions,
		supports: func(op collective.Op, n, _ int) bool {
			return isPowerOfTwo(n) || op == collective.AllReduce
		},
		loads: func(op collective.Op, n, _ int) []load {
			if !isPowerOfTwo(n) {
				return nil // see TestRabenseifnerFolds
			}
			var scatter []load
			for held := n; held > 1; held /= 2 {
				scatter = append(scatter, load{peers: 1, toOne: held / 2, inAll: held / 2})
			}
			return bothHalves(op, scatter, backwards(scatter))
		},
	})
}

// Between powers of two, steps send m/2, m/2, then as on q nodes, then m; where the shares are
// not equal, they send at most a part of a block more.
func TestRabenseifnerFolds(t *testing.T) {
	for n := 3; n <= 140; n++ {
		if isPowerOfTwo(n) {
			continue
		}
		c, err := algorithms.New(collective.AllReduce, "rabenseifner", n, 1)
		if err != nil {
			t.Fatal(err)
		}
		loads, err := stepLoads(c, 1)
		if err != nil {
			t.Fatalf("%d nodes: %v", n, err)
		}
		steps := bits.Len(uint(n)) - 1
		q, all := 1<<steps, c.Space.Chunks()
		want := []int{(all + 1) / 2, (all + 1) / 2}
		for i := 1; i <= steps; i++ {
			want = append(want, (all+1<<i-1)>>i)
		}
		for i := steps; i >= 1; i-- {
			want = append(want, (all+1<<i-1)>>i)
		}
		want = append(want, all)
		for i, l := range loads {
			// Shares of equal sizes are exact; others may begin and end a part later.
			if slack := min(all%q, 1); i >= len(want) || l.toOne > want[i]+slack || l.toOne < want[i]-slack {
				t.Fatalf("%d nodes in %d parts, step %d of %d: %d chunks, want %v", n, c.Space.Parts, i+1, len(loads), l.toOne, want)
			}
		}
		if len(loads) != len(want) {
			t.Errorf("%d nodes: %d steps, want %d", n, len(loads), len(want))
		}
	}
}

// The farthest peers come first, unlike in halving-doubling.
func TestRabenseifnerHalvesTheDistance(t *testing.T) {
	c, err := algorithms.New(collective.AllReduce, "rabenseifner", 16, 1)
	if err != nil {
		t.Fatal(err)
	}
	var peers []int
	for _, step := range c.Steps {
		peers = append(peers, step.Base[0].Dst)
		if !slices.Equal(step.Base[0].Chunks, collective.Every(step.Base[0].Chunks[0].First, 1, step.Base[0].Chunks.Len())) {
			t.Errorf("node 0 sends %v, which is not contiguous", step.Base[0].Chunks)
		}
	}
	if want := []int{8, 4, 2, 1, 1, 2, 4, 8}; !slices.Equal(peers, want) {
		t.Errorf("peers of node 0 are %v, want %v", peers, want)
	}
}
