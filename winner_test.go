package lightpath_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/sweep"
)

// A sweep names the winner that planning the cell names, also where several take the same time
// but for rounding.
func TestSweepsNameTheWinnersOfPlanning(t *testing.T) {
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
