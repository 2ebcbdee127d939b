package fabric_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// factorings lists all ways to write n as a product of dims ascending sides, each at least from.
func factorings(n, dims, from int) [][]int {
	if dims == 1 {
		if n >= from {
			return [][]int{{n}}
		}
		return nil
	}
	var all [][]int
	for side := from; side <= n; side++ {
		if n%side == 0 {
			for _, rest := range factorings(n/side, dims-1, side) {
				all = append(all, append([]int{side}, rest...))
			}
		}
	}
	return all
}

// TorusSides returns the product with the smallest longest side, and nil if and only if there is
// no product.
func TestTorusSidesAreTheMostEven(t *testing.T) {
	for dims := 1; dims <= 4; dims++ {
		for n := 2; n <= 400; n++ {
			got, all := fabric.TorusSides(n, dims), factorings(n, dims, 2)
			if (got == nil) != (len(all) == 0) {
				t.Fatalf("%d in %d dimensions: %v of %v", n, dims, got, all)
			}
			if got == nil {
				continue
			}
			longest := n
			known := false
			for _, sides := range all {
				longest = min(longest, sides[dims-1])
				known = known || slices.Equal(sides, got)
			}
			if !known || got[dims-1] != longest {
				t.Fatalf("%d in %d dimensions: %v; the shortest longest side is %d", n, dims, got, longest)
			}
		}
	}
	if got := fmt.Sprint(fabric.TorusSides(64, 2), fabric.TorusSides(64, 3), fabric.TorusSides(12, 2), fabric.TorusSides(13, 2)); got != "[8 8] [4 4 4] [3 4] []" {
		t.Error(got)
	}
}

