package simulating_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/units"
)

// simulatedPlan is a plan with several stages and routes of several hops.
func simulatedPlan(t *testing.T, edit func(f *fabric.Fabric)) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 16, units.Microsecond
	if edit != nil {
		edit(&f)
	}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: "harvest",
		Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 256 * units.KiB, Algorithm: "recursive-doubling"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func simulate(t *testing.T, r lightpath.SimulateRequest) *lightpath.Simulation {
	t.Helper()
	if r.Level == "" {
		r.Level = sim.PacketLevel
	}
	s, err := lightpath.Simulate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var wall = regexp.MustCompile(`"wall_ns":\d+`)

// encode returns the JSON of an answer without the time that it took.
func encode(t *testing.T, answer any) string {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return wall.ReplaceAllString(string(text), `"wall_ns":0`)
}

func TestSimulationDoesNotDependOnThreads(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, func(f *fabric.Fabric) { f.Ports = 2 })
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		for _, jitter := range []units.Duration{0, 100 * units.Nanosecond} {
			var first string
			for threads := 1; threads <= 3; threads++ {
				seed := uint64(7)
				text := encode(t, simulate(t, lightpath.SimulateRequest{Plan: p, Level: level, Threads: threads, Packet: 512, Jitter: jitter, Seed: &seed}))
				if first == "" {
					first = text
				}
				if text != first {
					t.Errorf("%s, jitter %v: %d threads print other bytes than one", level, jitter, threads)
				}
			}
		}
	}
	var first string
	for threads := 1; threads <= 3; threads++ {
		delta := units.Duration(500)
		s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{
			Topology: "Torus(4,4)", Traffic: simtest.RandomPairs(16, 500, 10_000, 1), Bandwidth: 100 * units.Gbps, Delta: &delta, Threads: threads,
		})
		if err != nil {
			t.Fatal(err)
		}
		if text := encode(t, s); first == "" {
			first = text
		} else if text != first {
			t.Errorf("traffic: %d threads print other bytes than one", threads)
		}
	}
}

func TestSimulationOfOrbitsIsTheSame(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, nil)
	whole := simulate(t, lightpath.SimulateRequest{Plan: p})
	orbit := simulate(t, lightpath.SimulateRequest{Plan: p, Orbit: true})
	orbit.Events = whole.Events // what is not simulated makes no events
	if a, b := encode(t, whole), encode(t, orbit); a != b {
		t.Errorf("%.300s\n%.300s", a, b)
	}
}

func TestSimulationExplainsEveryStep(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, nil)
	s := simulate(t, lightpath.SimulateRequest{Plan: p, Jitter: 1000})
	if s.PredictedNs != p.Cost.Total() || len(s.Steps) != p.CountSteps() {
		t.Fatalf("%v, %d steps", s.PredictedNs, len(s.Steps))
	}
	near := func(name string, causes []lightpath.SimulatedCause, want units.Time) {
		sum := units.Time(0)
		for _, c := range causes {
			sum += c.Ns
		}
		if d := sum - want; d > 0.005 || d < -0.005 {
			t.Errorf("%s: %v add up to %v, want %v", name, causes, sum, want)
		}
	}
	near("in all", s.Explanation, s.CompletionNs-s.PredictedNs)
	for _, step := range s.Steps {
		near(fmt.Sprint("step ", step.Index), step.Explanation, step.TotalNs-step.PredictedNs)
	}
	if last := s.Explanation[len(s.Explanation)-1]; last.Cause != replay.Jitter || last.Ns <= 0 {
		t.Errorf("%v", s.Explanation)
	}
	quiet := simulate(t, lightpath.SimulateRequest{Plan: p, Level: sim.FlowLevel})
	if text := encode(t, quiet); len(quiet.Explanation) != 0 || !strings.Contains(text, `"explanation":[]`) {
		t.Errorf("no difference: %.200s", text)
	}
}

