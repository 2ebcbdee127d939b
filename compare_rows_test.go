package lightpath_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// unusedPorts are requests whose fastest plans leave ports unused.
func unusedPorts(t *testing.T) []lightpath.PlanRequest {
	var all []lightpath.PlanRequest
	for _, c := range []struct {
		op       collective.Op
		nodes    int
		ports    int
		size     units.Bytes
		settings map[string]string
	}{
		{collective.Gather, 11, 4, 256 * units.KiB, map[string]string{"reconfig": "per-circuit:2us+100ns", "overlap": "planes", "initial": "dark", "delta": "0ns"}},
		{collective.AllToAll, 17, 3, 4 * units.MiB, map[string]string{"reconfig": "per-switch:1us+2us", "duplex": "true", "initial": "base"}},
		{collective.RootReduce, 6, 3, 256_000, map[string]string{"reconfig": "per-switch:800ns+400ns", "overlap": "ports", "initial": "dark"}},
		{collective.AllReduce, 7, 3, 64 * units.KiB, map[string]string{"reconfig": "per-port:1us+1us", "overlap": "ports", "initial": "base"}},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.nodes, c.ports
		set(t, &f, c.settings)
		all = append(all, lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}})
	}
	return all
}

// set changes settings of a fabric.
func set(t *testing.T, f *fabric.Fabric, values map[string]string) {
	t.Helper()
	known := 0
	for _, s := range fabric.Settings() {
		if value, ok := values[s.Name]; ok {
			known++
			if err := s.Set(f, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if known != len(values) {
		t.Fatalf("not all of %v are settings", values)
	}
}

// equalTimes reports whether two times are the same except for rounding.
func equalTimes(a, b units.Time) bool { return math.Abs(float64(a-b)) <= (rounding-1)*float64(b) }

// Auto has a row of compare, the fastest, and every row is what planning with its algorithm,
// planner and strategy by name makes, also where the best leave ports unused: a planner by name
// may do so as auto may. A sweep has the same time, too.
func TestRowsArePlansByNameAndAutoIsTheFirst(t *testing.T) {
	for _, r := range unusedPorts(t) {
		best, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		o := r.Operations[0]
		all, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: r.Fabric, Operation: o})
		if err != nil {
			t.Fatal(err)
		}
		if first := all.Rows[0]; !equalTimes(best.Cost.Total(), first.TotalNs) {
			t.Errorf("%s: auto takes %v with %s by %s, the first row %v with %s by %s", o.Op, best.Cost.Total(), best.Collective.Algorithm, best.Planner,
				first.TotalNs, first.Algorithm, first.Planner)
		}
		for _, row := range all.Rows {
			named := r
			asked := o
			asked.Algorithm = row.Algorithm
			named.Operations, named.Planner, named.Strategy = []lightpath.Operation{asked}, row.Planner, row.Strategy
			p, err := lightpath.Plan(t.Context(), named, lightpath.WithoutBaselines())
			if err != nil {
				t.Errorf("%s: %s by %s %s has a row, but: %v", o.Op, row.Algorithm, row.Planner, row.Strategy, err)
				continue
			}
			if !equalTimes(p.Cost.Total(), row.TotalNs) {
				t.Errorf("%s: %s by %s %s takes %v, its row has %v", o.Op, row.Algorithm, row.Planner, row.Strategy, p.Cost.Total(), row.TotalNs)
			}
		}
		swept, err := sweep.NewColumns(portfolio.NewSearch(lightpath.Planners()), nil).Solve(t.Context(), []sweep.Request{{
			Fabric: r.Fabric, Op: o.Op, Size: o.Size, Algorithm: lightpath.Auto, Planner: lightpath.Auto,
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !equalTimes(swept[0].Total, best.Cost.Total()) || !equalTimes(swept[0].Baselines.Static, all.BaselinesNs.Static) || !equalTimes(swept[0].Baselines.EveryStep, all.BaselinesNs.EveryStep) {
			t.Errorf("%s: a sweep has %v and baselines %v, planning %v and %v", o.Op, swept[0].Total, swept[0].Baselines, best.Cost.Total(), all.BaselinesNs)
		}
	}
}
