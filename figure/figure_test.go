package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

func small() fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, units.Microsecond
	return f
}

func planned(t testing.TB, r lightpath.PlanRequest) *plan.Plan {
	t.Helper()
	p, err := lightpath.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text returns the words of a picture, which must be well-formed.
func text(t *testing.T, s *chart.Scene) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.SVG(&b); err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(strings.Fields(words.String()), " ")
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			words.Write(data)
			words.WriteString(" ")
		}
	}
}

// Every picture of an answer names the source of its numbers and shows its subject.
func TestPicturesSayWhatTheyShow(t *testing.T) {
	ctx := t.Context()
	allreduce := lightpath.Operation{Op: collective.AllReduce, Size: units.MiB, Algorithm: "recursive-doubling"}
	ring := lightpath.Operation{Op: collective.AllReduce, Size: units.MiB, Algorithm: "ring"}
	p := planned(t, lightpath.PlanRequest{Fabric: small(), Planner: "harvest", Operations: []lightpath.Operation{allreduce}})
	torus := small()
	torus.Nodes, torus.Ports, torus.Base = 16, 4, "Torus(4,4)"
	q := planned(t, lightpath.PlanRequest{Fabric: torus, Planner: "static", Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: units.MiB, Algorithm: "direct"}}})
	table, err := lightpath.Sweep(ctx, lightpath.SweepRequest{Fabric: small(), Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce", "alltoall"}}, {Name: "size", Values: []string{"1KiB..1MiB/3"}},
		{Name: "reconfig", Values: []string{"100ns..10us/3"}}, {Name: "planner", Values: []string{"harvest"}}}})
	if err != nil {
		t.Fatal(err)
	}
	line, err := lightpath.Sweep(ctx, lightpath.SweepRequest{Fabric: small(), Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce"}}, {Name: "size", Values: []string{"1KiB..1MiB/3"}}, {Name: "planner", Values: []string{"harvest", "static"}}}})
	if err != nil {
		t.Fatal(err)
	}
	delays, err := lightpath.Sweep(ctx, lightpath.SweepRequest{Fabric: small(), Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce", "alltoall"}}, {Name: "size", Values: []string{"64KiB"}},
		{Name: "reconfig", Values: []string{"100ns..10us/3"}}, {Name: "planner", Values: []string{"harvest"}}}})
	if err != nil {
		t.Fatal(err)
	}
	slow := small()
	slow.Reconfig.Base = 10 * units.Millisecond
	ask := func(answer any, err error) any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for name, c := range map[string]struct {
		answer any
		want   []string
	}{
		"plan":     {p, []string{"Model time", "allreduce", "dark"}},
		"compare":  {ask(lightpath.Compare(ctx, lightpath.CompareRequest{Fabric: small(), Operation: ring})), []string{"Model time", "ring, static", "transmission", "packet by packet"}},
		"frontier": {ask(lightpath.FindFrontier(ctx, lightpath.FrontierRequest{Fabric: small(), Operation: allreduce})), []string{"Model time", "reconfiguration delay", "this fabric"}},
		"simulate": {ask(lightpath.Simulate(ctx, lightpath.SimulateRequest{Plan: p})), []string{"packet level simulation", "the model says"}},
		"find":     {ask(lightpath.Find(ctx, lightpath.FindRequest{Nodes: 12, Degree: 4})), []string{"bound", "steps"}},
		"tune": {ask(lightpath.Tune(ctx, lightpath.TuneRequest{Fabric: small(), Op: collective.AllReduce, Algorithm: "recursive-doubling",
			Planner: "harvest"})), []string{"Model time", "best static plan", "size"}},
		"advise": {ask(lightpath.Advise(ctx, lightpath.AdviseRequest{Fabric: small(), Operation: allreduce, Planner: "harvest", MostPorts: 1})),
			[]string{"Model time", "double the bandwidth", "break-even", "allreduce: reconfiguring pays below this delay"}},
		"sweep": {table, []string{"Model time", "alltoall", "1 KiB", "10 us", "within: reconfiguring pays"}},
		"line":  {line, []string{"Model time", "planner static", "1 MiB"}},
		"fabrics": {ask(lightpath.Tune(ctx, lightpath.TuneRequest{Fabric: small(), Op: collective.AllReduce, Algorithm: "recursive-doubling",
			Planner: "harvest", For: []lightpath.NamedFabric{{Name: "slow", Fabric: slow}}})), []string{"slow", "alpha"}},
		"shared": {delays, []string{"allreduce and alltoall of 64KiB on"}},
	} {
		s, err := lightpath.Render(c.answer).Picture()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		words := text(t, s)
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("%s: no %q in %.300q", name, want, words)
			}
		}
		if name == "fabrics" && strings.Contains(words, "reconfiguration 1us") {
			t.Errorf("the delay of one of the fabrics, which differ in it: %q", words)
		}
	}
	for _, p := range []*plan.Plan{p, q} {
		for name, draw := range map[string]func(*plan.Plan) (*chart.Scene, error){"steps": figure.Steps, "against": figure.Against, "loads": figure.LinkLoads} {
			s, err := draw(p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			text(t, s)
		}
		frames, err := figure.Animation(p)
		if err != nil || len(frames) < p.CountSteps() {
			t.Errorf("%d frames for %d steps, %v", len(frames), p.CountSteps(), err)
		}
	}
	for _, m := range sweep.Metrics() {
		if _, err := figure.Sweep(table, m); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	ratio, err := sweep.MetricOf(sweep.Ratio)
	if err != nil {
		t.Fatal(err)
	}
	for what, curves := range map[string]*sweep.Table{"alltoall, reconfiguration 1us": table, "planner static": line} {
		s, err := figure.Sweep(curves, ratio)
		if err != nil {
			t.Fatal(err)
		}
		if words := text(t, s); !strings.Contains(words, what) || !strings.Contains(words, "no plan is below") {
			t.Errorf("%s is not one of the curves: %.300q", what, words)
		}
	}
	if _, err := lightpath.Render(42).Picture(); err == nil {
		t.Error("a picture of a number")
	}
	testPages(t, p, table)
}

// testPages checks that pages show their subjects.
func testPages(t *testing.T, p *plan.Plan, table *sweep.Table) {
	simulation, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answer any
		want   []string
	}{
		"plan":       {p, []string{"Step by step", "three different clocks", "<svg", "reconfiguration", "Stages"}},
		"sweep":      {table, []string{"reconfiguring pays", "The fastest algorithm", "three different clocks"}},
		"simulation": {simulation, []string{"Level packet", "The model says"}},
	} {
		made, err := lightpath.Render(c.answer).Page()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b bytes.Buffer
		if err := made.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(strings.ToLower(b.String()), strings.ToLower(want)) {
				t.Errorf("%s: no %q", name, want)
			}
		}
	}
	if _, err := lightpath.Render(42).Page(); err == nil {
		t.Error("a page of a number")
	}
}

