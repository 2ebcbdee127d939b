package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestPhasesFollowEachOther: a phase begins when the previous one has delivered everything; it
// is dark while circuits are set up, and silent during its start-up.
func TestPhasesFollowEachOther(t *testing.T) {
	// Recursive doubling on 8 nodes, with separate circuits for each step.
	var phases []*sim.Phase
	for _, jump := range []int{1, 2, 4} {
		n := sim.Network{Graph: topology.DirectedCirculant(8, jump), Bandwidth: 800 * units.Gbps, Delay: 500 * units.Nanosecond}
		phases = append(phases, &sim.Phase{
			Network: n, Startup: 100 * units.Nanosecond, Flows: simtest.Shift(8, jump, units.Bytes(jump)*4096),
		})
		if jump > 1 {
			phases[len(phases)-1].Reconfiguration = 10 * units.Microsecond
		}
	}
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		r, err := sim.Run(context.Background(), level, sim.Sequence(phases...), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		clock := units.Duration(0)
		for i, p := range r.Phases {
			start, traffic := clock, clock+phases[i].Reconfiguration+phases[i].Startup
			clock = traffic + units.Duration(1<<i)*40960 + 500*units.Nanosecond
			if p.Start != start || p.Traffic != traffic || p.End != clock {
				t.Errorf("%s: phase %d is %+v, want %v, %v, %v", level, i, p, start, traffic, clock)
			}
		}
		if r.Completion != clock || len(r.Links) != 24 {
			t.Errorf("%s: %v, %d links; want %v", level, r.Completion, len(r.Links), clock)
		}
		if l := r.Links[1]; l.From != 0 || l.To != 2 || l.Bytes != 8192 || l.Busy != 81920 {
			t.Errorf("%s: %+v", level, l)
		}
	}
}

// TestLinksAddUpOverPhases: circuits that are there in several phases have one result.
func TestLinksAddUpOverPhases(t *testing.T) {
	n := network(t, "UniRing(1,4)")
	p := &sim.Phase{Network: n, Flows: simtest.Shift(4, 1, 4096)}
	r, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(p, p, p), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Links {
		if l.Bytes != 3*4096 || l.Packets != 3 || l.Busy != 3*40960 || l.QueuePeak != 40960 || l.Circuits != 1 {
			t.Errorf("%+v", l)
		}
	}
	if u := r.Links[0].Utilization(r.Completion); math.Abs(u-40960.0/540960) > 1e-12 {
		t.Errorf("utilization %v", u)
	}
}

// TestNothingToSend: phases without traffic take only their setup; messages without bytes, or
// to their own node, arrive at once.
func TestNothingToSend(t *testing.T) {
	n := network(t, "UniRing(1,4)")
	p := &sim.Phase{
		Network: n, Startup: 5,
		Flows: []sim.Flow{{Src: 1, Dst: 1, Bytes: 9, Start: 7}, {Src: 1, Dst: 2, Start: 8}},
	}
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		r, err := sim.Run(context.Background(), level, sim.Sequence(p, &sim.Phase{Network: n, Reconfiguration: 3}), sim.Options{FlowTimes: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.Phases[0].Flows, r.Phases[0].End, r.Completion, r.PacketHops); got != "[12ps 13ps] 13ps 16ps 0" {
			t.Errorf("%s: %s", level, got)
		}
	}
}

