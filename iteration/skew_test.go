package iteration_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// experts is an iteration in which ranks exchange tokens with experts, with a skew.
func experts(ranks int, skew string) *workload.Workload {
	time := 20 * units.Microsecond
	ops := []workload.Op{
		{ID: "x", Compute: &time},
		{ID: "send", Op: collective.AllToAll, Kind: "ep", Size: units.MiB, Skew: skew, After: []string{"x"}},
		{ID: "y", Compute: &time, After: []string{"send"}},
		{ID: "return", Op: collective.AllToAll, Kind: "ep", Size: units.MiB, Skew: workload.Back(skew), After: []string{"y"}},
		{ID: "sum", Op: collective.AllReduce, Kind: "ep", Size: units.MiB, After: []string{"return"}},
	}
	return &workload.Workload{Schema: workload.Schema, Ranks: ranks, Kinds: map[string][][]int{"ep": {everyone(ranks)}},
		Programs: []workload.Program{{Ranks: workload.NewRankSet(everyone(ranks)), Ops: ops}}}
}

// An iteration with popular experts is planned and proven, takes longer than with experts that are
// all alike, and a plan for other bytes is refused.
func TestSkewedExpertsArePlannedAndProven(t *testing.T) {
	ranks := 4
	if samples.Every() {
		ranks = 8
	}
	for i, island := range []int{0, ranks / 2, ranks} {
		f := fabric.Default()
		f.Ports = 2
		if island > 0 {
			f.Island = fabric.Island{Size: island, Bandwidth: 1600 * units.Gbps}
		}
		even, _ := newPlanner(t, experts(ranks, "")).plan(t, f, iteration.Best)
		for j, skew := range []string{"moe:2", "zipf:0.8"} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn: each takes seconds
			}
			d, _ := newPlanner(t, experts(ranks, skew)).plan(t, f, iteration.Best)
			d = reread(t, d)
			report, err := iteration.Verify(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if bad := report.First(); bad != nil {
				t.Fatalf("islands of %d, %s: %s: %s", island, skew, bad.Name, bad.Detail)
			}
			if d.Iteration <= even.Iteration {
				t.Errorf("islands of %d, %s: %v, with experts alike %v", island, skew, d.Iteration, even.Iteration)
			}
			for p := range d.Workload.Programs {
				for i := range d.Workload.Programs[p].Ops {
					if o := &d.Workload.Programs[p].Ops[i]; o.Skew != "" {
						o.Skew = "moe:3"
					}
				}
			}
			if report, err = iteration.Verify(t.Context(), d); err != nil || report.First() == nil || !strings.Contains(report.First().Detail, "other bytes") {
				t.Errorf("islands of %d, %s: a plan for other bytes: %+v, %v", island, skew, report.First(), err)
			}
		}
	}
}
