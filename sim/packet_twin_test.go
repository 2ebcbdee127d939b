package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// scene is a random phase with explicit routes of share 1, so that the twin needs no
// routing of its own.
type scene struct {
	phase  *sim.Phase
	routes []twinRoute
}

// sceneKind says what a random phase contains.
type sceneKind struct {
	name       string
	forwarding fabric.Forwarding
	bundles    bool // parallel circuits
	speeds     bool // circuits of different speed and length
	priorities bool
	relay      units.Bytes
	changes    bool
	failures   bool
	dense      bool // so many circuits between 15 nodes that queues have inboxes
}

var sceneKinds = []sceneKind{
	{name: "store-and-forward", forwarding: fabric.StoreAndForward},
	{name: "cut-through", forwarding: fabric.CutThrough},
	{name: "store-and-forward, speeds", forwarding: fabric.StoreAndForward, speeds: true},
	{name: "cut-through, speeds", forwarding: fabric.CutThrough, speeds: true},
	{name: "bundles", forwarding: fabric.StoreAndForward, bundles: true},
	{name: "bundles, cut-through, speeds", forwarding: fabric.CutThrough, bundles: true, speeds: true},
	{name: "priorities", forwarding: fabric.StoreAndForward, priorities: true},
	{name: "priorities, bundles, cut-through, speeds", forwarding: fabric.CutThrough, priorities: true, bundles: true, speeds: true},
	{name: "relay", forwarding: fabric.StoreAndForward, relay: 6 * units.KiB},
	{name: "relay, bundles, speeds", forwarding: fabric.CutThrough, relay: 5 * units.KiB, bundles: true, speeds: true},
	{name: "relay, priorities", forwarding: fabric.StoreAndForward, relay: 5 * units.KiB, priorities: true},
	{name: "changes", forwarding: fabric.StoreAndForward, changes: true},
	{name: "changes, bundles", forwarding: fabric.StoreAndForward, changes: true, bundles: true},
	{name: "changes, priorities", forwarding: fabric.StoreAndForward, changes: true, priorities: true},
	{name: "dense", forwarding: fabric.StoreAndForward, dense: true},
	{name: "dense, cut-through, speeds", forwarding: fabric.CutThrough, speeds: true, dense: true},
	{name: "dense, bundles", forwarding: fabric.StoreAndForward, bundles: true, dense: true},
	{name: "dense, priorities", forwarding: fabric.CutThrough, priorities: true, dense: true},
	{name: "dense, relay", forwarding: fabric.StoreAndForward, relay: 108 * units.KiB, dense: true},
	{name: "failures", forwarding: fabric.CutThrough, failures: true},
	{name: "failures, bundles, speeds", forwarding: fabric.StoreAndForward, failures: true, bundles: true, speeds: true},
}

// TestPacketsEqualTwin: on random circuits, traffic and options, everything that the packet
// level reports equals the result of one event per packet and hop.
func TestPacketsEqualTwin(t *testing.T) {
	for _, kind := range sceneKinds {
		t.Run(kind.name, func(t *testing.T) {
			faults := 0
			for seed := range uint64(80) {
				s := kind.scene(rand.New(rand.NewPCG(seed, 1)))
				o := sim.Options{
					Packet: 1000, Forwarding: kind.forwarding, Priorities: kind.priorities,
					Relay: kind.relay, FlowTimes: true,
				}
				want := twinRun(s.phase, o, len(s.phase.Flows), s.routes)
				got, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(s.phase), o)
				if f, ok := want.fault(); ok {
					faults++
					where := fmt.Sprintf("%d -> %d", f.u, f.v)
					if !f.explains(err) || !strings.Contains(err.Error(), where) || !strings.Contains(err.Error(), units.Duration(f.at).String()) {
						t.Fatalf("seed %d: %v; want %v at %v on %s", seed, err, f.kind, units.Duration(f.at), where)
					}
					continue
				}
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				compare(t, fmt.Sprintf("seed %d", seed), s.phase, got, want)
			}
			if faulty := kind.relay > 0 || kind.changes || kind.failures; faulty && (faults == 0 || faults == 80) {
				t.Errorf("%d of 80 random phases fail: that tests only one case", faults)
			}
		})
	}
}

// compare checks a result against the twin's.
func compare(t *testing.T, name string, p *sim.Phase, got *sim.Result, want *twin) {
	t.Helper()
	last := want.last
	for i := range want.flows {
		start := int64(p.Flows[i/p.Group.Order()].Start)
		want.flows[i] = max(want.flows[i], start)
		last = max(last, start)
		if int64(got.Phases[0].Flows[i]) != want.flows[i] {
			t.Errorf("%s: flow %d is complete at %d ps, want %d", name, i, got.Phases[0].Flows[i], want.flows[i])
		}
	}
	if int64(got.Completion) != last || got.ArrivalSum.Cmp(want.sum) != 0 || got.PacketHops != want.hops {
		t.Errorf("%s: completion %d, sum %d, hops %d; want %d, %d, %d", name,
			got.Completion, got.ArrivalSum, got.PacketHops, last, want.sum, want.hops)
	}
	if got.Events > got.PacketHops {
		t.Errorf("%s: %d events for %d packet-hops", name, got.Events, got.PacketHops)
	}
	for _, l := range got.Links {
		q := want.queue(l.From, l.To)
		if int64(l.Bytes) != q.bytes || l.Packets != q.packets || int64(l.Busy) != q.busy || int64(l.QueuePeak) != q.peak {
			t.Errorf("%s: %+v, want %d bytes, %d packets, busy %d, peak %d", name, l, q.bytes, q.packets, q.busy, q.peak)
		}
		if want.o.Relay > 0 && int(l.RelayPeak) != q.relayPeak {
			t.Errorf("%s: %d -> %d relays up to %d bytes, want %d", name, l.From, l.To, l.RelayPeak, q.relayPeak)
		}
	}
}

