package flow

import (
	"context"
	"math"
)

const (
	// ruledOutPays is the number of demands times rows from which on an exact program takes tenths of
	// a second or more.
	ruledOutPays = 1 << 15
	// ruledOutRounds limits the rounds of the approximation that may rule out a program.
	ruledOutRounds = 12
)

// ruledOut returns a *beyond if a few rounds of the approximation prove that every routing has a
// peak above within. The exact program would prove that, too, but only near its end: lengths that
// come from its prices change too much before. All pairs of 19 GPUs on 37 with 8 ports took two
// seconds to be ruled out, and take a hundredth. If nothing is proven, nothing has changed.
func ruledOut(ctx context.Context, p Problem, cl *classes, begun beginning, within float64) error {
	if math.IsInf(within, 1) || len(p.Demands)*(len(cl.circuits)+1) < ruledOutPays {
		return nil
	}
	s := newApproximator(p, cl, begun)
	s.blunt, s.most, s.enough = bluntest, ruledOutRounds, within/s.unit
	return s.run(ctx, within/s.unit)
}
