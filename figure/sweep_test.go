package figure_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/sweep"
)

// A sweep over several algorithms is drawn as one map, in which each cell names the fastest.
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

// Pictures of sweeps suit print: sizes have the requested units, a logarithmic axis is labelled
// as such, rows of panels fit a page, and all panels share one key.
func TestPicturesOfSweepsCanBePrinted(t *testing.T) {
	speedup, err := sweep.MetricOf("speedup:static")
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Nodes = 8
	draw := func(axes ...sweep.Axis) (*chart.Scene, string) {
		t.Helper()
		table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: f, Axes: axes})
		if err != nil {
			t.Fatal(err)
		}
		s, err := figure.Sweep(table, speedup)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := s.SVG(&b); err != nil {
			t.Fatal(err)
		}
		return s, b.String()
	}
	op := sweep.Axis{Name: sweep.AxisOp, Values: []string{"allreduce"}}
	_, line := draw(op, sweep.Axis{Name: sweep.AxisSize, Values: []string{"8MB", "64MB"}})
	for _, want := range []string{"10 MB", "size (log scale)", "speed-up (log scale)"} {
		if !strings.Contains(line, want) {
			t.Errorf("a line has no %q", want)
		}
	}
	s, maps := draw(op, sweep.Axis{Name: sweep.AxisSize, Values: []string{"8MB", "64MB"}}, sweep.Axis{Name: sweep.AxisReconfig, Values: []string{"1us", "10us"}},
		sweep.Axis{Name: "ports", Values: []string{"1", "2", "3", "4", "5", "6"}})
	if s.Width > 1400 {
		t.Errorf("six maps are %.0f wide", s.Width)
	}
	if n := strings.Count(maps, ">speed-up<"); n != 1 {
		t.Errorf("%d keys", n)
	}
	if n := strings.Count(maps, "Model time"); n != 1 {
		t.Errorf("the source is named %d times", n)
	}
	if !strings.Contains(maps, "8 MB") || strings.Contains(maps, "MiB") {
		t.Error("sizes are not in the units that were given")
	}
}
