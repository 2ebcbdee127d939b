package algorithms_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/samples"
)

// sizes are the numbers of nodes at which every algorithm is tried.
func sizes() []int {
	var all []int
	for n := 2; n <= 32; n++ {
		if n <= 18 || n%3 == 0 || n >= 31 || samples.Every() {
			all = append(all, n)
		}
	}
	return append(all, 64, 128)
}

// forEach runs check on every algorithm, operation and size that go together.
func forEach(t *testing.T, sizes []int, check func(t *testing.T, c *collective.Collective)) {
	t.Helper()
	for _, a := range algorithms.Algorithms() {
		for _, op := range a.Ops {
			t.Run(fmt.Sprintf("%s/%s", a.Name, op), func(t *testing.T) {
				for _, n := range sizes {
					if a.Supports(op, collective.Shape{Nodes: n, Ports: 1}) != nil {
						continue
					}
					c, err := algorithms.New(op, a.Name, n, 1)
					if err != nil {
						t.Fatalf("n=%d: %v", n, err)
					}
					if c.Op != op || c.Algorithm != a.Name || c.Nodes != n {
						t.Fatalf("n=%d: made %s %s for %d nodes", n, c.Op, c.Algorithm, c.Nodes)
					}
					check(t, c)
				}
			})
		}
	}
}

// heap is a node's value of a chunk: how often each contribution is in it. A copied block
// counts as a contribution of the node that it comes from.
type heap map[int]int

// memory holds, for every node, its value of every chunk that it has.
type memory []map[int]heap

// start gives every node its input.
func start(op collective.Op, n, parts, chunks int) memory {
	m := make(memory, n)
	for u := range m {
		m[u] = map[int]heap{}
		for c := range chunks {
			var mine bool
			switch op {
			case collective.AllReduce, collective.ReduceScatter, collective.RootReduce:
				mine = true
			case collective.AllGather, collective.Gather:
				mine = c/parts == u
			case collective.AllToAll:
				mine = c/parts/n == u
			case collective.Broadcast, collective.Scatter:
				mine = u == 0
			}
			if mine {
				m[u][c] = heap{u: 1}
			}
		}
	}
	return m
}

// step applies transfers. All of them read the state before the step.
func (m memory) step(transfers []collective.Transfer) error {
	type move struct {
		dst, chunk int
		action     collective.Action
		what       heap
	}
	var moves []move
	for _, t := range transfers {
		for c := range t.Chunks.All() {
			what, ok := m[t.Src][c]
			if !ok {
				return fmt.Errorf("%d sends chunk %d to %d without having it", t.Src, c, t.Dst)
			}
			moves = append(moves, move{t.Dst, c, t.Action, maps.Clone(what)})
		}
	}
	for _, mv := range moves {
		if mv.action == collective.Copy {
			m[mv.dst][mv.chunk] = mv.what
			continue
		}
		into, ok := m[mv.dst][mv.chunk]
		if !ok {
			return fmt.Errorf("chunk %d is reduced into %d, which has nothing of it", mv.chunk, mv.dst)
		}
		for who, times := range mv.what {
			into[who] += times
		}
	}
	return nil
}

// done reports what is missing from the result that op promises.
func (m memory) done(op collective.Op, n, parts, chunks int) error {
	everybody := heap{}
	for u := range n {
		everybody[u] = 1
	}
	for u := range n {
		for c := range chunks {
			var want heap
			switch op {
			case collective.AllReduce:
				want = everybody
			case collective.ReduceScatter:
				if c/parts != u {
					continue
				}
				want = everybody
			case collective.RootReduce:
				if u != 0 {
					continue
				}
				want = everybody
			case collective.AllGather:
				want = heap{c / parts: 1}
			case collective.Gather:
				if u != 0 {
					continue
				}
				want = heap{c / parts: 1}
			case collective.AllToAll:
				if c/parts%n != u {
					continue
				}
				want = heap{c / parts / n: 1}
			case collective.Broadcast:
				want = heap{0: 1}
			case collective.Scatter:
				if c/parts != u {
					continue
				}
				want = heap{0: 1}
			}
			if !maps.Equal(m[u][c], want) {
				return fmt.Errorf("node %d ends with %v of chunk %d, want %v", u, m[u][c], c, want)
			}
		}
	}
	return nil
}

// TestAlgorithmsAchieveTheirOperations runs every step on data, without the use of symmetry or
// bit sets.
func TestAlgorithmsAchieveTheirOperations(t *testing.T) {
	small := make([]int, 0, 40)
	for _, n := range sizes() {
		// The multisets of 128 nodes take seconds and show nothing new.
		if n <= 32 || n <= 64 && samples.Every() {
			small = append(small, n)
		}
	}
	forEach(t, small, func(t *testing.T, c *collective.Collective) {
		chunks := c.Space.Chunks()
		m := start(c.Op, c.Nodes, c.Space.Parts, chunks)
		for i, s := range c.Steps {
			if err := m.step(expand(s, c.Space)); err != nil {
				t.Fatalf("n=%d step %d: %v", c.Nodes, i+1, err)
			}
		}
		if err := m.done(c.Op, c.Nodes, c.Space.Parts, chunks); err != nil {
			t.Fatalf("n=%d: %v", c.Nodes, err)
		}
	})
}

func expand(s collective.Step, space collective.Space) []collective.Transfer {
	var all []collective.Transfer
	for t := range s.All(space) {
		all = append(all, t)
	}
	return all
}

// TestInterpreterSeesErrors: the interpreter detects a missing step of every algorithm.
func TestInterpreterSeesErrors(t *testing.T) {
	forEach(t, []int{4, 7, 8}, func(t *testing.T, c *collective.Collective) {
		for drop := range c.Steps {
			m := start(c.Op, c.Nodes, c.Space.Parts, c.Space.Chunks())
			var err error
			for i, s := range c.Steps {
				if i != drop && err == nil {
					err = m.step(expand(s, c.Space))
				}
			}
			if err == nil {
				err = m.done(c.Op, c.Nodes, c.Space.Parts, c.Space.Chunks())
			}
			if err == nil {
				t.Errorf("n=%d without step %d: nothing is missed", c.Nodes, drop+1)
			}
		}
	})
}