// scene draws a phase with up to 7 nodes and 12 flows, or 15 and 26 if it is dense, and with
// times that often coincide.
func (kind sceneKind) scene(r *rand.Rand) scene {
	n := 2 + r.IntN(6)
	if kind.dense {
		n = 15
	}
	p := &sim.Phase{}
	p.Network.Graph = kind.graph(r, n)
	// A packet takes 1us.
	p.Network.Bandwidth, p.Network.Delay = 8*units.Gbps, units.Duration(1+r.IntN(3))*units.Microsecond
	if kind.speeds {
		p.Network.Vary = speeds(r.Uint64())
	}
	s := scene{phase: p}
	flows := 1 + r.IntN(12)
	if kind.dense {
		flows = 26
	}
	if kind.changes {
		kind.addChanges(r, p)
	}
	for range flows {
		path := walk(r, p.Network.Graph)
		if kind.dense { // over a circuit that all flows share
			path = []int32{int32(2 + len(p.Flows)%(n-2)), 0, 1}
		}
		f := sim.Flow{
			Src: path[0], Dst: path[len(path)-1], Bytes: units.Bytes(r.IntN(20) * 500), Priority: int32(r.IntN(3)),
			Start: units.Duration(r.IntN(6)) * units.Microsecond,
		}
		if f.Dst != f.Src && f.Bytes > 0 {
			s.routes = append(s.routes, twinRoute{len(p.Flows), int(f.Bytes), int64(f.Start), path, f.Priority})
		}
		p.Flows = append(p.Flows, f)
		p.Routes = append(p.Routes, []flow.Route{{Path: path, Share: 1}})
	}
	if kind.failures {
		path := p.Routes[r.IntN(flows)][0].Path
		if len(path) > 1 {
			p.Failures = []sim.Failure{{
				At: units.Duration(r.IntN(40)) * units.Microsecond, From: int(path[0]), To: int(path[1]), Circuits: r.IntN(2),
			}}
		}
	}
	return s
}

func (kind sceneKind) graph(r *rand.Rand, n int) *topology.Graph {
	var edges []topology.Edge
	for u := range n {
		edges = append(edges, topology.Edge{From: u, To: (u + 1) % n, Count: 1})
		for v := range n {
			if v != u && (r.IntN(3) == 0 || kind.dense && (v == 0 || u == 0)) {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	g := topology.New(n, "", edges)
	if kind.bundles {
		return g // counts of up to 2 occur by chance
	}
	for i, e := range edges {
		if g.Count(e.From, e.To) > 1 {
			edges[i].Count = 0
			g = topology.New(n, "", edges)
		}
	}
	return g
}

// addChanges rewires twice: some circuits go, others come.
func (kind sceneKind) addChanges(r *rand.Rand, p *sim.Phase) {
	at := units.Duration(0)
	for range 2 {
		at += units.Duration(10+r.IntN(40)) * units.Microsecond
		var edges []topology.Edge
		for e := range p.Network.Graph.Edges() {
			if r.IntN(8) > 0 {
				edges = append(edges, e)
			}
		}
		edges = append(edges, topology.Edge{From: r.IntN(p.Network.Graph.Nodes()), To: 0, Count: 1})
		c := sim.Change{At: at, Delay: units.Duration(r.IntN(3)) * units.Microsecond, Partial: r.IntN(4) > 0}
		c.Graph = topology.New(p.Network.Graph.Nodes(), "", edges)
		p.Changes = append(p.Changes, c)
		at += c.Delay
	}
}

// speeds gives circuits rates that do not divide a packet, and various delays.
func speeds(seed uint64) func(u, v int) (units.Bandwidth, units.Duration) {
	return func(u, v int) (units.Bandwidth, units.Duration) {
		r := rand.New(rand.NewPCG(seed, uint64(u)<<32+uint64(v)))
		rates := []units.Bandwidth{8 * units.Gbps, 16 * units.Gbps, 7 * units.Gbps, 3 * units.Mbps, units.Mbps}
		delays := []units.Duration{1, 500 * units.Nanosecond, 2 * units.Microsecond, 5 * units.Microsecond}
		return rates[r.IntN(len(rates))], delays[r.IntN(len(delays))]
	}
}

// walk returns a route of up to 6 hops. It may pass a node twice.
func walk(r *rand.Rand, g *topology.Graph) []int32 {
	u := r.IntN(g.Nodes())
	path := []int32{int32(u)}
	for range 1 + r.IntN(6) {
		to, _ := g.Row(u)
		u = int(to[r.IntN(len(to))])
		path = append(path, int32(u))
	}
	return path
}
