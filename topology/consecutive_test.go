package topology

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// With q = r = -d the graphs are generalized Kautz graphs; every node has d
// circuits in and out;
// and the rotations that the comment promises leave the circuits as they are.
func TestConsecutiveDigraphs(t *testing.T) {
	for d := 2; d <= 4; d++ {
		for m := d + 1; m <= 30; m++ {
			if arithmetic.GCD(d, m) == 1 {
				if g := Consecutive(d, m, m-d, m-d); !g.Equal(GenKautz(d, m)) {
					t.Errorf("%s is not %s", g.Name(), GenKautz(d, m).Name())
				}
			}
			for q := 1; q < m; q++ {
				if arithmetic.GCD(q, m) > 1 {
					continue
				}
				for r := range min(m, 5) {
					g := Consecutive(d, m, q, r)
					shift := m / arithmetic.GCD(q-1, m)
					if !Rotations(m, shift).Invariant(g) {
						t.Fatalf("%s changes with rotations by %d", g.Name(), shift)
					}
					if in := g.InDegrees(); slices.Min(in) != slices.Max(in) {
						t.Fatalf("%s: circuits into nodes: %v", g.Name(), in)
					}
				}
			}
		}
	}
}
