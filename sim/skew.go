package sim

import (
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/units"
)

// Skew delays when nodes begin to send. Delays are drawn uniformly from 0 to the given maximum.
type Skew struct {
	Node  units.Duration // of each node's clock, drawn once
	Phase units.Duration // of each node in each phase
	Seed  uint64
}

// none reports whether all nodes begin together.
func (s Skew) none() bool { return s.Node == 0 && s.Phase == 0 }

// delays returns how long after the start of the phase's traffic each node begins.
func (s Skew) delays(nodes, phase int) []int64 {
	delays := make([]int64, nodes)
	if s.none() {
		return delays
	}
	clocks := rand.New(rand.NewPCG(s.Seed, 0))
	jitter := rand.New(rand.NewPCG(s.Seed, 1+uint64(phase)))
	for u := range delays {
		delays[u] = draw(clocks, s.Node) + draw(jitter, s.Phase)
	}
	return delays
}

func draw(r *rand.Rand, most units.Duration) int64 {
	if most == 0 {
		return 0
	}
	return r.Int64N(int64(most) + 1)
}