// A plan on parallel switches has a row for each switch. Circuits of a switch that does not
// change stay up while others are dark, and a change is as long as the plan's command, hidden or
// not.
func TestTimelineHasARowForEverySwitch(t *testing.T) {
	f := small()
	f.Nodes, f.Ports = 16, 2
	var err error
	if f.Reconfig, err = fabric.ParseReconfig("per-switch:1us+2us"); err != nil {
		t.Fatal(err)
	}
	p := planned(t, lightpath.PlanRequest{Fabric: f, Planner: "harvest", Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB, Algorithm: "recursive-doubling"}}})
	s, err := figure.Timeline(p)
	if err != nil {
		t.Fatal(err)
	}
	words := text(t, s)
	// The plan goes from two equal matchings to one that stays and another, and back.
	if strings.Count(words, "dark dark")+strings.Count(words, "us dark") != 2 && strings.Count(words, " dark ") != 2 {
		t.Errorf("%d words dark in %q", strings.Count(words, "dark"), words)
	}
	for _, want := range []string{"switch 0", "switch 1", "part of DC(16;1,4)", "change to part of DC(16;1,4): 3.000us", "as a compiled timetable sets them"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %q", want, words)
		}
	}
}

// A picture needs a parameter that is a number.
func TestGridNeedsANumber(t *testing.T) {
	table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: small(),
		Axes: []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}, {Name: "planner", Values: []string{"static", "harvest"}}}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := sweep.MetricOf("time")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := figure.Sweep(table, m); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// A parameter with one value is an axis, too: the picture names the fabric of the cells, not the
// sweep's initial fabric.
func TestSweepNamesTheFabricOfItsCells(t *testing.T) {
	table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce"}}, {Name: "nodes", Values: []string{"8"}}, {Name: "ports", Values: []string{"2"}},
		{Name: "bandwidth", Values: []string{"100Gbps"}}, {Name: "planner", Values: []string{"harvest"}},
		{Name: "size", Values: []string{"1KiB..4KiB"}}, {Name: "reconfig", Values: []string{"1us", "10us"}}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := figure.Speedup(table)
	if err != nil {
		t.Fatal(err)
	}
	words := text(t, s)
	if !strings.Contains(words, "allreduce on 8 GPUs, 2 ports, 100Gbps per port") || strings.Contains(words, "64 GPUs") {
		t.Errorf("%.400q", words)
	}
}

// The labels distinguish the extremes of any algorithm from those of the plan's algorithm.
func TestExtremesAreNamedAfterTheirAlgorithms(t *testing.T) {
	p := planned(t, lightpath.PlanRequest{Fabric: small(), Planner: "harvest", Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB, Algorithm: "recursive-doubling"}}})
	some := plan.Baselines{Static: 2 * p.Cost.Total(), EveryStep: 3 * p.Cost.Total()}
	for _, c := range []struct {
		any, same plan.Baselines
	}{{some, plan.Baselines{}}, {plan.Baselines{}, some}, {some, some}} {
		p.Baselines, p.SameAlgorithm = c.any, c.same
		s, err := figure.Against(p)
		if err != nil {
			t.Fatal(err)
		}
		words := text(t, s)
		for _, kind := range []string{"static", "every-step"} {
			for of, there := range map[string]bool{", any algorithm": c.any.Static > 0, ", same algorithm": c.same.Static > 0} {
				if strings.Contains(words, kind+of) != there {
					t.Errorf("%s%s is there: %t, want %t: %.300q", kind, of, !there, there, words)
				}
			}
		}
	}
}
