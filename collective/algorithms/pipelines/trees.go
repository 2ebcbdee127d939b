package pipelines

import "github.com/lightpath-net/lightpath/internal/arithmetic"

// Tree says how a buffer gets from node 0 to all others: node u sends to its children in their
// order.
type Tree [][]int

// Binary returns the complete binary tree in which u has the children 2u+1 and 2u+2.
func Binary(n int) Tree {
	t := make(Tree, n)
	for u := range n {
		for child := 2*u + 1; child <= 2*u+2 && child < n; child++ {
			t[u] = append(t[u], child)
		}
	}
	return t
}

// Chain returns the tree in which every node leads to the next.
func Chain(n int) Tree {
	t := make(Tree, n)
	for u := range n - 1 {
		t[u] = []int{u + 1}
	}
	return t
}

// chain reports whether every node leads to the next.
func (t Tree) chain() bool {
	for u, children := range t {
		if u == len(t)-1 {
			return len(children) == 0
		}
		if len(children) != 1 || children[0] != u+1 {
			return false
		}
	}
	return false
}

// Twins returns two binary trees over the nodes 1..n-1, both fed by node 0, such that (nearly)
// every inner node of one is a leaf of the other (Sanders, Speck and Träff 2009). The first is
// the in-order tree, in which the odd numbers are leaves; the second is the same tree with all
// nodes shifted by one.
func Twins(n int) [2]Tree {
	var twins [2]Tree
	for i := range twins {
		t := make(Tree, n)
		name := func(v int) int { return 1 + (v-1+i)%(n-1) }
		// hang hangs the subtree over low..high below parent. Its root is the number in that range
		// with the most factors of two.
		var hang func(parent, low, high int)
		hang = func(parent, low, high int) {
			if low > high {
				return
			}
			step := 1
			for arithmetic.CeilDiv(low, 2*step)*(2*step) <= high {
				step *= 2
			}
			root := arithmetic.CeilDiv(low, step) * step
			t[parent] = append(t[parent], name(root))
			hang(name(root), low, root-1)
			hang(name(root), root+1, high)
		}
		hang(0, 1, n-1)
		twins[i] = t
	}
	return twins
}

// Depth returns the number of steps down to the last node.
func (t Tree) Depth() int {
	depth := 0
	for level := t[0]; len(level) > 0; depth++ {
		var next []int
		for _, u := range level {
			next = append(next, t[u]...)
		}
		level = next
	}
	return depth
}
