package replay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/units"
)

func TestFailuresAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]replay.Failure{
		"link:3-4@10us":     {From: 3, To: 4, At: 10 * units.Microsecond},
		"link:3>4@10us":     {From: 3, To: 4, At: 10 * units.Microsecond, OneWay: true},
		"gpu:5@0ns":         {GPU: true, From: 5, To: 5},
		"link:64-0@1.001ns": {From: 64, At: 1001},
		"port:7@1us":        {From: 7, To: 7, At: units.Microsecond, OnePort: true, Port: replay.LastPort},
		"port:7.0@1us":      {From: 7, To: 7, At: units.Microsecond, OnePort: true},
		"port:0.12@0ns":     {OnePort: true, Port: 12},
		"switch:3@2us":      {Switch: true, From: 3, To: 3, At: 2 * units.Microsecond},
	} {
		got, err := replay.ParseFailure(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v (%v), %v", text, got, got, err)
		}
	}
	if got, err := replay.ParseFailure("link:3->4@10us"); err != nil || got.String() != "link:3>4@10us" {
		t.Errorf("the other arrow: %v, %v", got, err)
	}
	for text, want := range map[string]string{"link:3-4": "link:3-4@0ns", "gpu:5": "gpu:5@0ns", "port:7": "port:7@0ns", "port:7/1": "port:7.1@0ns", "port:7.1": "port:7.1@0ns"} {
		if got, err := replay.ParseFailure(text); err != nil || got.String() != want {
			t.Errorf("%s, from the start: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"port:@1us", "port:1/@1us", "port:1/-1@1us", "port:1/x@1us", "port:1/2/3@1us", "port:1.2.3@1us", "port:1.2/3@1us", "port:1.@1us", "port:1-2@1us", "port:/1@1us", "link:3-4@", "@1us",
		"link:3-->4@1us", "link:3>>4@1us", "link:->4@1us", "link:3>@1us", "link:3>-4@1us", "link:3>3@1us",
		"", "link", "link:3@10us", "link:3-3@10us", "link:-3-4@10us", "link:3-x@10us", "link:3-4@10", "link:3-4@-1us",
		"switch:@1us", "switch:1-2@1us", "switch:1/2@1us", "gpu:@1us", "gpu:x@1us", "gpu:1-2@1us", "link:3->@1us", "link:03-4@1us", "link:3-4@1us@2us", "link:99999999999999999999-1@1us",
	} {
		if _, err := replay.ParseFailure(text); err == nil || !strings.Contains(err.Error(), "link:3-4@10us") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := (replay.Failure{From: 3, To: 4}).Check(5); err != nil {
		t.Error(err)
	}
	if err := (replay.Failure{From: 3, To: 5}).Check(5); err == nil || !strings.Contains(err.Error(), "no node 5; nodes are 0 to 4") {
		t.Error(err)
	}
}

func FuzzParseFailure(f *testing.F) {
	for _, text := range []string{"link:3-4@10us", "link:3->4@10us", "link:3>4@10us", "gpu:5@1.5ns", "link:3-4", "gpu:-1@1us", "port:7", "port:7/0@1us"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		failure, err := replay.ParseFailure(text)
		if err != nil {
			return
		}
		again, err := replay.ParseFailure(failure.String())
		if err != nil || again != failure {
			t.Errorf("%q: %v, then %v, %v", text, failure, again, err)
		}
	})
}

// watched simulates a program and returns what failures lose.
func watched(t *testing.T, program sim.Program, delay units.Duration, o sim.Options, failures ...replay.Failure) (*replay.Losses, *sim.Result) {
	t.Helper()
	losses := replay.NewLosses(delay, failures...)
	o.Observer = losses
	result, err := sim.Run(t.Context(), sim.PacketLevel, program, o)
	if err != nil {
		t.Fatal(err)
	}
	return losses, result
}

// TestLossesOfARing: messages of 1us on a ring of three with hops of 1us. Node u sends to the
// next node at once and to the one after it when that is done, so circuit 0 -> 1 carries 0 to 1
// until 1us, 0 to 2 until 2us and 2 to 1 until 3us.
func TestLossesOfARing(t *testing.T) {
	const us = units.Microsecond
	p := &sim.Phase{
		Network: sim.Network{Graph: graph(3, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0}), Bandwidth: 800 * units.Gbps, Delay: us},
	}
	for u := range int32(3) {
		v, w := (u+1)%3, (u+2)%3
		p.Flows = append(p.Flows, sim.Flow{Src: u, Dst: v, Bytes: 100_000}, sim.Flow{Src: u, Dst: w, Bytes: 100_000})
		p.Routes = append(p.Routes, path(u, v), path(u, v, w))
	}
	for _, c := range []struct {
		failure string
		want    string // time, circuit, flows
	}{
		{"link:0->1@0ns", "0us 0 -> 1: 0-1 0-2 2-1"},
		{"link:0->1@0.999us", "0.999us 0 -> 1: 0-1 0-2 2-1"},
		{"link:0->1@1us", "1us 0 -> 1: 0-2 2-1"},
		{"link:0-1@2us", "2us 0 -> 1: 2-1"},
		{"link:1-0@2.5us", "2.5us 0 -> 1: 2-1"},
		{"link:1->0@0us", ""}, // does not exist
		{"link:0-1@3us", ""},
		{"gpu:0@3us", "3us 2 -> 0: 1-0"},                 // what left 2 after 2us is still in flight
		{"gpu:0@1.5us", "1.5us 0 -> 1: 0-2 1-0 2-0 2-1"}, // 2 to 0 left at 1us at the latest
		{"gpu:0@4us", ""},
	} {
		failure, err := replay.ParseFailure(c.failure)
		if err != nil {
			t.Fatal(err)
		}
		losses, result := watched(t, sim.Sequence(p), us, sim.Options{Packet: 100, Forwarding: fabric.CutThrough}, failure)
		if result.Completion != 4*us {
			t.Fatalf("done after %v", result.Completion)
		}
		if got := lost(losses.Of(0)); got != c.want {
			t.Errorf("%s: %q, want %q", c.failure, got, c.want)
		}
	}
}

