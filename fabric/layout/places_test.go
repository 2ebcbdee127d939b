package layout_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/fabric/layout"
)

// TestPlacesMeet: GPUs meet if, and only if, they are at the same places of every so many, port by
// port.
func TestPlacesMeet(t *testing.T) {
	for _, c := range []struct{ nodes, ports, size, together int }{{16, 2, 4, 1}, {16, 1, 8, 2}, {12, 3, 6, 3}} {
		l, err := layout.Parse(layout.Places(c.size, c.together).String())
		if err != nil || l.Places() != c.size {
			t.Fatalf("%v: %v", l, err)
		}
		p, err := l.Plug(c.nodes, c.ports)
		if err != nil {
			t.Fatal(err)
		}
		if p.Switches() != c.size/c.together*c.ports || p.Radix() != c.nodes/c.size*c.together {
			t.Errorf("%s: %d switches of %d ports", l, p.Switches(), p.Radix())
		}
		for u := range c.nodes {
			for v := range c.nodes {
				for i := range c.ports {
					for j := range c.ports {
						meet := u%c.size/c.together == v%c.size/c.together && i == j
						if (p.Switch(u, i) == p.Switch(v, j)) != meet {
							t.Fatalf("%s: port %d of GPU %d and port %d of GPU %d", l, i, u, j, v)
						}
					}
				}
			}
		}
	}
	for _, bad := range []string{"places:", "places:1", "places:8/3", "places:8/0", "places:8,2", "cut:8", "cut:8x"} {
		if _, err := layout.Parse(bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// TestCutGridsAreGrids: GPUs of a grid without its last points meet as they do in the whole grid.
func TestCutGridsAreGrids(t *testing.T) {
	for _, nodes := range []int{7, 11, 12, 13} {
		part, err := layout.Parse("cut:4x4:1,2")
		if err != nil {
			t.Fatal(err)
		}
		grid, err := layout.Parse("4x4:1,2")
		if err != nil {
			t.Fatal(err)
		}
		p, err := part.Plug(nodes, 3)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := grid.Plug(16, 3)
		if err != nil {
			t.Fatal(err)
		}
		for a := range nodes * 3 {
			for b := range nodes * 3 {
				if (p.Switch(a/3, a%3) == p.Switch(b/3, b%3)) != (whole.Switch(a/3, a%3) == whole.Switch(b/3, b%3)) {
					t.Fatalf("%d GPUs: ports %d and %d", nodes, a, b)
				}
			}
		}
		if p.Radix() > 4 {
			t.Errorf("%d ports on a switch", p.Radix())
		}
	}
	if _, err := layout.Places(4, 1).Plug(6, 1); err == nil {
		t.Error("6 GPUs are at 4 places")
	}
}
