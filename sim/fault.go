package sim

import (
	"errors"

	"github.com/lightpath-net/lightpath/sim/packet"
	"github.com/lightpath-net/lightpath/units"
)

// These are the ways in which a simulation can fail, apart from bad input. Each is wrapped with
// the time, the circuit and the flow.
var (
	// ErrDark says that a packet would start on a circuit that is not up, or was still being sent
	// when the circuit went dark.
	ErrDark = errors.New("sim: circuit is dark")
	// ErrFailed is ErrDark for a circuit that has failed.
	ErrFailed = errors.New("sim: circuit has failed")
	// ErrRelay says that a node has no room for the traffic that it has to forward.
	ErrRelay = errors.New("sim: no room to relay")
)

// explain turns a fault into an error.
func (b *builder) explain(f *packet.Fault) error {
	e := b.Used[f.Bundle]
	u, v := int(b.From[e]), int(b.To[e])
	flow := b.flowOf(f.Stream)
	at := units.Duration(f.At)
	if f.Kind == packet.Overflow {
		return ofFlow(flow, "%w: at %v more than %v wait at node %d for circuit %d -> %d when a packet of flow %d arrives",
			ErrRelay, at, b.options.Relay, u, u, v, flow)
	}
	if f.Kind == packet.CutOff {
		return ofFlow(flow, "%w: %d -> %d goes down under a packet of flow %d that starts at %v",
			b.cause(u, v, f.End), u, v, flow, at)
	}
	return ofFlow(flow, "%w: %d -> %d is down at %v when a packet of flow %d would start on it", b.cause(u, v, f.At), u, v, at, flow)
}

// cause says why a circuit is down at a time.
func (b *builder) cause(u, v int, at int64) error {
	width := b.graph.Count(u, v)
	if up := (&outages{b.phase, b.Begin}); up.fails(u, v, width-1, width) <= at {
		return ErrFailed
	}
	return ErrDark
}