// TestLossesOfARingWithCredits: the same ring, with sufficient buffers, loses the same.
func TestLossesOfARingWithCredits(t *testing.T) {
	p := &sim.Phase{
		Network: sim.Network{Graph: graph(3, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0}), Bandwidth: 800 * units.Gbps, Delay: units.Microsecond},
	}
	for u := range int32(3) {
		v, w := (u+1)%3, (u+2)%3
		p.Flows = append(p.Flows, sim.Flow{Src: u, Dst: v, Bytes: 100_000}, sim.Flow{Src: u, Dst: w, Bytes: 100_000})
		p.Routes = append(p.Routes, path(u, v), path(u, v, w))
	}
	for _, text := range []string{"link:0->1@0ns", "link:0->1@0.999us", "link:0->1@1us", "link:0-1@2.5us", "link:0-1@3us", "gpu:0@3us", "gpu:0@1.5us", "gpu:0@4us"} {
		failure, err := replay.ParseFailure(text)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := watched(t, sim.Sequence(p), units.Microsecond, sim.Options{Packet: 100, Forwarding: fabric.CutThrough}, failure)
		losses := replay.NewLosses(units.Microsecond, failure)
		config := stepwise.Config{Packet: 100, Forwarding: fabric.CutThrough, Buffer: 300_000, Observer: losses}
		if _, err := stepwise.Run(t.Context(), p, nil, config); err != nil {
			t.Fatal(err)
		}
		if got, want := lost(losses.Of(0)), lost(want.Of(0)); got != want {
			t.Errorf("%s: %q, without credits %q", text, got, want)
		}
	}
}

// TestLossesWithoutBarriers: if barriers cost nothing, the same is lost without them, step by
// step.
func TestLossesWithoutBarriers(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	p := makePlan(t, f, "allreduce/recursive-doubling", 64*units.KiB, "harvest", "", "")
	some := 0
	for _, text := range []string{"link:0-1@0ns", "link:0-1@3us", "link:2->3@4us", "gpu:5@2us", "gpu:5@6us", "gpu:0@1ms"} {
		failure, err := replay.ParseFailure(text)
		if err != nil {
			t.Fatal(err)
		}
		want, result := watched(t, replay.Paced(p, replay.PaceMerging), f.Delta, sim.Options{Forwarding: f.Forwarding}, failure)
		losses := replay.NewLosses(f.Delta, failure)
		free, err := replay.RunAsynchronous(t.Context(), p, replay.PaceMerging, sim.Options{Forwarding: f.Forwarding, Observer: losses})
		if err != nil {
			t.Fatal(err)
		}
		if free.Completion != result.Completion {
			t.Fatalf("%v without barriers, %v with them", free.Completion, result.Completion)
		}
		losses.Finish(p)
		if got, want := fmt.Sprint(losses.Of(0)), fmt.Sprint(want.Of(0)); got != want {
			t.Errorf("%s: %s, with barriers %s", text, got, want)
		}
		some += len(losses.Of(0))
	}
	if some < 5 {
		t.Errorf("only %d steps lose something", some)
	}
}

// lost writes what a single phase loses.
func lost(phases []replay.LostPhase) string {
	switch len(phases) {
	case 0:
		return ""
	case 1:
	default:
		return fmt.Sprint(phases)
	}
	text := fmt.Sprintf("%gus %d -> %d:", float64(phases[0].At)/1e6, phases[0].From, phases[0].To)
	var flows []string
	for _, f := range phases[0].Flows {
		flows = append(flows, fmt.Sprintf("%d-%d", f.Src, f.Dst))
	}
	return text + " " + strings.Join(flows, " ")
}

