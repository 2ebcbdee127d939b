package pipelines

// Tree is a way for a buffer to get from node 0 to all others: node u sends to its
// children in their order.
type Tree [][]int

// Binary is the complete binary tree in which u has the children 2u+1 and 2u+2.
func Binary(n int) Tree {
	t := make(Tree, n)
	for u := range n {
		for child := 2*u + 1; child <= 2*u+2 && child < n; child++ {
			t[u] = append(t[u], child)
		}
	}
	return t
}

// Chain leads from every node to the next.
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

// Twins are two binary trees over the nodes 1..n-1, both fed by node 0, such that
// a node that forwards in one is a leaf in the other, or nearly so (Sanders, Speck and
// Träff 2009): the first is the in-order tree, in which the odd numbers are leaves; the
// second is the same tree over the nodes one further on.
func Twins(n int) [2]Tree {
	var twins [2]Tree
	for i := range twins {
		t := make(Tree, n)
		name := func(v int) int { return 1 + (v-1+i)%(n-1) }
		// The subtree over low..high hangs below parent; its root is the number in it
		// with the most factors of two.
		var hang func(parent, low, high int)
		hang = func(parent, low, high int) {
			if low > high {
				return
			}
			step := 1
			for (low+2*step-1)/(2*step)*(2*step) <= high {
				step *= 2
			}
			root := (low + step - 1) / step * step
			t[parent] = append(t[parent], name(root))
			hang(name(root), low, root-1)
			hang(name(root), root+1, high)
		}
		hang(0, 1, n-1)
		twins[i] = t
	}
	return twins
}

// Depth returns how many steps down the last node is.
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
