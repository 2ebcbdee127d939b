package plan

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Routed is a transfer as far as its time matters: bytes over routes.
type Routed struct {
	Bytes  float64
	Routes []flow.Route
}

// Mixed is a step that begins during a change of circuits (fabric.OverlapCircuits): transfers
// over circuits that stay up start at once, the others when the change is over.
//
// Transfers are the fluid of CostOf, each at a constant rate, in two parts. In the first part
// the early transfers have the circuits to themselves, and each sends the same fraction of its
// bytes, the largest that the time allows. That time is shorter than the change by the
// propagation of their longest route, because only then have their last bytes left every
// circuit. In the second part the rest of the early transfers shares the circuits with the late
// ones. Each part is a step in the sense of CostOf, so no circuit carries more than it can,
// however routes branch and meet.
type Mixed struct {
	fabric      *fabric.Fabric
	full        StepCost // if all start together
	early, late *sharing
}

// NewMixed divides the transfers of a step on the given circuits into early and late ones. full
// is the step's cost if all start together, circuits gives the properties of the fabric's
// circuits (nil if all are equal), and up says which bundles stay up.
func NewMixed(f *fabric.Fabric, circuits *fabric.Circuits, now *topology.Graph, up func(u, v int) bool, full StepCost, transfers []Routed) *Mixed {
	m := &Mixed{fabric: f, full: full, early: newSharing(f, circuits, now), late: newSharing(f, circuits, now)}
	for _, t := range transfers {
		if overOnly(func(u, v int) bool { return AlwaysUp(f, now, u, v) || up(u, v) }, t.Routes) {
			m.early.add(t)
		} else {
			m.late.add(t)
		}
	}
	return m
}

// Wait returns how much longer the step takes than without a change if it begins while the
// circuits stay dark for the given time. The result is never more than that time. The step
// never ends sooner for beginning later, or for a longer change.
func (m *Mixed) Wait(dark units.Time) units.Time {
	switch {
	case dark <= 0 || m.late.hops == 0:
		return 0
	case m.early.hops == 0:
		return dark
	}
	alone := m.fabric.Bandwidth.Transmit(m.early.bytesWith(m.fabric, nil, 0))
	fraction := 1.0
	if sent := max(0, dark-m.early.flight()); sent < alone {
		fraction = float64(sent / alone)
	}
	together := m.fabric.Bandwidth.Transmit(m.late.bytesWith(m.fabric, m.early, 1-fraction))
	return dark - min(dark, max(0, m.full.Transmission-together))
}

// overOnly reports whether routes use only bundles that are up.
func overOnly(up func(u, v int) bool, routes []flow.Route) bool {
	for _, r := range routes {
		for h := 1; h < len(r.Path); h++ {
			if !up(int(r.Path[h-1]), int(r.Path[h])) {
				return false
			}
		}
	}
	return true
}

// sharing adds up the load that some transfers put on bundles.
type sharing struct {
	fabric   *fabric.Fabric
	circuits *fabric.Circuits // nil if all are equal
	graph    *topology.Graph
	bytes    map[[2]int]float64 // by bundle, fixed link, and into and out of islands by GPU
	pairs    map[[2]int]float64 // by source and target
	dilation float64            // of the slowest route, hop after hop
	hops     int                // of the longest route; 0 if there are no transfers
	way      units.Time         // of the route that takes longest, if circuits differ
}

func newSharing(f *fabric.Fabric, circuits *fabric.Circuits, g *topology.Graph) *sharing {
	return &sharing{fabric: f, circuits: circuits, graph: g, bytes: map[[2]int]float64{}, pairs: map[[2]int]float64{}}
}

// outside stands for the island, in the place of a GPU.
const outside = -1

// on returns the bytes that one circuit of the fabric's bandwidth sends in the time that a
// bundle takes for the given bytes.
func (s *sharing) on(at [2]int, bytes float64) float64 {
	if at[0] == outside || at[1] == outside {
		return bytes * float64(s.fabric.Bandwidth) / float64(s.fabric.Island.Bandwidth)
	}
	if TierOf(s.fabric, s.graph, at[0], at[1]) == OverLink {
		return bytes / float64(s.fabric.FixedCount(at[0], at[1])) * float64(s.fabric.Bandwidth) / float64(s.fabric.FixedBandwidth())
	}
	bytes /= float64(s.graph.Count(at[0], at[1]))
	if s.circuits != nil {
		bandwidth, _ := s.circuits.Of(at[0], at[1])
		bytes *= float64(s.fabric.Bandwidth) / float64(bandwidth)
	}
	return bytes
}

// flight returns how long a byte travels along the longest route.
func (s *sharing) flight() units.Time {
	if s.circuits != nil || s.fabric.Tiered() {
		return s.way
	}
	return s.fabric.Delta.Time() * units.Time(s.hops)
}

func (s *sharing) add(t Routed) {
	for _, r := range t.Routes {
		slowest, way := 0.0, units.Time(0)
		for h := 1; h < len(r.Path); h++ {
			at := [2]int{int(r.Path[h-1]), int(r.Path[h])}
			tier := TierOf(s.fabric, s.graph, at[0], at[1])
			if tier == OverIsland {
				into := [2]int{at[0], outside}
				s.bytes[into] += r.Share * t.Bytes
				s.bytes[[2]int{outside, at[1]}] += r.Share * t.Bytes
				slowest += s.on(into, r.Share*t.Bytes)
				way += s.fabric.IslandDelta().Time()
				continue
			}
			s.bytes[at] += r.Share * t.Bytes
			slowest += s.on(at, r.Share*t.Bytes)
			delay := s.fabric.Delta
			if tier == OverLink {
				delay = s.fabric.FixedDelta()
			} else if s.circuits != nil {
				_, delay = s.circuits.Of(at[0], at[1])
			}
			way += delay.Time()
		}
		s.pairs[[2]int{int(r.Path[0]), int(r.Path[len(r.Path)-1])}] += r.Share * t.Bytes
		s.hops, s.way = max(s.hops, len(r.Path)-1), max(s.way, way)
		s.dilation = max(s.dilation, slowest)
	}
}

// bytesWith returns the bytes that CostOf charges for these transfers together with a fraction
// of others.
func (s *sharing) bytesWith(f *fabric.Fabric, others *sharing, part float64) float64 {
	most := 0.0
	for at, bytes := range s.bytes {
		if others != nil {
			bytes += part * others.bytes[at]
		}
		most = max(most, s.on(at, bytes))
	}
	if f.Forwarding == fabric.StoreAndForward {
		most = max(most, s.dilation)
	}
	if f.CapTheta {
		for pair, bytes := range s.pairs {
			if others != nil {
				bytes += part * others.pairs[pair]
			}
			most = max(most, bytes)
		}
	}
	if others == nil || part <= 0 {
		return most
	}
	for at, bytes := range others.bytes { // bundles that only the others use
		most = max(most, s.on(at, part*bytes))
	}
	if f.Forwarding == fabric.StoreAndForward {
		most = max(most, part*others.dilation)
	}
	if f.CapTheta {
		for _, bytes := range others.pairs {
			most = max(most, part*bytes)
		}
	}
	return most
}

// routed lists every transfer of a step.
func (p *Plan) routed(step *Step) []Routed {
	all := make([]Routed, 0, step.Len())
	for t := range step.All(p.Collective.Space) {
		all = append(all, Routed{p.Bytes(t.Chunks), t.Routes})
	}
	return all
}
