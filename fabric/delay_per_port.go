package fabric

import (
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// PerPort is a delay of Base + Each for every port with a changed circuit.
const PerPort Model = "per-port"

var perPortModel = delayModel{
	name: PerPort, syntax: "per-port:BASE+PER_PORT",
	of: func(r Reconfig) DelayModel { return perPortDelay{base: r.Base.Time(), each: r.Each.Time()} },
}

type perPortDelay struct {
	singly
	base, each units.Time
}

// Delay implements DelayModel.
func (d perPortDelay) Delay(from, to *topology.Graph) units.Time {
	return d.base + units.Time(changedPorts(from, to))*d.each
}

// Least implements DelayModel. A change touches the port at either end of a circuit, which
// can be one port where the circuit is a loop.
func (d perPortDelay) Least() units.Time { return d.base + d.each }

// Most implements DelayModel.
func (d perPortDelay) Most(nodes, ports int) units.Time {
	return d.base + units.Time(nodes*ports)*d.each
}

// Uniform implements DelayModel.
func (d perPortDelay) Uniform() bool { return d.each == 0 }

// changedPorts counts, per node, the ports whose transmit or receive fibre gets
// another peer: the largest of the circuits that it gains or loses in one direction.
func changedPorts(from, to *topology.Graph) int {
	n := from.Nodes()
	out := make([][2]int, n) // gained, lost
	in := make([][2]int, n)
	differences(from, to, func(u, v, gained int) {
		side := 0
		if gained < 0 {
			side, gained = 1, -gained
		}
		out[u][side] += gained
		in[v][side] += gained
	})
	sum := 0
	for u := range n {
		sum += max(out[u][0], out[u][1], in[u][0], in[u][1])
	}
	return sum
}
