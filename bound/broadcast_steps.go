package bound

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// castSteps bounds the time of a broadcast or a reduction of all GPUs, in ns, by the total load
// of a few large steps, for plans with at least the given number of stages; 0 if it gives no
// bound. A bound of at most enough does not help the caller; then it may return any number up
// to enough.
//
// After a step let K be the nodes that can have any data, and R those to which one node can
// still get data, both from the hops and changes before and after it (see OfOperation). Let l
// be the load of a step, in units of the message over all ports of a node.
//
//   - Every byte is at n/R nodes or more, rounded up.
//   - A copy leaves a port of a node that had data before the step, so, in the mean over the
//     bytes, a step makes at most l times the K before it.
//   - If R < n, all bytes have left the root: the loads up to then add up to 1. If K < n, some
//     node has nothing yet, and the loads from then on add up to 1.
//
// These are the constraints of knownBound with two changes. In place of the inputs that a node
// knows they have the nodes that hold a byte, which are an integer; and in place of 2-2/n they
// have one message, if both kinds of steps are the same. So its shortest paths are the bound:
// copies are made as late as the needs allow, by as many nodes as can have data. Circuits on
// the way are not counted.
func castSteps(f *fabric.Fabric, n int, size units.Bytes, stages int, enough float64) float64 {
	c := knowledgeOf(f, n, size, true)
	return c.fastest(stages, float64(f.LeastWait()), enough, c.least)
}
