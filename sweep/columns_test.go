package sweep_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// sameTime is the relative rounding of a total that was summed up in another order.
const sameTime = 1e-9

func near(a, b units.Time) bool { return math.Abs(float64(a-b)) <= sameTime*math.Abs(float64(b)) }

// column returns requests that differ in the delay, 10ns to 10ms.
func column(r sweep.Request, cells int) []sweep.Request {
	all := make([]sweep.Request, cells)
	for i := range all {
		all[i] = r
		all[i].Fabric.Reconfig.Base = units.Duration(1e4 * math.Pow(10, 6*float64(i)/float64(max(1, cells-1))))
	}
	return all
}

func solver() *sweep.Columns { return sweep.NewColumns(lightpath.Planners(), nil) }

// Every cell of a column has the time, the winner and the number of changes that planning
// this cell alone has, whatever the planner, and so have its baselines.
func TestColumnsEqualPlanningEveryCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 1))
	solve := solver()
	for range samples.Of(40) {
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
		if rng.IntN(4) == 0 {
			f.Reconfig = fabric.Reconfig{Model: fabric.PerPort, Each: 100 * units.Nanosecond}
		}
		able := algorithms.For(r.Op, collective.Shape{Nodes: f.Nodes, Ports: f.Ports})
		r.Algorithm = able[rng.IntN(len(able))].Name
		r.Planner = []string{"static", "every-step", "light-bends", "harvest", "auto"}[rng.IntN(5)]
		if rng.IntN(5) == 0 && f.Nodes <= 8 {
			r.Algorithm = "auto"
		}
		cells := column(r, 7)
		got, err := solve.Solve(t.Context(), cells)
		if err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			checkCell(t, cell, got[i])
		}
	}
}

// checkCell compares an outcome with planning the cell alone.
func checkCell(t *testing.T, r sweep.Request, got sweep.Outcome) {
	t.Helper()
	what := fmt.Sprintf("%s of %v with %s by %s on %d nodes, %d ports, %s, initial %s, overlap %v", r.Op, r.Size, r.Algorithm, r.Planner,
		r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Reconfig, r.Fabric.Initial, r.Fabric.Overlap)
	best, reason := planned(t.Context(), r, r.Algorithm, r.Planner)
	if reason != nil {
		if got.Reason == "" {
			t.Errorf("%s: %v, but planning says %v", what, got.Total, reason)
		}
		return
	}
	if got.Reason != "" || !near(got.Total, best.total) {
		t.Errorf("%s: %v (%s), planning takes %v", what, got.Total, got.Reason, best.total)
	}
	if again, err := planned(t.Context(), r, got.Algorithm, got.Planner); err != nil || !near(again.total, got.Total) {
		t.Errorf("%s: %s by %s takes %v (%v), not %v", what, got.Algorithm, got.Planner, again.total, err, got.Total)
	}
	for _, b := range []struct {
		planner   string
		any, same units.Time
	}{{"static", got.Baselines.Static, got.Same.Static}, {"every-step", got.Baselines.EveryStep, got.Same.EveryStep}} {
		any, err := planned(t.Context(), r, "auto", b.planner)
		if err != nil {
			any.total = 0
		}
		if b.planner == "static" { // of any planner
			_, uniform := r.Fabric.UniformWait()
			if still := staying(t, r); b.any > still*(1+1e-9) && (uniform || r.Fabric.Initial != "dark") || b.any > any.total*(1+1e-9) {
				t.Errorf("%s: static of any planner takes %v, not %v", what, min(still, any.total), b.any)
			}
			any.total = b.any
		}
		if !near(b.any, any.total) {
			t.Errorf("%s: %s of any algorithm takes %v, not %v", what, b.planner, any.total, b.any)
		}
		if _, err := algorithms.New(r.Op, got.Algorithm, r.Fabric.Nodes, r.Fabric.Ports); err != nil {
			continue // the steps are the planner's own
		}
		algorithm, _, _ := strings.Cut(got.Algorithm, ":parts=") // of which each planner chooses its own
		same, err := planned(t.Context(), r, algorithm, b.planner)
		if err != nil {
			same.total = 0
		}
		if !near(b.same, same.total) {
			t.Errorf("%s: %s of the same algorithm takes %v, not %v", what, b.planner, same.total, b.same)
		}
	}
}

// staying is what plan says of the fastest plan that does not rewire; 0 where there is none.
func staying(t *testing.T, r sweep.Request) units.Time {
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: r.Fabric, Planner: r.Planner, Operations: []lightpath.Operation{{Op: r.Op, Size: r.Size, Algorithm: r.Algorithm}},
	})
	if err != nil {
		return 0
	}
	return p.Baselines.Static
}

type plannedCell struct{ total units.Time }

// planned plans a request as the command does.
func planned(ctx context.Context, r sweep.Request, algorithm, name string) (plannedCell, error) {
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: r.Fabric, Planner: name, Operations: []lightpath.Operation{{Op: r.Op, Size: r.Size, Algorithm: algorithm}},
	}, lightpath.WithoutBaselines())
	if err != nil {
		return plannedCell{}, err
	}
	return plannedCell{p.Cost.Total()}, nil
}

// Planners that make their own steps are asked at few delays, with a limit, and static and
// every-step plans are given up whose bounds have lost: every cell is what planning it alone
// finds, with few sizes, too.
func TestFewQuestionsAnswerColumnsOfEveryPlanner(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 3))
	solve := solver()
	solve.FewSizes = true
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast, collective.AllToAll}
	for range samples.Of(24) {
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
		cells := column(r, 6)
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
			for k := range 2 + samples.Of(10) {
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
		got, err := solver().Solve(t.Context(), column(r, 2))
		if err != nil || len(got) != 2 || got[1].Reason == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := sweep.Request{Fabric: fabric.Default(), Op: collective.AllReduce, Size: units.MiB, Algorithm: "swing", Planner: "harvest"}
	if _, err := solver().Solve(ctx, column(r, 2)); err == nil {
		t.Error("a context that is done is no reason to stop")
	}
}
