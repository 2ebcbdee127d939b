package plan

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Routed is a transfer as far as time is concerned: bytes over routes.
type Routed struct {
	Bytes  float64
	Routes []flow.Route
}

// Carried returns the part of a delay that is hidden when the transfers of a step need
// not wait for circuits that they do not use (fabric.OverlapCircuits). A bundle of
// circuits stays up if the old topology has at least as many; transfers that use only
// such bundles start at once, the others after the delay. full is the time of the step
// when all of them start together.
//
// On a bundle that both use, early bytes go first; what they have not sent by the end of
// the delay adds to the late ones. Early bytes count as under way only after the
// propagation of their longest route, so the time is never less than it will be.
func Carried(f *fabric.Fabric, old, now *topology.Graph, delay units.Time, full StepCost, transfers []Routed) units.Time {
	early, late := newSharing(now), newSharing(now)
	for _, t := range transfers {
		if staysUp(old, now, t.Routes) {
			early.add(t)
		} else {
			late.add(t)
		}
	}
	if early.load.Hops == 0 {
		return 0
	}
	early.settle()
	end := CostOf(f, early.load, early.largest).Total()
	if late.load.Hops > 0 {
		sent := max(0, delay-f.Delta.Time()*units.Time(early.load.Hops))
		for at, bytes := range early.bytes {
			if _, shared := late.bytes[at]; shared {
				late.bytes[at] += max(0, bytes-float64(now.Count(at[0], at[1]))*float64(sent)/float64(f.Bandwidth.Transmit(1)))
			}
		}
		late.settle()
		end = max(end, delay+CostOf(f, late.load, late.largest).Total())
	}
	return min(delay, max(0, delay+full.Total()-end))
}

func staysUp(old, now *topology.Graph, routes []flow.Route) bool {
	for _, r := range routes {
		for h := 1; h < len(r.Path); h++ {
			u, v := int(r.Path[h-1]), int(r.Path[h])
			if old.Count(u, v) < now.Count(u, v) {
				return false
			}
		}
	}
	return true
}

// sharing adds up what some transfers put on bundles.
type sharing struct {
	graph *topology.Graph
	bytes map[[2]int]float64
	load  flow.Load
	// largest is the bytes of the largest transfer.
	largest float64
}

func newSharing(g *topology.Graph) *sharing {
	return &sharing{graph: g, bytes: map[[2]int]float64{}}
}

func (s *sharing) add(t Routed) {
	s.largest = max(s.largest, t.Bytes)
	for _, r := range t.Routes {
		slowest := 0.0
		for h := 1; h < len(r.Path); h++ {
			at := [2]int{int(r.Path[h-1]), int(r.Path[h])}
			s.bytes[at] += r.Share * t.Bytes
			slowest += r.Share * t.Bytes / float64(s.graph.Count(at[0], at[1]))
		}
		s.load.Hops = max(s.load.Hops, len(r.Path)-1)
		s.load.Dilation = max(s.load.Dilation, slowest)
	}
}

// settle finds the most loaded circuit.
func (s *sharing) settle() {
	for at, bytes := range s.bytes {
		s.load.Peak = max(s.load.Peak, bytes/float64(s.graph.Count(at[0], at[1])))
	}
}

// routed lists every transfer of a step.
func (p *Plan) routed(step *Step) []Routed {
	all := make([]Routed, 0, step.Len())
	for t := range step.All(p.Collective.Space) {
		all = append(all, Routed{p.Bytes(t.Chunks), t.Routes})
	}
	return all
}
