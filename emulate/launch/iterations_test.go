package launch_test

import (
	"context"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// agendaOf plans an iteration of a small model.
func agendaOf(t *testing.T, c parallel.Config, island int) *iteration.Agenda {
	t.Helper()
	f := fabric.Default()
	f.Ports = 2
	if island > 1 {
		f.Island.Size, f.Island.Bandwidth = island, 4*f.Bandwidth
	}
	m := &model.Model{Name: "small", Layers: 4, Hidden: 64, Heads: 4, FFN: 128, Words: 256, Norm: "rms", Length: 32}
	d, err := lightpath.Iterate(t.Context(), lightpath.IterateRequest{Model: m, Config: c, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	a, report, err := iteration.NewAgenda(t.Context(), d)
	if err != nil || a == nil {
		t.Fatal(err, report)
	}
	return a
}

// 64 processes train with tensor, data and pipeline parallelism. Every result is right, and no
// process remains.
func TestSixtyFourProcessesTrain(t *testing.T) {
	a := agendaOf(t, parallel.Config{TP: 4, DP: 4, PP: 4, GlobalBatch: 16}, 4)
	count := samples.Of(64)
	r, err := emulate.Iterate(t.Context(), a, 2, false, emulate.Options{
		Type: number.Int32, Launcher: processes(t), RanksPerProcess: 64 / count, Patience: time.Minute, Rendezvous: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Fault != nil || r.Ranks != 64 || r.Processes != count || r.Island == 0 || len(r.Circuits) == 0 || !r.Exactly {
		t.Errorf("%+v", r)
	}
	if still := left(t); len(still) > 0 {
		t.Errorf("%v are left", still)
	}
}

// Processes train over circuits that a controller sets from a different process than the
// switch's.
func TestProcessesTrainUnderAController(t *testing.T) {
	a := agendaOf(t, parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4}, 1)
	r, err := emulate.Iterate(t.Context(), a, 2, false, emulate.Options{
		Type: number.Int32, Control: "scpi", Launcher: processes(t), Patience: time.Minute, Rendezvous: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Fault != nil || r.Processes != 8 || r.Commands == 0 || r.Results == 0 || !r.Exactly {
		t.Errorf("%+v", r)
	}
	if still := left(t); len(still) > 0 {
		t.Errorf("%v are left", still)
	}
}

// If a rank dies, the iterations end with a fault that names it, and no process remains. None
// remains after an interrupt either.
func TestProcessesOfIterationsEnd(t *testing.T) {
	a := agendaOf(t, parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4}, 1)
	for text, kind := range map[string]fault.Kind{"gpu:3@step:2": fault.Died, "stall:1@step:1": fault.Stalled, "switch@step:2": fault.SwitchDied} {
		injection, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		patience := 20 * time.Second
		if kind == fault.Stalled {
			patience = 2 * time.Second
		}
		r, err := emulate.Iterate(t.Context(), a, 3, false, emulate.Options{Launcher: processes(t), Patience: patience, Rendezvous: time.Minute, Faults: []fault.Injection{injection}})
		if err != nil {
			t.Fatal(err)
		}
		if r.OK || r.Fault == nil || r.Fault.Kind != kind || kind != fault.SwitchDied && r.Fault.Rank != injection.From {
			t.Errorf("%s: %+v", text, r.Fault)
		}
		if still := left(t); len(still) > 0 {
			t.Errorf("%s: %v are left", text, still)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := emulate.Iterate(ctx, a, 100, true, emulate.Options{Launcher: processes(t), Slow: 1e5, Rendezvous: time.Minute, Progress: func(done, _ int) {
		if done > 10 {
			cancel()
		}
	}})
	if err == nil {
		t.Error("an interrupted run has ended well")
	}
	if still := left(t); len(still) > 0 {
		t.Errorf("after an interrupt, %v are left", still)
	}
}