// A step starts when its circuits are up, as in the plan, not when the switch begins to set them.
func TestStepsStartAfterTheirReconfiguration(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, func(f *fabric.Fabric) { f.Reconfig.Base = 10 * units.Nanosecond })
	s, i, before, dark := simulate(t, lightpath.SimulateRequest{Plan: p}), 0, units.Time(0), 0
	for stage, step := range p.Steps() {
		got, change := s.Steps[i], units.Time(0)
		if step == &stage.Steps[0] {
			change = stage.Reconfiguration
		}
		if change > 0 {
			dark++
		}
		if math.Abs(float64(got.StartNs-before-change)) > 1e-6 || math.Abs(float64(got.StartNs+got.TotalNs-got.EndNs)) > 1e-6 {
			t.Errorf("step %d after %v, dark for %v: %+v", step.Index, before, change, got)
		}
		i, before = i+1, got.EndNs
	}
	if dark == 0 {
		t.Error("the plan does not reconfigure")
	}
}

func TestSimulatedFailures(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, nil)
	healthy := encode(t, simulate(t, lightpath.SimulateRequest{Plan: p}))
	s := simulate(t, lightpath.SimulateRequest{Plan: p, Fail: []replay.Failure{
		{From: 0, To: 1, At: 0}, {From: 3, To: 4, At: units.Second}, {GPU: true, From: 2, To: 2, At: 5 * units.Microsecond},
	}})
	if s.Survives() || len(s.Failures) != 3 {
		t.Fatalf("%+v", s.Failures)
	}
	if f := s.Failures[1]; f.Failure != "link:3-4@1s" || f.Transfers != 0 || len(f.Steps) != 0 || f.AtNs != 1e9 {
		t.Errorf("after the end: %+v", f)
	}
	transfers, size := 0, int64(0)
	for _, step := range s.Failures[0].Steps {
		transfers += len(step.Transfers)
		for _, lost := range step.Transfers {
			size += lost.Bytes
		}
		if step.From != 0 || step.To != 1 {
			t.Errorf("step %d fails on %d -> %d", step.Index, step.From, step.To)
		}
	}
	if f := s.Failures[0]; f.Transfers != transfers || f.Bytes != size || f.Steps[0].Index != 1 || f.Steps[0].AtNs != p.Fabric.Alpha.Time() {
		t.Errorf("from the start: %+v", f)
	}
	// Every transfer over the circuit is lost, and no other.
	for _, step := range s.Failures[0].Steps {
		if want := crossing(p, step.Index, 0, 1); len(step.Transfers) != want {
			t.Errorf("step %d loses %d transfers, not %d", step.Index, len(step.Transfers), want)
		}
	}
	s.Failures = nil
	if encode(t, s) != healthy {
		t.Error("what does not fail is not told as without failures")
	}
	for want, r := range map[string]lightpath.SimulateRequest{
		"no node 16":   {Fail: []replay.Failure{{From: 1, To: 16}}},
		"level packet": {Fail: []replay.Failure{{From: 1, To: 2}}, Level: sim.FlowLevel},
		"the symmetry": {Fail: []replay.Failure{{From: 1, To: 2}}, Orbit: true},
	} {
		r.Plan = p
		if r.Level == "" {
			r.Level = sim.PacketLevel
		}
		if _, err := lightpath.Simulate(t.Context(), r); err == nil || !strings.HasPrefix(err.Error(), "fail") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// TestALinkThatIsNotThereCannotFail: otherwise traffic would seem to survive the failure.
func TestALinkThatIsNotThereCannotFail(t *testing.T) {
	t.Parallel()
	r := lightpath.SimulateRequest{Topology: "UniRing(1,8)", Traffic: []sim.Flow{{Src: 0, Dst: 3, Bytes: 1}}}
	for want, f := range map[string]replay.Failure{
		"fail[0]: link:0-5@0ns: there is never a circuit between 0 and 5": {From: 0, To: 5},
		"fail[0]: link:1>0@0ns: there is never a circuit from 1 to 0":     {From: 1, To: 0, OneWay: true},
		"": {From: 1, To: 0},
	} {
		r.Fail = []replay.Failure{f}
		_, err := lightpath.Simulate(t.Context(), r)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// crossing counts the transfers of a step over a circuit.
func crossing(p *plan.Plan, index, from, to int) int {
	count := 0
	for _, step := range p.Steps() {
		if step.Index != index {
			continue
		}
		for t := range step.All(p.Collective.Space) {
			for _, r := range t.Routes {
				for h := 1; h < len(r.Path); h++ {
					if int(r.Path[h-1]) == from && int(r.Path[h]) == to {
						count++
					}
				}
			}
		}
	}
	return count
}

func TestSimulatedTraffic(t *testing.T) {
	t.Parallel()
	// Two messages of two packets each from 0 to 2 and one from 1 to 2, at 1us per packet and
	// hops of 1us: 0 -> 1 sends until 4us, so that these packets reach 1 at 2, 3, 4 and
	// 5us; 1 -> 2 is busy with its own until 2us, and sends them as they come.
	delta := units.Microsecond
	request := lightpath.SimulateRequest{
		Topology: "DC(3;1)", Bandwidth: 8 * units.Gbps, Delta: &delta, Packet: 1000,
		Traffic: []sim.Flow{
			{Src: 0, Dst: 2, Bytes: 2000}, {Src: 0, Dst: 2, Bytes: 2000, Start: units.Microsecond}, {Src: 1, Dst: 2, Bytes: 2000},
		},
	}
	var links, trace bytes.Buffer
	s, err := lightpath.Simulate(t.Context(), request, lightpath.WithLinks(&links), lightpath.WithTrace(&trace))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema       string  `json:"schema"`
		CompletionNs float64 `json:"completion_ns"`
		ArrivalSumPs int64   `json:"arrival_sum_ps"`
		PacketHops   int     `json:"packet_hops"`
		Events       int     `json:"events"`
		WallNs       *int    `json:"wall_ns"`
		Flows        []struct {
			Src, Dst, Bytes int
			StartNs         float64 `json:"start_ns"`
			CompletionNs    float64 `json:"completion_ns"`
		} `json:"flows"`
		Links []struct{ From, To, Bytes, Packets int } `json:"links"`
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	// Arrivals: 2 and 3us from 1; 4, 5, 6 and 7us from 0.
	if got.Schema != lightpath.SimulateSchema || got.CompletionNs != 7000 || got.ArrivalSumPs != 27_000_000 || got.PacketHops != 10 || got.WallNs == nil {
		t.Errorf("%s", text)
	}
	if fmt.Sprint(got.Flows) != "[{0 2 2000 0 5000} {0 2 2000 1000 7000} {1 2 2000 0 3000}]" {
		t.Errorf("flows %v", got.Flows)
	}
	if fmt.Sprint(got.Links) != "[{0 1 4000 4} {1 2 6000 6} {2 0 0 0}]" {
		t.Errorf("links %v", got.Links)
	}
	if rows, err := csv.NewReader(&links).ReadAll(); err != nil || len(rows) != 4 || rows[2][3] != "6000" {
		t.Errorf("CSV %v, %v", rows, err)
	}
	if !json.Valid(trace.Bytes()) {
		t.Errorf("trace %.100s", trace.Bytes())
	}
	if strings.Contains(string(text), "explanation") || strings.Contains(string(text), "predicted") {
		t.Errorf("there is no plan to compare with: %s", text)
	}
	request.Fail = []replay.Failure{{From: 1, To: 2, At: 5500 * units.Nanosecond}}
	if s, err = lightpath.Simulate(t.Context(), request); err != nil || s.Survives() || s.Failures[0].Transfers != 1 {
		t.Errorf("%v, %+v", err, s)
	}
	request.Level = sim.FlowLevel
	request.Fail = nil
	if s, err = lightpath.Simulate(t.Context(), request); err != nil || s.ArrivalSumPs != nil || s.PacketHops != 0 {
		t.Errorf("flow level: %v, %+v", err, s)
	}
}

func TestCutThroughNeedsDelta(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, func(f *fabric.Fabric) { f.Delta = 0 })
	request := lightpath.SimulateRequest{
		Topology: "DC(3;1)", Traffic: []sim.Flow{}, Bandwidth: units.Gbps, Delta: new(units.Duration), Forwarding: fabric.CutThrough,
	}
	_, planErr := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p, Level: sim.PacketLevel})
	_, trafficErr := lightpath.Simulate(t.Context(), request)
	for _, err := range []error{planErr, trafficErr} {
		if err == nil || !strings.Contains(err.Error(), "delta_ns: ") || !strings.Contains(err.Error(), "1ps") {
			t.Error(err)
		}
	}
	if s := simulate(t, lightpath.SimulateRequest{Plan: p, Level: sim.FlowLevel}); s.CompletionNs <= 0 {
		t.Error(s.CompletionNs)
	}
	stored := simulatedPlan(t, func(f *fabric.Fabric) { f.Delta, f.Forwarding = 0, fabric.StoreAndForward })
	if s := simulate(t, lightpath.SimulateRequest{Plan: stored}); s.CompletionNs <= 0 {
		t.Error(s.CompletionNs)
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestSimulationReportsWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, nil)
	for name, option := range map[string]lightpath.Option{"trace": lightpath.WithTrace(full{}), "links": lightpath.WithLinks(full{})} {
		if _, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p}, option); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSimulationStopsAndReportsProgress(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, nil)
	last, total := -1, 0
	_, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p}, lightpath.WithProgress(func(done, all int) {
		if done < last || done > all {
			t.Errorf("%d of %d after %d", done, all, last)
		}
		last, total = done, all
	}))
	if err != nil || last < 0 || total == 0 {
		t.Errorf("%v; %d of %d", err, last, total)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lightpath.Simulate(ctx, lightpath.SimulateRequest{Plan: p, Level: sim.PacketLevel}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSimulateVerifiesThePlan(t *testing.T) {
	t.Parallel()
	p := simulatedPlan(t, nil)
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var read plan.Plan
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if encode(t, simulate(t, lightpath.SimulateRequest{Plan: &read})) != encode(t, simulate(t, lightpath.SimulateRequest{Plan: p})) {
		t.Error("a plan that was read is not simulated like itself")
	}
	broken := strings.Replace(string(text), `"action":"reduce"`, `"action":"copy"`, 1)
	if err := json.Unmarshal([]byte(broken), &read); err != nil {
		t.Fatal(err)
	}
	var wrong *lightpath.IncorrectPlanError
	if _, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: &read}); !errors.As(err, &wrong) {
		t.Error(err)
	}
	if _, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: &read}, lightpath.WithVerifiedPlans()); err != nil {
		t.Errorf("a plan that is said to be verified is verified: %v", err)
	}
}

