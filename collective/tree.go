package collective

// tree is a way for a buffer to get from node 0 to all others: node u sends to its
// children in their order.
type tree [][]int

// binaryTree is the complete binary tree in which u has the children 2u+1 and 2u+2.
func binaryTree(n int) tree {
	t := make(tree, n)
	for u := range n {
		for child := 2*u + 1; child <= 2*u+2 && child < n; child++ {
			t[u] = append(t[u], child)
		}
	}
	return t
}

// chainTree leads from every node to the next.
func chainTree(n int) tree {
	t := make(tree, n)
	for u := range n - 1 {
		t[u] = []int{u + 1}
	}
	return t
}

// twinTrees are two binary trees over the nodes 1..n-1, both fed by node 0, such that
// a node that forwards in one is a leaf in the other, or nearly so (Sanders, Speck and
// Träff 2009): the first is the in-order tree, in which the odd numbers are leaves; the
// second is the same tree over the nodes one further on.
func twinTrees(n int) [2]tree {
	var twins [2]tree
	for i := range twins {
		t := make(tree, n)
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

// pipeline sends pieces down trees, piece p down tree p mod len(trees): in every step a
// node sends at most ports pieces, each to another node, and receives at most ports,
// the earliest pieces first. It is a greedy list schedule, so the number of steps is
// what comes out: for one tree of out-degree d, one port and depth h about d*(h+parts).
func pipeline(n, parts, ports int, trees []tree) []Step {
	const never = -1
	have := make([][]int, parts) // step after which a node has a piece
	sent := make([][]int, parts) // children served
	for p := range have {
		have[p], sent[p] = make([]int, n), make([]int, n)
		for u := range n {
			have[p][u] = never
		}
		have[p][0] = 0
	}
	var steps []Step
	for missing := parts * (n - 1); missing > 0; {
		now := len(steps)
		var step Step
		sends, receives := make([]int, n), make([]int, n)
		busy := map[[2]int]bool{}
		for p := range parts {
			for u, children := range trees[p%len(trees)] {
				if have[p][u] == never || have[p][u] > now {
					continue
				}
				for sent[p][u] < len(children) {
					v := children[sent[p][u]]
					if sends[u] == ports || receives[v] == ports || busy[[2]int{u, v}] {
						break
					}
					sends[u]++
					receives[v]++
					busy[[2]int{u, v}] = true
					sent[p][u]++
					have[p][v] = now + 1
					missing--
					step.Base = append(step.Base, Transfer{Src: u, Dst: v, Action: Copy, Chunks: Single(p)})
				}
			}
		}
		steps = append(steps, step)
	}
	return steps
}
