package expand

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// Idle returns the schedule for Idle(G,k): the one for G, which leaves k further ports of
// every node unused. A step takes as long as before, so that in units of M/B, which count
// what all ports carry, the bandwidth grows by the ratio of the degrees.
func Idle(a *Allgather, k int) (*Allgather, error) {
	if k < 1 || k > topology.MaxCircuits/a.Graph.Nodes()-a.Graph.Degree() {
		return nil, fmt.Errorf("%w: %d idle ports, want 1 or more and at most %d circuits in all", ErrInput, k, topology.MaxCircuits)
	}
	return newAllgather(topology.WithIdlePorts(a.Graph, k), a.PerStep, Allgather{
		Method:     a.Method,
		Derivation: fmt.Sprintf("Idle(%s,%d)", a.Derivation, k),
		source:     a.source,
		grain:      a.grain,
	})
}
