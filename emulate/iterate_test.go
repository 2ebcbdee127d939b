package emulate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// small is a model whose messages are of some kilobytes.
func small(layers int) *model.Model {
	return &model.Model{Name: "small", Layers: layers, Hidden: 64, Heads: 4, FFN: 128, Words: 256, Norm: "rms", Length: 32}
}

// agendas caches the results of agendaOf, because several tests run the same iterations.
var agendas sync.Map

// agendaOf plans an iteration, once.
func agendaOf(t testing.TB, m *model.Model, c parallel.Config, policy string, settings map[string]string) *iteration.Agenda {
	t.Helper()
	key := fmt.Sprintf("%+v %+v %s %v", *m, c, policy, settings)
	if known, ok := agendas.Load(key); ok {
		return known.(*iteration.Agenda)
	}
	f := fabric.Default()
	f.Ports = 2
	for name, value := range settings {
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Model: m, Config: c, Fabric: f, Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	a, err := iterating.Agenda(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	agendas.Store(key, a)
	return a
}

// results counts the results that the ranks of an agenda check in an iteration.
func results(a *iteration.Agenda) int {
	count := 0
	for i := range a.Items {
		if x := &a.Items[i]; x.Op != nil && x.Communicates {
			for _, group := range x.Groups {
				count += len(group)
			}
		}
	}
	return count
}

// Every result of every communication of every iteration is right, over circuits, islands, fixed
// links and relays, under every policy.
func TestIterationsRunWithRightResults(t *testing.T) {
	three := parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4}
	for _, c := range samples.Some([]struct {
		name     string
		config   parallel.Config
		policy   string
		settings map[string]string
	}{
		// The quick one comes first, for the race detector.
		{"phases on one port", three, iteration.Phases, map[string]string{"ports": "1"}},
		{"best", three, iteration.Best, nil},
		{"each without a delay", three, iteration.Each, map[string]string{"reconfig": "0ns"}},
		{"static", three, iteration.Static, map[string]string{"ports": "4"}},
		{"islands", three, iteration.Best, map[string]string{"island": "2", "island-bandwidth": "3600Gbps", "ports": "1"}},
		{"rails", three, iteration.Best, map[string]string{"switches": "rails"}},
		{"two-way", three, iteration.Best, map[string]string{"duplex": "true"}},
		{"dark", three, iteration.Best, map[string]string{"initial": "dark"}},
		{"fixed links", three, iteration.Best, map[string]string{"fixed": "Torus(2,4)", "ports": "1"}},
		{"shared circuits", three, iteration.One, nil},
		{"experts on shared circuits", parallel.Config{DP: 4, EP: 4, GlobalBatch: 4, Skew: "zipf:1"}, iteration.One, nil},
		{"slow", three, iteration.Best, map[string]string{"reconfig": "1ms", "ports": "1"}},
		{"experts", parallel.Config{DP: 4, EP: 4, GlobalBatch: 4}, iteration.Best, nil},
	}) {
		t.Run(c.name, func(t *testing.T) {
			m := small(2)
			if c.config.EP > 1 {
				m.Experts, m.TopK, m.ExpertFFN = 4, 2, 64
			}
			a, rounds := agendaOf(t, m, c.config, c.policy, c.settings), 2
			if a.Fabric.Initial != fabric.InitialFree {
				rounds = 1
			}
			r, err := emulate.Iterate(t.Context(), a, rounds, false, emulate.Options{Type: number.Int32, Patience: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK || r.Fault != nil || r.Results != rounds*results(a) || len(r.Iterations) != rounds || r.Moved == 0 {
				t.Errorf("%+v; want %d results", r, rounds*results(a))
			}
			if strings.Contains(c.name, "islands") && r.Island == 0 || strings.Contains(c.name, "fixed") && r.Fixed == 0 {
				t.Errorf("%d bytes within islands, %d over fixed links", r.Island, r.Fixed)
			}
		})
	}
}

// With the fabric's times, ranks compute and wait, and both ways of computing pass the time.
func TestIterationsTakeTheirTime(t *testing.T) {
	a := agendaOf(t, small(2), parallel.Config{TP: 2, DP: 2, GlobalBatch: 2}, iteration.Best, nil)
	for _, burn := range []bool{false, true} {
		r, err := emulate.Iterate(t.Context(), a, 2, burn, emulate.Options{Slow: 500, Patience: time.Minute})
		if err != nil || !r.OK {
			t.Fatal(err, r.Fault)
		}
		if r.Measured < a.Compute {
			t.Errorf("an iteration takes %v; computations alone take %v", r.Measured, a.Compute)
		}
		for _, k := range r.Kinds {
			if k.Jobs == 0 || k.Measured == 0 || k.Predicted == 0 {
				t.Errorf("%+v", k)
			}
		}
	}
}

// A fault is reported with the iteration and the operation.
func TestFaultsOfIterations(t *testing.T) {
	a := agendaOf(t, small(2), parallel.Config{TP: 2, DP: 2, GlobalBatch: 4}, iteration.Best, nil)
	for text, want := range map[string]fault.Kind{
		"gpu:2@step:2": fault.Died, "restart:1@step:1": fault.Restarted, "clock:1@step:2": fault.Clock, "secret:3@step:1": fault.Secret,
		"switch@step:2": fault.SwitchDied, "link:0-1@step:2": fault.Cut, "garbage:0@step:2": fault.Garbage,
	} {
		injection, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := emulate.Iterate(t.Context(), a, 3, false, emulate.Options{Patience: 20 * time.Second, Faults: []fault.Injection{injection}})
		if err != nil {
			t.Fatal(err)
		}
		if r.OK || r.Fault == nil || r.Fault.Kind != want {
			t.Errorf("%s: %+v", text, r.Fault)
			continue
		}
		if want == fault.Cut && (r.Fault.Step < 2 || r.Fault.Where == "" || !strings.Contains(r.Fault.Error(), fmt.Sprintf("iteration %d, ", r.Fault.Step))) {
			t.Errorf("%s: %v", text, r.Fault)
		}
	}
}

// A run that is interrupted ends, and says so.
func TestInterruptedIterationsEnd(t *testing.T) {
	a := agendaOf(t, small(2), parallel.Config{TP: 2, DP: 2, GlobalBatch: 2}, iteration.Best, nil)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := emulate.Iterate(ctx, a, 50, false, emulate.Options{Slow: 1e6, Patience: time.Minute, Progress: func(int, int) { cancel() }})
	if err == nil || ctx.Err() == nil {
		t.Errorf("%v", err)
	}
}
