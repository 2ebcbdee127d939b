package iterations_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/iterations"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// plan plans a small iteration.
func plan(ctx context.Context, policy string, settings map[string]string) (*iteration.Agenda, error) {
	llama, err := model.Named("llama3-8b")
	if err != nil {
		return nil, err
	}
	f := fabric.Default()
	f.Ports, f.Nodes = 2, 8
	for name, value := range settings {
		if err := f.Set(name, value); err != nil {
			return nil, err
		}
	}
	d, err := iterating.Iterate(ctx, iterating.IterateRequest{Model: llama, Config: parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4, Sequence: 512}, Fabric: f, Policy: policy})
	if err != nil {
		return nil, err
	}
	a, report, err := iteration.NewAgenda(ctx, d)
	if bad := report.First(); bad != nil {
		err = errors.New(bad.Detail)
	}
	return a, err
}

// agenda is plan for tests. It returns nil if the policy has no plan.
func agenda(t *testing.T, policy string, settings map[string]string) *iteration.Agenda {
	t.Helper()
	a, err := plan(t.Context(), policy, settings)
	if err != nil && !errors.Is(err, planner.ErrInfeasible) {
		t.Fatal(err)
	}
	return a
}

// TestTimetablesHaveTheCircuitsOfEveryCollective: a switch that repeats the timetable of an
// iteration has the circuits of every stage of every collective up when the stage begins. No
// command takes a fibre that is in use.
func TestTimetablesHaveTheCircuitsOfEveryCollective(t *testing.T) {
	t.Parallel()
	checked := 0
	for i, settings := range []map[string]string{
		{"reconfig": "100us"}, {"reconfig": "100ns"}, {"switches": "rails", "reconfig": "10us"},
		{"island": "2", "island-bandwidth": "3200Gbps"}, {"initial": "dark", "reconfig": "10us"},
		{"switches": "2x2x2", "ports": "3"},
	} {
		name := fmt.Sprint(settings)
		for j, policy := range append([]string{iteration.Best}, iteration.Policies()...) {
			if (i+j)%3 > 0 && !samples.Every() {
				continue // in turn
			}
			a := agenda(t, policy, settings)
			if a == nil {
				continue
			}
			result, err := iterations.Compile(t.Context(), a, compile.Known(), compile.Timetable, nil)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, policy, err)
			}
			out := &bytes.Buffer{}
			if err := result.Files[0].Write(out); err != nil {
				t.Fatal(err)
			}
			table, err := timetable.Read(out)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, policy, err)
			}
			checked += follow(t, name+", "+policy, a, table)
		}
	}
	if checked < samples.Draws(300, 1000) {
		t.Errorf("%d stages were looked at", checked)
	}
}

// follow compares the circuits that are up with those that collectives need, and returns the
// number of stages compared.
func follow(t *testing.T, name string, a *iteration.Agenda, table *timetable.Table) (checked int) {
	t.Helper()
	type moment struct {
		at units.Time
		up map[[2]int]int
	}
	start := map[[2]int]int{}
	for _, u := range table.Up {
		start[[2]int{u.In.GPU, u.Out.GPU}]++
	}
	moments := []moment{{-1, start}}
	err := table.Follow(func(stage int, circuits map[[2]int]int) bool {
		up := map[[2]int]int{}
		for pair, count := range circuits {
			up[pair] = count
		}
		moments = append(moments, moment{table.Stages[stage].Barrier, up})
		return true
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 0
	}
	for i := range a.Items {
		x := &a.Items[i]
		if x.Change != nil || x.Op.Plan == 0 {
			continue
		}
		p := a.Made[x.Op.Plan-1]
		for k := range p.Stages {
			at := x.Start + p.Stages[k].Start + p.Stages[k].Reconfiguration
			up := moments[0].up
			for _, m := range moments {
				if m.at <= at+units.Time(1e-6)*a.Iteration*units.Time(1e-3) {
					up = m.up
				}
			}
			for e := range p.Stages[k].Topology.Edges() {
				for _, group := range x.Groups {
					if pair := [2]int{group[e.From], group[e.To]}; up[pair] < e.Count {
						t.Errorf("%s: %s, stage %d at %v: %d circuits from %d to %d, not %d", name, x.Op.ID, k+1, at, up[pair], pair[0], pair[1], e.Count)
						return checked
					}
				}
			}
			checked++
		}
	}
	return checked
}

// TestManifestsNameEveryOperation: the manifest has every communication of an iteration once,
// and every file that it names exists.
func TestManifestsNameEveryOperation(t *testing.T) {
	t.Parallel()
	a := agenda(t, iteration.Best, map[string]string{"reconfig": "10us"})
	for _, to := range []compile.Format{compile.MSCCL, compile.RCCL, compile.MSCCLPP, compile.Torch} {
		result, err := iterations.Compile(t.Context(), a, compile.Known(), to, nil)
		if err != nil {
			t.Fatal(err)
		}
		there, m := map[string]bool{}, iterations.Manifest{}
		for _, f := range result.Files {
			folder, _, _ := strings.Cut(f.Name, "/")
			there[folder] = true
			if f.Name == "iteration.json" {
				out := &bytes.Buffer{}
				if err := f.Write(out); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(out.Bytes(), &m); err != nil {
					t.Fatal(err)
				}
			}
		}
		runs := 0
		for _, c := range m.Collectives {
			if !there[c.File] {
				t.Errorf("%s: there is no %s", to, c.File)
			}
			runs += len(c.Runs)
		}
		for _, s := range m.Sends {
			runs += len(s.Runs)
		}
		want := 0
		for i := range a.Items {
			if a.Items[i].Communicates {
				want++
			}
		}
		if runs != want || !there[m.Timetable] {
			t.Errorf("%s: %d of %d operations are in the manifest", to, runs, want)
		}
	}
	for _, to := range []compile.Format{compile.HARVEST, compile.Dot} {
		if _, err := iterations.Compile(t.Context(), a, compile.Known(), to, nil); err == nil || !strings.Contains(err.Error(), "compiled to msccl") {
			t.Errorf("%s: %v", to, err)
		}
	}
	if one := agenda(t, iteration.One, nil); one != nil {
		if _, err := iterations.Compile(t.Context(), one, compile.Known(), compile.MSCCL, nil); !errors.Is(err, compile.ErrRefused) {
			t.Errorf("shared circuits: %v", err)
		}
	}
}

// The files of an iteration of eight GPUs.
func ExampleCompile() {
	ctx := context.Background()
	a, err := plan(ctx, iteration.Best, map[string]string{"reconfig": "10us"})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := iterations.Compile(ctx, a, compile.Known(), compile.MSCCL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range result.Files {
		fmt.Println(f.Name)
	}
	// Output:
	// tp-allreduce-4mib-1.xml
	// dp-allreduce-513032kib-2.xml
	// dp-allreduce-213008kib-3.xml
	// dp-allreduce-501mib-4.xml
	// timetable.json
	// iteration.json
}
