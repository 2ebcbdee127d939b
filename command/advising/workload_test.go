package advising_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/advising"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// The saving of a change for an iteration equals the result of iterate on the changed fabric. No
// change saves more than the part that is not compute, and none costs time.
func TestAdviceOnIterations(t *testing.T) {
	llama, err := model.Named("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	w, err := parallel.Make(llama, parallel.Config{TP: 2, DP: 2, GlobalBatch: 4, Sequence: 512})
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Ports, f.Reconfig.Base = 1, units.Millisecond
	a, err := advising.Advise(t.Context(), advising.AdviseRequest{Workload: w, Fabric: f, MostPorts: 2})
	if err != nil {
		t.Fatal(err)
	}
	if a.Iteration == nil || len(a.Changes) < 5 || a.Op != "" {
		t.Fatalf("%+v", a)
	}
	for _, c := range a.Changes {
		if c.TotalNs > a.TotalNs*(1+1e-9) || c.TotalNs < a.Iteration.ComputeNs {
			t.Errorf("%s: %v, now %v, %v of it compute", c.Change, c.TotalNs, a.TotalNs, a.Iteration.ComputeNs)
		}
		changed := a.Fabric
		if err := changed.Set(c.Setting, c.Value); err != nil {
			t.Fatal(err)
		}
		d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: changed})
		if err != nil || d.Iteration != c.TotalNs {
			t.Errorf("%s: %v, iterate says %v, %v", c.Change, c.TotalNs, d.Iteration, err)
		}
	}
	for want, r := range map[string]advising.AdviseRequest{
		"operation: there is a workload": {Workload: w, Operation: collective.Operation{Op: collective.AllReduce}},
		"planner: not with":              {Workload: w, Planner: "joint"},
	} {
		if err := r.Complete(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
