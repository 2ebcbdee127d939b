package sim

import (
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/units"
)

// Shift returns the traffic in which each of n nodes sends bytes to the node jump further. It
// is nil if there are no nodes.
func Shift(n, jump int, bytes units.Bytes) []Flow {
	if n < 1 {
		return nil
	}
	flows := make([]Flow, n)
	for u := range flows {
		flows[u] = Flow{Src: int32(u), Dst: int32(wrap(u+jump%n, n)), Bytes: bytes}
	}
	return flows
}

// AllToAll returns the traffic in which each of n nodes sends bytes to every other: first to
// the next node, then to the one after it, and so on.
func AllToAll(n int, bytes units.Bytes) []Flow {
	flows := make([]Flow, 0, n*max(0, n-1))
	for u := range n {
		for jump := 1; jump < n; jump++ {
			flows = append(flows, Flow{Src: int32(u), Dst: int32(wrap(u+jump, n)), Bytes: bytes})
		}
	}
	return flows
}

// RandomPairs returns count messages between pairs of different nodes, drawn uniformly. It is
// nil with fewer than two nodes.
func RandomPairs(n, count int, bytes units.Bytes, seed uint64) []Flow {
	if n < 2 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0))
	flows := make([]Flow, count)
	for i := range flows {
		u := r.IntN(n)
		flows[i] = Flow{Src: int32(u), Dst: int32(wrap(u+1+r.IntN(n-1), n)), Bytes: bytes}
	}
	return flows
}

// wrap returns u mod n, for -n <= u < 2n.
func wrap(u, n int) int { return (u + n) % n }
