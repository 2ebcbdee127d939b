package sweeping_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// A sweep names the winner that planning the cell names, also where several take the same time
// but for rounding.
func TestSweepsNameTheWinnersOfPlanning(t *testing.T) {
	t.Parallel()
	for _, op := range []collective.Op{collective.AllReduce, collective.AllToAll, collective.AllGather} {
		table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Axes: []sweep.Axis{
			{Name: "op", Values: []string{string(op)}}, {Name: "nodes", Values: []string{"4", "6", "8"}}, {Name: "ports", Values: []string{"1", "2"}},
			{Name: "size", Values: []string{"1KiB", "100000B", "16MiB"}}, {Name: "reconfig", Values: []string{"100ns", "10us"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range table.Cells {
			c := &table.Cells[i]
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: c.Fabric, Operations: []lightpath.Operation{{Op: op, Size: c.Size}}}, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			if p.Collective.Algorithm != c.Outcome.Algorithm || p.Planner != c.Outcome.Planner {
				t.Errorf("%s of %v on %d GPUs with %d ports, delay %v: a sweep says %s with %s (%v), planning %s with %s (%v)", op, c.Size, c.Fabric.Nodes, c.Fabric.Ports, c.Fabric.Reconfig,
					c.Outcome.Algorithm, c.Outcome.Planner, c.Total, p.Collective.Algorithm, p.Planner, p.Cost.Total())
			}
		}
	}
}

// Cells of one sweep whose delays are of different models, on a fabric that is dark at the
// start or not, have the times and baselines that planning each of them has.
func TestSweepsOverDelayModelsEqualPlanning(t *testing.T) {
	t.Parallel()
	for _, initial := range []string{"free", "dark"} {
		for _, delays := range [][]string{{"1us", "per-port:1us+100ns", "per-circuit:1us+50ns", "2us"}, {"per-switch:1us+10ns", "1us"}} {
			table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Axes: []sweep.Axis{
				{Name: "op", Values: []string{"allreduce", "alltoall"}}, {Name: "nodes", Values: []string{"8"}}, {Name: "ports", Values: []string{"2"}},
				{Name: "size", Values: []string{"64KiB"}}, {Name: "initial", Values: []string{initial}}, {Name: "reconfig", Values: delays},
			}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range table.Cells {
				c := &table.Cells[i]
				p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: c.Fabric, Operations: []lightpath.Operation{{Op: c.Op, Size: c.Size}}})
				if err != nil {
					t.Fatal(err)
				}
				for what, times := range map[string][2]units.Time{
					"time": {c.Total, p.Cost.Total()}, "static": {c.Baselines.Static, p.Baselines.Static}, "every-step": {c.Baselines.EveryStep, p.Baselines.EveryStep},
				} {
					if math.Abs(float64(times[0]-times[1])) > 1e-9*float64(times[1]) {
						t.Errorf("%s at %v, %s at the start: %s is %v in a sweep, %v by planning", c.Op, c.Fabric.Reconfig, initial, what, times[0], times[1])
					}
				}
			}
		}
	}
}
