package figure_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/reproduce"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// Every answer has a picture, which names its subject and shows its numbers.
func TestEveryAnswerHasAPicture(t *testing.T) {
	ours, other := 2.0, 3.0
	for name, c := range map[string]struct {
		answer any
		want   []string
	}{
		"calibrate": {&lightpath.Calibration{AlphaNs: 1500, BandwidthBps: 800e9, Samples: 2, Residual: 0.05, ResidualMax: 0.1, Measured: []lightpath.CalibratedSample{
			{Bytes: 1024, TimeNs: 1600, FittedNs: 1510}, {Bytes: 1 << 20, TimeNs: 12000, FittedNs: 12100}, {Bytes: 1024, Steps: 2, TimeNs: 2600, FittedNs: 2510}}},
			[]string{"alpha 1.500us", "measured", "fitted, steps unknown", "fitted, 2 steps", "of the measured time", "5.0%", "Times of a file"}},
		"collective": {&lightpath.AlgorithmSteps{Op: collective.AllReduce, Algorithm: "swing", Nodes: 4, Ports: 1,
			Steps: []lightpath.AlgorithmStep{{Index: 1, Transfers: 4, Peers: 1, Sent: 0.5, Message: 0.5}}},
			[]string{"swing", "4 transfers to 1 peer", "50%"}},
		"schedule": {&lightpath.Schedule{Expr: "K(3)", Op: collective.AllGather, Nodes: 3, Degree: 2, Steps: 1, Bandwidth: "2/3", BandwidthOptimal: true, Method: "bfb", PerStep: []string{"1"}},
			[]string{"K(3)", "2/3 M/B", "no schedule takes less", "shards"}},
		"uneven": {&lightpath.Schedule{Expr: "@x", Op: collective.AllGather, Nodes: 3, Degree: 2, Steps: 1, PerStep: []string{}, PerStepNs: []units.Time{1234}},
			[]string{"time of every step", "1.23 us"}},
		"emulate": {&lightpath.Emulation{Ranks: 4, Processes: 1, Slow: 100,
			Steps: []lightpath.EmulatedStep{{Index: 1, PredictedNs: 10, SimulatedNs: 11, MeasuredNs: 12}, {Index: 2, PredictedNs: 10, SimulatedNs: 11}}},
			[]string{"4 ranks in 1 process", "predicted", "simulated", "measured", "100 times slower"}},
		"train": {&lightpath.Training{Trace: "mine", Network: lightpath.TrainingNetwork{Nodes: 8},
			Result: train.Result{MinibatchNs: 100, ForwardNs: 30, BackwardNs: 60, ExposedNs: 10, AllReduceNs: 20, Overlap: 0.5,
				Collectives: []train.Collective{{Op: collective.AllReduce, First: "conv", ReadyNs: 50, StartNs: 70, EndNs: 100}}}},
			[]string{"mine on 8 GPUs", "50% of the communication is hidden", "forward", "network"}},
		"reproduce": {&lightpath.Reproduction{Rows: []reproduce.Row{{Published: 2, Ours: &ours, Verdict: reproduce.Matched},
			{Published: 2, Ours: &other, Verdict: reproduce.Better}, {Published: 1, Verdict: reproduce.NotCheckable}}},
			[]string{"2 claims; 1 without", "matched (1)", "better (1)", "equal"}},
	} {
		scene, err := lightpath.Render(c.answer).Picture()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		words := text(t, scene)
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("%s: no %q in %q", name, want, words)
			}
		}
	}
	if _, err := figure.Reproduce(&lightpath.Reproduction{Rows: []reproduce.Row{{Published: 1}}}); err == nil || !strings.Contains(err.Error(), "computed") {
		t.Errorf("a picture of nothing computed: %v", err)
	}
}

// The pictures of commands on plan files show the plan: its checks, its steps, its
// reconfigurations, and its form in a runtime.
func TestPicturesOfPlanFiles(t *testing.T) {
	p := planned(t, lightpath.PlanRequest{Fabric: small(), Planner: "harvest", Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB}}})
	if p.Reconfigurations == 0 {
		t.Fatal("a plan that changes no circuits")
	}
	report, err := lightpath.Verify(t.Context(), lightpath.VerifyRequest{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	why, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	made, err := lightpath.Compile(t.Context(), lightpath.CompileRequest{Plan: p, To: compile.Timetable})
	if err != nil {
		t.Fatal(err)
	}
	bad := &verify.Report{Checks: []verify.Check{{Name: "ports", Detail: "GPU 3 has two"}, {Name: "form", OK: true}}}
	for name, c := range map[string]struct {
		draw func() (*chart.Scene, error)
		want []string
	}{
		"verify": {func() (*chart.Scene, error) { return figure.Verified(p, report) }, []string{"checks passed", "reductions", "circuits up"}},
		"wrong":  {func() (*chart.Scene, error) { return figure.Verified(p, bad) }, []string{"1 of 2 checks failed", "GPU 3 has two"}},
		"unread": {func() (*chart.Scene, error) {
			return figure.Checked(&lightpath.Checked{Report: check.Report{Report: *bad}})
		}, []string{"The program: 1 of 2 checks failed"}},
		"explain": {func() (*chart.Scene, error) { return figure.Explain(p, why) }, []string{"Time of every step", "saved in communication", "paid for the change", "before step"}},
		"compile": {func() (*chart.Scene, error) { return figure.Compiled(p, made) }, []string{"recursive-doubling", "dark"}},
	} {
		scene, err := c.draw()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		words := text(t, scene)
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("%s: no %q in %q", name, want, words)
			}
		}
	}
}