// TestProgramErrorEndsTheRun: an error of a program is returned unchanged.
func TestProgramErrorEndsTheRun(t *testing.T) {
	broken := errors.New("no more phases")
	program := sim.Program(func(yield func(*sim.Phase, error) bool) {
		_ = yield(&sim.Phase{Network: network(t, "UniRing(1,4)")}, nil) && yield(nil, broken)
	})
	if _, err := sim.Run(context.Background(), sim.PacketLevel, program, sim.Options{}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestDarkCircuits: packets may use circuits up to a change and after it, but not during it; in
// a partial change, circuits in both sets stay up.
func TestDarkCircuits(t *testing.T) {
	line := func(count int) *topology.Graph {
		return topology.New(2, "", []topology.Edge{{From: 0, To: 1, Count: count}})
	}
	us := units.Microsecond
	for _, c := range []struct {
		name     string
		start    units.Duration
		changes  []sim.Change
		failures []sim.Failure
		want     string // of the error
	}{
		{"before", 0, []sim.Change{{At: 3 * us, Delay: us, Graph: line(1)}}, nil, ""},
		{"until", us, []sim.Change{{At: 3 * us, Delay: us, Graph: line(1)}}, nil, ""},
		{"under a packet", us + 1, []sim.Change{{At: 3 * us, Delay: us, Graph: line(1)}}, nil, "goes down under a packet of flow 0 that starts at 2.000001us"},
		{"during", 3 * us, []sim.Change{{At: 3 * us, Delay: us, Graph: line(1)}}, nil, "0 -> 1 is down at 3us when a packet of flow 0 would start"},
		{"after", 4 * us, []sim.Change{{At: 3 * us, Delay: us, Graph: line(1)}}, nil, ""},
		{"partial", 2 * us, []sim.Change{{At: 3 * us, Delay: us, Graph: line(1), Partial: true}}, nil, ""},
		{"instant", 2*us + 1, []sim.Change{{At: 3 * us, Graph: line(1)}}, nil, ""},
		{"gone", 4 * us, []sim.Change{{At: 3 * us, Delay: us, Graph: line(0)}}, nil, "circuit is dark: 0 -> 1 is down at 4us"},
		{"failed", 4 * us, nil, []sim.Failure{{At: 3 * us, From: 0, To: 1}}, "circuit has failed: 0 -> 1 is down at 4us"},
		{"fails later", us, nil, []sim.Failure{{At: 3 * us, From: 0, To: 1}}, ""},
		{"another fails", 4 * us, nil, []sim.Failure{{At: 3 * us, From: 1, To: 0}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &sim.Phase{
				Network: sim.Network{Graph: line(1), Bandwidth: 8 * units.Gbps},
				Flows:   []sim.Flow{{Src: 0, Dst: 1, Bytes: 2000, Start: c.start}}, // 1us a packet
				Routes:  [][]flow.Route{{{Path: []int32{0, 1}, Share: 1}}},
				Changes: c.changes, Failures: c.failures,
			}
			r, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(p), sim.Options{Packet: 1000})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "" && r.Completion != c.start+2*us:
				t.Error(r.Completion)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

// TestSharesAreWholePackets: of n packets, floor(n s) take the first route of share s, and the
// last route takes the rest; a route of share 0 gets none.
func TestSharesAreWholePackets(t *testing.T) {
	g := topology.Complete(4)
	direct, over1, over2 := []int32{0, 3}, []int32{0, 1, 3}, []int32{0, 2, 3}
	for _, c := range []struct {
		packets int
		routes  []flow.Route
		want    string
	}{
		{10, []flow.Route{{Path: direct, Share: 1}}, "[10 0 0]"},
		{10, []flow.Route{{Path: direct, Share: 0.5}, {Path: over1, Share: 0.25}, {Path: over2, Share: 0.25}}, "[5 2 3]"},
		{3, []flow.Route{{Path: direct, Share: 1.0 / 3}, {Path: over1, Share: 1.0 / 3}, {Path: over2, Share: 1.0 / 3}}, "[1 1 1]"},
		{1, []flow.Route{{Path: direct, Share: 0.5}, {Path: over1, Share: 0.5}, {Path: over2, Share: 0}}, "[0 1 0]"},
		{7, []flow.Route{{Path: direct, Share: 0}, {Path: over1, Share: 1}}, "[0 7 0]"},
	} {
		p := &sim.Phase{
			Network: sim.Network{Graph: g, Bandwidth: units.Gbps},
			Flows:   []sim.Flow{{Src: 0, Dst: 3, Bytes: units.Bytes(c.packets)*100 - 1}},
			Routes:  [][]flow.Route{c.routes},
		}
		r := run(t, sim.PacketLevel, p, sim.Options{Packet: 100})
		got := fmt.Sprint([]int64{r.Links[2].Packets, r.Links[0].Packets, r.Links[1].Packets})
		if got != c.want || r.Packets != int64(c.packets) {
			t.Errorf("%d packets over %v: %s, want %s", c.packets, c.routes, got, c.want)
		}
	}
}

// TestBadInput: invalid input is an error in one line that names it.
func TestBadInput(t *testing.T) {
	ring := network(t, "UniRing(1,4)")
	for _, c := range []struct {
		want string
		edit func(*sim.Phase, *sim.Options)
	}{
		{"no graph", func(p *sim.Phase, _ *sim.Options) { p.Network.Graph = nil }},
		{"flow 0: src 4 is not one of the nodes 0 to 3", func(p *sim.Phase, _ *sim.Options) { p.Flows[0].Src = 4 }},
		{"flow 0: dst -1", func(p *sim.Phase, _ *sim.Options) { p.Flows[0].Dst = -1 }},
		{"-1 bytes", func(p *sim.Phase, _ *sim.Options) { p.Flows[0].Bytes = -1 }},
		{"starts at -1 ps", func(p *sim.Phase, _ *sim.Options) { p.Flows[0].Start = -1 }},
		{"longer than 53 days", func(p *sim.Phase, _ *sim.Options) { p.Flows[0].Bytes = math.MaxInt64 }},
		{"longer than 53 days", func(p *sim.Phase, _ *sim.Options) { p.Network.Bandwidth = 1; p.Flows[0].Bytes = units.GiB }},
		{"bandwidth of 0 bits", func(p *sim.Phase, _ *sim.Options) { p.Network.Bandwidth = 0 }},
		{"delay of -1 ps", func(p *sim.Phase, _ *sim.Options) { p.Network.Delay = -1 }},
		{"start-up of -1 ps", func(p *sim.Phase, _ *sim.Options) { p.Startup = -1 }},
		{"reconfiguration of", func(p *sim.Phase, _ *sim.Options) { p.Reconfiguration = math.MaxInt64 }},
		{"group: sides [3]", func(p *sim.Phase, _ *sim.Options) { p.Group = topology.Rotations(3, 1) }},
		{"routes for 0 of 1 flows", func(p *sim.Phase, _ *sim.Options) { p.Routes = [][]flow.Route{} }},
		{"sum to 0", func(p *sim.Phase, _ *sim.Options) { p.Routes = [][]flow.Route{nil} }},
		{"sum to 0.5", func(p *sim.Phase, _ *sim.Options) {
			p.Routes = [][]flow.Route{{{Path: []int32{0, 1}, Share: 0.5}}}
		}},
		{"share NaN", func(p *sim.Phase, _ *sim.Options) {
			p.Routes = [][]flow.Route{{{Path: []int32{0, 1}, Share: math.NaN()}}}
		}},
		{"does not lead from 0 to 1", func(p *sim.Phase, _ *sim.Options) {
			p.Routes = [][]flow.Route{{{Path: []int32{0, 2}, Share: 1}}}
		}},
		{"passes 0 -> 3, where there is no circuit", func(p *sim.Phase, _ *sim.Options) {
			p.Routes = [][]flow.Route{{{Path: []int32{0, 3, 0, 1}, Share: 1}}}
		}},
		{"outside a graph of 4 nodes", func(p *sim.Phase, _ *sim.Options) {
			p.Routes = [][]flow.Route{{{Path: []int32{0, 9, 1}, Share: 1}}}
		}},
		{"no circuits lead from 0 to 1", func(p *sim.Phase, _ *sim.Options) { p.Network.Graph = topology.New(4, "", nil) }},
		{"change 0: not a graph of 4 nodes", func(p *sim.Phase, _ *sim.Options) { p.Changes = make([]sim.Change, 1) }},
		{"change 1 begins before", func(p *sim.Phase, _ *sim.Options) {
			p.Changes = []sim.Change{{At: 5, Delay: 5, Graph: p.Network.Graph}, {At: 6, Graph: p.Network.Graph}}
		}},
		{"change 0: at -1 ps", func(p *sim.Phase, _ *sim.Options) { p.Changes = []sim.Change{{At: -1, Graph: p.Network.Graph}} }},
		{"failure 0: no circuit 0 -> 4", func(p *sim.Phase, _ *sim.Options) { p.Failures = []sim.Failure{{To: 4}} }},
		{"failure 0: at -1 ps", func(p *sim.Phase, _ *sim.Options) { p.Failures = []sim.Failure{{At: -1, To: 1}} }},
		{"failure 0: -1 circuits", func(p *sim.Phase, _ *sim.Options) { p.Failures = []sim.Failure{{To: 1, Circuits: -1}} }},
		{"cut-through needs at least 1ps", func(p *sim.Phase, o *sim.Options) { p.Network.Delay, o.Forwarding = 0, "cut-through" }},
		{"forwarding \"x\"", func(_ *sim.Phase, o *sim.Options) { o.Forwarding = "x" }},
		{"packets of -1 bytes", func(_ *sim.Phase, o *sim.Options) { o.Packet = -1 }},
		{"room for -1 bytes", func(_ *sim.Phase, o *sim.Options) { o.Relay = -1 }},
		{"-1 threads", func(_ *sim.Phase, o *sim.Options) { o.Threads = -1 }},
		{"coarseness NaN", func(_ *sim.Phase, o *sim.Options) { o.Coarse = math.NaN() }},
		{"skew", func(_ *sim.Phase, o *sim.Options) { o.Skew.Node = math.MaxInt64 }},
	} {
		p := &sim.Phase{Network: ring, Flows: []sim.Flow{{Src: 0, Dst: 1, Bytes: 1}}}
		var o sim.Options
		c.edit(p, &o)
		_, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(p), o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
	if _, err := sim.Run(context.Background(), "x", sim.Sequence(), sim.Options{}); err == nil {
		t.Error("level x")
	}
	if _, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(nil), sim.Options{}); err == nil {
		t.Error("nil phase")
	}
	if _, err := sim.Run(context.Background(), sim.PacketLevel, nil, sim.Options{}); err == nil {
		t.Error("nil program")
	}
}

// Phases of different tracks run in parallel, and those of one track follow one another; the
// program ends with the last phase.
func TestTracksGoOnBesideEachOther(t *testing.T) {
	var phases []*sim.Phase
	for i, track := range []int{0, 1, 0, 1, 7} {
		n := sim.Network{Graph: topology.DirectedCirculant(8, 1), Bandwidth: 800 * units.Gbps, Delay: 500 * units.Nanosecond}
		phases = append(phases, &sim.Phase{Track: track, Network: n, Reconfiguration: units.Microsecond, Flows: simtest.Shift(8, 1, units.Bytes(1+i)*4096)})
	}
	r, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(phases...), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clocks := map[int]units.Duration{}
	for i, p := range r.Phases {
		clock := clocks[phases[i].Track]
		end := clock + units.Microsecond + units.Duration(1+i)*40960 + 500*units.Nanosecond
		if p.Start != clock || p.End != end {
			t.Errorf("phase %d: from %v to %v, want %v to %v", i, p.Start, p.End, clock, end)
		}
		clocks[phases[i].Track] = end
	}
	if want := max(clocks[0], clocks[1], clocks[7]); r.Completion != want {
		t.Errorf("ends at %v, want %v", r.Completion, want)
	}
}
