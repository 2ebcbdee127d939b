package simtest

import (
	"context"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Shift returns the traffic in which each of n nodes sends bytes to the node jump further. It
// is nil if there are no nodes.
func Shift(n, jump int, bytes units.Bytes) []sim.Flow {
	if n < 1 {
		return nil
	}
	return each.Below(n, func(u int) sim.Flow {
		return sim.Flow{Src: int32(u), Dst: int32(arithmetic.Mod(u+jump%n, n)), Bytes: bytes}
	})
}

// AllToAll returns the traffic in which each of n nodes sends bytes to every other: first to
// the next node, then to the one after it, and so on.
func AllToAll(n int, bytes units.Bytes) []sim.Flow {
	flows := make([]sim.Flow, 0, n*max(0, n-1))
	for u := range n {
		for jump := 1; jump < n; jump++ {
			flows = append(flows, sim.Flow{Src: int32(u), Dst: int32(arithmetic.Mod(u+jump, n)), Bytes: bytes})
		}
	}
	return flows
}

// RandomPairs returns count messages between pairs of different nodes, drawn uniformly. It is
// nil with fewer than two nodes.
func RandomPairs(n, count int, bytes units.Bytes, seed uint64) []sim.Flow {
	if n < 2 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0))
	flows := make([]sim.Flow, count)
	for i := range flows {
		u := r.IntN(n)
		flows[i] = sim.Flow{Src: int32(u), Dst: int32(arithmetic.Mod(u+1+r.IntN(n-1), n)), Bytes: bytes}
	}
	return flows
}

// Traffic simulates messages over shortest paths on circuits that are up from the start. It
// keeps the completion of every flow.
func Traffic(ctx context.Context, level sim.Level, network sim.Network, flows []sim.Flow, options sim.Options) (*sim.Result, error) {
	options.FlowTimes = true
	return sim.Run(ctx, level, sim.Sequence(&sim.Phase{Network: network, Flows: flows}), options)
}
