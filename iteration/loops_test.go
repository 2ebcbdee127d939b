package iteration_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// TestLoopsAreNoCircuits: some topologies have loops, where a GPU has a spare port. Loops are
// not set up, and the iteration verifies without them; all other circuits of the plan are up.
func TestLoopsAreNoCircuits(t *testing.T) {
	t.Parallel()
	looped := 0
	for _, c := range []struct {
		op           collective.Op
		ranks, ports int
		rails        bool
	}{
		{collective.Gather, 8, 2, false}, {collective.Gather, 8, 2, true}, {collective.Scatter, 8, 2, false},
		{collective.AllReduce, 14, 2, false}, {collective.AllToAll, 14, 3, false},
	} {
		name := fmt.Sprintf("%s, %d ranks, %d ports", c.op, c.ranks, c.ports)
		w := &workload.Workload{Schema: workload.Schema, Ranks: c.ranks, Kinds: map[string][][]int{"a": {everyone(c.ranks)}}, Programs: []workload.Program{{
			Ranks: workload.NewRankSet(everyone(c.ranks)), Ops: []workload.Op{{ID: "x", Op: c.op, Size: 100 * units.KB, Kind: "a"}}}}}
		f := small(c.ports, units.Microsecond)
		if c.rails {
			f.Layout = layout.Rails()
		}
		d, _ := newPlanner(t, w).plan(t, f, iteration.Best)
		a, report, err := iteration.NewAgenda(t.Context(), reread(t, d))
		if err != nil {
			t.Fatal(err)
		}
		if bad := report.First(); bad != nil {
			t.Errorf("%s: %s: %s", name, bad.Name, bad.Detail)
			continue
		}
		up, _, err := a.Wirings()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		count := map[[2]int]int{}
		for _, u := range up {
			count[[2]int{u.From, u.To}]++
		}
		for e := range a.Made[0].Stages[0].Topology.Edges() {
			want := e.Count
			if e.From == e.To {
				want, looped = 0, looped+1
			}
			if got := count[[2]int{e.From, e.To}]; got != want {
				t.Errorf("%s: %d circuits from %d to %d are up, not %d", name, got, e.From, e.To, want)
			}
		}
	}
	if looped == 0 {
		t.Error("no topology has a loop")
	}
}
