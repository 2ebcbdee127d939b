package packet_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

var torus = sim.Network{Graph: topology.Torus(16, 16), Bandwidth: 800 * units.Gbps, Delay: 500 * units.Nanosecond}

// TestThreadsDoNotChangeResults: any number of threads gives the same result, to the
// last counter.
func TestThreadsDoNotChangeResults(t *testing.T) {
	flows := simtest.RandomPairs(256, 800, 21000, 3)
	r := rand.New(rand.NewPCG(4, 0))
	for i := range flows {
		flows[i].Start = units.Duration(r.IntN(5)) * units.Microsecond
		flows[i].Priority = int32(r.IntN(4))
	}
	n := torus
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
				got, err := simtest.Traffic(t.Context(), sim.PacketLevel, c.network, flows, c.o)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				} else if !reflect.DeepEqual(got, want) {
					t.Errorf("%d threads give another result than one", threads)
				}
			}
		})
	}
}

// TestThreadsFindTheSameFault: if many packets find no room, the first one is reported, with
// any number of threads.
func TestThreadsFindTheSameFault(t *testing.T) {
	flows := simtest.RandomPairs(256, 800, 21000, 5)
	want := ""
	for _, threads := range []int{1, 2, 4} {
		o := sim.Options{Relay: 20 * units.KiB, Threads: threads}
		_, err := simtest.Traffic(context.Background(), sim.PacketLevel, torus, flows, o)
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