// Every fabric except a duplex one with a single port has a default base that fits its ports,
// is named by an expression and connects all GPUs.
func TestDefaultBaseFitsAndConnects(t *testing.T) {
	for n := 2; n <= 70; n++ {
		for ports := 1; ports <= 8; ports++ {
			for _, duplex := range []bool{false, true} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Duplex = n, ports, duplex
				at := fmt.Sprintf("n=%d, %d ports, duplex %v", n, ports, duplex)
				g, err := f.BaseTopology()
				if duplex && ports == 1 && n > 2 {
					if err == nil || !strings.Contains(err.Error(), "use 2 ports or more") || strings.Contains(err.Error(), "\n") {
						t.Fatalf("%s: %v", at, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", at, err)
				}
				if err := f.Fits(g); err != nil {
					t.Fatalf("%s: %s %v", at, g.Name(), err)
				}
				if _, connected := g.Diameter(); !connected {
					t.Fatalf("%s: %s is not connected", at, g.Name())
				}
				if parsed, err := topology.Parse(g.Name()); err != nil || !parsed.Equal(g) {
					t.Fatalf("%s: the name %s does not build it: %v", at, g.Name(), err)
				}
			}
		}
	}
}

// The default base by ports: a directed ring at 1, a two-way ring at 2, a torus at 4
// and 6, a circulant otherwise.
func TestDefaultBaseByPorts(t *testing.T) {
	for _, c := range []struct {
		nodes, ports int
		want         string
	}{
		{64, 1, "DC(64;1)"},
		{64, 2, "C(64;1)"},
		{64, 3, "DC(64;1,4,16)"},
		{64, 4, "Torus(8,8)"},
		{12, 4, "Torus(3,4)"},
		{64, 6, "Torus(4,4,4)"},
		{13, 4, "C(13;1,4)"},   // 13 is prime: there is no torus
		{14, 6, "C(14;1,2,6)"}, // 14 has no three sides
		{9, 5, "DC(9;1,2,3,4,6)"},
		{5, 4, "K(5)"}, // everybody has a circuit to everybody
		{2, 1, "DC(2;1)"},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.nodes, c.ports
		g, err := f.BaseTopology()
		if err != nil {
			t.Errorf("n=%d, %d ports: %v", c.nodes, c.ports, err)
			continue
		}
		if g.Name() != c.want {
			t.Errorf("n=%d, %d ports: %s, want %s", c.nodes, c.ports, g.Name(), c.want)
		}
	}
}

func TestInitialTopologies(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 8
	for initial, circuits := range map[string]int{"dark": 0, "base": 8, "DC(8;3)": 8} {
		f.Initial = initial
		g, err := f.InitialTopology()
		if err != nil || g.Nodes() != 8 || g.Circuits() != circuits {
			t.Errorf("%s: %v, %v", initial, g, err)
		}
	}
	f.Initial = fabric.InitialFree
	if g, err := f.InitialTopology(); g != nil || err != nil {
		t.Errorf("free: %v, %v", g, err)
	}
	f.Initial, f.Base = fabric.InitialBase, "DC(8;5)"
	if g, err := f.InitialTopology(); err != nil || g.Name() != "DC(8;5)" {
		t.Errorf("base: %v, %v", g, err)
	}
}

func TestFitsCountsBothEndsOfACircuit(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 3
	for _, edges := range [][]topology.Edge{
		{{From: 0, To: 1, Count: 1}, {From: 2, To: 1, Count: 1}}, // two enter 1
		{{From: 1, To: 0, Count: 1}, {From: 1, To: 2, Count: 1}}, // two leave 1
		{{From: 1, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}}, // a loop takes a port too
	} {
		if err := f.Fits(topology.New(3, "made", edges)); err == nil || !strings.HasPrefix(err.Error(), "node 1 has ") {
			t.Errorf("%v: %v", edges, err)
		}
	}
}

func TestFitsNamesWhatDoesNot(t *testing.T) {
	for _, c := range []struct {
		ports  int
		duplex bool
		expr   string
		want   string // "" if it fits
	}{
		{1, false, "DC(8;3)", ""},
		{2, true, "C(8;3)", ""},
		{4, false, "DC(8;3,3,3,3)", ""},
		{1, false, "DC(9;1)", "has 9 nodes, the fabric 8"},
		{1, false, "C(8;1)", "node 0 has 2 circuits out and 2 in, but 1 port"},
		{3, false, "Torus(2,4)", ""},
		{2, false, "Torus(2,4)", "node 0 has 3 circuits out and 3 in, but 2 ports"},
		{2, true, "DC(8;1,2)", "circuit 0-1 is one-way, but the fabric is duplex"},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 8, c.ports, c.duplex
		g, err := topology.Parse(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := f.Fits(g); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s on %d ports: %q, want %q", c.expr, c.ports, got, c.want)
		}
	}
}

// If there are enough ports, the base is complete, and no other base is faster. Four GPUs with
// four ports once had a torus of two sides, which uses only two of the ports.
func TestTheBaseIsCompleteWherePortsSuffice(t *testing.T) {
	for n := 2; n <= 9; n++ {
		for ports := n - 1; ports <= 10; ports++ {
			f := fabric.Default()
			f.Nodes, f.Ports = n, ports
			base, err := f.BaseTopology()
			if err != nil {
				t.Fatal(err)
			}
			for u := range n {
				if base.OutDegree(u) < n-1 {
					t.Errorf("%d GPUs with %d ports: %s, in which GPU %d has %d neighbours", n, ports, base.Name(), u, base.OutDegree(u))
				}
			}
		}
	}
}

// A torus base uses all ports, even where a side is 2, and has at least the circuits of the
// torus.
func TestTorusBasesUseAllPorts(t *testing.T) {
	doubled := 0
	for _, ports := range []int{4, 6} {
		for n := ports + 2; n <= 60; n++ {
			f := fabric.Default()
			f.Nodes, f.Ports = n, ports
			base, err := f.BaseTopology()
			if err != nil {
				t.Fatal(err)
			}
			for u, in := range base.InDegrees() {
				if in != ports || base.OutDegree(u) != ports {
					t.Fatalf("%d GPUs with %d ports: GPU %d of %s has %d circuits out and %d in", n, ports, u, base.Name(), base.OutDegree(u), in)
				}
			}
			sides := fabric.TorusSides(n, ports/2)
			if sides == nil {
				continue
			}
			for e := range topology.Torus(sides...).Edges() {
				if base.Count(e.From, e.To) < e.Count {
					t.Fatalf("%s lacks circuit %d->%d of the torus %v", base.Name(), e.From, e.To, sides)
				}
			}
			if near := f.Relative(); slices.Contains(sides, 2) {
				doubled++
				if err := f.Fits(near); err != nil {
					t.Error(err)
				}
			} else if near != nil {
				t.Errorf("%s has a relative, %s", base.Name(), near.Name())
			}
		}
	}
	if doubled < 20 {
		t.Errorf("only %d tori had a side of 2", doubled)
	}
}
