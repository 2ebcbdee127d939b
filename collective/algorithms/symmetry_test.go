package algorithms_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// TestStepsOfPermutationsUseEveryNodeOnce: in all algorithms but the bulk exchange and
// the tree, a step is a permutation without fixed points.
func TestStepsOfPermutationsUseEveryNodeOnce(t *testing.T) {
	forEach(t, sizes(), func(t *testing.T, c *collective.Collective) {
		if _, ok := documented[c.Algorithm]; !ok {
			return // some peers are idle or many: see the tests of its own file
		}
		for i, s := range c.Steps {
			sends, receives := make([]int, c.Nodes), make([]int, c.Nodes)
			seen := map[[2]int]bool{}
			for _, pair := range s.Pairs() {
				if seen[pair] || pair[0] == pair[1] {
					t.Fatalf("n=%d step %d: pair %v is listed twice or to itself", c.Nodes, i+1, pair)
				}
				seen[pair] = true
				sends[pair[0]]++
				receives[pair[1]]++
			}
			if len(seen) != s.Len() {
				t.Fatalf("n=%d step %d: %d pairs, Len is %d", c.Nodes, i+1, len(seen), s.Len())
			}
			most := map[string]int{"direct": c.Nodes - 1}[c.Algorithm]
			least := max(most, 1)
			if c.Algorithm == "binomial" || c.Algorithm == "direct" && c.Op != collective.AllToAll {
				least = 0 // all but the root have less to do
			}
			for u := range c.Nodes {
				for _, times := range []int{sends[u], receives[u]} {
					if times < least || times > max(most, 1) {
						t.Fatalf("n=%d step %d: node %d sends %d and receives %d", c.Nodes, i+1, u, sends[u], receives[u])
					}
				}
			}
		}
	})
}

// TestPairsAndAllAgree also checks that the chunks of a transfer are well formed.
func TestPairsAndAllAgree(t *testing.T) {
	forEach(t, sizes(), func(t *testing.T, c *collective.Collective) {
		for i, s := range c.Steps {
			if err := s.Group.Check(c.Nodes); err != nil {
				t.Fatalf("n=%d step %d: %v", c.Nodes, i+1, err)
			}
			var pairs [][2]int
			for _, x := range expand(s, c.Space) {
				pairs = append(pairs, [2]int{x.Src, x.Dst})
				if err := x.Chunks.Check(c.Space.Chunks()); err != nil {
					t.Fatalf("n=%d step %d: %d->%d: %v", c.Nodes, i+1, x.Src, x.Dst, err)
				}
				ids := slices.Sorted(x.Chunks.All())
				if len(slices.Compact(ids)) != x.Chunks.Len() {
					t.Fatalf("n=%d step %d: %d->%d names a chunk twice: %v", c.Nodes, i+1, x.Src, x.Dst, x.Chunks)
				}
			}
			if !slices.Equal(pairs, s.Pairs()) {
				t.Fatalf("n=%d step %d: All and Pairs differ", c.Nodes, i+1)
			}
			k, ok := s.Rotation()
			isRotation := len(pairs) == c.Nodes
			for _, p := range pairs {
				isRotation = isRotation && (p[0]+k)%c.Nodes == p[1]
			}
			if ok && !isRotation {
				t.Fatalf("n=%d step %d: is no rotation by %d", c.Nodes, i+1, k)
			}
		}
	})
}

// chunksOf lists, node by node and without symmetry, the chunks that u sends in a step.
var chunksOf = map[string]func(n, u, step int) []int{
	// Block b starts at b+1 and is complete when it comes home.
	"ring/reducescatter": func(n, u, step int) []int { return []int{((u-1-step)%n + n) % n} },
	"ring/allgather":     func(n, u, step int) []int { return []int{((u-step)%n + n) % n} },
	// What u will not own any more: b = u+o modulo 2o.
	"recursive-doubling/reducescatter": func(n, u, step int) []int {
		return residues(n, u+1<<step, 2<<step)
	},
	"recursive-doubling/allgather": func(n, u, step int) []int {
		o := n >> (step + 1)
		return residues(n, u, 2*o)
	},
	// The blocks of those that agree with the partner in the bits used so far.
	"halving-doubling/reducescatter": func(n, u, step int) []int {
		return residues(n, u^1<<step, 2<<step)
	},
	"shift/alltoall": func(n, u, step int) []int { return []int{u*n + (u+step+1)%n} },
}

func residues(n, b, modulus int) []int {
	var ids []int
	for c := range n {
		if (c-b)%modulus == 0 {
			ids = append(ids, c)
		}
	}
	return ids
}

