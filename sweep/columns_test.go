package sweep_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// sameTime is the relative rounding of a total that was summed up in another order.
const sameTime = 1e-9

func near(a, b units.Time) bool { return math.Abs(float64(a-b)) <= sameTime*math.Abs(float64(b)) }

// columnOf returns requests that differ in the delay, 10ns to 10ms.
func columnOf(r sweep.Request, cells int) []sweep.Request {
	all := make([]sweep.Request, cells)
	for i := range all {
		all[i] = r
		all[i].Fabric.Reconfig.Base = units.Duration(1e4 * math.Pow(10, 6*float64(i)/float64(max(1, cells-1))))
	}
	return all
}

func solver() *sweep.Columns { return solverWith(column.Options{}) }

func solverWith(o column.Options) *sweep.Columns {
	return sweep.NewColumns(portfolio.NewSearch(portfolio.Options{Planners: command.Planners()}), o, nil)
}

// Every cell of a column is what planning this cell alone finds, whatever the planner, also where
// delays are of different models: the winner, its time and number of changes, all baselines and
// the bound.
func TestColumnsEqualPlanningEveryCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 1))
	solve := solver()
	for range samples.Draws(16, 40) {
		r := sweep.Request{Fabric: fabric.Default(), Op: collective.Ops()[rng.IntN(5)], Size: units.Bytes(1) << rng.IntN(30)}
		f := &r.Fabric
		f.Nodes = []int{4, 6, 8, 16}[rng.IntN(4)]
		f.Ports = 1 + rng.IntN(2)
		f.Initial = []string{"free", "dark", "base"}[rng.IntN(3)]
		if rng.IntN(3) == 0 {
			f.Overlap = fabric.Overlap{Kind: fabric.OverlapCompute, Compute: 20 * units.Microsecond}
		}
		if rng.IntN(3) == 0 {
			f.Sync = 4 * units.Microsecond
		}
		model := fabric.Reconfig{Model: []fabric.DelayModel{fabric.PerPort, fabric.PerCircuit, fabric.PerSwitch}[rng.IntN(3)], Each: 100 * units.Nanosecond}
		if rng.IntN(4) == 0 {
			f.Reconfig = model
		}
		able := algorithms.For(r.Op, collective.Shape{Nodes: f.Nodes, Ports: f.Ports})
		r.Algorithm = able[rng.IntN(len(able))].Name
		r.Planner = []string{"static", "every-step", "light-bends", "harvest", "auto"}[rng.IntN(5)]
		if rng.IntN(5) == 0 && f.Nodes <= 8 {
			r.Algorithm = "auto"
		}
		cells := columnOf(r, 7)
		if rng.IntN(4) == 0 { // of two models
			cells[3].Fabric.Reconfig.Model, cells[3].Fabric.Reconfig.Each = model.Model, model.Each
		}
		got, err := solve.Solve(t.Context(), cells)
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			checkCell(t, cell, got[i])
		}
	}
}

// checkCell compares an outcome with planning the cell alone, as the command does.
func checkCell(t *testing.T, r sweep.Request, got sweep.Outcome) {
	t.Helper()
	what := fmt.Sprintf("%s of %v with %s by %s on %d nodes, %d ports, %s, initial %s, overlap %v", r.Op, r.Size, r.Algorithm, r.Planner,
		r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Reconfig, r.Fabric.Initial, r.Fabric.Overlap)
	p, err := planning.Plan(t.Context(), planning.PlanRequest{
		Fabric: r.Fabric, Planner: r.Planner, Operations: []collective.Operation{{Op: r.Op, Size: r.Size, Algorithm: r.Algorithm}},
	})
	if err != nil {
		if got.Reason == "" {
			t.Errorf("%s: %v, but planning says %v", what, got.Total, err)
		}
		return
	}
	if got.Reason != "" || got.Algorithm != p.Collective.Algorithm || got.Planner != p.Planner || got.Reconfigurations != p.Reconfigurations {
		t.Errorf("%s: %s by %s with %d changes (%s), planning has %s by %s with %d", what, got.Algorithm, got.Planner, got.Reconfigurations, got.Reason,
			p.Collective.Algorithm, p.Planner, p.Reconfigurations)
	}
	for _, times := range []struct {
		name      string
		got, want units.Time
	}{
		{"the plan", got.Total, p.Cost.Total()},
		{"the best static plan", got.Baselines.Static, p.Baselines.Static}, {"the best every-step plan", got.Baselines.EveryStep, p.Baselines.EveryStep},
		// Repaired plans have none of the same algorithm.
		{"static", got.Same.Static, cmp.Or(p.SameAlgorithm.Static, got.Same.Static)},
		{"every-step", got.Same.EveryStep, cmp.Or(p.SameAlgorithm.EveryStep, got.Same.EveryStep)},
		{"the bound of the operation", got.OperationBound, p.OperationBound().Total()},
	} {
		if !near(times.got, times.want) {
			t.Errorf("%s: %s takes %v, planning says %v", what, times.name, times.got, times.want)
		}
	}
}

