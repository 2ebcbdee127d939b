package topology

import "math/bits"

// DBT(m) is the double binary tree (Sanders, Speck and Träff, Two-Tree Algorithms for Full
// Bandwidth Broadcast, Reduction and Scan, Parallel Computing 2009), the layout of NCCL, as a
// topology: a two-way circuit for every edge of either tree. If both trees have the same edge,
// there are two circuits. A node with children in one tree is a leaf of the other, so that no
// node needs more than four ports, but leaves of both and roots need fewer: the graph is not
// regular.

// DoubleTree returns the two trees of DBT(n) as the parents of the nodes, -1 at a
// root. The first is an in-order tree: its inner nodes are odd, and the left subtree
// of every node is full. The second is its mirror image if n is even, and shifted by
// one if n is odd. It panics if n < 1, and takes O(n) time.
func DoubleTree(n int) [2][]int {
	if n < 1 {
		panic("topology: a double binary tree needs a node")
	}
	moved := func(u int) int {
		if n%2 == 0 {
			return n - 1 - u
		}
		return (u + n - 1) % n
	}
	first, second := inOrderTree(n), make([]int, n)
	for u, parent := range first {
		if parent >= 0 {
			parent = moved(parent)
		}
		second[moved(u)] = parent
	}
	return [2][]int{first, second}
}

// inOrderTree returns the parents in the tree over 0..n-1 in which every node has the
// smaller ones of its subtree to the left, a full tree, and the larger to the right.
func inOrderTree(n int) []int {
	parent := make([]int, n)
	var lay func(first, count, above int)
	lay = func(first, count, above int) {
		if count == 0 {
			return
		}
		left := 1<<(bits.Len(uint(count))-1) - 1
		root := first + left
		parent[root] = above
		lay(first, left, root)
		lay(root+1, count-left-1, root)
	}
	lay(0, n, -1)
	return parent
}

// doubleTreeSize: from four nodes on, some inner node has a parent and two children
// in one tree and a parent in the other. Two nodes are joined by both trees.
func doubleTreeSize(m int) size {
	return size{nodes: int64(m), degree: int64(min(m, 4)), irregular: m > 2}
}

func doubleTree(name string, m int) *Graph {
	edges := make([]Edge, 0, 4*(m-1))
	for _, tree := range DoubleTree(m) {
		for u, parent := range tree {
			if parent >= 0 {
				edges = append(edges, Edge{u, parent, 1}, Edge{parent, u, 1})
			}
		}
	}
	return New(m, name, edges)
}
