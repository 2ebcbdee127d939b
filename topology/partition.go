package topology

import (
	"context"
	"slices"
)

// partition is an ordered partition of the nodes of two graphs of n nodes each into
// cells, the colours of the isomorphism search.
//
// Invariant: a cell is order[first:first+length[first]], every node u of it has cell[u] ==
// first and order[place[u]] == u, and half of its nodes are below n.
type partition struct {
	order, place, cell []int32
	length             []int32
	// Scratch, all zero between refinements, so that copies share it: the circuits
	// between a node and the cell that splits others, and the cells that wait to.
	seen    []int32
	waiting []bool
}

// newPartition puts all nodes in one cell.
func newPartition(nodes int) *partition {
	p := &partition{
		order:   make([]int32, nodes),
		place:   make([]int32, nodes),
		cell:    make([]int32, nodes),
		length:  make([]int32, nodes),
		seen:    make([]int32, nodes),
		waiting: make([]bool, nodes),
	}
	for i := range nodes {
		p.order[i], p.place[i] = int32(i), int32(i)
	}
	p.length[0] = int32(nodes)
	return p
}

func (p *partition) clone() *partition {
	return &partition{
		order:   slices.Clone(p.order),
		place:   slices.Clone(p.place),
		cell:    slices.Clone(p.cell),
		length:  slices.Clone(p.length),
		seen:    p.seen,
		waiting: p.waiting,
	}
}

// joined returns a cell with more than one node of each graph, or -1: of the cells whose nodes
// see the most cells in part, neither all of their nodes nor none, the smallest. To fix one of its
// nodes splits the most others. The smallest of all cells may split none: of the lines through a
// point of a projective plane, three may be fixed, then only one order of the others extends to a
// permutation, and all orders refine alike until points are fixed.
func (p *partition) joined(s *search) (cell, length int) {
	cell, most := -1, -1
	var met []int32
	for first := 0; first < len(p.order); first += int(p.length[first]) {
		l := int(p.length[first])
		if l <= 2 {
			continue
		}
		joins := 0
		for _, g := range [...]*Graph{s.in, s.out} {
			met = met[:0]
			to, _ := g.Row(int(p.order[first]))
			for _, y := range to {
				if c := p.cell[y]; p.seen[c] == 0 {
					met = append(met, c)
				}
				p.seen[p.cell[y]]++
			}
			for _, c := range met {
				if 2*p.seen[c] < p.length[c] {
					joins++
				}
				p.seen[c] = 0
			}
		}
		if joins > most || joins == most && l < length {
			cell, length, most = first, l, joins
		}
	}
	return cell, length
}

// pairs reads the mapping off a partition whose cells have one node of each graph.
func (p *partition) pairs() []int {
	n := len(p.order) / 2
	mapping := make([]int, n)
	for first := 0; first < len(p.order); first += 2 {
		u, v := int(p.order[first]), int(p.order[first+1])
		mapping[min(u, v)] = max(u, v) - n
	}
	return mapping
}

// individualise moves u and v to the front of their cell and makes them one of their
// own. It returns the cells from which to refine.
func (p *partition) individualise(cell int, u, v int32) []int {
	for i, x := range []int32{u, v} {
		at, front := p.place[x], int32(cell+i)
		y := p.order[front]
		p.order[front], p.order[at] = x, y
		p.place[x], p.place[y] = front, at
	}
	p.cut(int32(cell), 2)
	return []int{cell}
}

// cut splits a cell after its first length nodes and returns the cell behind.
func (p *partition) cut(cell, length int32) int32 {
	behind := cell + length
	p.length[behind] = p.length[cell] - length
	p.length[cell] = length
	for _, x := range p.order[behind : behind+p.length[behind]] {
		p.cell[x] = behind
	}
	return behind
}

// refine splits cells until the nodes of each see every cell equally often, starting
// from the cells given. It reports false as soon as a cell is unbalanced, that is, no
// isomorphism respects the partition, or the context ends.
func (p *partition) refine(ctx context.Context, s *search, work []int) bool {
	for _, c := range work {
		p.waiting[c] = true
	}
	defer func() {
		for _, c := range work {
			p.waiting[c] = false
		}
	}()
	var members, touched []int32
	for len(work) > 0 {
		if s.err = ctx.Err(); s.err != nil {
			return false
		}
		splitter := work[len(work)-1]
		work = work[:len(work)-1]
		p.waiting[splitter] = false
		// The splitter may itself be split on the way, so its members are copied.
		members = append(members[:0], p.order[splitter:splitter+int(p.length[splitter])]...)
		for _, g := range [...]*Graph{s.in, s.out} {
			touched = touched[:0]
			for _, x := range members {
				to, count := g.Row(int(x))
				for i, y := range to {
					if p.seen[y] == 0 {
						touched = append(touched, y)
					}
					p.seen[y] += count[i]
				}
			}
			var balanced bool
			work, balanced = p.split(touched, work)
			for _, y := range touched {
				p.seen[y] = 0
			}
			if !balanced {
				return false
			}
		}
	}
	return true
}

// split separates the nodes of every touched cell by how often they were seen. Of the
// parts of a cell that is not waiting to split others, all but the largest start
// waiting: what the largest sees follows from the cell and the other parts (Hopcroft).
func (p *partition) split(touched []int32, work []int) ([]int, bool) {
	slices.SortFunc(touched, func(a, b int32) int {
		if d := p.cell[a] - p.cell[b]; d != 0 {
			return int(d)
		}
		return int(p.seen[a] - p.seen[b])
	})
	for len(touched) > 0 {
		cell := p.cell[touched[0]]
		same := 1
		for same < len(touched) && p.cell[touched[same]] == cell {
			same++
		}
		group := touched[:same]
		touched = touched[same:]

		// The touched nodes go to the back of the cell, in order of how often they
		// were seen; those not seen stay in front.
		end := cell + p.length[cell]
		for i, x := range slices.Backward(group) {
			back := end - int32(len(group)-i)
			at, y := p.place[x], p.order[back]
			p.order[back], p.order[at] = x, y
			p.place[x], p.place[y] = back, at
		}
		parts := []int32{cell}
		last := int32(0)
		for i := end - int32(len(group)); i < end; i++ {
			seen := p.seen[p.order[i]]
			if current := parts[len(parts)-1]; seen != last && i > current {
				parts = append(parts, p.cut(current, i-current))
			}
			last = seen
		}
		// The part in front may be large and was not touched; it is balanced if all the others
		// are, because the cell was.
		for _, part := range parts[1:] {
			if !p.balanced(part) {
				return work, false
			}
		}
		waited := p.waiting[cell]
		largest := parts[0]
		for _, part := range parts {
			if p.length[part] > p.length[largest] {
				largest = part
			}
		}
		for _, part := range parts {
			if p.waiting[part] || part == largest && !waited {
				continue
			}
			p.waiting[part] = true
			work = append(work, int(part))
		}
	}
	return work, true
}

// balanced reports whether a cell holds equally many nodes of both graphs.
func (p *partition) balanced(cell int32) bool {
	n, diff := int32(len(p.order)/2), 0
	for _, x := range p.order[cell : cell+p.length[cell]] {
		if x < n {
			diff++
		} else {
			diff--
		}
	}
	return diff == 0
}
