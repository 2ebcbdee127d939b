package portfolio

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// With a thousand GPUs, searches omit much. An all-to-all is still not slower with one more port.
func TestAllToAllsOfManyGPUsAreNoSlowerWithMorePorts(t *testing.T) {
	r := Request{Fabric: fabric.Default(), Operations: []collective.Operation{{Op: collective.AllToAll, Size: 64 * units.MiB}}}
	r.Fabric.Nodes = 1000
	var before units.Time
	all := []int{4, 5, 6, 7, 8}
	if !samples.Every() {
		all = all[3:] // the quickest
	}
	for _, ports := range all {
		r.Fabric.Ports = ports
		s := NewSearch(Options{Planners: Planners(), Bare: true})
		made, err := r.Fastest(t.Context(), s.Planners().Best(), s)
		if err != nil {
			t.Fatal(err)
		}
		took := made.Cost.Total()
		if before > 0 && took > before {
			t.Errorf("with %d ports it takes %v, with %d %v", ports, took, ports-1, before)
		}
		before = took
	}
}
