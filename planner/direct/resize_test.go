package direct

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// TestNoSizeIsACliff: one GPU more takes at most 15% longer, and twice as many at most 25%. 97,
// 101 and 257 are primes, whose only group commutes; so does the only group of 65 elements.
// TestNoLargeSizeIsACliff has larger ones.
func TestNoSizeIsACliff(t *testing.T) {
	for i, ports := range []int{2, 4} {
		known := map[int]float64{}
		total := func(n int) float64 {
			if took, ok := known[n]; ok {
				return took
			}
			f := fabric.Default()
			f.Nodes, f.Ports = n, ports
			r := planner.Request{Fabric: f, Size: 4 * units.MiB, Collective: &collective.Collective{
				Op: collective.AllReduce, Algorithm: Algorithm, Nodes: n, Space: collective.SpaceOf(collective.AllReduce, n, 1),
			}}
			p, err := New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			known[n] = float64(p.Cost.Total())
			return known[n]
		}
		for j, n := range []int{8, 12, 16, 31, 32, 64, 96, 100, 127, 128, 256} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			here, more, twice := total(n), total(n+1), total(2*n)
			if more > 1.15*here || twice > 1.25*here {
				t.Errorf("%d ports: %d GPUs take %.1f us, one more %.1f, twice as many %.1f", ports, n, here/1e3, more/1e3, twice/1e3)
			}
		}
	}
}
