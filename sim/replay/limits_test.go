package replay_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// rng makes the phases of one test, always the same.
type rng struct{ *rand.Rand }

// network draws circuits of a speed that leaves fractions of picoseconds, or not.
func (r rng) network(g *topology.Graph) sim.Network {
	return sim.Network{
		Graph:     g,
		Bandwidth: []units.Bandwidth{800 * units.Gbps, 600 * units.Gbps, 7 * units.Gbps}[r.IntN(3)],
		Delay:     []units.Duration{1, 20 * units.Nanosecond, 5 * units.Microsecond}[r.IntN(3)],
	}
}

// shares draws n shares. Some may be 0.
func (r rng) shares(n int) []float64 {
	shares := make([]float64, n)
	sum := 0.0
	for i := range shares {
		shares[i] = float64(r.IntN(4))
		sum += shares[i]
	}
	for i := range shares {
		if shares[i] /= sum; sum == 0 {
			shares[i] = 1 / float64(n)
		}
	}
	return shares
}

// scattered draws flows over random paths of a complete graph with up to most parallel circuits.
// They use only part of the graph.
func (r rng) scattered(most int) *sim.Phase {
	n := 3 + r.IntN(6)
	var edges []topology.Edge
	for u := range n {
		for v := range n {
			if u != v {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1 + r.IntN(most)})
			}
		}
	}
	p := &sim.Phase{Network: r.network(topology.New(n, "", edges))}
	for range 1 + r.IntN(12) {
		src, dst := r.IntN(n), r.IntN(n)
		if src == dst {
			continue
		}
		var routes []flow.Route
		for _, share := range r.shares(1 + r.IntN(3)) {
			between := slices.DeleteFunc(r.Perm(n), func(u int) bool { return u == src || u == dst })
			path := []int32{int32(src)}
			for _, u := range between[:r.IntN(len(between)+1)] {
				path = append(path, int32(u))
			}
			routes = append(routes, flow.Route{Path: append(path, int32(dst)), Share: share})
		}
		p.Flows = append(p.Flows, sim.Flow{Src: int32(src), Dst: int32(dst), Bytes: units.Bytes(1 + r.IntN(100_000))})
		p.Routes = append(p.Routes, routes)
	}
	return p
}

// rotated draws flows that look the same from every node of a circulant graph.
func (r rng) rotated() *sim.Phase {
	n := 5 + r.IntN(8)
	jumps := r.Perm(n - 1)[:1+r.IntN(2)]
	for i := range jumps {
		jumps[i]++
	}
	p := &sim.Phase{Network: r.network(topology.DirectedCirculant(n, jumps...)), Group: topology.Rotations(n, 1)}
	for range 1 + r.IntN(4) {
		path := []int32{0}
		for range 1 + r.IntN(n-1) {
			next := (path[len(path)-1] + int32(jumps[r.IntN(len(jumps))])) % int32(n)
			if slices.Contains(path, next) {
				break
			}
			path = append(path, next)
		}
		if len(path) == 1 {
			continue
		}
		dst := path[len(path)-1]
		p.Flows = append(p.Flows, sim.Flow{Src: 0, Dst: dst, Bytes: units.Bytes(1 + r.IntN(100_000))})
		p.Routes = append(p.Routes, []flow.Route{{Path: path, Share: 1}})
	}
	return p
}

// chained draws flows that all go round the same ring: no queue has two feeders.
func (r rng) chained() *sim.Phase {
	n := 4 + r.IntN(6)
	p := &sim.Phase{Network: r.network(topology.DirectedCirculant(n, 1))}
	for range 1 + r.IntN(3*n) {
		path := []int32{int32(r.IntN(n))}
		for range 1 + r.IntN(n-1) {
			path = append(path, (path[len(path)-1]+1)%int32(n))
		}
		p.Flows = append(p.Flows, sim.Flow{Src: path[0], Dst: path[len(path)-1], Bytes: units.Bytes(1 + r.IntN(100_000))})
		p.Routes = append(p.Routes, []flow.Route{{Path: path, Share: 1}})
	}
	return p
}

// simulated returns how long the flows of a phase take.
func simulated(t *testing.T, p *sim.Phase, level sim.Level, o sim.Options) (units.Time, *sim.Result) {
	t.Helper()
	result, err := sim.Run(t.Context(), level, sim.Sequence(p), o)
	if err != nil {
		t.Fatal(err)
	}
	return (result.Completion - result.Phases[0].Traffic).Time(), result
}

