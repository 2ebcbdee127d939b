package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// fairRates computes max-min fairness by its definition, with bundles in bytes per ps: the
// bundle with the least for each of its streams fixes their rates; repeat.
func fairRates(capacity map[[2]int32]float64, paths [][]int32) []float64 {
	rates := make([]float64, len(paths))
	fixed := make([]bool, len(paths))
	for {
		best, least := [2]int32{}, math.Inf(1)
		for link, c := range capacity {
			open := 0
			for i, path := range paths {
				for h := 1; h < len(path); h++ {
					if [2]int32{path[h-1], path[h]} != link {
						continue
					}
					if fixed[i] {
						c -= rates[i]
					} else {
						open++
					}
				}
			}
			if open > 0 && c/float64(open) < least {
				best, least = link, c/float64(open)
			}
		}
		if math.IsInf(least, 1) {
			return rates
		}
		for i, path := range paths {
			for h := 1; h < len(path); h++ {
				if [2]int32{path[h-1], path[h]} == best && !fixed[i] {
					fixed[i], rates[i] = true, max(least, 0)
				}
			}
		}
	}
}

// fluidTwin computes all rates from scratch at every event.
func fluidTwin(p *sim.Phase) []float64 {
	n := len(p.Flows)
	left, done := make([]float64, n), make([]float64, n)
	for i, f := range p.Flows {
		left[i] = float64(f.Bytes)
		if f.Src == f.Dst {
			left[i] = 0
		}
		done[i] = float64(f.Start)
	}
	now := 0.0
	for {
		capacity := map[[2]int32]float64{}
		g := p.Network.Graph
		next := math.Inf(1)
		for _, c := range p.Changes {
			if float64(c.At+c.Delay) <= now {
				g = c.Graph
			} else {
				next = min(next, float64(c.At+c.Delay))
			}
		}
		for e := range g.Edges() {
			capacity[[2]int32{int32(e.From), int32(e.To)}] = float64(e.Count) * float64(p.Network.Bandwidth) / 8e12
		}
		var active []int
		var paths [][]int32
		for i, f := range p.Flows {
			if left[i] > 0 && float64(f.Start) <= now {
				active = append(active, i)
				paths = append(paths, p.Routes[i][0].Path)
			} else if left[i] > 0 {
				next = min(next, float64(f.Start))
			}
		}
		rates := fairRates(capacity, paths)
		for k, i := range active {
			next = min(next, now+left[i]/rates[k])
		}
		if math.IsInf(next, 1) {
			return done
		}
		for k, i := range active {
			left[i] -= rates[k] * (next - now)
			if left[i] < 1e-6 {
				left[i] = 0
				path := p.Routes[i][0].Path
				done[i] = next + float64(len(path)-1)*float64(p.Network.Delay)
			}
		}
		now = next
	}
}

// TestFlowsEqualTwin: on random circuits and traffic, flows are complete when a simulation that
// recomputes all rates at every event says so. Bundles grow and shrink meanwhile.
func TestFlowsEqualTwin(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := sceneKind{bundles: true}.scene(r)
		p := s.phase
		if seed%2 == 0 {
			at := units.Duration(3+r.IntN(20)) * units.Microsecond
			p.Changes = []sim.Change{
				{At: at, Graph: topology.Union("", p.Network.Graph, p.Network.Graph), Partial: true},
				{At: 2 * at, Graph: p.Network.Graph, Partial: true},
			}
		}
		got := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true, Forwarding: "cut-through"})
		for i, want := range fluidTwin(p) {
			if math.Abs(float64(got.Phases[0].Flows[i])-want) > 1.5 {
				t.Fatalf("seed %d: flow %d is complete at %d ps, want %.3f", seed, i, got.Phases[0].Flows[i], want)
			}
		}
	}
}

// TestFlowsShareFairly is the standard example: one long flow over n circuits and a short flow
// on each of them get half each; what a bottleneck elsewhere leaves goes to the others.
func TestFlowsShareFairly(t *testing.T) {
	// 0 -> 1 -> 2 -> 3, and the last has three circuits.
	g := topology.New(4, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}, {From: 2, To: 3, Count: 3}})
	p := &sim.Phase{
		Network: sim.Network{Graph: g, Bandwidth: 8 * units.Gbps}, // 1 byte per ns
		Flows: []sim.Flow{
			{Src: 0, Dst: 3, Bytes: 1000},
			{Src: 0, Dst: 1, Bytes: 1000},
			{Src: 1, Dst: 2, Bytes: 1000},
			{Src: 2, Dst: 3, Bytes: 5000}, // 2.5 of 3 circuits, while the long one has half of one
		},
	}
	r := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true, Forwarding: "cut-through"})
	for i, want := range []units.Duration{2000, 2000, 2000, 2000} {
		if got := r.Phases[0].Flows[i]; got != want*units.Nanosecond {
			t.Errorf("flow %d: %v, want %v", i, got, want*units.Nanosecond)
		}
	}
	if r.Events != 2 {
		t.Errorf("%d events for a start and an end", r.Events)
	}
}

