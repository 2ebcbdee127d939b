package arrival

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// The Diamond: 8 nodes of degree 2, diameter 3, not reverse-symmetric. All graphs of that size
// are enumerated, once each up to isomorphism. If shards arrive whole, only one graph and its
// transpose turn out to have the properties in Table 9; we take the first of the two in the
// order of the rows.

const diamondNodes = 8

// rows are the two targets of every node, the smaller first.
type rows [diamondNodes][2]int

// canonicalRows yields, in lexicographic order, one numbering of every graph of degree
// 2 without self-loops and parallel circuits in which node 0 reaches all: the nodes are
// numbered as a breadth-first search from 0 meets them, and of all such numberings the
// rows are the least.
func canonicalRows() iter.Seq[rows] {
	return func(yield func(rows) bool) {
		var r rows
		var incoming [diamondNodes]int
		// met is the number of nodes met by the rows so far.
		var fill func(u, met int) bool
		fill = func(u, met int) bool {
			if u == diamondNodes {
				return !r.least() || yield(r)
			}
			if u == met {
				return true // the nodes so far lead nowhere else
			}
			for a := 0; a < min(met+1, diamondNodes); a++ {
				if a == u || incoming[a] == 2 {
					continue
				}
				withA := max(met, a+1)
				for b := a + 1; b < min(withA+1, diamondNodes); b++ {
					if b == u || incoming[b] == 2 {
						continue
					}
					r[u] = [2]int{a, b}
					incoming[a]++
					incoming[b]++
					more := fill(u+1, max(withA, b+1))
					incoming[a]--
					incoming[b]--
					if !more {
						return false
					}
				}
			}
			return true
		}
		fill(0, 1)
	}
}

// least reports whether no breadth-first numbering gives smaller rows.
func (r *rows) least() bool {
	for start := range diamondNodes {
		n := numbering{}
		n.add(start)
		if r.canBeLess(n, 0) {
			return false
		}
	}
	return true
}

// numbering is the order in which a search has met nodes.
type numbering struct {
	order  [diamondNodes]int
	number [diamondNodes]int // 0 for nodes not met yet, otherwise one more
	met    int
}

func (n *numbering) add(u int) {
	n.order[n.met] = u
	n.met++
	n.number[u] = n.met
}

// canBeLess reports whether a numbering that gives the same rows as r before u has a
// continuation that gives smaller ones.
func (r *rows) canBeLess(n numbering, u int) bool {
	if u == n.met {
		return false // all nodes have their numbers, or this start does not reach all
	}
	first, second := r[n.order[u]][0], r[n.order[u]][1]
	ways := [][2]int{{first, second}}
	if n.number[first] == 0 && n.number[second] == 0 {
		ways = append(ways, [2]int{second, first})
	}
	for _, way := range ways {
		next := n
		for _, v := range way {
			if next.number[v] == 0 {
				next.add(v)
			}
		}
		a, b := next.number[first]-1, next.number[second]-1
		row := [2]int{min(a, b), max(a, b)}
		if c := slices.Compare(row[:], r[u][:]); c < 0 || c == 0 && r.canBeLess(next, u+1) {
			return true
		}
	}
	return false
}

func (r *rows) graph(name string) *topology.Graph {
	var edges []topology.Edge
	for u, targets := range r {
		for _, v := range targets {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	return topology.New(diamondNodes, name, edges)
}

func diamond(ctx context.Context, w wanted) (found, error) {
	for r := range canonicalRows() {
		if f, ok, err := w.meets(ctx, r.graph(w.expr)); ok || err != nil {
			return f, err
		}
	}
	return found{}, fmt.Errorf("no graph for %s", w.expr)
}
