package iterating_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// TestKindsOfTheSameGroupsShareCircuits: circuits that are up for one kind serve another with
// the same groups, so a workload whose kinds are renamed to one takes the same time.
func TestKindsOfTheSameGroupsShareCircuits(t *testing.T) {
	const text = `{"schema": "lightpath.workload/v1", "ranks": 4, "kinds": {"a": [[0,1],[2,3]], "b": [[2,3],[0,1]], "c": [[0,2],[1,3]]},
		"programs": [{"ranks": "0-3", "ops": [
		{"id": "x", "op": "allreduce", "size_bytes": 1000000, "kind": "a"},
		{"id": "y", "op": "allreduce", "size_bytes": 1000000, "kind": "b", "after": ["x"]},
		{"id": "z", "op": "allgather", "size_bytes": 1000000, "kind": "c", "after": ["y"]}]}]}`
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 4, 1, units.Millisecond
	times := map[string]units.Time{}
	for _, text := range []string{text, strings.ReplaceAll(text, `"kind": "b"`, `"kind": "a"`)} {
		w, err := workload.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: f})
		if err != nil {
			t.Fatal(err)
		}
		if report, err := iteration.Verify(t.Context(), d); err != nil || !report.OK {
			t.Errorf("%+v, %v", report, err)
		}
		times[text] = d.Iteration
		if d.Reconfigurations > 2 {
			t.Errorf("%d changes", d.Reconfigurations)
		}
	}
	last := units.Time(0)
	for _, time := range times {
		if last > 0 && time != last {
			t.Errorf("%v, with one name %v", time, last)
		}
		last = time
	}
}
