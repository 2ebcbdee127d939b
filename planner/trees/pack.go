package trees

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// tree is a spanning tree from node 0.
type tree struct {
	parent []int32
	level  []int // hops from the root
	depth  int
}

// packing finds trees in a graph.
type packing struct {
	nodes int
	arcs  []arc
	out   [][]int32 // arcs that leave a node, and then
	in    [][]int32 // those that lead to it

	// of a search for a way
	by   []int32 // arc by which a node was found, or its complement if against it; none
	line []int32
}

// arc is circuits from a node to another.
type arc struct {
	from, to int32
	left     int // circuits that no tree has
	flow     int // of the flow being looked for
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

// reaches reports whether so many circuits must be cut, of those that no tree has, to part a node
// from the root.
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

// connectivity is how many circuits must be cut at least to part some node from the root.
func (p *packing) connectivity(most int) int {
	for v := 1; v < p.nodes && most > 0; v++ {
		for most > 0 && !p.reaches(v, most) {
			most--
		}
	}
	return most
}

// pack takes so many trees that share no circuit, as many as the connectivity allows.
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

// grow takes a tree such that so many more are left: a circuit from the tree to a node outside may
// be taken if the node stays that connected without it (Lovász 1976); some circuit always may.
// Nodes are joined in the order of their levels, those that others have fewer circuits to first.
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

// room is how many circuits from a node no tree has.
func (p *packing) room(u int32) int {
	room := 0
	for _, i := range p.out[u] {
		room += p.arcs[i].left
	}
	return room
}
