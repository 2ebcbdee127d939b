package extend_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"

	"example.com/extend"
)

// followed takes a plan to everything that reads plans.
func followed(t *testing.T, p *plan.Plan, options ...lightpath.Option) {
	t.Helper()
	report, err := lightpath.Verify(t.Context(), lightpath.VerifyRequest{Plan: p}, options...)
	if err != nil || !report.OK {
		t.Fatalf("verify: %+v, %v", report, err)
	}
	if _, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p}, options...); err != nil {
		t.Errorf("explain: %v", err)
	}
	if s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p}, options...); err != nil || s.CompletionNs <= 0 {
		t.Errorf("simulate: %v", err)
	}
	if _, err := lightpath.Compile(t.Context(), lightpath.CompileRequest{Plan: p, To: compile.MSCCL}, options...); err != nil {
		t.Errorf("compile: %v", err)
	}
	if e, err := lightpath.Emulate(t.Context(), lightpath.EmulateRequest{Plan: p}, options...); err != nil || !e.OK {
		t.Errorf("emulate: %+v, %v", e, err)
	}
}

// An algorithm is one file: it is listed, laid out, compared, planned with every planner, and its
// plans are proven, explained, simulated, compiled and run.
func TestAnAlgorithmIsAddedInOneFile(t *testing.T) {
	algorithms, err := algorithms.NewRegistry(extend.BothWays())
	if err != nil {
		t.Fatal(err)
	}
	known := lightpath.WithKnown(plan.Known{Algorithms: algorithms})
	if !slices.ContainsFunc(lightpath.List(known).Algorithms, func(a lightpath.AlgorithmInfo) bool { return a.Name == "both-ways" }) {
		t.Error("it is not listed")
	}
	steps, err := lightpath.LayOut(t.Context(), lightpath.CollectiveRequest{Op: collective.AllGather, Algorithm: "both-ways", Nodes: 9, Ports: 2}, known)
	if err != nil || len(steps.Steps) != 4 {
		t.Errorf("9 GPUs take %+v, want 4 steps; %v", steps, err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	rows, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: lightpath.Operation{Op: collective.AllGather, Size: units.MiB}}, known)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"static", "every-step", "light-bends", "harvest"} {
		if !slices.ContainsFunc(rows.Rows, func(r lightpath.ComparisonRow) bool { return r.Algorithm == "both-ways" && r.Planner == name }) {
			t.Errorf("no row of it with %s", name)
		}
	}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "both-ways", Size: units.MiB}},
	}, known)
	if err != nil || p.Collective.Algorithm != "both-ways" {
		t.Fatalf("%+v, %v", p, err)
	}
	table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: f, Axes: []sweep.Axis{
		{Name: sweep.AxisOp, Values: []string{"allgather"}}, {Name: sweep.AxisAlgorithm, Values: []string{"both-ways"}},
		{Name: sweep.AxisSize, Values: []string{"1MiB"}},
	}}, known)
	if err != nil || len(table.Cells) != 1 || table.Cells[0].Total != p.Cost.Total() {
		t.Errorf("a sweep has %+v, want %v: %v", table, p.Cost.Total(), err)
	}
	followed(t, p, known)
}

// counted is a planner that counts its calls.
type counted struct {
	extend.OnLadder
	asked *atomic.Int64
}

func (c counted) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	c.asked.Add(1)
	return c.OnLadder.Plan(ctx, r)
}

