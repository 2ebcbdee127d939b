package sim_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// handed is one packet that a node passes to a queue.
type handed struct {
	flow, size, hop int
	at              int64
}

// pacedTwin simulates paced flows with one route each over single circuits of one speed, always
// taking the packet that is passed on next.
func pacedTwin(p *sim.Phase, packet int, cut bool) []int64 {
	tx := func(size int) int64 { return int64(size) * 1000 } // 8 Gbps
	over := spreadTwin(p, packet, cut)
	gaps := make([]int64, len(p.Flows))
	last := map[[2]int]int64{}
	free := map[[2]int32]int64{}
	done := make([]int64, len(p.Flows))
	var waiting []handed
	for i, f := range p.Flows {
		gaps[i] = (over[i]*int64(packet) + int64(f.Bytes) - 1) / int64(f.Bytes)
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

// circuits returns the circuits of a flow's only route.
func circuits(p *sim.Phase, flow int) (list [][2]int32) {
	path := p.Routes[flow][0].Path
	for h := 1; h < len(path); h++ {
		list = append(list, [2]int32{path[h-1], path[h]})
	}
	return list
}

// spreadTwin returns how long each flow of such a phase takes to send. It goes through all
// pairs of flows, where the simulator adds up the loads of circuits.
func spreadTwin(p *sim.Phase, packet int, cut bool) []int64 {
	full := float64(packet) * 1000
	work := func(i int) float64 { return float64(p.Flows[i].Bytes) * 1000 }
	meeting := func(c [2]int32) (flows []int) {
		for i := range p.Flows {
			if slices.Contains(circuits(p, i), c) {
				flows = append(flows, i)
			}
		}
		return flows
	}
	over, farthest, longest := 0.0, 0.0, 0.0
	crossing, waiting := make([]float64, len(p.Flows)), make([]float64, len(p.Flows))
	for i, f := range p.Flows {
		hops := len(circuits(p, i))
		crossing[i] = float64(f.Start) + float64(hops)*float64(p.Network.Delay)
		if !cut {
			crossing[i] += float64(hops-1) * full
		}
		for _, c := range circuits(p, i) {
			sum := 0.0
			for _, j := range meeting(c) {
				sum += work(j)
			}
			over = max(over, sum)
			waiting[i] += float64(len(meeting(c))-1) * full
		}
		farthest, longest = max(farthest, crossing[i]), max(longest, waiting[i])
	}
	times := make([]float64, len(p.Flows))
	for i, f := range p.Flows {
		packets := (int(f.Bytes) + packet - 1) / packet
		times[i] = over + max(0, min(longest, farthest-crossing[i]-waiting[i]-float64(packets)))
	}
	spreads := make([]int64, len(p.Flows))
	for i := range p.Flows {
		fastest := 0.0
		for _, c := range circuits(p, i) {
			tight, room := 0.0, 1.0
			for _, j := range meeting(c) {
				if times[j] > over {
					room -= work(j) / times[j]
				} else {
					tight += work(j)
				}
			}
			fastest = max(fastest, tight/room)
		}
		if spreads[i] = int64(math.Ceil(times[i])); times[i] == over {
			spreads[i] = int64(math.Ceil(min(over, fastest*(1+1e-12))))
		}
	}
	return spreads
}

// TestSlowStreamsMakeRoom: a flow with a short route gives way to one with a long route that
// would otherwise wait for it, and neither ends later than if all sent for as long as the
// busiest circuit works: 0 -> 1 has 20us of work, and the long route ends with it.
func TestSlowStreamsMakeRoom(t *testing.T) {
	p := &sim.Phase{Pace: true, Network: sim.Network{Graph: topology.Complete(4), Bandwidth: 8 * units.Gbps, Delay: 10 * units.Microsecond}}
	for _, path := range [][]int32{{0, 1}, {0, 1, 2, 3}} {
		p.Flows = append(p.Flows, sim.Flow{Src: path[0], Dst: path[len(path)-1], Bytes: 10_000})
		p.Routes = append(p.Routes, []flow.Route{{Path: path, Share: 1}})
	}
	if got := spreadTwin(p, 1000, true); got[0] != 21_000_000 || got[1] != 19_090_910 {
		t.Errorf("sent over %v ps", got) // 10/(1 - 10/21) = 19.09
	}
	r, err := sim.Run(t.Context(), sim.PacketLevel, sim.Sequence(p), sim.Options{Packet: 1000, Forwarding: fabric.CutThrough, FlowTimes: true})
	if err != nil || r.Completion > 50*units.Microsecond {
		t.Errorf("%v, %v", r.Phases[0].Flows, err)
	}
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

// TestPacedPacketsEqualTwin: with pace, every flow is complete when a packet-by-packet
// simulation says so, with any number of threads.
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

// TestPacedOrbitsStandForAll: representatives give the same result as all flows, with any
// number of threads, if streams of one route meet their own images.
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

// TestPacedFlowsTakeTheWorkOfTheBusiest: at flow level two flows that share a circuit take the
// time of both on it, and so does a flow with a circuit to itself.
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
