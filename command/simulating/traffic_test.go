package simulating_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/units"
)

// TestTrafficWithOptions: routes, priorities, spreading, reconfigurations, triggers and small
// buffers have their documented effects. A byte takes 1ns on a circuit, and a hop 100ns.
func TestTrafficWithOptions(t *testing.T) {
	t.Parallel()
	delta := 100 * units.Nanosecond
	base := lightpath.SimulateRequest{Topology: "K(4)", Bandwidth: 8 * units.Gbps, Delta: &delta, Packet: 1000}
	two := []sim.Flow{{Src: 0, Dst: 1, Bytes: 2000}, {Src: 0, Dst: 1, Bytes: 1000}}
	for _, c := range []struct {
		name string
		edit func(r *lightpath.SimulateRequest)
		want []units.Time // of completions
	}{
		{"in turn", func(r *lightpath.SimulateRequest) {}, []units.Time{2100, 3100}},
		{"by priority", func(r *lightpath.SimulateRequest) {
			r.Traffic = []sim.Flow{two[0], {Src: 0, Dst: 1, Bytes: 1000, Priority: -1}}
		}, []units.Time{3100, 1100}},
		{"over a third node", func(r *lightpath.SimulateRequest) {
			r.Routes = [][]lightpath.TrafficRoute{{{Path: []int32{0, 2, 1}, Share: 1}}, {}}
		}, []units.Time{3200, 1100}},
		{"split", func(r *lightpath.SimulateRequest) {
			r.Routes = [][]lightpath.TrafficRoute{{{Path: []int32{0, 2, 1}, Share: 0.5}, {Path: []int32{0, 3, 1}, Share: 0.5}}, {}}
		}, []units.Time{2200, 1100}},
		{"rewired", func(r *lightpath.SimulateRequest) {
			r.Topology = "C(4;1)"
			r.Traffic = []sim.Flow{{Src: 0, Dst: 2, Bytes: 1000}, {Src: 0, Dst: 2, Bytes: 1000, Start: 5 * units.Microsecond}}
			r.Rewire = []sim.Rewiring{{At: 4 * units.Microsecond, Dark: units.Microsecond, Topology: "K(4)"}}
		}, []units.Time{2200, 6100}},
		{"triggered", func(r *lightpath.SimulateRequest) {
			r.Triggers = []sim.Trigger{{ID: 1, Kind: sim.OneShot, Starts: []int{0}, Received: []int{1}}}
		}, []units.Time{3200, 1100}},
		{"little room", func(r *lightpath.SimulateRequest) {
			r.Routes = [][]lightpath.TrafficRoute{{{Path: []int32{0, 2, 1}, Share: 1}}, {}}
			r.Buffer = 1000
		}, []units.Time{4400, 1100}},
	} {
		r := base
		r.Traffic = two
		c.edit(&r)
		s, err := lightpath.Simulate(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, want := range c.want {
			if s.Flows[i].CompletionNs != want {
				t.Errorf("%s: message %d arrives at %v, want %v", c.name, i, s.Flows[i].CompletionNs, want)
			}
		}
	}
}

// TestPercentilesOfMessages: of 100 messages that share a circuit in turn, the percentiles of
// the times follow from the messages' positions.
func TestPercentilesOfMessages(t *testing.T) {
	t.Parallel()
	delta := 100 * units.Nanosecond
	r := lightpath.SimulateRequest{Topology: "K(2)", Bandwidth: 8 * units.Gbps, Delta: &delta, Packet: 1000}
	for range 100 {
		r.Traffic = append(r.Traffic, sim.Flow{Src: 0, Dst: 1, Bytes: 1000})
	}
	s, err := lightpath.Simulate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if want := (lightpath.SimulatedTimes{MeanNs: 50_600, P50Ns: 50_100, P90Ns: 90_100, P99Ns: 99_100, MaxNs: 100_100}); *s.FlowTimes != want {
		t.Errorf("%+v, want %+v", *s.FlowTimes, want)
	}
}

// TestSpreadTrafficIsFaster: many messages between two opposite corners of a torus use more
// circuits if they are spread, and end sooner; a seed gives the same result again.
func TestSpreadTrafficIsFaster(t *testing.T) {
	t.Parallel()
	r := lightpath.SimulateRequest{Topology: "Torus(4,4)"}
	for range 50 {
		r.Traffic = append(r.Traffic, sim.Flow{Src: 0, Dst: 10, Bytes: 1 << 20})
	}
	times := map[sim.Spread]units.Time{}
	for _, spread := range []sim.Spread{"", sim.SpreadFlow, sim.SpreadFlow, sim.SpreadSpray} {
		r.Spread = spread
		s, err := lightpath.Simulate(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if before := times[spread]; before != 0 && before != s.CompletionNs {
			t.Errorf("%s: %v and %v", spread, before, s.CompletionNs)
		}
		times[spread] = s.CompletionNs
	}
	if !(times[sim.SpreadSpray] < times[sim.SpreadFlow] && times[sim.SpreadFlow] < times[""]/2) {
		t.Errorf("%v", times)
	}
}

// TestTrafficOptionsThatMakeNoSense: an invalid option is refused, and the error names its field.
func TestTrafficOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	flows := []sim.Flow{{Src: 0, Dst: 1, Bytes: 1000}, {Src: 1, Dst: 2, Bytes: 1000, Priority: 3}}
	raw := lightpath.SimulateRequest{Topology: "K(4)", Traffic: flows[:1]}
	for name, edit := range map[string]func(r *lightpath.SimulateRequest){
		"spread":       func(r *lightpath.SimulateRequest) { r.Spread = "luck" },
		"routes":       func(r *lightpath.SimulateRequest) { r.Routes = make([][]lightpath.TrafficRoute, 3) },
		"buffer_bytes": func(r *lightpath.SimulateRequest) { r.Buffer = 1 },
		"level":        func(r *lightpath.SimulateRequest) { r.Buffer, r.Level = 1<<20, sim.FlowLevel },
		"rewire":       func(r *lightpath.SimulateRequest) { r.Buffer, r.Rewire = 1<<20, []sim.Rewiring{{Topology: "K(4)"}} },
		"rewire[0]":    func(r *lightpath.SimulateRequest) { r.Rewire = []sim.Rewiring{{Topology: "K(5)"}} },
		"traffic":      func(r *lightpath.SimulateRequest) { r.Buffer, r.Traffic = 1<<20, flows },
		"jitter_ns":    func(r *lightpath.SimulateRequest) { r.Buffer, r.Jitter = 1<<20, 1 },
		"triggers": func(r *lightpath.SimulateRequest) {
			*r = lightpath.SimulateRequest{PlanID: "x"}
			r.Triggers = []sim.Trigger{{}}
		},
	} {
		r := raw
		edit(&r)
		var named *lightpath.FieldError
		if err := r.Complete(); !errors.As(err, &named) || named.Path != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	raw.Topology, raw.Traffic, raw.Buffer = "UniRing(1,4)", simtest.Shift(4, 2, 100_000), sim.DefaultPacket
	if _, err := lightpath.Simulate(t.Context(), raw); !errors.Is(err, stepwise.ErrDeadlock) || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
