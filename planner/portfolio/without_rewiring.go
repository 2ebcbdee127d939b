package portfolio

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// Still returns a fabric on which the fastest plan does without changes if it can: the initial
// set-up is free, and changes are forbidding.
func Still(f fabric.Fabric) fabric.Fabric {
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: fabric.Forbidding}
	f.Overlap, f.Sync = fabric.Overlap{}, 0
	if f.Initial == fabric.InitialDark {
		f.Initial = fabric.InitialFree
	}
	return f
}

// MostRouted is the number of GPUs up to which the steps of an all-to-all are routed on every
// topology of the pool to find the fastest plan that does not reconfigure. With more GPUs, all
// pairs are more transfers than planners consider (pricing.MostRouted).
const MostRouted = mostExchanged

// mostRoutedByTwo is MostRouted for 2 ports. With 2 ports, the graphs of the pool that come
// closest to the least average distance have few automorphisms: 2 instead of the 24 with 4 ports.
// All pairs of 1000 GPUs take 6 seconds of processor time, and of 2048 GPUs over half a minute.
const mostRoutedByTwo = 1024

// mostRouted returns MostRouted or mostRoutedByTwo, depending on the ports of the fabric.
func mostRouted(f *fabric.Fabric) int {
	if f.Ports <= 2 {
		return mostRoutedByTwo
	}
	return MostRouted
}

// OnlyRing reports whether the fastest all-to-all of all GPUs that does not reconfigure is the
// direct one on the base topology, so that no search is needed. With one port, circuits that lead
// from every GPU to every other form one directed ring. Every pair has one path on it, so every
// plan has at least the direct plan's load on a circuit, hops of the longest path and one
// start-up. If GPUs store and forward, several steps may be faster.
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

// RoutesSteps reports whether the search for the fastest plan that does not reconfigure covers
// the steps of algorithms on all circuits of the pool. Otherwise it covers these steps on the
// base topology, and planners that make their own steps.
func RoutesSteps(op collective.Op, f *fabric.Fabric) bool {
	return op != collective.AllToAll || f.Nodes <= mostRouted(f)
}

// StaticAmong says among which plans the best static plan of an operation is the fastest; it
// returns "" if among all that auto tries.
func StaticAmong(op collective.Op, f *fabric.Fabric) string {
	if RoutesSteps(op, f) || OnlyRing(op, f) {
		return ""
	}
	return fmt.Sprintf("algorithms on the base topology, and planners that make their own steps: there are more than %d GPUs", mostRouted(f))
}
