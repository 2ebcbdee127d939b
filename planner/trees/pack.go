package trees

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// tree is a spanning tree from node 0.
type tree struct {
	parent []int32
	level  []int // hops from the root
	depth  int
}

// packing finds spanning trees in a graph.
type packing struct {
	nodes int
	arcs  []arc
	out   [][]int32 // arcs that leave a node
	in    [][]int32 // arcs that lead to a node

	// State of a search for a path.
	by   []int32 // the arc by which a node was found, its complement if against the arc, or none
	line []int32
}

// arc is the circuits from one node to another.
type arc struct {
	from, to int32
	left     int // circuits that no tree uses
	flow     int // of the flow that is being searched
}

const none = int32(-1) << 30

func newPacking(g *topology.Graph) *packing {
	p := &packing{nodes: g.Nodes(), out: make([][]int32, g.Nodes()), in: make([][]int32, g.Nodes()), by: make([]int32, g.Nodes())}
	for e := range g.Edges() {
		if e.From == e.To {
			continue
		}
		i := int32(len(p.arcs))
		p.arcs = append(p.arcs, arc{from: int32(e.From), to: int32(e.To), left: e.Count})
		p.out[e.From], p.in[e.To] = append(p.out[e.From], i), append(p.in[e.To], i)
	}
	return p
}

// reaches reports whether at least cuts circuits, of those that no tree uses, must be cut to
// separate a node from the root.
func (p *packing) reaches(node, cuts int) bool {
	for i := range p.arcs {
		p.arcs[i].flow = 0
	}
	for range cuts {
		if !p.augment(int32(node)) {
			return false
		}
	}
	return true
}

// augment adds one to the flow from the root to a node, if that is possible.
func (p *packing) augment(node int32) bool {
	for v := range p.by {
		p.by[v] = none
	}
	p.by[0] = 0
	p.line = append(p.line[:0], 0)
	for k := 0; k < len(p.line) && p.by[node] == none; k++ {
		u := p.line[k]
		for _, i := range p.out[u] {
			if a := &p.arcs[i]; a.flow < a.left && p.by[a.to] == none {
				p.by[a.to] = i
				p.line = append(p.line, a.to)
			}
		}
		for _, i := range p.in[u] {
			if a := &p.arcs[i]; a.flow > 0 && p.by[a.from] == none {
				p.by[a.from] = ^i
				p.line = append(p.line, a.from)
			}
		}
	}
	if p.by[node] == none {
		return false
	}
	for v := node; v != 0; {
		if i := p.by[v]; i >= 0 {
			p.arcs[i].flow++
			v = p.arcs[i].from
		} else {
			p.arcs[^i].flow--
			v = p.arcs[^i].to
		}
	}
	return true
}

// connectivity returns how many circuits must be cut at least to separate some node from the
// root, up to most.
func (p *packing) connectivity(most int) int {
	for v := 1; v < p.nodes && most > 0; v++ {
		for most > 0 && !p.reaches(v, most) {
			most--
		}
	}
	return most
}

// pack takes count trees that share no circuit; the connectivity must allow as many.
func (p *packing) pack(ctx context.Context, count int) ([]tree, error) {
	trees := make([]tree, 0, count)
	for left := count - 1; left >= 0; left-- {
		t, err := p.grow(ctx, left)
		if err != nil {
			return nil, err
		}
		trees = append(trees, t)
	}
	return trees, nil
}

// grow takes a tree and leaves room for left more trees. A circuit from the tree to a node
// outside may be taken if the node stays that connected without it (Lovász 1976); there always is
// such a circuit. Nodes join in the order of their levels, those with the most free outgoing
// circuits first.
func (p *packing) grow(ctx context.Context, left int) (tree, error) {
	t := tree{parent: make([]int32, p.nodes), level: make([]int, p.nodes)}
	for v := range t.parent {
		t.parent[v] = -1
	}
	t.parent[0] = 0
	members := []int32{0}
	for len(members) < p.nodes {
		joined := false
		for k := 0; k < len(members); k++ {
			u := members[k]
			open := slices.Clone(p.out[u])
			slices.SortStableFunc(open, func(a, b int32) int { return p.room(p.arcs[b].to) - p.room(p.arcs[a].to) })
			for _, i := range open {
				a := &p.arcs[i]
				if a.left == 0 || t.parent[a.to] >= 0 {
					continue
				}
				if err := ctx.Err(); err != nil {
					return t, err
				}
				a.left--
				if left > 0 && !p.reaches(int(a.to), left) {
					a.left++
					continue
				}
				t.parent[a.to], t.level[a.to] = u, t.level[u]+1
				t.depth = max(t.depth, t.level[a.to])
				members = append(members, a.to)
				joined = true
			}
		}
		if !joined {
			return t, errApart
		}
	}
	return t, nil
}

// room returns the number of circuits from a node that no tree uses.
func (p *packing) room(u int32) int {
	return each.Sum(p.out[u], func(i int32) int { return p.arcs[i].left })
}
