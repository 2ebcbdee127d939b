package train_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// A trace converted to a workload has the computation, reductions and exchanges of the trace.
func TestTracesAreWorkloads(t *testing.T) {
	for _, name := range train.Names() {
		trace, err := train.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := trace.Workload(16)
		if err != nil {
			t.Fatal(err)
		}
		g, err := w.Graph(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		totals := trace.Totals()
		if _, last := g.Ends(workload.Free); last != totals.Compute().Time() || len(g.Classes) != 1 {
			t.Errorf("%s computes %v, not %v", name, last, totals.Compute())
		}
		sums := map[collective.Op]units.Bytes{}
		for _, s := range g.Totals() {
			sums[s.Op] += s.MostBytes
		}
		if sums[collective.AllReduce] != totals.Bytes || sums[collective.AllToAll] != totals.Exchange {
			t.Errorf("%s: %v, want %+v", name, sums, totals)
		}
	}
}
