package strategy

import (
	"cmp"
	"maps"
	"slices"
)

// Faults are circuits and ports that schedules have to do without.
type Faults struct {
	// Links are pairs of nodes between which there is no circuit, in that direction.
	Links map[[2]int]bool
	// Ports is the number of ports that a node lacks.
	Ports map[int]int
}

// Any reports whether something is missing.
func (f Faults) Any() bool { return len(f.Links) > 0 || len(f.Ports) > 0 }

// without returns the circuits that are left. It removes those of failed links and, at nodes
// that lack ports, the surplus circuits, those of the last ports first. A two-way circuit is
// removed in both directions.
func (f Faults) without(circuits [][]int, ports int, duplex bool) [][]int {
	if !f.Any() {
		return circuits
	}
	left := make([][]int, len(circuits))
	for p, next := range circuits {
		left[p] = append([]int(nil), next...)
	}
	out, in := make([]int, len(left[0])), make([]int, len(left[0]))
	drop := func(p, u int) {
		v := left[p][u]
		left[p][u] = -1
		if !duplex {
			return
		}
		for q := range left {
			if left[q][v] == u {
				left[q][v] = -1
				if q < p || q == p && v < u { // it has been counted
					out[v]--
					in[u]--
				}
				return
			}
		}
	}
	for p := range left {
		for u := range left[p] {
			v := left[p][u]
			if v < 0 {
				continue
			}
			if f.Links[[2]int{u, v}] || duplex && f.Links[[2]int{v, u}] || out[u] >= ports-f.Ports[u] || in[v] >= ports-f.Ports[v] {
				drop(p, u)
				continue
			}
			out[u]++
			in[v]++
		}
	}
	return left
}

// broken counts the circuits over failed links.
func (f Faults) broken(stages [][][]int) int {
	count := 0
	for _, circuits := range stages {
		for _, next := range circuits {
			for u, v := range next {
				if v >= 0 && f.Links[[2]int{u, v}] {
					count++
				}
			}
		}
	}
	return count
}

// sorted lists the links that have failed in ascending order.
func (f Faults) sorted() [][2]int {
	return slices.SortedFunc(maps.Keys(f.Links), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
}
