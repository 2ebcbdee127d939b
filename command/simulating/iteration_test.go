package simulating_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// iterationOf is the plan of a small iteration.
func iterationOf(t *testing.T) *iteration.Document {
	t.Helper()
	llama, err := model.Named("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Ports = 2
	d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Model: llama, Config: parallel.Config{TP: 2, DP: 2, GlobalBatch: 4, Sequence: 512}, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The parts of the difference between a simulated iteration and its plan add up, at both levels
// and through JSON. An iteration does not survive a failure that blocks something.
func TestSimulatedIterations(t *testing.T) {
	d := iterationOf(t)
	request := simulating.SimulateRequest{
		Iteration: d, Slow: []simulating.SlowGPU{{GPU: 1, Factor: 1.25}}, Iterations: 3,
		Fail: []replay.Failure{{GPU: true, From: 2, To: 2}},
	}
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		var read simulating.SimulateRequest
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if read.Level = level; level == sim.FlowLevel {
			read.Fail = nil
		}
		trace := &bytes.Buffer{}
		s, err := simulating.Simulate(t.Context(), read, command.WithTrace(trace))
		if err != nil {
			t.Fatal(err)
		}
		sum := s.PredictedNs
		for _, c := range s.Explanation {
			sum += c.Ns
		}
		if d := float64(sum - s.CompletionNs); d > 1 || d < -1 {
			t.Errorf("%s: %v explained, %v simulated", level, sum, s.CompletionNs)
		}
		if s.CompletionNs <= s.PredictedNs || s.Survives() != (level == sim.FlowLevel) || len(s.Iteration.IterationsNs) != 3 {
			t.Errorf("%s: %v, the plan says %v; survives: %v", level, s.CompletionNs, s.PredictedNs, s.Survives())
		}
		name := filepath.Join(t.TempDir(), "s.json")
		text, err := json.Marshal(s)
		if err == nil {
			err = os.WriteFile(name, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, err := simulating.Load(t.Context(), name); err != nil || again.Iteration == nil || len(again.Iteration.Communications) != len(s.Iteration.Communications) {
			t.Errorf("%s: read back: %+v, %v", level, again, err)
		}
		if !json.Valid(trace.Bytes()) {
			t.Errorf("%s: the trace is not JSON", level)
		}
	}
}

// The error of an invalid request names the wrong field.
func TestWrongRequestsForIterations(t *testing.T) {
	d := iterationOf(t)
	for want, change := range map[string]func(r *simulating.SimulateRequest){
		"slow[0]: there is no GPU 4": func(r *simulating.SimulateRequest) { r.Slow = []simulating.SlowGPU{{GPU: 4, Factor: 2}} },
		"iterations: -1":             func(r *simulating.SimulateRequest) { r.Iterations = -1 },
		"timing: not for":            func(r *simulating.SimulateRequest) { r.Timing = replay.Asynchronous },
		"orbit: not for":             func(r *simulating.SimulateRequest) { r.Orbit = true },
		"fail[0]: ":                  func(r *simulating.SimulateRequest) { r.Fail = []replay.Failure{{GPU: true, From: 9, To: 9}} },
		"fail[0]: port:1.2@0ns: GPU 1": func(r *simulating.SimulateRequest) {
			r.Fail = []replay.Failure{{OnePort: true, From: 1, To: 1, Port: 2}}
		},
		"fail[0]: gpu:1@0ns: no plan goes on without a rank": func(r *simulating.SimulateRequest) {
			r.Replan, r.Fail = true, []replay.Failure{{GPU: true, From: 1, To: 1}}
		},
		"fail[0]: link:1-2@0ns: no plan of an iteration avoids": func(r *simulating.SimulateRequest) {
			r.Replan, r.Fail = true, []replay.Failure{{From: 1, To: 2}}
		},
		"slow[1]: gpu:1:3: GPU 1": func(r *simulating.SimulateRequest) {
			r.Slow = []simulating.SlowGPU{{GPU: 1, Factor: 2}, {GPU: 1, Factor: 3}}
		},
		"replan: nothing fails":       func(r *simulating.SimulateRequest) { r.Replan = true },
		"replan_delay_ns: only with":  func(r *simulating.SimulateRequest) { r.ReplanDelay = 1 },
		"replan: only for":            func(r *simulating.SimulateRequest) { r.Iteration, r.Replan = nil, true },
		"pace: \"x\" is not":          func(r *simulating.SimulateRequest) { r.Pace = "x" },
		"iteration: there is a plan":  func(r *simulating.SimulateRequest) { r.PlanID = "x" },
		"iteration: there is traffic": func(r *simulating.SimulateRequest) { r.Topology = "Ring(4)" },
		"slow: only for": func(r *simulating.SimulateRequest) {
			r.Iteration, r.Slow = nil, []simulating.SlowGPU{{GPU: 1, Factor: 2}}
		},
		"iterations: only for":         func(r *simulating.SimulateRequest) { r.Iteration, r.Iterations = nil, 2 },
		"workload: missing; a summary": func(r *simulating.SimulateRequest) { r.Iteration = d.Summary() },
	} {
		r := simulating.SimulateRequest{Iteration: d}
		change(&r)
		if _, err := simulating.Simulate(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	for _, text := range []string{"", "gpu:5", "gpu:-1:2", "gpu:1:0", "gpu:1:-2", "gpu:1:NaN", "gpu:1:Inf", "gpu:x:2", "port:1:2", "gpu:1:1e9"} {
		if err := new(simulating.SlowGPU).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
