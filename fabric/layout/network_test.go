package layout_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/fabric/layout"
)

// Networks with different lines use all ports, can be set up, and have shorter paths than
// products of rings.
func TestNetworksHaveShortWays(t *testing.T) {
	for _, c := range []struct {
		layout       string
		nodes, ports int
		twoWay       bool
		rings        int // longest way on a product of rings
	}{
		{"8x8", 64, 4, false, 8}, {"8x8", 64, 4, true, 8}, {"4x4x4", 64, 3, false, 9}, {"5x7:2,1", 35, 3, false, 8},
		{"cubes:2x2x2", 64, 3, true, 12}, {"rails", 16, 3, true, 8},
	} {
		l, err := layout.Parse(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.Plug(c.nodes, c.ports)
		if err != nil {
			t.Fatal(err)
		}
		g := p.Network(c.twoWay)
		if g == nil {
			t.Errorf("%s: no network", c.layout)
			continue
		}
		if err := p.Check(g, c.twoWay); err != nil {
			t.Errorf("%s: %v", c.layout, err)
		}
		if g.Circuits() != c.nodes*c.ports {
			t.Errorf("%s: %d circuits on %d ports", c.layout, g.Circuits(), c.nodes*c.ports)
		}
		if d, ok := g.Diameter(); !ok || d >= c.rings {
			t.Errorf("%s: the longest way has %d hops, %d on rings", c.layout, d, c.rings)
		}
	}
	l, err := layout.Parse("2x2")
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.Plug(4, 2)
	if err != nil {
		t.Fatal(err)
	}
	apart := p.Without(func(gpu, port, _ int) bool { return gpu == 3 })
	if g := apart.Network(false); g != nil {
		t.Errorf("a network of GPUs that have no port: %v", g.Name())
	}
}
