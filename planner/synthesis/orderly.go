package synthesis

import "slices"

// orderly rules out topologies that are images of others under the automorphisms of the demands,
// row by row as rows are filled.
//
// Every automorphism that moves the root to a node turns the row of that node into a row of the
// root. Among the images of a topology there is one whose root has the smallest of all these
// rows, and only such topologies are kept. The automorphisms that preserve the rows filled so far
// are then applied to the next row: of its images under those that fix its node, only the
// smallest is kept.
type orderly struct {
	n    int
	from [][][]int // per node: automorphisms that move the root there
	root int
	row  []int     // of the root, once filled
	keep [][][]int // by number of rows filled: automorphisms that fix their nodes and rows
}

// newOrderly takes as root the first of the nodes that automorphisms move to the most others.
func newOrderly(n int, automorphisms [][]int) *orderly {
	o := &orderly{n: n}
	most := 0
	for root := range n {
		from, places := make([][][]int, n), 0
		for _, g := range automorphisms {
			if from[g[root]] == nil {
				places++
			}
			from[g[root]] = append(from[g[root]], g)
		}
		if places > most {
			o.root, o.from, most = root, from, places
		}
	}
	return o
}

// filled says that the row of u, in the circuits x, has been filled; the root's row comes first.
// It reports whether the topology may still be the one to keep. If so, emptied must undo the
// call.
func (o *orderly) filled(u int, x []int) bool {
	row := x[u*o.n : (u+1)*o.n]
	stay := o.from[o.root]
	if len(o.keep) == 0 {
		o.row = slices.Clone(row)
	} else {
		stay = o.keep[len(o.keep)-1]
	}
	for _, g := range o.from[u] {
		if seen(g, row, o.row) < 0 {
			return false
		}
	}
	var keep [][]int
	for _, g := range stay {
		if g[u] != u {
			continue
		}
		switch c := seen(g, row, row); {
		case c < 0:
			return false
		case c == 0:
			keep = append(keep, g)
		}
	}
	o.keep = append(o.keep, keep)
	return true
}

// emptied undoes the last successful call of filled.
func (o *orderly) emptied() { o.keep = o.keep[:len(o.keep)-1] }

// seen compares the image of a row under an automorphism with another row. The first node with a
// different number of circuits decides.
func seen(g, row, other []int) int {
	for w, v := range g {
		if d := row[v] - other[w]; d != 0 {
			return d
		}
	}
	return 0
}
