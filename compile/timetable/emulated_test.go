package timetable_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/compile/internal/everyplan"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
)

// agree compares the circuits of an emulation, port by port, with those of a switch that follows
// the timetable.
func agree(t *testing.T, name string, p *plan.Plan) {
	t.Helper()
	table, err := timetable.Of(p)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	run, err := program.New(p, number.Float32)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	up := map[timetable.Fibre]timetable.Fibre{}
	same := func(when string, circuits []wire.Circuit) {
		t.Helper()
		for _, c := range circuits {
			in, out := timetable.Fibre{GPU: c.From, Port: c.FromPort}, timetable.Fibre{GPU: c.To, Port: c.ToPort}
			if at, there := up[in]; !there || at != out {
				t.Fatalf("%s: %s: %+v is emulated, the timetable has %v, %v", name, when, c, at, there)
			}
		}
		if len(circuits) != len(up) {
			t.Fatalf("%s: %s: %d circuits are emulated, the timetable has %d", name, when, len(circuits), len(up))
		}
	}
	for _, u := range table.Up {
		up[u.In] = u.Out
	}
	if run.Initial != nil {
		same("at the start", run.Initial.Circuits)
	}
	for i, s := range table.Stages {
		for _, c := range s.Changes {
			if c.Action == timetable.Connect {
				up[c.In] = c.Out
			} else {
				delete(up, c.In)
			}
		}
		same(s.Topology, run.Wirings[i].Circuits)
	}
}

// A run executes exactly its timetable, on one switch and on several, with one-way and two-way
// circuits, whatever circuits are up before.
func TestARunHasThePortsOfItsTimetable(t *testing.T) {
	plans := 0
	for _, cell := range everyplan.Cells() {
		everyplan.Each(t, cell[0], cell[1], func(name string, p *plan.Plan) {
			if p.Staggered() {
				return
			}
			plans++
			agree(t, name, p)
			q := *p
			q.Fabric.Reconfig.Model = fabric.PerSwitch
			agree(t, name+" on switches", &q)
			q = *p
			q.Fabric.Initial = "base"
			agree(t, name+" after the base", &q)
		})
	}
	if plans == 0 {
		t.Error("no plan was looked at")
	}
}
