package topology

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func shift(n, k int) [][2]int {
	var pairs [][2]int
	for u := range n {
		pairs = append(pairs, [2]int{u, (u + k) % n})
	}
	return pairs
}

func exchange(n, mask int) [][2]int {
	var pairs [][2]int
	for u := range n {
		pairs = append(pairs, [2]int{u, u ^ mask})
	}
	return pairs
}

func TestMatchedNamesCirculantsOfOneJump(t *testing.T) {
	for _, c := range []struct {
		n, ports int
		duplex   bool
		pairs    [][2]int
		name     string
	}{
		{8, 1, false, shift(8, 3), "DC(8;3)"},
		{8, 3, false, shift(8, 3), "DC(8;3,3,3)"},
		{8, 2, true, shift(8, 3), "C(8;3)"},
		{8, 5, true, shift(8, 5), "C(8;3,3)"},
		{8, 1, true, shift(8, 4), "DC(8;4)"},
		{8, 2, false, shift(8, 4), "DC(8;4,4)"},
		{8, 2, false, append(shift(8, 1), shift(8, 7)...), "given"},
		{8, 4, true, append(shift(8, 1), shift(8, 2)...), "given"},
		{8, 1, true, exchange(8, 1), "given"},
		{8, 1, true, exchange(8, 4), "DC(8;4)"},
		{2, 1, true, exchange(2, 1), "DC(2;1)"},
	} {
		g, err := Matched(c.n, c.ports, c.duplex, c.pairs, "given")
		if err != nil {
			t.Error(err)
			continue
		}
		if g.Name() != c.name {
			t.Errorf("named %s, want %s", g.Name(), c.name)
		}
		if c.name != "given" && !mustParse(t, c.name).Equal(g) {
			t.Errorf("%s is not what its name says", c.name)
		}
	}
}

func TestMatchedGivesEveryPairItsShareOfThePorts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 500 {
		n, ports, duplex := 2+r.IntN(7), 1+r.IntN(8), r.IntN(2) == 0
		pairs := make([][2]int, r.IntN(12))
		wanted := map[[2]int]bool{}
		for i := range pairs {
			pairs[i] = [2]int{r.IntN(n), r.IntN(n)}
			if u, v := pairs[i][0], pairs[i][1]; u != v {
				wanted[[2]int{u, v}] = true
				if duplex {
					wanted[[2]int{v, u}] = true
				}
			}
		}
		out, in := make([]int, n), make([]int, n)
		for p := range wanted {
			out[p[0]]++
			in[p[1]]++
		}
		need := max(slices.Max(out), slices.Max(in))
		g, err := Matched(n, ports, duplex, pairs, "given")
		if need > ports {
			if !errors.Is(err, ErrTooManyPorts) {
				t.Fatalf("%v needs %d of %d ports: %v", pairs, need, ports, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		checkInvariant(t, g)
		for u := range n {
			for v := range n {
				want := 0
				if wanted[[2]int{u, v}] {
					want = ports / need
				}
				if g.Count(u, v) != want {
					t.Fatalf("%v duplex %v ports %d: %d circuits from %d to %d, want %d", pairs, duplex, ports, g.Count(u, v), u, v, want)
				}
			}
		}
	}
}

func TestMatchedErrorsNameTheNode(t *testing.T) {
	_, err := Matched(4, 1, false, [][2]int{{1, 0}, {2, 3}, {2, 0}}, "")
	if !errors.Is(err, ErrTooManyPorts) || !strings.Contains(err.Error(), "node 0 needs 2, it has 1") {
		t.Error(err)
	}
	if _, err := Matched(4, 1, false, [][2]int{{1, 4}}, ""); err == nil || !strings.Contains(err.Error(), "1 -> 4") {
		t.Error(err)
	}
}

func TestJumpsAgreesWithRotations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		n := 1 + r.IntN(5)
		g := randomGraph(r, n, r.IntN(8))
		if r.IntN(2) == 0 {
			var edges []Edge
			for e := range g.Edges() {
				for k := range n {
					edges = append(edges, Edge{(e.From + k) % n, (e.To + k) % n, e.Count})
				}
			}
			g = New(n, "", edges)
		}
		jumps, ok := g.Jumps()
		if ok != Rotations(n, 1).Invariant(g) {
			t.Fatalf("%v: %v", slices.Collect(g.Edges()), ok)
		}
		if ok && len(jumps) != g.OutDegree(0) {
			t.Fatalf("jumps %v, degree %d", jumps, g.OutDegree(0))
		}
	}
}
