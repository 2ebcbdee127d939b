package portfolio

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// No operation that sends the same data to everyone takes longer than the one that sends separate
// data to each: a plan of the latter becomes a plan of the former.
func TestSameDataIsNotSlowerThanDataOfTheirOwn(t *testing.T) {
	type fields map[string]string
	islands := func(nodes, size int) fabric.Fabric {
		f := fabric.Default()
		f.Nodes, f.Island = nodes, fabric.Island{Size: size, Bandwidth: 7200 * units.Gbps}
		return f
	}
	with := func(nodes, ports int, set fields) fabric.Fabric {
		f := fabric.Default()
		f.Nodes, f.Ports = nodes, ports
		for name, value := range set {
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	type named struct {
		name string
		fabric.Fabric
	}
	for i, on := range samples.Few(5, []named{
		{"2 islands of 4", islands(8, 4)},
		{"8 islands of 8", islands(64, 8)},
		{"a grid of 4x4", with(16, 2, fields{"switches": "4x4"})},
		{"16 islands of 8", islands(128, 8)},
		{"blocks of 4", with(8, 1, fields{"fixed": "K(4)"})},
		{"blocks of 8", with(16, 1, fields{"fixed": "K(8)"})},
		{"3 islands of 2", islands(6, 2)},
		{"a grid of 8x8", with(64, 2, fields{"switches": "8x8"})},
		{"without a port", with(16, 2, fields{"switches": "4x4", "avoid": "port:2"})},
		{"a slice of grids", with(16, 2, fields{"switches": "4x4", "avoid": "gpu:5"})},
	}) {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			f := on.Fabric
			gpus := f.Nodes
			if alive := f.Alive(); alive != nil {
				gpus = len(alive)
			}
			search := NewSearch(Options{Planners: Planners(), Bare: true})
			known := map[string]*plan.Plan{} // two operations are compared with an all-to-all
			planned := func(what string, o collective.Operation) *plan.Plan {
				key := fmt.Sprint(o.Op, " ", o.Size)
				p, ok := known[key]
				if !ok {
					p = provenBy(t, search, what, f, o)
					known[key] = p
				}
				return p
			}
			sizes := []units.Bytes{units.KiB}
			if f.Nodes <= 16 && f.Avoid.IsZero() { // searches around failures are slow
				sizes = append(sizes, 16*units.KiB)
			}
			if !samples.Every() {
				sizes = sizes[i%len(sizes):][:1] // in turn
			}
			for _, size := range sizes {
				for k, pair := range []struct {
					op, own collective.Op
					times   int
				}{
					{collective.AllGather, collective.AllToAll, 1},
					{collective.ReduceScatter, collective.AllToAll, 1},
					{collective.AllReduce, collective.AllToAll, gpus},
					{collective.Broadcast, collective.Scatter, gpus},
					{collective.RootReduce, collective.Gather, gpus},
				} {
					if (i+k)%2 > 0 && !samples.Every() {
						continue // in turn
					}
					what := fmt.Sprintf("%s of %v", pair.op, size)
					same := planned(what, collective.Operation{Op: pair.op, Size: size})
					own := planned(string(pair.own), collective.Operation{Op: pair.own, Size: size * units.Bytes(pair.times)})
					if same == nil || own == nil {
						t.Fatalf("%s: there is no plan", what)
					}
					if same.Cost.Total() > own.Cost.Total()*(1+1e-9) {
						t.Errorf("%s takes %v (%s), %s of %d times as much %v (%s)", what, same.Cost.Total(), same.Collective.Algorithm, pair.own, pair.times, own.Cost.Total(), own.Collective.Algorithm)
					}
				}
			}
		})
	}
}
