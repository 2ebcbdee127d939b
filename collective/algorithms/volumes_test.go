package algorithms_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// move is a transfer reduced to its sender, receiver and number of chunks.
type move struct{ src, dst, chunks int }

func sortMoves(moves []move) {
	slices.SortFunc(moves, func(a, b move) int {
		if a.src != b.src {
			return a.src - b.src
		}
		return a.dst - b.dst
	})
}

// toEach is a step in which every node u sends the same number of chunks to peer(u).
func toEach(n, chunks int, peer func(u int) int) []move {
	moves := make([]move, n)
	for u := range moves {
		moves[u] = move{u, ((peer(u) % n) + n) % n, chunks}
	}
	return moves
}

// halved lays out a reduction of log2 n steps per half. Step i of the reduce-scatter sends
// m/2^(i+1), which is n/2^(i+1) of n chunks; the all-gather reverses the steps.
func halved(op collective.Op, n int, peer func(u, i int) int) [][]move {
	steps := bits.Len(uint(n)) - 1
	step := func(i int) []move {
		return toEach(n, n>>(i+1), func(u int) int { return peer(u, i) })
	}
	var want [][]move
	if op != collective.AllGather {
		for i := range steps {
			want = append(want, step(i))
		}
	}
	if op != collective.ReduceScatter {
		for i := steps - 1; i >= 0; i-- {
			want = append(want, step(i))
		}
	}
	return want
}

// swingDistances are the first distances of De Sensi et al., NSDI 2024, §3.1, as printed there.
var swingDistances = []int{1, -1, 3, -5, 11, -21, 43}

// documented lists the moves that the papers give for each algorithm.
var documented = map[string]func(op collective.Op, n int) [][]move{
	"ring": func(op collective.Op, n int) [][]move {
		count := n - 1
		if op == collective.AllReduce {
			count = 2 * (n - 1)
		}
		var want [][]move
		for range count {
			want = append(want, toEach(n, 1, func(u int) int { return u + 1 }))
		}
		return want
	},
	// HARVEST §5.1: step i sends m/2^i to u+2^(i-1), the all-gather walks back in the
	// same direction.
	"recursive-doubling": func(op collective.Op, n int) [][]move {
		if !isPowerOfTwo(n) {
			return nil // in the tests of its own file
		}
		return halved(op, n, func(u, i int) int { return u + 1<<i })
	},
	"halving-doubling": func(op collective.Op, n int) [][]move {
		return halved(op, n, func(u, i int) int { return u ^ 1<<i })
	},
	"swing": func(op collective.Op, n int) [][]move {
		return halved(op, n, func(u, i int) int {
			if u%2 == 1 {
				return u - swingDistances[i]
			}
			return u + swingDistances[i]
		})
	},
	"shift": func(_ collective.Op, n int) [][]move {
		var want [][]move
		for k := 1; k < n; k++ {
			want = append(want, toEach(n, 1, func(u int) int { return u + k }))
		}
		return want
	},
	"direct": func(op collective.Op, n int) [][]move {
		var all []move
		for u := range n {
			for v := range n {
				if u != v && (op == collective.AllToAll || op == collective.Scatter && u == 0 || op == collective.Gather && v == 0) {
					all = append(all, move{u, v, 1})
				}
			}
		}
		return [][]move{all}
	},
	"binomial": func(op collective.Op, n int) [][]move {
		var want [][]move
		for have := 1; have < n; have *= 2 {
			var step []move
			for u := 0; u < have && u+have < n; u++ {
				m := move{u, u + have, 1}
				if op == collective.Scatter || op == collective.Gather {
					m.chunks = 0 // those below u+have in the tree, itself included
					for w := u + have; w < n; w += 2 * have {
						m.chunks++
					}
				}
				if op == collective.RootReduce || op == collective.Gather {
					m.src, m.dst = m.dst, m.src
				}
				step = append(step, m)
			}
			want = append(want, step)
		}
		if op == collective.RootReduce || op == collective.Gather {
			slices.Reverse(want)
		}
		return want
	},
}

func TestStepsHaveTheDocumentedPartnersAndVolumes(t *testing.T) {
	forEach(t, sizes(), func(t *testing.T, c *collective.Collective) {
		moves, ok := documented[c.Algorithm]
		if !ok {
			return // in the tests of its own file
		}
		want := moves(c.Op, c.Nodes)
		if want == nil {
			return
		}
		if len(c.Steps) != len(want) {
			t.Fatalf("n=%d: %d steps, want %d", c.Nodes, len(c.Steps), len(want))
		}
		for i, s := range c.Steps {
			var got []move
			for _, x := range expand(s, c.Space) {
				got = append(got, move{x.Src, x.Dst, x.Chunks.Len()})
			}
			sortMoves(got)
			sortMoves(want[i])
			if !slices.Equal(got, want[i]) {
				t.Fatalf("n=%d step %d: %v, want %v", c.Nodes, i+1, got, want[i])
			}
		}
	})
}

func TestChunkBytesAreTheDocumentedShareOfTheSize(t *testing.T) {
	const size = 1 << 20
	cases := []struct {
		op   collective.Op
		want float64 // of the size, at n = 8 and one part
	}{
		{collective.AllReduce, 1. / 8}, {collective.ReduceScatter, 1. / 8}, {collective.AllGather, 1. / 8},
		{collective.AllToAll, 1. / 8}, // size is what one node holds: a block per destination
		{collective.Broadcast, 1},
	}
	for _, tc := range cases {
		for _, parts := range []int{1, 2, 5} {
			space := collective.SpaceOf(tc.op, 8, parts)
			if err := space.Check(tc.op, size); err != nil {
				t.Errorf("%s in %d parts: %v", tc.op, parts, err)
			}
			if got, want := space.Bytes(size, collective.Single(0)), size*tc.want/float64(parts); got != want {
				t.Errorf("%s in %d parts: chunk of %v bytes, want %v", tc.op, parts, got, want)
			}
		}
	}
}

// Reductions reduce in their reduce-scatter and copy in their all-gather; everything
// else only copies.
func TestActionsBelongToTheHalf(t *testing.T) {
	forEach(t, sizes(), func(t *testing.T, c *collective.Collective) {
		if _, ok := documented[c.Algorithm]; !ok {
			return // in the tests of its own file
		}
		for i, s := range c.Steps {
			want := collective.Copy
			if c.Op == collective.ReduceScatter || c.Op == collective.RootReduce || c.Op == collective.AllReduce && i < len(c.Steps)/2 {
				want = collective.Reduce
			}
			for _, b := range s.Base {
				if b.Action != want {
					t.Fatalf("n=%d step %d: %s, want %s", c.Nodes, i+1, b.Action, want)
				}
			}
		}
	})
}

func TestBinomialTakesCeilLog2Steps(t *testing.T) {
	for n, want := range map[int]int{2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 16: 4, 17: 5, 128: 7} {
		c, err := algorithms.New(collective.Broadcast, "binomial", n, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Steps) != want {
			t.Errorf("n=%d: %d steps, want %d", n, len(c.Steps), want)
		}
	}
}
