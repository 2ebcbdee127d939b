package sim

import (
	"fmt"
	"iter"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Network is the set of circuits that are up, with their properties.
type Network struct {
	Graph     *topology.Graph
	Bandwidth units.Bandwidth // of one circuit
	Delay     units.Duration  // propagation over one circuit
	// Vary, if not nil, gives the properties of the circuits between two nodes, in place of
	// Bandwidth and Delay.
	Vary func(from, to int) (units.Bandwidth, units.Duration)
	// Cutting, if not 0, is the first node that cuts through even if others store packets: from
	// there on nodes are electrical switches.
	Cutting int
}

// cuts reports whether a node always cuts through.
func (n *Network) cuts(node int) bool { return n.Cutting > 0 && node >= n.Cutting }

// between returns the properties of the circuits between two nodes.
func (n *Network) between(from, to int) (bandwidth units.Bandwidth, delay units.Duration, err error) {
	bandwidth, delay = n.Bandwidth, n.Delay
	if n.Vary != nil {
		bandwidth, delay = n.Vary(from, to)
	}
	if bandwidth <= 0 {
		return 0, 0, traffic.Invalid("circuit %d -> %d has a bandwidth of %d bits per second", from, to, bandwidth)
	}
	if delay < 0 || delay > traffic.Longest {
		return 0, 0, traffic.Invalid("circuit %d -> %d has a delay of %d ps", from, to, delay)
	}
	if delay == 0 && n.cuts(to) {
		return 0, 0, traffic.Invalid("circuit %d -> %d has no delay: cut-through needs at least 1ps", from, to)
	}
	return bandwidth, delay, nil
}

// Flow is a message. If it has no bytes, or goes from a node to itself, it needs no circuit and
// arrives at its start.
type Flow struct {
	Src   int32       `json:"src"`
	Dst   int32       `json:"dst"`
	Bytes units.Bytes `json:"bytes"`
	// Start is when the network gets the whole message, counted from the start of the phase's
	// traffic.
	Start units.Duration `json:"start_ns"`
	// Priority is used with Options.Priorities: the lowest goes first. It can be the index of a
	// chunk.
	Priority int32 `json:"priority,omitempty"`
}

// Change rewires the network while traffic runs. Circuits that change are dark from
// At until At + Delay.
type Change struct {
	At    units.Duration // counted from the start of the phase's traffic
	Delay units.Duration
	Graph *topology.Graph // the circuits after it
	// Partial leaves circuits up that exist before and after; otherwise all are dark. If a bundle
	// changes in size, its first circuits stay.
	Partial bool
}

// Failure takes circuits down for the rest of the phase.
type Failure struct {
	At       units.Duration // counted from the start of the phase's traffic
	From, To int
	Circuits int // how many of the bundle fail, the last ones; 0 is all
}

// Phase is the traffic between two barriers. It begins when the previous phase has delivered
// everything, and ends when all of its own flows are delivered and reduced.
type Phase struct {
	Network Network
	// Track numbers sequences of phases, from 0: a phase begins when the previous one on its track
	// has ended. Phases of different tracks share no circuit, and run in parallel.
	Track           int
	Reconfiguration units.Duration // how long nothing is up at first
	Startup         units.Duration // how long nothing is sent then
	Reduction       units.Duration // how long the phase lasts after its last byte
	Flows           []Flow
	// Routes are the routes of each flow, with shares that add up to 1; a share is rounded to
	// whole packets. Flows with a single route send exact numbers of bytes. Nil sends all flows
	// over shortest paths on the circuits that exist when they start.
	Routes [][]flow.Route
	// Group, if not trivial, says that Flows are representatives: the phase has their images under
	// every element of the group, including routes. Flow i under element k has number
	// i*Group.Order() + k.
	Group topology.Translations
	// Pace spreads every flow evenly over the time of the busiest circuits; see the package
	// comment. At flow level, circuits must not change then.
	Pace     bool
	Changes  []Change // ascending in time
	Failures []Failure
	// Begin, if not nil, is called with the time at which the phase begins, and may then set any
	// other field.
	Begin func(now units.Duration) error
	// End, if not nil, is called when the phase is over with the completion of each flow, in the
	// order of the phase, including images.
	End func(flows []units.Duration)
}

// Count returns the number of flows, including images.
func (p *Phase) Count() int { return len(p.Flows) * p.Group.Order() }

// Program is a sequence of phases. They are made one at a time, as the program runs; an error
// ends the run.
type Program iter.Seq2[*Phase, error]

// Sequence returns the program that consists of the given phases.
func Sequence(phases ...*Phase) Program {
	return func(yield func(*Phase, error) bool) {
		for _, p := range phases {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// ErrPhase is wrapped by errors in a phase.
var ErrPhase = traffic.ErrPhase

// validate reports errors in a phase, except in its routes.
func (p *Phase) validate(o *Options) error {
	if p == nil || p.Network.Graph == nil {
		return traffic.Invalid("no graph")
	}
	n := p.Network.Graph.Nodes()
	if !inTime(p.Reconfiguration) || !inTime(p.Startup) || !inTime(p.Reduction) {
		return traffic.Invalid("reconfiguration of %d ps, start-up of %d ps, reduction of %d ps", p.Reconfiguration, p.Startup, p.Reduction)
	}
	if err := p.Group.Check(n); err != nil {
		return traffic.Invalid("group: %v", err)
	}
	for i, f := range p.Flows {
		if err := f.validate(n); err != nil {
			return traffic.Invalid("flow %d: %v", i, err)
		}
	}
	if p.Routes != nil && len(p.Routes) != len(p.Flows) {
		return traffic.Invalid("routes for %d of %d flows", len(p.Routes), len(p.Flows))
	}
	if err := p.validateEvents(n); err != nil {
		return err
	}
	return p.validateOrbit(o)
}

// inTime reports whether a time is not negative, and short enough that adding a few of them
// cannot overflow.
func inTime(d units.Duration) bool { return d >= 0 && d <= traffic.Longest/4 }

func (f *Flow) validate(nodes int) error {
	switch {
	case f.Src < 0 || int(f.Src) >= nodes:
		return fmt.Errorf("src %d is not one of the nodes 0 to %d", f.Src, nodes-1)
	case f.Dst < 0 || int(f.Dst) >= nodes:
		return fmt.Errorf("dst %d is not one of the nodes 0 to %d", f.Dst, nodes-1)
	case f.Bytes < 0:
		return fmt.Errorf("%d bytes", f.Bytes)
	case !inTime(f.Start):
		return fmt.Errorf("starts at %d ps", f.Start)
	}
	return nil
}

func (p *Phase) validateEvents(n int) error {
	for i, c := range p.Changes {
		switch {
		case c.Graph == nil || c.Graph.Nodes() != n:
			return traffic.Invalid("change %d: not a graph of %d nodes", i, n)
		case !inTime(c.At) || !inTime(c.Delay):
			return traffic.Invalid("change %d: at %d ps for %d ps", i, c.At, c.Delay)
		case i > 0 && c.At < p.Changes[i-1].At+p.Changes[i-1].Delay:
			return traffic.Invalid("change %d begins before the one before it has ended", i)
		}
	}
	for i, f := range p.Failures {
		switch {
		case !inTime(f.At):
			return traffic.Invalid("failure %d: at %d ps", i, f.At)
		case f.From < 0 || f.From >= n || f.To < 0 || f.To >= n:
			return traffic.Invalid("failure %d: no circuit %d -> %d", i, f.From, f.To)
		case f.Circuits < 0:
			return traffic.Invalid("failure %d: %d circuits", i, f.Circuits)
		}
	}
	return nil
}
