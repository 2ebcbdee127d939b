package fabric

import (
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// PerCircuit is a delay of Base + Each for every circuit set up, or taken down if more are.
const PerCircuit Model = "per-circuit"

var perCircuitModel = delayModel{
	name: PerCircuit, syntax: "per-circuit:BASE+PER_CIRCUIT",
	of: func(r Reconfig) DelayModel { return perCircuitDelay{base: r.Base.Time(), each: r.Each.Time()} },
}

type perCircuitDelay struct {
	singly
	base, each units.Time
}

// Delay implements DelayModel.
func (d perCircuitDelay) Delay(from, to *topology.Graph) units.Time {
	added, removed := 0, 0
	differences(from, to, func(_, _, gained int) {
		if gained > 0 {
			added += gained
		} else {
			removed -= gained
		}
	})
	return d.base + units.Time(max(added, removed))*d.each
}

// Least implements DelayModel.
func (d perCircuitDelay) Least() units.Time { return d.base + d.each }

// Most implements DelayModel.
func (d perCircuitDelay) Most(nodes, ports int) units.Time {
	return d.base + units.Time(nodes*ports)*d.each
}

// Uniform implements DelayModel.
func (d perCircuitDelay) Uniform() bool { return d.each == 0 }
