package timetable_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/units"
)

// The commands to planes can be executed one after another, and whenever a plane serves a step
// it has the step's circuits, made in time and not removed meanwhile.
func TestPlanesHaveTheirCircuitsWhenTheyServe(t *testing.T) {
	for _, initial := range []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Initial = 8, 3, initial
		f.Reconfig.Base, f.Overlap = 50*units.Microsecond, fabric.Overlap{Kind: fabric.OverlapPlanes}
		c, err := algorithms.New(collective.AllReduce, "halving-doubling", f.Nodes, f.Ports)
		if err != nil {
			t.Fatal(err)
		}
		p, err := staggered.New(staged.Harvest(staged.HarvestOptions{})).Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: 64 * units.MiB})
		if err != nil || !p.Staggered() {
			t.Fatal(initial, err)
		}
		table, err := timetable.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Follow(func(int, map[[2]int]int) bool { return true }); err != nil {
			t.Fatalf("%s: %v", initial, err)
		}
		times, err := p.LaneTimes()
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range times {
			has := map[[2]int]bool{} // on the plane, by the commands given before it begins
			for _, u := range table.Up {
				if u.In.Port == at.Plane-1 {
					has[[2]int{u.In.GPU, u.Out.GPU}] = true
				}
			}
			for _, s := range table.Stages {
				for _, change := range s.Changes {
					switch pair := [2]int{change.In.GPU, change.Out.GPU}; {
					case change.Switch != at.Plane-1 || change.Earliest >= at.End-1e-6:
					case change.Earliest > at.Begin+1e-6 || s.Ready > at.Begin+1e-6:
						t.Errorf("%s: plane %d changes from %v to %v while it serves from %v to %v", initial, at.Plane, change.Earliest, s.Ready, at.Begin, at.End)
					case change.Action == timetable.Connect:
						has[pair] = true
					default:
						delete(has, pair)
					}
				}
			}
			for e := range p.Stages[at.Stage].Lanes[at.Plane-1].Circuits.Edges() {
				if !has[[2]int{e.From, e.To}] {
					t.Errorf("%s: stage %d: plane %d has no circuit %d->%d", initial, at.Stage+1, at.Plane, e.From, e.To)
				}
			}
		}
	}
}