// TestImagesAreWhatEachNodeSends compares the expansion of a step with a collective
// laid out for every node by itself.
func TestImagesAreWhatEachNodeSends(t *testing.T) {
	met := map[string]bool{}
	forEach(t, sizes(), func(t *testing.T, c *collective.Collective) {
		name := fmt.Sprintf("%s/%s", c.Algorithm, c.Op)
		want, ok := chunksOf[name]
		if !ok || !isPowerOfTwo(c.Nodes) && c.Algorithm == "recursive-doubling" {
			return
		}
		met[name] = true
		for i, s := range c.Steps {
			for _, x := range expand(s, c.Space) {
				if got, want := slices.Sorted(x.Chunks.All()), want(c.Nodes, x.Src, i); !slices.Equal(got, want) {
					t.Fatalf("n=%d step %d: %d sends %v, want %v", c.Nodes, i+1, x.Src, got, want)
				}
			}
		}
	})
	if len(met) != len(chunksOf) {
		t.Errorf("compared %d of %d", len(met), len(chunksOf))
	}
}

// draws is the number of random cases per property.
const draws = 3000

// between draws from least..most.
func between(r *rand.Rand, least, most int) int { return least + r.IntN(most-least+1) }

// groupOf draws a group of translations and its number of nodes.
func groupOf(r *rand.Rand) (topology.Translations, int) {
	group, n := topology.Translations{}, 1
	for range between(r, 1, 3) {
		d := between(r, 1, 6)
		var divisors []int
		for s := 1; s <= d; s++ {
			if d%s == 0 {
				divisors = append(divisors, s)
			}
		}
		group.Dims = append(group.Dims, d)
		group.Stride = append(group.Stride, divisors[r.IntN(len(divisors))])
		n *= d
	}
	return group, n
}

// naiveMove follows the definition: it moves the nodes that a chunk stands for, one by one, by
// adding coordinates.
func naiveMove(s collective.Space, group topology.Translations, k, chunk int) int {
	node := func(u int) int {
		coordinates := make([]int, len(group.Dims))
		for i := len(coordinates) - 1; i >= 0; i-- {
			order := group.Dims[i] / group.Stride[i]
			coordinates[i] = (u%group.Dims[i] + k%order*group.Stride[i]) % group.Dims[i]
			u, k = u/group.Dims[i], k/order
		}
		v := 0
		for i, c := range coordinates {
			v = v*group.Dims[i] + c
		}
		return v
	}
	element := k
	part, block := chunk%s.Parts, chunk/s.Parts
	switch s.Kind {
	case collective.Whole:
		return chunk
	case collective.Pairs:
		src := node(block / s.Nodes)
		k = element
		return (src*s.Nodes+node(block%s.Nodes))*s.Parts + part
	}
	return node(block)*s.Parts + part
}

func TestTranslateMovesChunksOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range draws {
		group, n := groupOf(r)
		space := collective.SpaceOf(collective.Ops()[r.IntN(5)], n, between(r, 1, 3))
		total := space.Chunks()
		ids := r.Perm(total)[:between(r, 1, min(total, 24))]
		k := r.IntN(group.Order())

		var want []int
		for _, c := range ids {
			moved := naiveMove(space, group, k, c)
			want = append(want, moved)
			if got := space.Move(group, k, c); got != moved {
				t.Fatalf("Move(%v, %d, %d) = %d in %v, want %d", group, k, c, got, space, moved)
			}
		}
		slices.Sort(want)
		moved := space.Translate(group, k, collective.Of(ids))
		if got := slices.Sorted(moved.All()); !slices.Equal(got, want) {
			t.Fatalf("Translate(%v, %d, %v) = %v in %v, want %v", group, k, ids, got, space, want)
		}
		if err := moved.Check(total); err != nil {
			t.Fatalf("Translate(%v, %d, %v): %v", group, k, ids, err)
		}
	}
}

// The hard case of a rotation is a run that wraps round the end of the space.
func TestTranslateMovesRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range draws {
		n := between(r, 2, 24)
		space := collective.SpaceOf(collective.AllReduce, n, between(r, 1, 3))
		total := space.Chunks()
		first, stride := r.IntN(total), between(r, 1, total)
		count := between(r, 1, (total-1-first)/stride+1)
		k := r.IntN(n)
		run := collective.Every(first, stride, count)
		var want []int
		for c := range run.All() {
			want = append(want, (c+k*space.Parts)%total)
		}
		slices.Sort(want)
		if got := slices.Sorted(space.Translate(topology.Rotations(n, 1), k, run).All()); !slices.Equal(got, want) {
			t.Fatalf("%v moved by %d of %d: %v, want %v", run, k, n, got, want)
		}
	}
}

func TestHomeTakesTheRepresentativeToTheChunk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for i := range draws {
		group, n := groupOf(r)
		op := []collective.Op{collective.AllReduce, collective.AllToAll}[i%2]
		space := collective.SpaceOf(op, n, between(r, 1, 3))
		c := r.IntN(space.Chunks())
		k := space.Home(group, c)
		rep := space.Move(group, group.Inverse(k), c)
		if space.Move(group, k, rep) != c || space.Home(group, rep) != 0 {
			t.Fatalf("element %d of %v does not take %d, of home %d, to %d", k, group, rep, space.Home(group, rep), c)
		}
	}
}
