package tuning_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/tuning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// Every collective of a workload has a table for its sizes on the fabric of its group. The rows
// are the plans for that fabric.
func TestWorkloadsAreTuned(t *testing.T) {
	t.Parallel()
	m, err := model.Load("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	w, err := parallel.Make(m, parallel.Config{TP: 4, DP: 4, GlobalBatch: 4, SequenceParallel: true})
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports = w.Ranks, 2
	made, err := tuning.Tune(t.Context(), tuning.TuneRequest{Workload: w, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, table := range made.Tables() {
		kinds[table.Name+" "+string(table.Op)] = true
		if table.Fabric.Nodes != 4 || table.Fabric.Ports != 2 {
			t.Errorf("%s %s is on %d GPUs with %d ports", table.Name, table.Op, table.Fabric.Nodes, table.Fabric.Ports)
		}
		for _, row := range table.Rows {
			request := planning.PlanRequest{Fabric: table.Fabric, Operations: []collective.Operation{{Op: table.Op, Size: units.Bytes(row.FromBytes)}}}
			alone, err := planning.Plan(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			if row.TotalNs > alone.Cost.Total()*(1+1e-9) {
				t.Errorf("%s %s of %d bytes takes %v; its plan by itself %v", table.Name, table.Op, row.FromBytes, row.TotalNs, alone.Cost.Total())
			}
			if err := made.Apply(&request); err != nil || request.Planner != row.Planner {
				t.Errorf("%s %s of %d bytes: planner %s, not %s: %v", table.Name, table.Op, row.FromBytes, request.Planner, row.Planner, err)
			}
		}
	}
	for _, want := range []string{"tp allgather", "tp reducescatter", "dp allreduce"} {
		if !kinds[want] {
			t.Errorf("there is no table for %s: %v", want, kinds)
		}
	}
	for want, r := range map[string]tuning.TuneRequest{
		"op":   {Workload: w, Op: collective.AllReduce},
		"size": {Workload: w, Least: 1, Most: 2},
		"for":  {Workload: w, For: []tuning.NamedFabric{{Name: "other"}}},
	} {
		if _, err := tuning.Tune(t.Context(), r); err == nil || !strings.HasPrefix(err.Error(), want+":") {
			t.Errorf("%v; want a word about %s", err, want)
		}
	}
}
