package sim_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/units"
)

// TestSkewIsSeeded: the same seed gives the same delays, another seed others, and no
// node begins later than allowed.
func TestSkewIsSeeded(t *testing.T) {
	n := network(t, "K(8)")
	flows := simtest.AllToAll(8, 1)
	at := func(seed uint64) []units.Duration {
		o := sim.Options{Skew: sim.Skew{Node: 700, Phase: 300, Seed: seed}}
		return traffic(t, n, flows, o).Phases[0].Flows
	}
	first := at(1)
	if !reflect.DeepEqual(first, at(1)) || reflect.DeepEqual(first, at(2)) {
		t.Error("delays do not depend on the seed alone")
	}
	for i, end := range first {
		if delay := end - 500*units.Nanosecond - 10; delay < 0 || delay > 1000 || delay != first[i/7*7]-500*units.Nanosecond-10 {
			t.Errorf("flow %d of node %d begins at %d ps", i, i/7, delay)
		}
	}
}

// TestCancelled: a simulation ends with the error of its context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	o := sim.Options{Progress: func(p sim.Progress) {
		calls++
		if p.Done > p.Total || p.Total == 0 {
			t.Errorf("%+v", p)
		}
		if p.Done > 0 {
			cancel()
		}
	}}
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		flows := simtest.RandomPairs(64, 4000, 100000, 1)
		for i := range flows {
			flows[i].Bytes += units.Bytes(i) // so that they end one by one
		}
		if _, err := simtest.Traffic(ctx, level, network(t, "Torus(8,8)"), flows, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", level, err)
		}
	}
	if calls == 0 {
		t.Error("no progress")
	}
}
