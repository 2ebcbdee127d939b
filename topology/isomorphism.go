package topology

import (
	"context"
	"slices"
)

// Isomorphic looks for a renumbering of g's nodes that makes it h: mapping[u] is the
// node of h that u becomes, and parallel circuits are matched in number.
//
// It colours the nodes of both graphs together, refines the colours until nodes of
// one colour see every colour equally often along incoming and outgoing circuits, and
// gives up a branch when a colour is not equally frequent in both. While a colour is
// shared by several nodes of g, one of them is paired with each candidate of h in
// turn (individualisation and refinement, McKay and Piperno, Practical Graph
// Isomorphism II, without its pruning by automorphisms). A refinement takes
// O(bundles log n); the pairings may be exponential in number on strongly regular
// graphs, and are few on the families of this package. Two deviations bound the
// common bad cases: the first pairing has one candidate if h has a transitive
// Symmetry, and a candidate is skipped if a twin of it has failed.
//
// A mapping that is returned has been checked circuit by circuit. The error is the
// context's.
func Isomorphic(ctx context.Context, g, h *Graph) (mapping []int, ok bool, err error) {
	n := g.Nodes()
	if n != h.Nodes() || g.Bundles() != h.Bundles() || g.Circuits() != h.Circuits() {
		return nil, false, nil
	}
	if n == 0 {
		return []int{}, true, nil
	}
	s := &search{g: g, h: h, out: Union("", shifted(g, 0, 2*n), shifted(h, n, 2*n))}
	s.in = s.out.Transpose("")
	_, s.transitive = h.Symmetry()
	root := newPartition(2 * n)
	if !root.refine(ctx, s, []int{0}) {
		return nil, false, ctx.Err()
	}
	mapping = s.extend(ctx, root, 0)
	return mapping, mapping != nil, s.err
}

// shifted places g at an offset among the nodes of a larger graph.
func shifted(g *Graph, offset, n int) *Graph {
	edges := make([]Edge, 0, g.Bundles())
	for e := range g.Edges() {
		edges = append(edges, Edge{e.From + offset, e.To + offset, e.Count})
	}
	return New(n, "", edges)
}

// search holds both graphs side by side: nodes below n are those of g.
type search struct {
	err        error
	g, h       *Graph
	out, in    *Graph
	transitive bool
}

// extend finds a mapping that respects the partition, or returns nil.
func (s *search) extend(ctx context.Context, p *partition, depth int) []int {
	if s.err = ctx.Err(); s.err != nil {
		return nil
	}
	n := s.g.Nodes()
	cell, length := p.joined(s)
	if cell < 0 {
		return s.verify(p.pairs())
	}
	var u int32
	var candidates []int32
	for _, x := range p.order[cell : cell+length] {
		if int(x) < n {
			u = x
		} else {
			candidates = append(candidates, x)
		}
	}
	slices.Sort(candidates)
	if depth == 0 && s.transitive {
		candidates = candidates[:1]
	}
	var failed []int32
	for i, v := range candidates {
		if slices.ContainsFunc(failed, func(f int32) bool { return s.twins(f, v) }) {
			continue
		}
		// The last branch needs no copy to come back to. Without that, a graph with
		// many isolated nodes would hold one copy per node.
		branch := p
		if slices.ContainsFunc(candidates[i+1:], func(w int32) bool { return !s.twins(v, w) }) {
			branch = p.clone()
		}
		if branch.refine(ctx, s, branch.individualise(cell, u, v)) {
			if mapping := s.extend(ctx, branch, depth+1); mapping != nil {
				return mapping
			}
		}
		if s.err != nil {
			return nil
		}
		failed = append(failed, v)
	}
	return nil
}

// twins reports whether exchanging just a and b is an automorphism. Then either both can be the
// image of a node or neither.
func (s *search) twins(a, b int32) bool { return twinRows(s.out, a, b) && twinRows(s.in, a, b) }

func twinRows(g *Graph, a, b int32) bool {
	to, count := g.Row(int(a))
	if other, _ := g.Row(int(b)); len(to) != len(other) {
		return false
	}
	for i, v := range to {
		switch v {
		case a:
			v = b
		case b:
			v = a
		}
		if g.Count(int(b), int(v)) != int(count[i]) {
			return false
		}
	}
	return true
}

// verify returns the mapping if it turns every bundle of g into one of h.
func (s *search) verify(mapping []int) []int {
	if !isIsomorphism(s.g, s.h, func(u int) int { return mapping[u] }) {
		return nil
	}
	return mapping
}

// isIsomorphism reports whether a permutation of nodes maps the circuits of g onto those of h.
func isIsomorphism(g, h *Graph, image func(int) int) bool {
	if g.Bundles() != h.Bundles() {
		return false
	}
	for e := range g.Edges() {
		if h.Count(image(e.From), image(e.To)) != e.Count {
			return false
		}
	}
	return true
}

// ReverseSymmetric reports whether g is isomorphic to its transpose, so that one
// schedule serves both halves of an allreduce. (Zhao et al., Def. 8.) Two-way graphs
// are, by the identity; graphs with a transitive Symmetry are, by the negation of
// coordinates, which turns a jump s into -s; for others the isomorphism is searched.
// The error is the context's.
func (g *Graph) ReverseSymmetric(ctx context.Context) (bool, error) {
	reverse := g.Transpose("")
	if g.Equal(reverse) {
		return true, nil
	}
	if t, ok := g.Symmetry(); ok {
		// Node 0 moved by the inverse of the element that moves it to u is -u.
		negate := func(u int) int {
			k, _ := t.Locate(u)
			return t.Back(k, 0)
		}
		if isIsomorphism(g, reverse, negate) {
			return true, nil
		}
	}
	_, ok, err := Isomorphic(ctx, g, reverse)
	return ok, err
}