// TestPlansAreSimulatedAtTheirPace: where routes merge, packets that all start at once take
// 22.7% longer than the plan. At the plan's rates, the default, they do not. Traffic has no
// plan, and so no pace.
func TestPlansAreSimulatedAtTheirPace(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 32, 3
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Planner: "static", Operations: []lightpath.Operation{
		{Op: collective.AllToAll, Algorithm: "retri", Size: 4 * units.MiB},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for pace, most := range map[replay.Pace]float64{"": 1.0015, replay.PaceMerging: 1.0015, replay.PaceOn: 1.0015, replay.PaceOff: 1.23} {
		s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p, Packet: units.KiB, Pace: pace})
		if err != nil {
			t.Fatal(err)
		}
		if ratio := float64(s.CompletionNs / s.PredictedNs); ratio > most || pace == replay.PaceOff && ratio < 1.22 {
			t.Errorf("pace %q: %.4f times what the plan says", pace, ratio)
		}
	}
	for want, r := range map[string]lightpath.SimulateRequest{
		`pace: "fast" is not one of [merging on off]`: {Plan: p, Pace: "fast"},
		"pace: only with a plan": {
			Topology: "Ring(8)", Traffic: []sim.Flow{{Src: 0, Dst: 3, Bytes: 1}}, Pace: replay.PaceOn,
		},
	} {
		if _, err := lightpath.Simulate(t.Context(), r); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}
