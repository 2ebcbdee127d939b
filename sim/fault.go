package sim

import (
	"errors"

	"github.com/lightpath-net/lightpath/units"
)

// What a simulation can fail with, beside bad input. Each is wrapped with the time, the
// circuit and the flow.
var (
	// ErrDark: a packet would start on a circuit that is not up, or was still being
	// sent when the circuit went dark.
	ErrDark = errors.New("sim: circuit is dark")
	// ErrFailed: the same, and the circuit has failed.
	ErrFailed = errors.New("sim: circuit has failed")
	// ErrRelay: a node has to keep more of others' traffic than it has room for.
	ErrRelay = errors.New("sim: no room to relay")
)

type faultKind int

const (
	darkness faultKind = iota // at the start of a packet
	cutOff                    // before its end
	overflow                  // of what waits to be relayed
)

// fault is something that must not happen. The earliest one ends the simulation; of
// several at the same time, that on the first bundle.
type fault struct {
	kind   faultKind
	at     int64
	bundle int32
	stream int32
}

func (f *fault) before(g *fault) bool {
	return g == nil || f.at < g.at || f.at == g.at && f.bundle < g.bundle
}

// blame notes a fault if it is the first.
func (w *worker) blame(f fault) {
	if f.before(w.fault) {
		w.fault = &f
	}
}

// checkUp looks for the first of n packets that does not find its circuit up.
func (w *worker) checkUp(b int32, c *circuit, r *train, start, period, tx, n int64) {
	for j := int64(0); j < n; {
		s := start + j*period
		c.advance(s)
		if s < c.on || s >= c.off || s+tx > c.off {
			kind := darkness
			if s >= c.on && s < c.off {
				kind = cutOff
			}
			w.blame(fault{kind: kind, at: s, bundle: b, stream: r.stream})
			c.on, c.off, c.later = 0, never, nil // later faults do not matter
			return
		}
		j += (c.off-tx-s)/period + 1
	}
}

// explain makes an error of a fault.
func (b *builder) explain(f *fault) error {
	e := b.used[f.bundle]
	u, v := int(b.from[e]), int(b.to[e])
	flow := b.flowOf(b.k.number[f.stream])
	at := units.Duration(f.at)
	if f.kind == overflow {
		return ofFlow(flow, "%w: at %v more than %v wait at node %d for circuit %d -> %d when a packet of flow %d arrives",
			ErrRelay, at, units.Bytes(b.k.relay), u, u, v, flow)
	}
	if f.kind == cutOff {
		return ofFlow(flow, "%w: %d -> %d goes down under a packet of flow %d that starts at %v",
			b.cause(u, v, f.at+b.k.bundles[f.bundle].tx), u, v, flow, at)
	}
	return ofFlow(flow, "%w: %d -> %d is down at %v when a packet of flow %d would start on it", b.cause(u, v, f.at), u, v, at, flow)
}

// cause says why circuits are down at a time.
func (b *builder) cause(u, v int, at int64) error {
	width := b.graph.Count(u, v)
	if up := (&outages{b.phase, b.begin}); up.fails(u, v, width-1, width) <= at {
		return ErrFailed
	}
	return ErrDark
}
