package direct

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// TestNoSizeIsACliff: one GPU more takes at most 15% longer, and twice as many at most 25%. 97, 101
// and 257 are primes, whose only group commutes; 65 has no other either.
func TestNoSizeIsACliff(t *testing.T) {
	for _, ports := range []int{2, 4} {
		total := func(n int) float64 {
			f := fabric.Default()
			f.Nodes, f.Ports = n, ports
			r := planner.Request{Fabric: f, Size: 4 * units.MiB, Collective: &collective.Collective{
				Op: collective.AllReduce, Algorithm: Algorithm, Nodes: n, Space: collective.SpaceOf(collective.AllReduce, n, 1),
			}}
			p, err := New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			return float64(p.Cost.Total())
		}
		for _, n := range []int{8, 12, 16, 31, 32, 64, 96, 100, 127, 128, 256} {
			here, more, twice := total(n), total(n+1), total(2*n)
			if more > 1.15*here || twice > 1.25*here {
				t.Errorf("%d ports: %d GPUs take %.1f us, one more %.1f, twice as many %.1f", ports, n, here/1e3, more/1e3, twice/1e3)
			}
		}
	}
}

// TestNoLargeSizeIsACliff is the same around 1000 GPUs and where plans for every pair of GPUs end,
// by the times of schedules, which plans take (TestPlansForManyGPUsAreCorrect).
func TestNoLargeSizeIsACliff(t *testing.T) {
	known := map[[2]int]float64{}
	total := func(n, ports int) float64 {
		if time, ok := known[[2]int{n, ports}]; ok {
			return time
		}
		r := requestFor(collective.AllReduce, n, ports)
		var time units.Time
		if compactOn(&r.Fabric) {
			s, err := broadcastOf(t.Context(), &r)
			if err != nil {
				t.Fatal(err)
			}
			time = s.least(&r)
		} else {
			g, err := topologyFor(t.Context(), &r)
			if err != nil {
				t.Fatal(err)
			}
			s, err := bestOn(t.Context(), &r, g)
			if err != nil {
				t.Fatal(err)
			}
			switch _, its, err := resized(t.Context(), &r, &s); {
			case err != nil:
				t.Fatal(err)
			case its != nil:
				s = *its
			}
			time = s.least(&r)
		}
		known[[2]int{n, ports}] = float64(time)
		return float64(time)
	}
	for _, c := range []struct{ n, more, ports int }{
		{1000, 1001, 4}, {4096, 4097, 4}, {5000, 5001, 4}, {4096, 4097, 2},
	} {
		if here, more := total(c.n, c.ports), total(c.more, c.ports); more > 1.15*here {
			t.Errorf("%d ports: %d GPUs take %.2f us, one more %.2f", c.ports, c.n, here/1e3, more/1e3)
		}
	}
	for _, c := range []struct{ n, ports int }{{1000, 4}, {4096, 4}} {
		if here, twice := total(c.n, c.ports), total(2*c.n, c.ports); twice > 1.25*here {
			t.Errorf("%d ports: %d GPUs take %.2f us, twice as many %.2f", c.ports, c.n, here/1e3, twice/1e3)
		}
	}
}
