package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/plantest"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// golden compares text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *rewrite {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has changed (rewrite with -rewrite if that is right):\n%s", file, got)
	}
	for line := range strings.SplitSeq(string(got), "\n") {
		if len([]rune(line)) > tabular.TerminalWidth {
			t.Errorf("%s: a line of more than %d columns: %q", name, tabular.TerminalWidth, line)
		}
	}
}

func TestReportsAreAsTheyWere(t *testing.T) {
	f := fabric.Default()
	make := func(op collective.Op, algorithm, planner string, change func(f *fabric.Fabric)) *plan.Plan {
		g := f
		change(&g)
		p, err := planning.Plan(t.Context(), planning.PlanRequest{
			Fabric: g, Operations: []collective.Operation{{Op: op, Size: 4 * units.MiB, Algorithm: algorithm}}, Planner: planner,
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, p := range map[string]*plan.Plan{
		"allreduce": make(collective.AllReduce, collective.Auto, collective.Auto, func(*fabric.Fabric) {}),
		"many":      make(collective.AllToAll, "shift", "every-step", func(f *fabric.Fabric) { f.Nodes = 40 }),
		"static":    make(collective.AllReduce, "swing", "static", func(f *fabric.Fabric) { f.Nodes = 8 }),
		"unwired":   make(collective.AllReduce, collective.Auto, collective.Auto, func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Reconfig.Base = 8, 2, units.Second }),
		"free-rewire": make(collective.AllReduce, "halving-doubling", "every-step", func(f *fabric.Fabric) {
			f.Nodes, f.Reconfig.Base, f.Initial = 8, 0, fabric.InitialDark
		}),
	} {
		var out bytes.Buffer
		Plan(&out, p)
		golden(t, "plan-"+name, out.Bytes())
	}
	f.Nodes = 9
	c, err := comparing.Compare(t.Context(), comparing.CompareRequest{
		Fabric: f, Operation: collective.Operation{Op: collective.AllToAll, Size: units.MiB},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	Compare(&out, c)
	golden(t, "compare", out.Bytes())
	out.Reset()
	l, err := exploring.LayOut(t.Context(), exploring.CollectiveRequest{Op: collective.AllToAll, Algorithm: "retri", Nodes: 27, Ports: 2})
	if err != nil {
		t.Fatal(err)
	}
	AlgorithmSteps(&out, l)
	golden(t, "layout", out.Bytes())
	out.Reset()
	m, err := topology.Torus(4, 4).Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	Topology(&out, &m)
	golden(t, "topology", out.Bytes())
	out.Reset()
	Verify(&out, &verify.Report{Checks: []verify.Check{{Name: "ports", OK: true, Detail: "fine"}, {Name: "data", Detail: "stage 1, step 2"}}})
	golden(t, "verify", out.Bytes())
}

// What a plan prints without verbose fits in 15 lines, even with many stages, and agrees with
// the full report.
func TestBriefReportsFit(t *testing.T) {
	f := fabric.Default()
	for name, r := range map[string]planning.PlanRequest{
		"brief":      {Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}}},
		"brief-many": {Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB, Algorithm: "ring"}}, Planner: "every-step"},
		"brief-long": {Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB, Algorithm: "swing"}}, Planner: "every-step"},
	} {
		p, err := planning.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var brief, whole bytes.Buffer
		Brief(&brief, p)
		Plan(&whole, p)
		golden(t, name, brief.Bytes())
		if n := bytes.Count(brief.Bytes(), []byte("\n")); n > briefLines {
			t.Errorf("%s: %d lines", name, n)
		}
		for _, word := range []string{"takes", "best static", "best every-step", "lower bound", "this one", "stage"} {
			if strings.Contains(whole.String(), word) && !strings.Contains(brief.String(), word) {
				t.Errorf("%s: nothing about %s", name, word)
			}
		}
		left := strings.Contains(brief.String(), " more stages") || strings.Contains(brief.String(), "`verbose` shows")
		if left != (len(p.Stages) > briefStages) {
			t.Errorf("%s: %d stages:\n%s", name, len(p.Stages), brief.String())
		}
	}
}

// Brief reports of single operations and pairs fit in 15 lines, whatever is planned.
func TestBriefReportsOfAllOperationsFit(t *testing.T) {
	fits := func(nodes, ports int, operations ...collective.Operation) {
		f := fabric.Default()
		f.Nodes, f.Ports = nodes, ports
		p, err := planning.Plan(t.Context(), planning.PlanRequest{Fabric: f, Operations: operations})
		if err != nil {
			t.Fatal(err)
		}
		for _, among := range []string{"", "algorithms on the base topology, and planners that make their own steps"} {
			p.StaticAmong = among
			var out bytes.Buffer
			Brief(&out, p)
			if n := bytes.Count(out.Bytes(), []byte("\n")); n > briefLines || !strings.Contains(out.String(), "stage") {
				t.Errorf("%d lines:\n%s", n, out.String())
			}
		}
	}
	ops, pairs := collective.Ops(), 4
	if samples.Every() {
		pairs = 6
	}
	for i, op := range ops {
		for ports := 1; ports <= 2; ports++ {
			first := collective.Operation{Op: op, Size: 4 * units.MiB}
			fits(8, ports, first)
			if i%2 == ports-1 { // pairs take long
				fits(pairs, ports, first, collective.Operation{Op: ops[(i+3)%len(ops)], Size: 4 * units.MiB})
			}
		}
	}
}

// An exchange in one step over one topology is direct, whichever strategy it comes from.
func TestAnExchangeInOneStepIsCalledDirect(t *testing.T) {
	for text, nodes := range map[string]int{
		"direct, on the topology of retri with one stage, 3 slots of one chunk": 5,
		"direct, 1 slot of one chunk":                                           3,
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = nodes, 2, units.Millisecond
		p, err := planning.Plan(t.Context(), planning.PlanRequest{
			Fabric: f, Operations: []collective.Operation{{Op: collective.AllToAll, Size: units.MiB}}, Planner: "exchange",
		}, command.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		Plan(&out, p)
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(got, "strategy "+text+" stage") {
			t.Errorf("want %q:\n%s", text, out.String())
		}
	}
}

// TestReportsSayWhetherRoutesAreOptimal: the word is for routes that were proven to be optimal.
func TestReportsSayWhetherRoutesAreOptimal(t *testing.T) {
	p := plantest.SpacePlan(t, plantest.Few)
	for approximate, text := range map[bool]string{false: "optimal routes per step", true: "approximated routes per step"} {
		p.Approximate = approximate
		var long, brief strings.Builder
		Plan(&long, p)
		Brief(&brief, p)
		for _, got := range []string{long.String(), brief.String()} {
			if got = strings.Join(strings.Fields(got), " "); !strings.Contains(got, text) {
				t.Errorf("want %q:\n%s", text, got)
			}
		}
	}
}

// TestReportsSayWhatHasFailed: a later reader of a plan learns which failures it avoids.
func TestReportsSayWhatHasFailed(t *testing.T) {
	var err error
	f := fabric.Default()
	if f.Avoid, err = fabric.ParseFailures("gpu:3"); err != nil {
		t.Fatal(err)
	}
	if text := describe(&f); !strings.Contains(text, "avoid gpu:3") {
		t.Error(text)
	}
}
