package bound

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Outline is what is known of the steps of an algorithm before they are laid out.
type Outline struct {
	// Steps is the fewest steps. It is also the fewest sets of circuits that send everything
	// directly.
	Steps int
	Bytes float64 // that some node sends or receives in all steps
}

// OutlineOf returns the outline of algorithms that send every pair's bytes directly and, in a
// step, to and from at most ports peers of each node.
func OutlineOf(d collective.Demand, ports int) Outline {
	peers, bytes := make([]int, 2*len(d)), make([]int64, 2*len(d)) // senders, then receivers
	for u, row := range d {
		for v, b := range row {
			if u == v || b == 0 {
				continue
			}
			peers[u]++
			peers[len(d)+v]++
			bytes[u] += b
			bytes[len(d)+v] += b
		}
	}
	var o Outline
	for i := range peers {
		o.Steps = max(o.Steps, arithmetic.CeilDiv(peers[i], ports))
		o.Bytes = max(o.Bytes, float64(bytes[i]))
	}
	return o
}

// PerStep is a lower bound on PerStep of any steps with the outline: every step starts up and
// makes a hop, and the busiest node sends or receives its bytes over all of its ports.
func (o Outline) PerStep(f *fabric.Fabric) units.Time {
	if !f.Fixed.IsZero() {
		return 0
	}
	f = f.Ideal()
	return initialCharge(f) + units.Time(o.Steps)*(f.Alpha.Time()+f.Delta.Time()) + f.Bandwidth.Transmit(o.Bytes/float64(f.Ports))
}
