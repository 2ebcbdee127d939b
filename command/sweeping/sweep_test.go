package sweeping_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// A sweep without a store and a sweep with packet times both answer every cell.
func TestSweepAnswers(t *testing.T) {
	t.Parallel()
	r := lightpath.SweepRequest{
		Axes: []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}, {Name: "nodes", Values: []string{"4", "8"}},
			{Name: "reconfig", Values: []string{"1us..10us/3"}}, {Name: "planner", Values: []string{"harvest"}}},
	}
	plain, err := lightpath.Sweep(t.Context(), r)
	if err != nil || plain.Missing != 0 || len(plain.Cells) != 6 || plain.Cells[0].Simulated != 0 {
		t.Fatalf("%+v, %v", plain, err)
	}
	r.Simulate = true
	packets, err := lightpath.Sweep(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range packets.Cells {
		if c.Total != plain.Cells[i].Total || c.Simulated < c.Total*0.99 {
			t.Errorf("cell %d: %v in the model, %v in packets", i, c.Total, c.Simulated)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lightpath.Sweep(ctx, r); err == nil {
		t.Error("a context that is done is no reason to stop")
	}
	for what, bad := range map[string]lightpath.SweepRequest{
		"op": {}, "points": {Axes: r.Axes, Points: 1}, "shard": {Axes: r.Axes, Shard: "2"}, "packet": {Axes: r.Axes, Packet: -1},
		"algorithm": {Axes: append([]sweep.Axis{{Name: "algorithm", Values: []string{"magic"}}}, r.Axes...)},
		"planner":   {Axes: []sweep.Axis{r.Axes[0], {Name: "planner", Values: []string{"magic"}}}},
	} {
		if _, err := lightpath.Sweep(t.Context(), bad); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// A sweep and a tuning table reconfigure at the same sizes: a planner that makes its own steps
// may reconfigure only from some size of its row on.
func TestSweepAndTuneAgreeWhereRewiringPays(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, 2150*units.Nanosecond
	table, err := lightpath.Tune(t.Context(), lightpath.TuneRequest{Op: collective.AllReduce, Fabric: f, Most: units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	var sizes []string
	for _, p := range table.Curve {
		sizes = append(sizes, units.Bytes(p.SizeBytes).String())
	}
	swept, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: f, Axes: []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}, {Name: "size", Values: sizes}}})
	if err != nil {
		t.Fatal(err)
	}
	pays := false
	for i, p := range table.Curve {
		c := swept.Cells[i]
		if (p.Reconfigurations > 0) != (c.Reconfigurations > 0) || math.Abs(float64(p.TotalNs-c.Total)) > 1e-6*float64(c.Total) {
			t.Errorf("%d: tune %v with %d changes, sweep %v with %d", p.SizeBytes, p.TotalNs, p.Reconfigurations, c.Total, c.Reconfigurations)
		}
		pays = pays || c.RewiringPays()
	}
	verdict := (&lightpath.TuneTable{Rows: table.Rows, Curve: table.Curve}).Verdict()
	if !pays || !strings.HasPrefix(verdict, "reconfiguring pays: ") {
		t.Errorf("a sweep says %v, tune %q", pays, verdict)
	}
}
