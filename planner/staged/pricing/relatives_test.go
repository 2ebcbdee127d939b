package pricing

import (
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// One search for all relatives of a circulant gives the same distances as a search on each.
func TestRelativesOfACirculantAreAsFarAsASearchSays(t *testing.T) {
	for _, c := range []struct {
		nodes int
		jumps []int
	}{{12, []int{1, 11}}, {16, []int{1, 15}}, {15, []int{1, 4, 7}}, {30, []int{1, 3, 29, 27}}, {17, []int{1, 3, 9, 14, 16}}, {24, []int{2, 2, 22, 22}}} {
		k := NewKin(c.nodes, c.jumps)
		for by := 1; by < c.nodes; by++ {
			for name, r := range map[string]struct {
				is    *Relative
				jumps []int
			}{
				"multiple": {k.Multiple(by), Moved(c.jumps, func(j int) int { return j * by % c.nodes })},
				"rotation": {k.Rotation(by), Moved(c.jumps, func(j int) int { return (j + by) % c.nodes })},
			} {
				floors := flow.CirculantFloors(c.nodes, r.jumps)
				for offset := 1; offset < c.nodes; offset++ {
					step := &Class{Offsets: []int{offset, offset}, Demands: []flow.Demand{{Src: 0, Dst: offset, Amount: 3}, {Src: 0, Dst: offset, Amount: 0.1}}}
					ports := 0
					for _, j := range r.jumps {
						if j != 0 {
							ports++
						}
					}
					want, ok := floors.Of(step.each(topology.Translations{}), topology.Rotations(c.nodes, 1))
					hops, peak, reached := r.is.floorOf(step, ports)
					if ok != reached || ok && (hops != want.Hops || peak != want.Peak) {
						t.Fatalf("%s by %d of C(%d;%v) at %d: %d hops, peak %v, %v; a search says %+v, %v", name, by, c.nodes, c.jumps, offset, hops, peak, reached, want, ok)
					}
				}
			}
		}
	}
}
