package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// castSteps bounds the time of a broadcast or a reduction of all GPUs, in ns, by what a few large
// steps load together, for plans with so many stages or more; 0 if it gives no bound. A bound that
// does not exceed enough does not help the caller: then any number up to enough may be returned.
//
// After a step let K be the nodes that can have any data and R those that data can still get to
// from one node, both by the hops and changes before and after it (see OfOperation). Let l be the
// load of a step, in times of the message over all ports of a node.
//
//   - Every byte is at n/R nodes or more, rounded up.
//   - A copy leaves a port of a node that had data before the step, so a step makes at most l times
//     the K before it, in the mean over the bytes.
//   - If R < n, all bytes have left the root: the loads up to then add up to 1. If K < n, somebody
//     has nothing yet, and those from then on add up to 1.
//
// These are the constraints of knownBound, with the nodes that have a byte in place of the inputs
// that a node knows, a whole number of them, and with one message in place of 2-2/n where both
// kinds of steps are the same. So its shortest paths are the bound: copies are made as late as the
// needs allow, by as many nodes as can have data. Circuits that are passed on the way are
// not counted.
func castSteps(f *fabric.Fabric, n int, size units.Bytes, stages int, enough float64) float64 {
	c := knowledgeOf(f, n, size, true)
	if c == nil {
		return 0
	}
	return c.fastest(stages, float64(f.LeastWait()), math.Inf(1), enough)
}
