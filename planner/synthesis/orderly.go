package synthesis

import "slices"

// orderly leaves out topologies that are images of others under the automorphisms of the
// demands, row by row as they are filled.
//
// Every automorphism that moves the root to some node shows the row of that node as one
// of the root. Among the images of a topology there is one whose root has the smallest
// of all rows that are so seen, and only such topologies are kept. The automorphisms that
// leave the rows filled so far as they are may then be used on the next row: of its
// images under those that leave its node in place, only the smallest is kept.
type orderly struct {
	n    int
	from [][][]int // per node: automorphisms that move the root there
	root int
	row  []int     // of the root, once it is filled
	keep [][][]int // by rows filled: automorphisms that leave nodes and rows in place
}

// newOrderly takes as root the first of the nodes that are moved to most others.
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

// filled tells that the row of u, in the circuits x, has been filled, the root's being
// the first. It reports whether the topology may still be the one to keep; if so, the
// call is to be taken back by emptied.
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

// emptied takes the last filled back.
func (o *orderly) emptied() { o.keep = o.keep[:len(o.keep)-1] }

// seen compares a row as an automorphism shows it with another one: the first node with
// a different number of circuits decides.
func seen(g, row, other []int) int {
	for w, v := range g {
		if d := row[v] - other[w]; d != 0 {
			return d
		}
	}
	return 0
}
