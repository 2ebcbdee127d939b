package fixed_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/fixed"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestTwistedTori: the diameter of a twisted torus of cubes is that of its lattice, which has no
// cubes, and smaller than that of the plain torus.
func TestTwistedTori(t *testing.T) {
	for _, c := range []struct {
		nodes int
		sides []int
	}{{16, []int{2, 2, 4}}, {32, []int{2, 4, 4}}} {
		f := cubes(t, c.nodes)
		plain, twisted := -1, -1
		for _, n := range fixed.Networks(&f) {
			g, err := n.Fabric.BaseTopology()
			if err != nil {
				t.Fatal(err)
			}
			switch n.Name {
			case "torus":
				plain = diameter(t, g)
			case "twisted torus":
				if d := diameter(t, g); twisted < 0 || d < twisted {
					twisted = d
				}
			}
		}
		if want := farthest(c.sides); twisted != want || plain <= want {
			t.Errorf("%d GPUs: ways of %d, plain %d, by enumeration %d", c.nodes, twisted, plain, want)
		}
	}
}

func diameter(t *testing.T, g *topology.Graph) int {
	t.Helper()
	d, ok := g.Diameter()
	if !ok {
		t.Fatal("not connected")
	}
	return d
}

// farthest returns the diameter of a twisted torus, by a search of the quotient: a step around a
// shorter side is also a step of half of each longest side.
func farthest(sides []int) int {
	longest := slices.Max(sides)
	reduce := func(at [3]int) [3]int {
		for i, s := range sides {
			for s < longest && (at[i] < 0 || at[i] >= s) {
				by := s
				if at[i] < 0 {
					by = -s
				}
				at[i] -= by
				for j, l := range sides {
					if l == longest {
						at[j] += by / s * l / 2
					}
				}
			}
		}
		for i, s := range sides {
			at[i] = (at[i]%s + s) % s
		}
		return at
	}
	far := map[[3]int]int{{}: 0}
	most := 0
	for queue := [][3]int{{}}; len(queue) > 0; queue = queue[1:] {
		for i := range sides {
			for _, by := range []int{1, -1} {
				next := queue[0]
				next[i] += by
				next = reduce(next)
				if _, ok := far[next]; !ok {
					far[next] = far[queue[0]] + 1
					most = max(most, far[next])
					queue = append(queue, next)
				}
			}
		}
	}
	return most
}

// cubes returns a fabric of cubes of 2x2x2 whose faces meet on optical switches.
func cubes(t *testing.T, nodes int) fabric.Fabric {
	t.Helper()
	f := with(t, nodes, 3, "cubes:2x2x2", 0)
	f.Duplex = true
	if err := f.Set("switches", "cubes:2x2x2"); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFailedLinksHelpNoExchange: a search around a failed link finds nothing better than what is
// tried if all links work.
func TestFailedLinksHelpNoExchange(t *testing.T) {
	f := cubes(t, 16)
	p := fastest(t, f, collective.AllToAll, 64*units.KiB)
	check(t, p)
	if err := f.Set("avoid", "link:7-11"); err != nil {
		t.Fatal(err)
	}
	if left := fastest(t, f, collective.AllToAll, 64*units.KiB); p.Cost.Total() > left.Cost.Total() {
		t.Errorf("%v, with a failed link %v", p.Cost.Total(), left.Cost.Total())
	}
}