// A planner is one file: it is listed, compared, asked by its name and by auto, and its plans go
// where all plans go.
func TestAPlannerIsAddedInOneFile(t *testing.T) {
	k := known()
	ours := counted{extend.OnLadder{Families: k.Families}, new(atomic.Int64)}
	options := []lightpath.Option{lightpath.WithRegistry(lightpath.Planners(ours)), lightpath.WithKnown(k)}
	if !slices.ContainsFunc(lightpath.List(options...).Planners, func(p lightpath.PlannerInfo) bool { return p.Name == ours.Name() }) {
		t.Error("it is not listed")
	}
	f := machine(k)
	f.Base = "" // so that the ladder is its own idea
	gather := lightpath.Operation{Op: collective.AllGather, Size: units.MiB}
	rows, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: gather}, options...)
	if err != nil || !slices.ContainsFunc(rows.Rows, func(r lightpath.ComparisonRow) bool { return r.Planner == ours.Name() }) {
		t.Fatalf("no row of it: %v", err)
	}
	best, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{gather}, Planner: ours.Name()}, options...)
	if err != nil || best.Planner != ours.Name() {
		t.Fatalf("%+v, %v", best, err)
	}
	followed(t, best, options...)
	ours.asked.Store(0)
	gather.Algorithm = "both-ways" // so that no planner with steps of its own is sure to be faster
	all, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{gather}}, options...)
	if err != nil {
		t.Fatal(err)
	}
	if ours.asked.Load() == 0 {
		t.Errorf("auto takes %v by %s, and did not ask it", all.Cost.Total(), all.Planner)
	}
}

// A family is one file: its expressions are measured and scheduled, the search for topologies
// finds its members, and so does the planner that uses that search.
func TestAFamilyIsAddedInOneFile(t *testing.T) {
	families, err := topologies()
	if err != nil {
		t.Fatal(err)
	}
	known := lightpath.WithKnown(plan.Known{Families: families})
	m, err := lightpath.Topology(t.Context(), lightpath.TopologyRequest{Topology: "Coxeter(28)"}, known)
	if err != nil || m.Nodes != 28 || m.Degree != 3 || *m.Diameter != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	s, err := lightpath.MakeSchedule(t.Context(), lightpath.ScheduleRequest{Topology: "Coxeter(28)"}, known)
	if err != nil || s.Steps != 4 || !s.BandwidthOptimal {
		t.Fatalf("%+v, %v", s, err)
	}
	find := lightpath.FindRequest{Nodes: 28, Degree: 3, Op: collective.AllGather, Bidirectional: true}
	without, err := lightpath.Find(t.Context(), find)
	if err != nil {
		t.Fatal(err)
	}
	with, err := lightpath.Find(t.Context(), find, known)
	if err != nil || with.Best.Expr != "Coxeter(28)" || with.Best.TimeNs > without.Best.TimeNs || with.Best.TimeNs != with.Bound.TimeNs {
		t.Errorf("found %+v, without it %+v: %v", with.Best, without.Best, err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 28, 3, true
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: "direct-connect", Operations: []lightpath.Operation{{Op: collective.AllGather, Size: 64 * units.KiB}},
	}, known)
	if err != nil || p.Stages[0].Topology.Name() != "Coxeter(28)" {
		t.Fatalf("%+v, %v", p, err)
	}
	followed(t, p, known)
	lifted(t, p, f, known)
}

// lifted compiles a plan that stays on one topology, and lifts the program to a plan on a base of
// that name, which is that of a fabric or stands alone.
func lifted(t *testing.T, p *plan.Plan, f fabric.Fabric, known lightpath.Option) {
	t.Helper()
	made, err := lightpath.Compile(t.Context(), lightpath.CompileRequest{Plan: p, To: compile.MSCCL, Inline: true}, known)
	if err != nil {
		t.Fatal(err)
	}
	name, program := p.Stages[0].Topology.Name(), string(made.Files[0].Content)
	check := lightpath.CheckRequest{File: "a.xml", Content: map[string]string{"a.xml": program}, ToPlan: true, Base: name}
	if _, err := lightpath.Check(t.Context(), check); err == nil || !strings.HasPrefix(err.Error(), "base: ") {
		t.Errorf("without the family of %s: %v", name, err)
	}
	for range 2 {
		got, err := lightpath.Check(t.Context(), check, known)
		if err != nil || !got.OK || got.Lifted.Stages[0].Topology.Name() != name {
			t.Fatalf("base %q, fabric's base %q: %+v, %v", check.Base, check.Fabric.Base, got, err)
		}
		check.Base, check.Fabric = "", f
		check.Fabric.Base = name
	}
}