// TestLevelsAgreeOnOneFlow: a single message takes as long at both levels.
func TestLevelsAgreeOnOneFlow(t *testing.T) {
	for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
		for _, size := range []units.Bytes{1, 4096, 5000, 40960, 1e9} {
			for hops := 1; hops < 5; hops++ {
				n := network(t, "UniRing(1,8)")
				p := &sim.Phase{Network: n, Flows: []sim.Flow{{Src: 0, Dst: int32(hops), Bytes: size}}}
				o := sim.Options{Forwarding: forwarding}
				packet, fluid := run(t, sim.PacketLevel, p, o), run(t, sim.FlowLevel, p, o)
				if packet.Completion != fluid.Completion {
					t.Errorf("%s, %v over %d: packets %v, flow %v", forwarding, size, hops, packet.Completion, fluid.Completion)
				}
			}
		}
	}
}

// TestCoarseIsCloseAndFaster: letting flows end together takes far fewer events, and hardly
// changes their ends.
func TestCoarseIsCloseAndFaster(t *testing.T) {
	flows := simtest.RandomPairs(16, 500, 100000, 1)
	for i := range flows {
		flows[i].Bytes += units.Bytes(i * 7919 % 100000)
	}
	p := &sim.Phase{Network: network(t, "Torus(4,4)"), Flows: flows}
	exact := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true})
	coarse := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true, Coarse: 0.01})
	if coarse.Events > exact.Events/2 {
		t.Errorf("%d events instead of %d", coarse.Events, exact.Events)
	}
	for i, want := range exact.Phases[0].Flows {
		if got := coarse.Phases[0].Flows[i]; math.Abs(float64(got-want)) > 0.02*float64(want) {
			t.Errorf("flow %d is complete at %v, exactly %v", i, got, want)
		}
	}
}

// TestFlowLevelFaults: a flow without a circuit is an error at this level, too, and a flow with
// fewer circuits continues.
func TestFlowLevelFaults(t *testing.T) {
	two := topology.New(2, "", []topology.Edge{{From: 0, To: 1, Count: 2}})
	p := sim.Phase{
		Network: sim.Network{Graph: two, Bandwidth: 8 * units.Gbps},
		Flows:   []sim.Flow{{Src: 0, Dst: 1, Bytes: 2000}},
	}
	for _, c := range []struct {
		failures []sim.Failure
		changes  []sim.Change
		want     units.Duration
		err      error
	}{
		{want: units.Microsecond},
		{failures: []sim.Failure{{At: units.Microsecond, From: 0, To: 1}}, want: units.Microsecond},
		{failures: []sim.Failure{{At: 500 * units.Nanosecond, From: 0, To: 1, Circuits: 1}}, want: 1500 * units.Nanosecond},
		{failures: []sim.Failure{{At: 500 * units.Nanosecond, From: 0, To: 1}}, err: sim.ErrFailed},
		{changes: []sim.Change{{At: 500 * units.Nanosecond, Delay: 1, Graph: two}}, err: sim.ErrDark},
		{changes: []sim.Change{{At: 500 * units.Nanosecond, Delay: 1, Graph: two, Partial: true}}, want: units.Microsecond},
	} {
		q := p
		q.Failures, q.Changes = c.failures, c.changes
		r, err := sim.Run(context.Background(), sim.FlowLevel, sim.Sequence(&q), sim.Options{})
		if !errors.Is(err, c.err) || err == nil && r.Completion != c.want {
			t.Errorf("%v %v: %v; want %v, %v", c.failures, c.changes, err, c.want, c.err)
		}
	}
}

// TestFlowLevelMovesEveryByte: circuits carry exactly what routes put on them, with shares that
// do not divide the message.
func TestFlowLevelMovesEveryByte(t *testing.T) {
	g := topology.Complete(4)
	p := &sim.Phase{
		Network: sim.Network{Graph: g, Bandwidth: units.Gbps, Delay: 1},
		Flows:   []sim.Flow{{Src: 0, Dst: 3, Bytes: 10001}},
		Routes:  [][]flow.Route{{{Path: []int32{0, 3}, Share: 0.3}, {Path: []int32{0, 1, 3}, Share: 0.3}, {Path: []int32{0, 2, 3}, Share: 0.4}}},
	}
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		r := run(t, level, p, sim.Options{Packet: 1000})
		got := fmt.Sprint(carried(r, 0, 3), carried(r, 0, 1), carried(r, 1, 3), carried(r, 0, 2), carried(r, 2, 3))
		want := map[sim.Level]string{
			sim.PacketLevel: "3000 3000 3000 4001 4001", // 11 packets: 3, 3 and 5
			sim.FlowLevel:   "3000 3000 3000 4001 4001",
		}[level]
		if got != want {
			t.Errorf("%s: %s bytes, want %s", level, got, want)
		}
	}
}

func carried(r *sim.Result, u, v int) int64 {
	for _, l := range r.Links {
		if l.From == u && l.To == v {
			return int64(l.Bytes)
		}
	}
	return -1
}