// Planners that make their own steps are asked at few delays, with a limit, and static and
// every-step plans are given up whose bounds have lost: every cell is what planning it alone
// finds, with few sizes, too.
func TestFewQuestionsAnswerColumnsOfEveryPlanner(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 3))
	solve := solverWith(column.Options{FewSizes: true})
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast, collective.AllToAll}
	for range samples.Draws(10, 24) {
		r := sweep.Request{Fabric: fabric.Default(), Op: ops[rng.IntN(4)], Size: units.Bytes(1) << (8 + rng.IntN(22)), Algorithm: "auto", Planner: "auto"}
		f := &r.Fabric
		f.Nodes = []int{4, 6, 8, 9}[rng.IntN(4)]
		f.Ports = 1 + rng.IntN(3)
		f.Initial = []string{"free", "dark", "base"}[rng.IntN(3)]
		f.Sync = []units.Duration{0, 3 * units.Microsecond}[rng.IntN(2)]
		if r.Op == collective.AllToAll {
			r.Planner = []string{"exchange", "auto"}[rng.IntN(2)]
		} else {
			r.Planner = []string{"joint", "direct-connect", "auto"}[rng.IntN(3)]
		}
		if rng.IntN(4) == 0 && r.Planner != "auto" {
			f.Reconfig = fabric.Reconfig{Model: fabric.PerPort, Each: 100 * units.Nanosecond}
		}
		cells := columnOf(r, 6)
		got, err := solve.Solve(t.Context(), cells)
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			checkCell(t, cell, got[i])
		}
	}
}

// Where planning tries more than every algorithm with every planner, so does a column: plans for
// the GPUs that are left, repaired plans, and plans that send to everyone separately.
func TestColumnsOfSwitchesAndFailuresEqualPlanning(t *testing.T) {
	solve := solver()
	for _, c := range []struct {
		op              collective.Op
		switches, avoid string
	}{
		{collective.AllReduce, "2x3", ""}, {collective.AllToAll, "2x3", "gpu:3"}, {collective.AllReduce, "rails", "link:0-1"},
	} {
		r := sweep.Request{Fabric: fabric.Default(), Op: c.op, Size: units.KiB, Algorithm: "auto", Planner: "auto"}
		r.Fabric.Nodes, r.Fabric.Ports = 6, 2
		var err error
		if r.Fabric.Layout, err = layout.Parse(c.switches); err != nil {
			t.Fatal(err)
		}
		if r.Fabric.Avoid, err = fabric.ParseFailures(c.avoid); err != nil {
			t.Fatal(err)
		}
		cells := columnOf(r, 2)
		got, err := solve.Solve(t.Context(), cells)
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			checkCell(t, cell, got[i])
		}
	}
}

// Sizes between two that were planned are not planned if they lie on the same line, and
// are right all the same.
func TestSizesBetweenLinesAreExact(t *testing.T) {
	solve := solver()
	rng := rand.New(rand.NewPCG(18, 2))
	for _, planner := range []string{"static", "every-step"} {
		for _, algorithm := range []string{"swing", "recursive-doubling", "ring", "double-binary-tree"} {
			r := sweep.Request{Fabric: fabric.Default(), Op: collective.AllReduce, Algorithm: algorithm, Planner: planner}
			r.Fabric.Nodes, r.Fabric.Ports = 16, 2
			for k := range 2 + samples.Draws(4, 10) {
				r.Size = units.Bytes(math.Exp(rng.Float64() * 20))
				if k < 2 {
					r.Size = []units.Bytes{1, units.GiB}[k]
				}
				got, err := solve.Solve(t.Context(), []sweep.Request{r})
				if err != nil {
					t.Fatal(err)
				}
				checkCell(t, r, got[0])
			}
		}
	}
}

// What makes no sense is a reason in the cell, not an end of the sweep.
func TestColumnsGiveReasons(t *testing.T) {
	for name, change := range map[string]func(*sweep.Request){
		"planner":   func(r *sweep.Request) { r.Planner = "nobody" },
		"algorithm": func(r *sweep.Request) { r.Algorithm = "nothing" },
		"nodes":     func(r *sweep.Request) { r.Fabric.Nodes = 1 },
		"composer":  func(r *sweep.Request) { r.Planner = "exchange" },
		"made by":   func(r *sweep.Request) { r.Algorithm, r.Op = "exchange", collective.AllToAll },
		"unsuited":  func(r *sweep.Request) { r.Algorithm = "shift" },
	} {
		r := sweep.Request{Fabric: fabric.Default(), Op: collective.AllReduce, Size: units.MiB, Algorithm: "ring", Planner: "harvest"}
		r.Fabric.Nodes = 8
		change(&r)
		got, err := solver().Solve(t.Context(), columnOf(r, 2))
		if err != nil || len(got) != 2 || got[1].Reason == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := sweep.Request{Fabric: fabric.Default(), Op: collective.AllReduce, Size: units.MiB, Algorithm: "swing", Planner: "harvest"}
	if _, err := solver().Solve(ctx, columnOf(r, 2)); err == nil {
		t.Error("a context that is done is no reason to stop")
	}
}
