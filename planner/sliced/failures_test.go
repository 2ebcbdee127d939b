package sliced_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// TestIslandsAroundFailures: with failures, a plan is correct, not slower than without the
// islands, and not faster than without failures.
func TestIslandsAroundFailures(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Island = 12, 2, fabric.Island{Size: 4, Bandwidth: 3200 * units.Gbps}
	const slack = 1 + 1e-9
	for i, op := range []collective.Op{collective.AllReduce, collective.AllToAll} {
		o := collective.Operation{Op: op, Size: units.MiB}
		healthy, err := fastest(t, f, o)
		if err != nil {
			t.Fatal(err)
		}
		for j, failure := range []string{"port:5", "link:3-4", "link:0>7,port:9", "island:1", "gpu:6"} {
			if !samples.Every() && (i+j)%2 > 0 {
				continue // in turn
			}
			damaged := f
			if err := damaged.Set("avoid", failure); err != nil {
				t.Fatal(err)
			}
			p, err := fastest(t, damaged, o)
			if err != nil {
				t.Fatalf("%s, %s: %v", op, failure, err)
			}
			if why := whyNot(t, p); why != "" {
				t.Errorf("%s, %s: %s", op, failure, why)
			}
			flat, err := fastest(t, damaged.Flat(), o)
			if err == nil && p.Cost.Total() > flat.Cost.Total()*slack {
				t.Errorf("%s, %s: %v, without islands %v", op, failure, p.Cost.Total(), flat.Cost.Total())
			}
			if failure != "gpu:6" && p.Cost.Total()*slack < healthy.Cost.Total() {
				t.Errorf("%s: %v with %s, %v without", op, p.Cost.Total(), failure, healthy.Cost.Total())
			}
		}
	}
}