// TestLossesAreWhereTheSimulatorFails compares Losses with the simulator itself, which stops at
// the first packet that finds its circuit down: in every phase, both find a loss or neither
// does.
func TestLossesAreWhereTheSimulatorFails(t *testing.T) {
	plans := map[string]*plan.Plan{}
	f := fabric.Default()
	f.Nodes = 8
	plans["harvest"] = makePlan(t, f, "allreduce/recursive-doubling", 64*units.KiB, "harvest", "", "")
	f.Ports = 2
	plans["merging"] = makePlan(t, f, "alltoall/direct", 64*units.KiB, "harvest", "", "")
	f.Forwarding = fabric.StoreAndForward
	plans["stored"] = makePlan(t, f, "alltoall/retri", 64*units.KiB, "static", "", "")
	for name, p := range plans {
		o := sim.Options{Packet: 1000, Forwarding: p.Fabric.Forwarding}
		healthy, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), o)
		if err != nil {
			t.Fatal(err)
		}
		var failures []replay.Failure
		for i := range 12 {
			at := healthy.Completion * units.Duration(i) / 10
			failures = append(failures,
				replay.Failure{From: i % 8, To: (i + 1) % 8, At: at}, replay.Failure{From: (i + 1) % 8, To: i % 8, At: at, OneWay: true},
				replay.Failure{From: 0, To: 2, At: at}, replay.Failure{GPU: true, From: i % 8, To: i % 8, At: at})
		}
		losses, _ := watched(t, replay.Program(p), p.Fabric.Delta, o, failures...)
		found := 0
		for i, failure := range failures {
			found += checkLosses(t, name, p, failure, losses.Of(i), healthy, o)
		}
		if found < 10 {
			t.Errorf("%s: only %d phases lose something", name, found)
		}
	}
}

// checkLosses runs every phase with a failure and returns how many lose something.
func checkLosses(t *testing.T, name string, p *plan.Plan, failure replay.Failure, lost []replay.LostPhase, healthy *sim.Result, o sim.Options) int {
	t.Helper()
	i, found := 0, 0
	for phase := range replay.Program(p) {
		begin := healthy.Phases[i].Traffic
		for e := range phase.Network.Graph.Edges() {
			at, hit := failure.At, e.From == failure.From && e.To == failure.To
			switch {
			case failure.GPU:
				hit = e.From == failure.From || e.To == failure.From
				if e.To == failure.From { // what is in flight is lost, too
					at -= p.Fabric.Delta
				}
			case !failure.OneWay:
				hit = hit || e.From == failure.To && e.To == failure.From
			}
			if hit {
				phase.Failures = append(phase.Failures, sim.Failure{At: max(0, at-begin), From: e.From, To: e.To})
			}
		}
		_, err := sim.Run(t.Context(), sim.PacketLevel, sim.Sequence(phase), o)
		if err != nil && !errors.Is(err, sim.ErrFailed) {
			t.Fatal(err)
		}
		loses := len(lost) > 0 && lost[0].Phase == i
		if (err != nil) != loses {
			t.Errorf("%s, %v, phase %d: the simulator says %v, Losses %v", name, failure, i, err, lost)
		}
		if loses {
			if len(lost[0].Flows) == 0 || lost[0].Bytes() <= 0 || lost[0].At < failure.At && !failure.GPU {
				t.Errorf("%s, %v, phase %d: %+v", name, failure, i, lost[0])
			}
			found++
			lost = lost[1:]
		}
		i++
	}
	return found
}

// TestSeveralFailuresAreAlone: what one failure loses does not depend on other failures.
func TestSeveralFailuresAreAlone(t *testing.T) {
	p := merging()
	a := replay.Failure{From: 0, To: 2, At: units.Microsecond}
	b := replay.Failure{GPU: true, From: 3, To: 3}
	o := sim.Options{Forwarding: fabric.CutThrough}
	together, _ := watched(t, sim.Sequence(p), 1, o, a, b)
	for i, failure := range []replay.Failure{a, b} {
		alone, _ := watched(t, sim.Sequence(p), 1, o, failure)
		if got, want := fmt.Sprint(together.Of(i)), fmt.Sprint(alone.Of(0)); got != want {
			t.Errorf("%v: %s, alone %s", failure, got, want)
		}
	}
}

// TestLossesOverParallelCircuits: a failure takes all circuits between two nodes.
func TestLossesOverParallelCircuits(t *testing.T) {
	p := &sim.Phase{
		Network: sim.Network{Graph: graph(2, [2]int{0, 1}, [2]int{0, 1}), Bandwidth: 800 * units.Gbps, Delay: 1},
		Flows:   []sim.Flow{{Src: 0, Dst: 1, Bytes: 400}, {Src: 0, Dst: 1, Bytes: 200}},
		Routes:  [][]flow.Route{path(0, 1), path(0, 1)},
	}
	// Packets of 1ns leave two at a time, so the first message needs 2ns.
	losses, _ := watched(t, sim.Sequence(p), 1, sim.Options{Packet: 100}, replay.Failure{From: 0, To: 1, At: 2000}, replay.Failure{From: 0, To: 1, At: 1999})
	if got := lost(losses.Of(0)); got != "0.002us 0 -> 1: 0-1" {
		t.Error(got)
	}
	if got := lost(losses.Of(1)); got != "0.001999us 0 -> 1: 0-1 0-1" {
		t.Error(got)
	}
}
