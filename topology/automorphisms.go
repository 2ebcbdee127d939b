package topology

import (
	"context"
	"slices"
)

// Automorphisms returns permutations of the nodes that leave the circuits unchanged, without the
// identity: image[u] is the image of node u. They generate all such permutations, unless the
// search stopped after automorphismWork; then they generate some. Each has been checked bundle by
// bundle.
//
// A line graph has the automorphisms of the graph it was built from (Whitney's theorem for line
// digraphs), which is smaller by a factor of the degree. So the search works on the root of
// roots: the generalised Kautz graph of 4 ports and 1024 nodes, a de Bruijn graph, has the
// permutations of 4 letters. There, nodes are fixed one after the other, each time one of
// the cell of the refined partition that joined chooses. For every other node of the cell to which
// no permutation found so far maps the fixed node, the search looks for one (individualisation and
// refinement, as in Isomorphic). The error is the context's.
func (g *Graph) Automorphisms(ctx context.Context) ([][]int32, error) {
	var roots []*lineRoot
	root := g
	for {
		r, ok := newLineRoot(root)
		if !ok {
			break
		}
		roots = append(roots, r)
		root = r.graph
	}
	found, err := root.automorphisms(ctx)
	if err != nil {
		return nil, err
	}
	var out [][]int32
	for _, image := range found {
		for _, r := range slices.Backward(roots) {
			image = r.lift(image)
		}
		if isIsomorphism(g, g, func(u int) int { return int(image[u]) }) {
			out = append(out, image)
		}
	}
	return out, nil
}

// automorphismWork is the number of bundles after which the search stops: a fraction of a
// second.
const automorphismWork = 1 << 21

// automorphisms searches in the graph itself.
func (g *Graph) automorphisms(ctx context.Context) ([][]int32, error) {
	n := g.Nodes()
	if n < 2 {
		return nil, nil
	}
	s := &search{g: g, h: g, out: Union("", shifted(g, 0, 2*n), shifted(g, n, 2*n))}
	s.in = s.out.Transpose("")
	p := newPartition(2 * n)
	// Nodes of a regular graph all look the same except for their self-loops.
	var loops []int32
	for x := range 2 * n {
		if count := s.out.Count(x, x); count > 0 {
			p.seen[x] = int32(count)
			loops = append(loops, int32(x))
		}
	}
	cells, _ := p.split(loops, nil)
	for _, x := range loops {
		p.seen[x] = 0
	}
	for _, c := range cells {
		p.waiting[c] = false // until refine says so
	}
	if !p.refine(ctx, s, slices.Compact(append(cells, 0))) {
		return nil, s.err
	}
	var found [][]int32
	work := 0
	for cell, length := p.joined(s); cell >= 0; cell, length = p.joined(s) {
		nodes := slices.Sorted(slices.Values(p.order[cell : cell+length]))[:length/2]
		u := nodes[0]
		reached := newReach(n, int(u)) // by permutations that keep all nodes fixed so far
		for _, v := range nodes[1:] {
			if reached.has[v] {
				continue
			}
			if work += g.Bundles(); work > automorphismWork {
				return found, nil
			}
			if branch := p.clone(); branch.refine(ctx, s, branch.individualise(cell, u, v+int32(n))) {
				if mapping := s.extend(ctx, branch, 1); mapping != nil {
					image := make([]int32, n)
					for x, y := range mapping {
						image[x] = int32(y)
					}
					found = append(found, image)
					reached.by(image)
				}
			}
			if s.err != nil {
				return nil, s.err
			}
		}
		if !p.refine(ctx, s, p.individualise(cell, u, u+int32(n))) {
			return nil, s.err
		}
	}
	return found, nil
}

// reach holds the nodes to which permutations map a node.
type reach struct {
	has   []bool
	list  []int32
	moves [][]int32
}

func newReach(n, u int) *reach {
	r := &reach{has: make([]bool, n), list: []int32{int32(u)}}
	r.has[u] = true
	return r
}

// by adds a permutation.
func (r *reach) by(image []int32) {
	r.moves = append(r.moves, image)
	for i := 0; i < len(r.list); i++ {
		for _, move := range r.moves {
			if v := move[r.list[i]]; !r.has[v] {
				r.has[v] = true
				r.list = append(r.list, v)
			}
		}
	}
}
