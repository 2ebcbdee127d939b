package iterating_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// Planning confirms the delays that an explanation names: the share is not exceeded up to that
// delay, but is exceeded at the next delay and at every longer delay tried. One more port takes
// the stated time, which is no longer.
func TestExplainedDelaysAreThoseOfPlanning(t *testing.T) {
	f := fabric.Default()
	f.Ports, f.Reconfig.Base = 1, 100*units.Microsecond
	request := iterating.IterateRequest{Model: named(t, "llama3-8b"), Config: parallel.Config{TP: 2, DP: 2, GlobalBatch: 4, Sequence: 512}, Fabric: f}
	d, err := iterating.Iterate(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	x, err := iterating.Account(t.Context(), d, false, iteration.Best, command.NewRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	at := func(delay units.Duration, ports int) units.Time {
		request.Fabric.Reconfig.Base, request.Fabric.Ports = delay, ports
		d, err := iterating.Iterate(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return d.Iteration
	}
	if x.Delay.Best != d.Iteration || x.Delay.Free != at(0, 1) || x.Port.Iteration != at(100*units.Microsecond, 2) || x.Port.Saved < 0 {
		t.Errorf("%+v, %+v", x.Delay, x.Port)
	}
	const rounding = 1e-6
	for _, threshold := range x.Delay.Thresholds {
		most := x.Delay.Free * units.Time(1+threshold.Overhead)
		if time := at(threshold.UpTo, 1); time > most*(1+rounding) {
			t.Errorf("%+v: %v at %v, free %v", threshold, time, threshold.UpTo, x.Delay.Free)
		}
		if threshold.From == nil {
			t.Fatalf("%+v: there is a delay that costs", threshold)
		}
		for _, times := range []units.Duration{1, 2, 10, 100} {
			if time := at(times**threshold.From, 1); time <= most*(1+rounding/2) {
				t.Errorf("%+v: %v at %v, free %v", threshold, time, times**threshold.From, x.Delay.Free)
			}
		}
	}
}

func named(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A user's model is planned like a published model of the same shape.
func TestIterationsOfAModelByItsShape(t *testing.T) {
	f := fabric.Default()
	f.Ports = 2
	config := parallel.Config{TP: 2, DP: 2, GlobalBatch: 2, Sequence: 512}
	published, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Model: named(t, "llama3-8b"), Config: config, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	shape, err := model.Parse([]byte("layers: 32\nhidden: 4096\nheads: 32\nkv_heads: 8\nffn: 14336\ngated: true\nvocabulary: 128256\nsequence: 8192\n"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Model: shape, Config: config, Fabric: f})
	if err != nil || own.Iteration != published.Iteration {
		t.Errorf("%v, published %v, %v", own.Iteration, published.Iteration, err)
	}
}
