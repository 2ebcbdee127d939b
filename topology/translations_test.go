package topology

import (
	"math/rand/v2"
	"slices"
	"testing"
)

var groups = []struct {
	group Translations
	n     int
	order int
}{
	{Translations{}, 7, 1},
	{Rotations(12, 1), 12, 12},
	{Rotations(12, 2), 12, 6},
	{Rotations(12, 12), 12, 1},
	{Translation(2, 2, 2), 8, 8},
	{Translation(3, 4), 12, 12},
	{Translations{Dims: []int{4, 6}, Stride: []int{2, 3}}, 24, 4},
	{Translations{Dims: []int{2, 3, 4}, Stride: []int{2, 1, 2}}, 24, 6},
	{Translations{Dims: []int{1, 5, 1}, Stride: []int{1, 1, 1}}, 5, 5},
}

func TestTranslationsFormAGroupThatActsFreely(t *testing.T) {
	for _, c := range groups {
		g := c.group
		if err := g.Check(c.n); err != nil {
			t.Errorf("%v: %v", g, err)
			continue
		}
		if g.Order() != c.order || g.Trivial() != (c.order == 1) {
			t.Errorf("%v: order %d, trivial %v", g, g.Order(), g.Trivial())
		}
		element := func(k int) []int {
			p := make([]int, c.n)
			for u := range p {
				p[u] = g.Apply(k, u)
			}
			return p
		}
		var all [][]int
		for k := range g.Order() {
			all = append(all, element(k))
		}
		for k, p := range all {
			for u := range c.n {
				if g.Back(k, p[u]) != u {
					t.Fatalf("%v: element %d moves %d to %d and back to %d", g, k, u, p[u], g.Back(k, p[u]))
				}
				if (p[u] == u) != (k == 0) {
					t.Fatalf("%v: element %d moves %d to %d", g, k, u, p[u])
				}
			}
			for _, q := range all {
				composed := make([]int, c.n)
				for u := range composed {
					composed[u] = q[p[u]]
				}
				if !slices.ContainsFunc(all, func(r []int) bool { return slices.Equal(r, composed) }) {
					t.Fatalf("%v is not closed", g)
				}
			}
		}
	}
}

func TestLocateInvertsApplyOnRepresentatives(t *testing.T) {
	for _, c := range groups {
		g := c.group
		representatives := map[int]bool{}
		for u := range c.n {
			k, r := g.Locate(u)
			if k < 0 || k >= g.Order() || g.Apply(k, r) != u {
				t.Fatalf("%v: node %d is located at element %d of %d", g, u, k, r)
			}
			if k0, r0 := g.Locate(r); k0 != 0 || r0 != r {
				t.Fatalf("%v: representative %d is located at element %d of %d", g, r, k0, r0)
			}
			representatives[r] = true
		}
		if len(representatives)*g.Order() != c.n {
			t.Errorf("%v: %d orbits of %d", g, len(representatives), g.Order())
		}
	}
}

func TestGeneratorsGenerate(t *testing.T) {
	for _, c := range groups {
		reached := map[int]bool{0: true}
		queue := []int{0}
		for len(queue) > 0 {
			u := queue[0]
			queue = queue[1:]
			for _, k := range c.group.Generators() {
				if v := c.group.Apply(k, u); !reached[v] {
					reached[v] = true
					queue = append(queue, v)
				}
			}
		}
		if len(reached) != c.order {
			t.Errorf("%v: generators reach %d of %d", c.group, len(reached), c.order)
		}
	}
}

func TestInvariantAgreesWithAllElements(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for _, c := range groups {
		yes := 0
		for range 60 {
			g := randomGraph(r, c.n, r.IntN(4))
			if r.IntN(2) == 0 {
				var edges []Edge
				for e := range g.Edges() {
					for k := range c.order {
						edges = append(edges, Edge{c.group.Apply(k, e.From), c.group.Apply(k, e.To), e.Count})
					}
				}
				g = New(c.n, "", edges)
			}
			want := true
			for k := range c.order {
				image := make([]int, c.n)
				for u := range image {
					image[u] = c.group.Apply(k, u)
				}
				want = want && relabel(g, image).Equal(g)
			}
			if got := c.group.Invariant(g); got != want {
				t.Fatalf("%v on %v: %v", c.group, slices.Collect(g.Edges()), got)
			}
			if want {
				yes++
			}
		}
		if yes == 0 {
			t.Errorf("%v: no invariant graph was drawn", c.group)
		}
	}
}

func TestCheckRefusesGroupsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		group Translations
		n     int
	}{
		{Translations{Dims: []int{4}}, 4}, {Rotations(12, 5), 12}, {Rotations(12, 0), 12}, {Rotations(12, 1), 13}, {Rotations(12, 1), 11},
		{Translation(3, 0), 3}, {Translation(1<<40, 1<<40), 1 << 20}, {Rotations(5, 5), 7},
	} {
		if c.group.Check(c.n) == nil {
			t.Errorf("%v fits %d nodes", c.group, c.n)
		}
	}
}

