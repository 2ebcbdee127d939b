package astra_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The prediction equals the time of a naive simulation of the files that rescans everything in
// every round.
func TestThePredictionIsThatOfTheFiles(t *testing.T) {
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		ports     int
	}{
		{collective.AllReduce, "ring", 1}, {collective.AllReduce, "recursive-doubling", 1}, {collective.AllReduce, "swing", 2},
		{collective.AllToAll, "shift", 2}, {collective.AllToAll, "direct", 1}, {collective.Broadcast, "binomial", 1},
		{collective.ReduceScatter, "halving-doubling", 2}, {collective.AllGather, "bruck", 1},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Alpha, f.Delta, f.Bandwidth = 8, c.ports, 300_000, 200_000, 8<<33
		p := staticPlan(t, c.op, c.algorithm, f, units.MiB)
		folder, err := astra.Make(context.Background(), p)
		if err != nil {
			t.Errorf("%s %s: %v", c.op, c.algorithm, err)
			continue
		}
		if want := simulate(t, files(t, p), 8, 8, 500); int64(folder.Time) != want {
			t.Errorf("%s %s: %v, but the files take %d ns", c.op, c.algorithm, folder.Time, want)
		}
	}
}

func TestAPredictionEndsWithItsContext(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 1
	ranks, err := astra.Traces(context.Background(), staticPlan(t, collective.AllReduce, "ring", f, units.MiB))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := astra.Predict(ctx, ranks, astra.Network{Gigabytes: 1, Latency: 1}); err != context.Canceled {
		t.Errorf("%v", err)
	}
}
