package sweep_test

import (
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// portsTable has times by ports, size by size.
func portsTable(t *testing.T, times map[int][]units.Time) *sweep.Table {
	t.Helper()
	sizes := []string{"1KiB", "1MiB"}
	var axes []sweep.Axis
	for _, a := range [][2]string{{"op", "allreduce"}, {"algorithm", "auto"}, {"planner", "auto"}, {"ports", "1,2,4"}, {"size", strings.Join(sizes, ",")}} {
		axis, err := sweep.ParseAxis(a[0], a[1], 0)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, axis)
	}
	spec, err := sweep.NewSpec(fabric.Default(), axes, 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	table := &sweep.Table{Spec: spec}
	for _, ports := range []int{1, 2, 4} {
		for i, time := range times[ports] {
			r := sweep.Request{Fabric: fabric.Default(), Op: collective.AllReduce, Size: []units.Bytes{units.KiB, units.MiB}[i]}
			r.Fabric.Ports = ports
			table.Cells = append(table.Cells, sweep.Cell{Request: r, Known: true, Outcome: sweep.Outcome{Total: time}})
		}
	}
	return table
}

// Numbers of ports are compared cell by cell, and ratios are averaged as ratios.
func TestGainsOfPortsAreThoseOfTheSameCells(t *testing.T) {
	table := portsTable(t, map[int][]units.Time{1: {100, 800}, 2: {100, 200}, 4: {99, 199}})
	gains := table.PortsGains()
	if len(gains) != 2 || gains[0].Cells != 2 || gains[0].Least != 1 || gains[0].Most != 4 || math.Abs(gains[0].Mean-2) > 1e-12 {
		t.Errorf("%+v", gains)
	}
	got := table.PortsSentence()
	if want := "ports: 2 instead of 1 is 2.00 times as fast on average (1.00 to 4.00); 4 instead of 2 is 1.01 times as fast on average (1.01 to 1.01); beyond 2, less than 5% is gained"; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if more := portsTable(t, map[int][]units.Time{1: {100, 800}, 2: {50, 400}, 4: {25, 200}}).PortsSentence(); !strings.HasSuffix(more, "even the last ports added gain 5% or more") {
		t.Error(more)
	}
	if one := portsTable(t, map[int][]units.Time{1: {1, 2}}).PortsSentence(); one != "" {
		t.Error(one)
	}
}
