package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// handed is one packet that a node hands to a queue.
type handed struct {
	flow, size, hop int
	at              int64
}

// pacedTwin simulates paced flows of one route each over single circuits of one speed:
// always the packet that is handed over next, of all that there are.
func pacedTwin(p *sim.Phase, packet int, cut bool) []int64 {
	tx := func(size int) int64 { return int64(size) * 1000 } // 8 Gbps
	work := map[[2]int32]int64{}
	for i, f := range p.Flows {
		path := p.Routes[i][0].Path
		for h := 1; h < len(path); h++ {
			work[[2]int32{path[h-1], path[h]}] += int64(f.Bytes) * 1000
		}
	}
	over := int64(0)
	for _, w := range work {
		over = max(over, w)
	}
	gaps := make([]int64, len(p.Flows))
	last := map[[2]int]int64{}
	free := map[[2]int32]int64{}
	done := make([]int64, len(p.Flows))
	var waiting []handed
	for i, f := range p.Flows {
		gaps[i] = (over*int64(packet) + int64(f.Bytes) - 1) / int64(f.Bytes)
		at := int64(f.Start)
		for left := int(f.Bytes); left > 0; left -= packet {
			waiting = append(waiting, handed{i, min(left, packet), 0, at})
			at += gaps[i]
		}
	}
	from := func(x *handed) int32 {
		if x.hop == 0 {
			return -1
		}
		return p.Routes[x.flow][0].Path[x.hop-1]
	}
	for len(waiting) > 0 {
		best := 0
		for j := range waiting {
			a, b := &waiting[j], &waiting[best]
			x, y := [4]int64{a.at, int64(from(a)), int64(a.flow), int64(a.hop)}, [4]int64{b.at, int64(from(b)), int64(b.flow), int64(b.hop)}
			for i := range x {
				if x[i] != y[i] {
					if x[i] < y[i] {
						best = j
					}
					break
				}
			}
		}
		x := waiting[best]
		waiting = append(waiting[:best], waiting[best+1:]...)
		path := p.Routes[x.flow][0].Path
		circuit := [2]int32{path[x.hop], path[x.hop+1]}
		start := max(x.at, free[circuit])
		free[circuit] = start + tx(x.size)
		there := start + tx(x.size) + int64(p.Network.Delay)
		if x.hop++; x.hop == len(path)-1 {
			done[x.flow] = max(done[x.flow], there)
			continue
		}
		if cut {
			there -= tx(x.size)
		}
		step := [2]int{x.flow, x.hop}
		if before, ok := last[step]; ok {
			there = max(there, before+gaps[x.flow])
		}
		last[step] = there
		x.at = there
		waiting = append(waiting, x)
	}
	return done
}

// pacedScene draws flows over random routes without loops.
func pacedScene(r *rand.Rand) *sim.Phase {
	n := 4 + r.IntN(4)
	p := &sim.Phase{Pace: true, Network: sim.Network{
		Graph: topology.Complete(n), Bandwidth: 8 * units.Gbps, Delay: units.Duration(1 + r.IntN(3)*1_000_000),
	}}
	for range 1 + r.IntN(12) {
		var path []int32
		for _, u := range r.Perm(n)[:2+r.IntN(n-1)] {
			path = append(path, int32(u))
		}
		p.Flows = append(p.Flows, sim.Flow{
			Src: path[0], Dst: path[len(path)-1], Bytes: units.Bytes(1 + r.IntN(20_000)), Start: units.Duration(r.IntN(2) * r.IntN(9) * 1000),
		})
		p.Routes = append(p.Routes, []flow.Route{{Path: path, Share: 1}})
	}
	return p
}

// TestPacedPacketsEqualTwin: with pace, too, every flow is complete when one packet after
// the other says so, however many threads there are.
func TestPacedPacketsEqualTwin(t *testing.T) {
	for _, forwarding := range []fabric.Forwarding{fabric.StoreAndForward, fabric.CutThrough} {
		for seed := range uint64(150) {
			p := pacedScene(rand.New(rand.NewPCG(seed, 9)))
			want := pacedTwin(p, 1000, forwarding == fabric.CutThrough)
			got, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(p), sim.Options{Packet: 1000, Forwarding: forwarding, FlowTimes: true})
			if err != nil {
				t.Fatal(err)
			}
			for i, at := range got.Phases[0].Flows {
				if int64(at) != want[i] {
					t.Fatalf("%s, seed %d: flow %d is complete at %d, want %d", forwarding, seed, i, at, want[i])
				}
			}
		}
	}
}

// TestPacedOrbitsStandForAll: representatives give what all flows give, with any number of
// threads, where streams of one route meet themselves.
func TestPacedOrbitsStandForAll(t *testing.T) {
	for _, expr := range []string{"BiRing(2,80)", "Torus(8,8)"} {
		n := network(t, expr)
		group, ok := n.Graph.Symmetry()
		if !ok {
			t.Fatal(expr)
		}
		p := &sim.Phase{Network: n, Group: group, Pace: true}
		for to := 1; to < n.Graph.Nodes(); to += 3 {
			p.Flows = append(p.Flows, sim.Flow{Dst: int32(to), Bytes: units.Bytes(5000 + 700*to)})
		}
		var all *sim.Result
		for i, o := range []sim.Options{{Threads: 1}, {Threads: 3}, {Orbit: true}} {
			o.FlowTimes, o.Packet = true, 1000
			r, err := sim.Run(t.Context(), sim.PacketLevel, sim.Sequence(p), o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Events = 0; i == 0 {
				all = r
			} else if !reflect.DeepEqual(r, all) {
				t.Errorf("%s, %+v: %v instead of %v", expr, o, r.Completion, all.Completion)
			}
		}
	}
}

// TestPacedFlowsTakeTheWorkOfTheBusiest: at flow level two flows that share a circuit
// take as long as both on it, and so does one that has a circuit to itself.
func TestPacedFlowsTakeTheWorkOfTheBusiest(t *testing.T) {
	p := &sim.Phase{Network: network(t, "K(4)"), Pace: true, Flows: []sim.Flow{
		{Src: 0, Dst: 1, Bytes: 100_000}, {Src: 0, Dst: 1, Bytes: 300_000}, {Src: 2, Dst: 3, Bytes: 1, Start: 7},
	}}
	r, err := sim.Run(t.Context(), sim.FlowLevel, sim.Sequence(p), sim.Options{FlowTimes: true})
	if got, want := fmt.Sprint(r.Phases[0].Flows), "[4.5us 4.5us 4.500007us]"; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	p.Failures = []sim.Failure{{At: 5, From: 0, To: 1}}
	if _, err := sim.Run(t.Context(), sim.FlowLevel, sim.Sequence(p), sim.Options{}); err == nil {
		t.Error("a circuit that fails is not noticed")
	}
}
