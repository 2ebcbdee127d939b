package control_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// BenchmarkControl/diff128 measures the time from a request to the commands of every stage, for
// 128 ports: it plans an allreduce of 128 GPUs, turns the plan into a timetable on the port map,
// and computes the differences between stages. The goal is 10 ms.
func BenchmarkControl(b *testing.B) {
	b.Run("diff128", func(b *testing.B) {
		f := fabric.Default()
		f.Nodes = 128
		c, err := algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, f.Ports)
		if err != nil {
			b.Fatal(err)
		}
		var m timetable.PortMap
		for u := range f.Nodes {
			m = append(m, timetable.Plugged{GPU: u, Switch: "a", Ingress: u + 1, Egress: f.Nodes + u + 1})
		}
		harvest := staged.Harvest(staged.HarvestOptions{})
		for b.Loop() {
			p, err := harvest.Plan(b.Context(), planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB})
			if err != nil {
				b.Fatal(err)
			}
			table, err := timetable.Of(p)
			if err != nil {
				b.Fatal(err)
			}
			if table, err = table.WithPortMap(m); err != nil {
				b.Fatal(err)
			}
			program, err := control.NewProgram(table)
			if err != nil {
				b.Fatal(err)
			}
			up := control.State{}
			for _, goal := range program.Stages {
				control.Difference(up, goal.Want["a"])
				up = goal.Want["a"]
			}
		}
	})
}