// TestLimitsHold: random phases take between Least and Most on both levels with both ways of
// forwarding, and the work of the busiest circuit is Work.
func TestLimitsHold(t *testing.T) {
	r := rng{rand.New(rand.NewPCG(1, 2))}
	tight, merging := 0, 0
	for i := range 400 {
		p := []func() *sim.Phase{
			func() *sim.Phase { return r.scattered(1) }, func() *sim.Phase { return r.scattered(3) }, r.rotated, r.chained,
		}[i%4]()
		for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
			o := sim.Options{Forwarding: forwarding, Packet: []units.Bytes{100, 4096, 1 << 20}[r.IntN(3)]}
			for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
				name := fmt.Sprintf("phase %d, %s, %s, %v", i, forwarding, level, o.Packet)
				limits, err := replay.LimitsOf(p, level, o)
				if err != nil {
					t.Fatal(name, err)
				}
				took, result := simulated(t, p, level, o)
				if took < limits.Least-fluidStep || took > limits.Most+fluidStep {
					t.Errorf("%s: takes %v, not %v to %v", name, took, limits.Least, limits.Most)
				}
				checkWork(t, name, limits, result)
				if limits.Most-limits.Least < picosecond && limits.Hops > 1 {
					tight++
				}
				if limits.Merges {
					merging++
				}
			}
		}
	}
	if tight < 50 || merging < 50 {
		t.Errorf("only %d phases of several hops are known beforehand, and %d merge", tight, merging)
	}
}

// checkWork compares the work of the busiest circuit with the simulator's count. Parallel
// circuits may share whole packets unevenly.
func checkWork(t *testing.T, name string, limits replay.Limits, result *sim.Result) {
	t.Helper()
	busiest, wide := units.Time(0), false
	for _, l := range result.Links {
		busiest = max(busiest, l.Busy.Time()/units.Time(l.Circuits))
		wide = wide || l.Circuits > 1
	}
	most := busiest
	if wide {
		most += limits.Packet
	}
	if limits.Work < busiest-replay.Resolution || limits.Work > most+replay.Resolution {
		t.Errorf("%s: the busiest circuit works %v, not %v", name, busiest, limits.Work)
	}
}

// path is the route of a whole message.
func path(nodes ...int32) []flow.Route { return []flow.Route{{Path: nodes, Share: 1}} }

// graph returns circuits between pairs of nodes.
func graph(nodes int, pairs ...[2]int) *topology.Graph {
	var edges []topology.Edge
	for _, p := range pairs {
		edges = append(edges, topology.Edge{From: p[0], To: p[1], Count: 1})
	}
	return topology.New(nodes, "", edges)
}

// merging is the smallest step that takes longer than the work of its busiest circuit: two
// circuits first send what ends there, then both feed the same third one, which is idle until
// then. A message takes 1us on a circuit, and nothing else takes time.
func merging() *sim.Phase {
	const m = 100_000
	return &sim.Phase{
		Network: sim.Network{
			Graph: graph(4, [2]int{0, 2}, [2]int{1, 2}, [2]int{2, 3}), Bandwidth: 800 * units.Gbps, Delay: 1,
		},
		Flows: []sim.Flow{
			{Src: 0, Dst: 2, Bytes: m}, {Src: 0, Dst: 3, Bytes: m}, {Src: 1, Dst: 2, Bytes: m}, {Src: 1, Dst: 3, Bytes: m},
		},
		Routes: [][]flow.Route{path(0, 2), path(0, 2, 3), path(1, 2), path(1, 2, 3)},
	}
}

// TestMergingRoutesQueue: if circuits merge, packets served in order of arrival take longer
// than the plan says, although every circuit has 2us of work. If senders cut messages into k
// rounds (the plan assumes infinitely many), only 1/k of the difference is left.
func TestMergingRoutesQueue(t *testing.T) {
	o := sim.Options{Packet: 100, Forwarding: fabric.CutThrough}
	p := merging()
	limits, err := replay.LimitsOf(p, sim.PacketLevel, o)
	if err != nil || !limits.Merges || math.Abs(float64(limits.Work-2000)) > 1e-9 {
		t.Fatalf("%+v, %v", limits, err)
	}
	for _, k := range []int{1, 2, 10, 100} {
		took, _ := simulated(t, paced(p, k, 2*units.Microsecond), sim.PacketLevel, o)
		want := 2000 + 1000/units.Time(k) + 2*replay.Resolution // and two hops
		if math.Abs(float64(took-want)) > 1e-9 {
			t.Errorf("in %d rounds: %v, want %v", k, took, want)
		}
	}
}