func TestSymmetryFindsATransitiveInvariantGroup(t *testing.T) {
	for _, row := range published {
		g := mustParse(t, row.expr)
		group, ok := g.Symmetry()
		if ok && (group.Check(row.nodes) != nil || group.Order() != row.nodes || !group.Invariant(g)) {
			t.Errorf("%s: %v", row.expr, group)
		}
	}
	group, _ := Torus(3, 4, 5).Symmetry()
	if !slices.Equal(group.Dims, []int{3, 4, 5}) {
		t.Errorf("Torus(3,4,5): %v", group.Dims)
	}
}

func TestWithinIsASubgroupThatLeavesTheGraphAsItIs(t *testing.T) {
	for _, c := range []struct {
		group  Translations
		graph  *Graph
		stride []int // nil: trivial
	}{
		{Rotations(64, 1), DirectedCirculant(64, 1, 5), []int{1}},
		{Rotations(64, 2), Torus(8, 8), []int{8}},
		{Rotations(64, 1), Torus(4, 4, 4), []int{16}},
		{Translation(2, 2, 2, 2, 2, 2), Torus(8, 8), []int{1, 2, 2, 1, 2, 2}},
		{Translation(2, 2, 2), DirectedCirculant(8, 1), []int{1, 2, 2}},
		{Rotations(12, 1), GenKautz(3, 12), []int{3}},
		{Rotations(8, 1), GenKautz(2, 8), nil},
	} {
		sub := c.group.Within(c.graph)
		if c.stride == nil != sub.Trivial() || c.stride != nil && !slices.Equal(sub.Stride, c.stride) {
			t.Errorf("%v within %s: %v, want strides %v", c.group, c.graph.Name(), sub, c.stride)
		}
		if !sub.Invariant(c.graph) {
			t.Errorf("%v does not leave %s as it is", sub, c.graph.Name())
		}
	}
}

func TestCosetsCoverTheGroupOnce(t *testing.T) {
	for _, c := range []struct{ group, sub Translations }{
		{Rotations(12, 1), Rotations(12, 4)},
		{Rotations(12, 2), Rotations(12, 6)},
		{Rotations(12, 3), Translations{}},
		{Translation(4, 6), Translations{Dims: []int{4, 6}, Stride: []int{2, 3}}},
		{Translation(2, 2, 2), Translations{Dims: []int{2, 2, 2}, Stride: []int{2, 1, 2}}},
	} {
		n := 1
		for _, d := range c.group.Dims {
			n *= d
		}
		cosets := c.group.Cosets(c.sub)
		if len(cosets)*c.sub.Order() != c.group.Order() {
			t.Errorf("%v has %d cosets of %v", c.group, len(cosets), c.sub)
		}
		seen := map[int]bool{}
		for _, k := range cosets {
			for j := range c.sub.Order() {
				seen[c.sub.Apply(j, c.group.Apply(k, 0))] = true
			}
		}
		if len(seen) != c.group.Order() {
			t.Errorf("cosets %v of %v in %v reach %d places of %d", cosets, c.sub, c.group, len(seen), c.group.Order())
		}
	}
}

// A group leaves a graph unchanged if and only if each of its generators, applied to both ends
// of every bundle, gives a bundle of equally many circuits.
func TestInvarianceIsThatOfEveryGenerator(t *testing.T) {
	held := 0
	for _, g := range []*Graph{
		Torus(4, 6), Torus(3, 4, 2), DirectedCirculant(24, 1, 5, 5), DirectedCirculant(24, 6), GenKautz(2, 24),
	} {
		for _, group := range []Translations{
			Rotations(24, 1), Rotations(24, 6), {Dims: []int{4, 6}, Stride: []int{1, 1}}, {Dims: []int{4, 6}, Stride: []int{2, 3}},
			{Dims: []int{3, 4, 2}, Stride: []int{1, 1, 1}}, {Dims: []int{2, 2, 6}, Stride: []int{1, 2, 1}}, {Dims: []int{24}, Stride: []int{24}},
		} {
			want := true
			for _, k := range group.Generators() {
				for e := range g.Edges() {
					want = want && g.Count(group.Apply(k, e.From), group.Apply(k, e.To)) == e.Count
				}
			}
			if got := group.Invariant(g); got != want {
				t.Errorf("%s under %v: %v, want %v", g.Name(), group, got, want)
			}
			if want {
				held++
			}
		}
	}
	if held < 10 {
		t.Errorf("only %d graphs stay as they are", held)
	}
}

// If all sides have two nodes, elements flip bits.
func TestMasksFlipBits(t *testing.T) {
	for _, c := range []struct {
		group Translations
		masks bool
	}{
		{Translations{}, false}, {Rotations(8, 1), false}, {Translation(2, 4), false}, {Translation(2, 2, 2), true},
		{Translations{Dims: []int{2, 2, 2, 2}, Stride: []int{1, 2, 1, 2}}, true},
	} {
		if got := c.group.Masks(); got != c.masks {
			t.Errorf("%v: masks %v, want %v", c.group, got, c.masks)
		}
		for k := 0; c.masks && k < c.group.Order(); k++ {
			for u := range 1 << len(c.group.Dims) {
				if got, want := c.group.Apply(k, u), c.group.Apply(k, 0)^u; got != want {
					t.Errorf("%v: element %d takes %d to %d, want %d", c.group, k, u, got, want)
				}
			}
		}
	}
}
