package sim_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestThreadsDoNotChangeResults: any number of threads gives the same result, to the
// last counter.
func TestThreadsDoNotChangeResults(t *testing.T) {
	flows := sim.RandomPairs(256, 800, 21000, 3)
	r := rand.New(rand.NewPCG(4, 0))
	for i := range flows {
		flows[i].Start = units.Duration(r.IntN(5)) * units.Microsecond
		flows[i].Priority = int32(r.IntN(4))
	}
	n := network(t, "Torus(16,16)")
	doubled := n
	doubled.Graph = topology.Union("", n.Graph, n.Graph)
	for _, c := range []struct {
		name    string
		network sim.Network
		o       sim.Options
	}{
		{"store-and-forward", n, sim.Options{}},
		{"cut-through", n, sim.Options{Forwarding: "cut-through", Skew: sim.Skew{Node: 100 * units.Nanosecond, Seed: 1}}},
		{"priorities", n, sim.Options{Priorities: true}},
		{"bundles", doubled, sim.Options{}},
		{"relay", n, sim.Options{Relay: units.GiB}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want *sim.Result
			for _, threads := range []int{1, 2, 3} {
				c.o.Threads = threads
				got := traffic(t, c.network, flows, c.o)
				if want == nil {
					want = got
				} else if !reflect.DeepEqual(got, want) {
					t.Errorf("%d threads give another result than one", threads)
				}
			}
		})
	}
}

// TestThreadsFindTheSameFault: of many packets that do not find room, the first is
// reported, whatever the number of threads.
func TestThreadsFindTheSameFault(t *testing.T) {
	flows := sim.RandomPairs(256, 800, 21000, 5)
	want := ""
	for _, threads := range []int{1, 2, 4} {
		o := sim.Options{Relay: 20 * units.KiB, Threads: threads}
		_, err := sim.Traffic(context.Background(), sim.PacketLevel, network(t, "Torus(16,16)"), flows, o)
		if !errors.Is(err, sim.ErrRelay) {
			t.Fatal(err)
		}
		if want == "" {
			want = err.Error()
		}
		if err.Error() != want {
			t.Errorf("%d threads: %v; want %s", threads, err, want)
		}
	}
}

// TestSkewIsSeeded: the same seed gives the same delays, another seed others, and no
// node begins later than allowed.
func TestSkewIsSeeded(t *testing.T) {
	n := network(t, "K(8)")
	flows := sim.AllToAll(8, 1)
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
		flows := sim.RandomPairs(64, 4000, 100000, 1)
		for i := range flows {
			flows[i].Bytes += units.Bytes(i) // so that they end one by one
		}
		if _, err := sim.Traffic(ctx, level, network(t, "Torus(8,8)"), flows, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", level, err)
		}
	}
	if calls == 0 {
		t.Error("no progress")
	}
}
