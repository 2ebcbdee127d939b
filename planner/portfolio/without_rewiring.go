package portfolio

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Forbidding is how long a change takes where none is to be made: a million seconds. A plan that
// does not rewire takes the same time whatever a change would take, so the fastest plan at this
// delay is the fastest of those, for every delay.
const Forbidding = 1_000_000 * units.Second

// Still returns a fabric on which every plan that can do without a change does: what is set up at
// the start is free, and a change is forbidding.
func Still(f fabric.Fabric) fabric.Fabric {
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: Forbidding}
	f.Overlap, f.Sync = fabric.Overlap{}, 0
	if f.Initial == fabric.InitialDark {
		f.Initial = fabric.InitialFree
	}
	return f
}

// MostRouted is the number of GPUs up to which the steps of an all-to-all are routed on every
// topology of the pool to find the fastest plan that does not rewire. All pairs of more are more
// transfers than planners look at (pricing.MostRouted).
const MostRouted = mostExchanged

// mostRoutedByTwo is MostRouted for 2 ports. The graphs of the pool that come closest to the least
// average distance have few automorphisms then: 2 where 4 ports have 24. All pairs of 1000 GPUs
// take 6 seconds of processor time, of 2048 over half a minute.
const mostRoutedByTwo = 1024

// mostRouted is MostRouted on a fabric.
func mostRouted(f *fabric.Fabric) int {
	if f.Ports <= 2 {
		return mostRoutedByTwo
	}
	return MostRouted
}

// OnlyRing reports whether the fastest all-to-all of all GPUs that does not rewire is the direct
// one on the base topology, without a search: with one port the circuits that lead from every GPU
// to every other form one directed ring. A pair has one path on it, so the load of a circuit, the
// hops of the longest path and one start-up are the least of any plan, and the direct one has no
// more than those. Where GPUs store and forward, several steps may be faster.
func OnlyRing(op collective.Op, f *fabric.Fabric) bool {
	if op != collective.AllToAll || f.Ports != 1 || f.Duplex || f.Forwarding != fabric.CutThrough || !f.Open() || !f.Links.IsZero() {
		return false
	}
	base, err := f.BaseTopology()
	if err != nil {
		return false
	}
	_, connected := base.Diameter()
	return connected
}

// RoutesSteps reports whether the fastest plan that does not rewire ranges over the steps of
// algorithms on all circuits of the pool. Where it does not, it ranges over these steps on the
// base topology, and over planners that make their own steps.
func RoutesSteps(op collective.Op, f *fabric.Fabric) bool {
	return op != collective.AllToAll || f.Nodes <= mostRouted(f)
}

// StaticAmong says which plans the best static plan of an operation is the fastest of, if not of
// all that auto looks at; else it is "".
func StaticAmong(op collective.Op, f *fabric.Fabric) string {
	if RoutesSteps(op, f) || OnlyRing(op, f) {
		return ""
	}
	return fmt.Sprintf("algorithms on the base topology, and planners that make their own steps: there are more than %d GPUs", mostRouted(f))
}
