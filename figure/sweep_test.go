package figure_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/sweep"
)

// The winner among several algorithms is one map, in which each cell has the fastest of them.
func TestWinnersShareAMap(t *testing.T) {
	algorithms := []string{"recursive-doubling", "swing", "ring"}
	table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: small(), Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce"}}, {Name: "algorithm", Values: algorithms},
		{Name: "planner", Values: []string{"static", "harvest"}},
		{Name: "size", Values: []string{"1KiB", "64MiB"}}, {Name: "reconfig", Values: []string{"10ns", "10ms"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	winner, err := sweep.MetricOf("winner")
	if err != nil {
		t.Fatal(err)
	}
	time, err := sweep.MetricOf("time")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := figure.HeatMaps(table, winner, time)
	if err != nil || len(maps) != 1+6 {
		t.Fatalf("%d maps, %v; want one of winners and six of times", len(maps), err)
	}
	for i, size := range maps[0].Y {
		for j, delay := range maps[0].X {
			best := table.Cells[0]
			for _, c := range table.Cells {
				if float64(c.Request.Size) == size && float64(c.Request.Fabric.Reconfig.Base.Time()) == delay &&
					(float64(best.Request.Size) != size || float64(best.Request.Fabric.Reconfig.Base.Time()) != delay || c.Total < best.Total) {
					best = c
				}
			}
			if got := maps[0].Categories[int(maps[0].Values[i][j])]; got != best.Outcome.Algorithm || !slices.Contains(algorithms, got) {
				t.Errorf("size %v, delay %v: %s, want %s", size, delay, got, best.Outcome.Algorithm)
			}
		}
	}
	if _, err := figure.Sweep(table, winner, time); err != nil {
		t.Error(err)
	}
}
