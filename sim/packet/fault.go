package packet

import "github.com/lightpath-net/lightpath/sim/traffic"

// FaultKind is what happens to a packet.
type FaultKind int

// The kinds of faults.
const (
	Dark     FaultKind = iota // the circuit is dark when the packet starts
	CutOff                    // the circuit goes dark before the packet ends
	Overflow                  // too much waits to be forwarded
)

// Fault is something that must not happen. The earliest one ends the simulation; among faults
// at the same time, the one on the first bundle.
type Fault struct {
	Kind   FaultKind
	At     int64
	End    int64 // of the packet, if it is a full one
	Bundle int32 // of the simulation
	Stream int32
}

func (f *Fault) before(g *Fault) bool {
	return g == nil || f.At < g.At || f.At == g.At && f.Bundle < g.Bundle
}

// blame records a fault if it is the first.
func (w *worker) blame(f Fault) {
	if f.before(w.fault) {
		w.fault = &f
	}
}

// checkUp looks for the first packet whose circuit is not up.
func (w *worker) checkUp(b int32, c *circuit, r *train, sent burst) {
	start, period, tx := sent.start, sent.period, sent.tx
	for j := int64(0); j < sent.n; {
		s := start + j*period
		c.Advance(s)
		if s < c.On || s >= c.Off || s+tx > c.Off {
			kind := Dark
			if s >= c.On && s < c.Off {
				kind = CutOff
			}
			w.blame(Fault{Kind: kind, At: s, Bundle: b, Stream: r.stream})
			c.On, c.Off, c.Later = 0, traffic.Never, nil // later faults do not matter
			return
		}
		j += (c.Off-tx-s)/period + 1
	}
}
