package cast

import "testing"

// A lowered tree is what is left when levels are taken away one by one as long as the rest has
// room for all nodes.
func TestLoweredEqualsTakingLevelsAway(t *testing.T) {
	lower := 0
	for top := range 9 {
		for fan := 1; fan <= 8; fan++ {
			for below := 1; below <= 70; below++ {
				for _, more := range []int{0, 1, 5} {
					g := grove{roots: 1, nodes: below + 1, fan: fan, top: top, below: below, depth: levelsOf(fan, below+1) + more}
					if top == 0 && more > 0 {
						continue // only wider roots have levels to spare
					}
					want := g
					for !want.least() {
						want.depth--
					}
					if got := g.lowered(); got.depth != want.depth {
						t.Fatalf("%+v: depth %d, want %d", g, got.depth, want.depth)
					}
					if want.depth < g.depth {
						lower++
					}
				}
			}
		}
	}
	if lower == 0 {
		t.Error("no tree is lowered")
	}
}
