package iterating_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// A cell of a sweep is as fast as the iteration planned by itself, within half a percent, whatever
// the other delays are; and policies take the same time.
func TestColumnsAreAsFast(t *testing.T) {
	t.Parallel()
	w, err := parallel.Make(named(t, "llama3-8b"), parallel.Config{TP: 2, PP: 2, DP: 2, GlobalBatch: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, ports := range []int{1, 2} {
		var column []sweep.Request
		for _, delay := range samples.Few(3, []units.Duration{100 * units.Millisecond, units.Microsecond, units.Millisecond, 20 * units.Microsecond, 10 * units.Millisecond}) {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig.Base = w.Ranks, ports, delay
			column = append(column, sweep.Request{Fabric: f, Algorithm: iteration.Best})
		}
		out, err := (&iterating.Columns{Workload: w}).Solve(t.Context(), column)
		if err != nil {
			t.Fatal(err)
		}
		for i := range out {
			d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: column[i].Fabric})
			if err != nil {
				t.Fatal(err)
			}
			if ratio := float64(out[i].Total / d.Iteration); ratio > 1.005 {
				t.Errorf("%d ports, delay %v: %v in a sweep, %v by itself", ports, column[i].Fabric.Reconfig, out[i].Total, d.Iteration)
			} else if ratio < 0.995 {
				t.Logf("%d ports, delay %v: %v in a sweep, %v by itself", ports, column[i].Fabric.Reconfig, out[i].Total, d.Iteration)
			}
			for policy, time := range d.Baselines {
				if out[i].Iteration.Policies[policy] != time {
					t.Errorf("%d ports, delay %v: %s takes %v in a sweep, %v by itself", ports, column[i].Fabric.Reconfig, policy, out[i].Iteration.Policies[policy], time)
				}
			}
		}
	}
}

// Columns that share results and are solved in parallel have the same answers as each column
// solved separately.
func TestColumnsThatShareAreThoseByThemselves(t *testing.T) {
	t.Parallel()
	two := max(2, samples.Draws(2, 3)) // more of them share nothing else
	w, err := parallel.Make(named(t, "llama3-8b"), parallel.Config{TP: 2, DP: 2 * (two - 1), GlobalBatch: 4})
	if err != nil {
		t.Fatal(err)
	}
	shared := &iterating.Columns{Workload: w}
	var all sync.WaitGroup
	for _, ports := range []int{2, 1, 3}[:two] {
		var column []sweep.Request
		for _, delay := range []units.Duration{units.Microsecond, 100 * units.Millisecond, units.Millisecond}[:two] {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig.Base = w.Ranks, ports, delay
			f.Island.Size, f.Island.Bandwidth = 2, 4*f.Bandwidth
			column = append(column, sweep.Request{Fabric: f, Algorithm: iteration.Best})
		}
		all.Go(func() {
			got, err := shared.Solve(t.Context(), column)
			if err != nil {
				t.Error(err)
				return
			}
			alone, err := (&iterating.Columns{Workload: w}).Solve(t.Context(), column)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range got {
				if !reflect.DeepEqual(got[i], alone[i]) {
					t.Errorf("%d ports, delay %v: %+v, by itself %+v", ports, column[i].Fabric.Reconfig, got[i], alone[i])
				}
			}
		})
	}
	all.Wait()
}
