package sweeping_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/sweeping"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// trained returns the workload of a small iteration.
func trained(t *testing.T) *workload.Workload {
	t.Helper()
	llama, err := model.Named("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	w, err := parallel.Make(llama, parallel.Config{TP: 2, DP: 2, GlobalBatch: 4, Sequence: 512})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Every cell of a sweep of iterations equals the result of iterate for it. The store keeps all
// results, and packets take about as long as the model.
func TestSweepsOfIterationsAreThoseOfIterate(t *testing.T) {
	w := trained(t)
	name := filepath.Join(t.TempDir(), "s.db")
	store, err := sweep.Create(t.Context(), name, true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	request := sweeping.SweepRequest{Workload: w, Simulate: true, Axes: []sweep.Axis{
		{Name: "ports", Values: []string{"1", "2"}}, {Name: "reconfig", Values: []string{"1us", "10ms"}},
		{Name: sweeping.AxisPolicy, Values: []string{iteration.Best, iteration.Static}},
	}}
	table, err := sweeping.Sweep(t.Context(), request, command.WithSweepStore(store))
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Cells) != 8 || table.Missing > 0 {
		t.Fatalf("%d cells, %d missing", len(table.Cells), table.Missing)
	}
	planned := 0
	for i := range table.Cells {
		c := &table.Cells[i]
		d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: c.Request.Fabric, Policy: c.Request.Algorithm})
		if err != nil {
			if c.Reason == "" {
				t.Errorf("cell %d: %v, swept %v", i, err, c.Total)
			}
			continue
		}
		planned++
		if c.Total != d.Iteration || c.Iteration == nil || c.Iteration.Compute != d.Compute || c.OperationBound != d.Bound || c.Iteration.Policies["phases"] != d.Baselines["phases"] {
			t.Errorf("cell %d: %+v, iterate says %v", i, c.Outcome, d.Iteration)
		}
		if r := float64(c.Simulated / c.Total); r < 0.98 || r > 1.02 {
			t.Errorf("cell %d: %v in packets, %v in the model", i, c.Simulated, c.Total)
		}
	}
	if planned < 6 {
		t.Errorf("%d cells have a plan", planned)
	}
	out := &bytes.Buffer{}
	if err := table.CSV(out); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(out).ReadAll(); err != nil || len(rows) != 9 {
		t.Errorf("%d rows of CSV, %v", len(rows), err)
	}
	again, err := sweeping.Sweep(t.Context(), request, command.WithSweepStore(store))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := json.Marshal(table)
	second, _ := json.Marshal(again)
	if !bytes.Equal(first, second) {
		t.Error("the store answers otherwise")
	}
}

// The error of an invalid request for a sweep of iterations names the field.
func TestWrongSweepsOfIterations(t *testing.T) {
	w := trained(t)
	for want, r := range map[string]sweeping.SweepRequest{
		"policy: only for":  {Axes: []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}, {Name: "policy", Values: []string{"best"}}}},
		"policy: \"x\" is":  {Workload: w, Axes: []sweep.Axis{{Name: "policy", Values: []string{"x"}}}},
		"size: not with":    {Workload: w, Axes: []sweep.Axis{{Name: "size", Values: []string{"1MiB"}}}},
		"op: not with":      {Workload: w, Axes: []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}}},
		"planner: not with": {Workload: w, Axes: []sweep.Axis{{Name: "planner", Values: []string{"joint"}}}},
		"nodes: 8; the":     {Workload: w, Axes: []sweep.Axis{{Name: "nodes", Values: []string{"8"}}}},
	} {
		r.Fabric = fabric.Default()
		if err := r.Complete(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
