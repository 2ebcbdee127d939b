package joint

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// petersen returns the generalised Petersen graph: an outer ring of k nodes, an inner one in
// steps of j, and a spoke between the two for every place.
func petersen(k, j int) wires {
	w := make(wires, 2*k)
	for v := range k {
		w[v] = []int{(v + 1) % k, (v + k - 1) % k, k + v}
		w[k+v] = []int{k + (v+j)%k, k + (v+k-j)%k, v}
	}
	return w
}

// coarsest returns the least time of a gather on a graph over all ways to merge steps.
func (w wires) coarsest(bytes float64) float64 {
	width := 0
	for v := range w {
		for _, far := range w.distances(v) {
			width = max(width, far)
		}
	}
	least := math.Inf(1)
	for mask := range 1 << (width - 1) {
		var ends []int
		for d := 1; d < width; d++ {
			if mask>>(d-1)&1 == 1 {
				ends = append(ends, d)
			}
		}
		least = min(least, w.grouped(bytes, append(ends, width)...))
	}
	return least
}

// On two-way circuits no gather on a generalised Petersen graph is faster than the plan, however
// its steps are merged. The plans are correct and take the predicted time.
func TestTwoWayGathersAreNoSlowerThanOnPetersenGraphs(t *testing.T) {
	for i, c := range []struct{ k, j int }{{5, 2}, {8, 3}, {10, 3}, {12, 5}, {13, 5}} {
		for j, size := range []units.Bytes{16 * units.KiB, 256 * units.KiB, units.MiB} {
			for k, op := range []collective.Op{collective.AllGather, collective.ReduceScatter, collective.AllReduce} {
				if (i+j+k)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				t.Run(fmt.Sprintf("GP(%d,%d)/%v/%s", c.k, c.j, size, op), func(t *testing.T) {
					r := jointtest.Request(op, 2*c.k, 3, size)
					r.Fabric.Duplex = true
					found, err := onTwoWay(t.Context(), &r, free, math.Inf(1))
					if err != nil || len(found) == 0 {
						t.Fatal(err, found)
					}
					for _, o := range found {
						p, err := o.plan(t.Context(), &r)
						if err != nil {
							t.Fatal(err)
						}
						jointtest.Check(t, p, o.time)
					}
					p, err := New().Plan(t.Context(), r)
					if err != nil {
						t.Fatal(err)
					}
					want := 1000 * petersen(c.k, c.j).coarsest(float64(size))
					if op == collective.AllReduce {
						want *= 2
					}
					if got := float64(p.Cost.Total()); got > want*(1+1e-9) {
						t.Errorf("%v ns by %s, want %v", got, p.Strategy, want)
					}
				})
			}
		}
	}
}

// If all ports together are an odd number, one GPU has a port that leads nowhere: 99 GPUs. Those
// of 98 GPUs form GP(49,9).
func TestTwoWayGathersOfAHundred(t *testing.T) {
	for _, c := range []struct {
		op         collective.Op
		nodes      int
		size       units.Bytes
		most, less float64 // us; less is the time of breadth-first broadcast
	}{
		{collective.AllGather, 99, units.MiB, 11.41, 12.190},
		{collective.AllReduce, 99, units.MiB, 22.81, 24.380},
		{collective.AllReduce, 99, 64 * units.KiB, 10.03, 14.649},
		{collective.AllGather, 98, units.MiB, 10.08, 10.460},
		{collective.AllReduce, 98, 64 * units.KiB, 10.00, 14.432},
	} {
		r := jointtest.Request(c.op, c.nodes, 3, c.size)
		r.Fabric.Duplex = true
		p, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		got := float64(p.Cost.Total()) / 1000
		t.Logf("%s of %v on %d: %.4g us, %.4g, %.4g before", c.op, c.size, c.nodes, got, c.most, c.less)
		if got > c.most || c.most > c.less {
			t.Errorf("%s of %v on %d: %.4g us by %s, want %.4g", c.op, c.size, c.nodes, got, p.Strategy, c.most)
		}
	}
}

// limited is a request with limits.
type limited struct {
	planner.Request
	limits digit.Limits
}

// What limits exclude stays excluded.
func TestTwoWayGathersHeedLimits(t *testing.T) {
	ask := func(change func(r *limited)) int {
		r := limited{Request: jointtest.Request(collective.AllGather, 20, 3, units.MiB), limits: free}
		r.Fabric.Duplex = true
		change(&r)
		all, err := onTwoWay(t.Context(), &r.Request, r.limits, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	for _, duplex := range []bool{false, true} {
		if ask(func(r *limited) { r.Fabric.Duplex = duplex }) == 0 {
			t.Errorf("duplex %v: nothing found", duplex)
		}
	}
	for name, change := range map[string]func(r *limited){
		"two ports":   func(r *limited) { r.Fabric.Ports = 2 },
		"no digits":   func(r *limited) { r.limits.NoPoints = 20 },
		"no networks": func(r *limited) { r.limits.NoNetworks = true },
		"no uneven":   func(r *limited) { r.limits.NoUneven = true },
		"all ports":   func(r *limited) { r.limits.NoLines = true },
		"all-to-all":  func(r *limited) { r.Collective.Op = collective.AllToAll },
	} {
		if got := ask(change); got != 0 {
			t.Errorf("%s: %d found", name, got)
		}
	}
}