// paced divides every message into rounds that begin evenly over a time.
func paced(p *sim.Phase, rounds int, over units.Duration) *sim.Phase {
	q := *p
	q.Flows, q.Routes = nil, nil
	for i, f := range p.Flows {
		for j := range rounds {
			piece := f
			piece.Bytes = f.Bytes*units.Bytes(j+1)/units.Bytes(rounds) - f.Bytes*units.Bytes(j)/units.Bytes(rounds)
			piece.Start = over * units.Duration(j) / units.Duration(rounds)
			q.Flows = append(q.Flows, piece)
			q.Routes = append(q.Routes, p.Routes[i])
		}
	}
	return &q
}

// TestFairSharingCanTakeLonger: on a chain of three circuits, two messages of 1us that meet on
// the middle one each share another circuit with four of 0.25us. Until these are done, at
// 1.25us, both are slow there and leave the middle one half idle; then they have 0.75us left
// and share it. No circuit has more than 2us of work, and packet by packet it is done after
// that.
func TestFairSharingCanTakeLonger(t *testing.T) {
	p := &sim.Phase{Network: sim.Network{
		Graph: graph(4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), Bandwidth: 800 * units.Gbps, Delay: 1,
	}}
	add := func(bytes units.Bytes, nodes ...int32) {
		p.Flows = append(p.Flows, sim.Flow{Src: nodes[0], Dst: nodes[len(nodes)-1], Bytes: bytes})
		p.Routes = append(p.Routes, path(nodes...))
	}
	for range 4 {
		add(25_000, 0, 1)
		add(25_000, 2, 3)
	}
	add(100_000, 0, 1, 2)
	add(100_000, 1, 2, 3)
	o := sim.Options{Forwarding: fabric.CutThrough, Packet: 100}
	if took, _ := simulated(t, p, sim.FlowLevel, o); math.Abs(float64(took-2750)) > 0.01 {
		t.Errorf("flow level: %v, want 2.75us", took)
	}
	if took, _ := simulated(t, p, sim.PacketLevel, o); math.Abs(float64(took-2000)) > 0.01 {
		t.Errorf("packet level: %v, want 2us", took)
	}
}

// TestLimitsOfOddPhases: a phase that LimitsOf does not support is an error in one line, not a
// panic.
func TestLimitsOfOddPhases(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(p *sim.Phase, o *sim.Options)
	}{
		{"stay", func(p *sim.Phase, _ *sim.Options) { p.Routes = nil }},
		{"stay", func(p *sim.Phase, _ *sim.Options) { p.Network.Graph = nil }},
		{"stay", func(p *sim.Phase, _ *sim.Options) { p.Failures = make([]sim.Failure, 1) }},
		{"bandwidth of 0", func(p *sim.Phase, _ *sim.Options) { p.Network.Bandwidth = 0 }},
		{"packets of -1", func(_ *sim.Phase, o *sim.Options) { o.Packet = -1 }},
		{"group", func(p *sim.Phase, _ *sim.Options) { p.Group = topology.Rotations(3, 1) }},
		{"not invariant", func(p *sim.Phase, _ *sim.Options) { p.Group = topology.Rotations(4, 1) }},
		{"leads nowhere", func(p *sim.Phase, _ *sim.Options) { p.Routes[0] = path(0) }},
		{"flow 0: -1 bytes", func(p *sim.Phase, _ *sim.Options) { p.Flows[0].Bytes = -1 }},
		{"flow 1: 100000 bytes, start at 5ps", func(p *sim.Phase, _ *sim.Options) { p.Flows[1].Start = 5 }},
		{"flow 0: passes 0 -> 3, where there is no circuit", func(p *sim.Phase, _ *sim.Options) { p.Routes[0] = path(0, 3) }},
		{"flow 0: passes 0 -> 9, outside", func(p *sim.Phase, _ *sim.Options) { p.Routes[0] = path(0, 9) }},
	} {
		p, o := merging(), sim.Options{}
		c.edit(p, &o)
		if _, err := replay.LimitsOf(p, sim.PacketLevel, o); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
	empty := &sim.Phase{Network: sim.Network{Graph: graph(2), Bandwidth: 1}}
	if limits, err := replay.LimitsOf(empty, sim.PacketLevel, sim.Options{}); err != nil || limits != (replay.Limits{}) {
		t.Errorf("nothing to send: %+v, %v", limits, err)
	}
}
