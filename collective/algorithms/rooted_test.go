package algorithms_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// lay lays an algorithm out or fails.
func lay(t *testing.T, op collective.Op, algorithm string, n, ports int) *collective.Collective {
	t.Helper()
	c, err := algorithms.New(op, algorithm, n, ports)
	if err != nil {
		t.Fatalf("%s %s on %d nodes with %d ports: %v", algorithm, op, n, ports, err)
	}
	return c
}

// run applies all steps to data and reports missing results.
func run(c *collective.Collective) error {
	m := start(c.Op, c.Nodes, c.Space.Parts, c.Space.Chunks())
	if c.Space.Kind == collective.Blocks && c.Op == collective.Broadcast {
		m = start(c.Op, c.Nodes, 1, c.Space.Chunks())
	}
	for i, s := range c.Steps {
		if err := m.step(expand(s, c.Space)); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return m.done(c.Op, c.Nodes, c.Space.Parts, c.Space.Chunks())
}

// checkPeers fails if a node sends to or receives from more than ports others in a step.
func checkPeers(t *testing.T, c *collective.Collective, ports int) {
	t.Helper()
	for i, s := range c.Steps {
		to, from := map[[2]int]bool{}, make([]int, c.Nodes)
		out := make([]int, c.Nodes)
		for _, x := range expand(s, c.Space) {
			if pair := [2]int{x.Src, x.Dst}; !to[pair] {
				to[pair] = true
				out[x.Src]++
				from[x.Dst]++
			}
		}
		for u := range c.Nodes {
			if out[u] > ports || from[u] > ports {
				t.Fatalf("%s %s n=%d step %d: node %d sends to %d and receives from %d, with %d ports",
					c.Algorithm, c.Op, c.Nodes, i+1, u, out[u], from[u], ports)
			}
		}
	}
}

func TestRootedAlgorithmsOnEveryPortCount(t *testing.T) {
	for _, algorithm := range []string{"binomial", "binary", "chain", "double-binary-tree", "scatter-allgather"} {
		for _, op := range []collective.Op{collective.Broadcast, collective.RootReduce} {
			for n := 2; n <= 33; n++ {
				for _, ports := range []int{1, 2, 3, 6} {
					c := lay(t, op, algorithm, n, ports)
					if err := run(c); err != nil {
						t.Fatalf("%s %s on %d nodes with %d ports: %v", algorithm, op, n, ports, err)
					}
					checkPeers(t, c, ports)
				}
			}
		}
	}
}

func TestStepsOfPipelines(t *testing.T) {
	steps := func(algorithm string, n, ports int) int {
		return len(lay(t, collective.Broadcast, algorithm, n, ports).Steps)
	}
	for _, n := range []int{2, 3, 8, 31} {
		for _, parts := range []int{1, 2, 16} {
			// The last piece leaves the root in step parts and arrives n-2 steps later.
			if got := steps(fmt.Sprintf("chain:parts=%d", parts), n, 1); got != n-2+parts {
				t.Errorf("chain of %d nodes, %d parts: %d steps", n, parts, got)
			}
		}
	}
	// Full binary trees of depth h: with two ports a piece goes down a level per step,
	// with one port the right-most leaf waits twice per level, and pieces follow each
	// other at every second step.
	for h, n := range map[int]int{1: 3, 2: 7, 3: 15} {
		for _, parts := range []int{1, 4} {
			if got := steps(fmt.Sprintf("binary:parts=%d", parts), n, 2); got != h+parts-1 {
				t.Errorf("binary tree of %d nodes, 2 ports, %d parts: %d steps", n, parts, got)
			}
			if got := steps(fmt.Sprintf("binary:parts=%d", parts), n, 1); got != 2*h+2*(parts-1) {
				t.Errorf("binary tree of %d nodes, 1 port, %d parts: %d steps", n, parts, got)
			}
		}
	}
	for n, want := range map[int]int{2: 2, 5: 7, 8: 10, 33: 38} { // ceil(log2 n) + n-1
		if got := steps("scatter-allgather", n, 1); got != want {
			t.Errorf("scatter and all-gather on %d nodes: %d steps, want %d", n, got, want)
		}
	}
}

// In twin trees almost every node forwards in one tree only, so with two ports both trees run at
// full speed: they take about depth + parts steps.
func TestDoubleBinaryTreeSharesTheForwarding(t *testing.T) {
	for n := 3; n <= 64; n++ {
		c := lay(t, collective.Broadcast, "double-binary-tree:parts=2", n, 4)
		forwards := make([]map[int]bool, n) // pieces that a node forwards
		for _, s := range c.Steps {
			for _, x := range expand(s, c.Space) {
				if forwards[x.Src] == nil {
					forwards[x.Src] = map[int]bool{}
				}
				for p := range x.Chunks.All() {
					forwards[x.Src][p] = true
				}
			}
		}
		both := 0
		for u := 1; u < n; u++ {
			if len(forwards[u]) == 2 {
				both++
			}
		}
		if both > 1 {
			t.Errorf("n=%d: %d nodes forward in both trees", n, both)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, spec := range []string{
		"chain:parts=0", "chain:parts=x", "chain:", "chain:8x8", "chain:r=2", "chain:parts=2,parts=3",
		"double-binary-tree:parts=1", "ring:parts=2", "chain:parts=-1", "chain:parts=99999999999999999999",
	} {
		if _, err := algorithms.New(collective.Broadcast, spec, 8, 1); err == nil {
			t.Errorf("%q was accepted", spec)
		}
	}
	if c := lay(t, collective.Broadcast, "chain:parts=3", 8, 1); c.Algorithm != "chain:parts=3" {
		t.Errorf("the algorithm is called %q", c.Algorithm)
	}
}
