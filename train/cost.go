package train

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Cost returns how long a collective takes: an allreduce or, for traces with experts, an
// all-to-all. The size is that of the operation, above 0. Simulate asks once for every
// collective, in the order in which the network does them.
type Cost func(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error)

// AlphaBeta is the cost of schedules on fixed circuits: every step has a start-up time alpha,
// and transmission takes a multiple of M/B, the size over the rate of all ports of a node.
// (Zhao et al., §2.3: T = T_L + T_B.)
type AlphaBeta struct {
	Alpha         units.Duration
	NodeBandwidth units.Bandwidth
	AllReduce     Schedule
	// Others compete with AllReduce: the fastest one is used for each size.
	Others []Schedule
	// AllToAll is called when it is needed; nil if there is none.
	AllToAll func(ctx context.Context) (Schedule, error)
}

// Schedule has the properties of a schedule that AlphaBeta needs.
type Schedule struct {
	Steps     int
	Bandwidth float64 // transmission time in units of M/B
}

// Cost returns the cost function.
func (a *AlphaBeta) Cost() Cost {
	return func(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
		switch {
		case op == collective.AllReduce:
			least := a.time(a.AllReduce, size)
			for _, s := range a.Others {
				least = min(least, a.time(s, size))
			}
			return least, nil
		case op == collective.AllToAll && a.AllToAll != nil:
			s, err := a.AllToAll(ctx)
			if err != nil {
				return 0, err
			}
			return a.time(s, size), nil
		}
		return 0, fmt.Errorf("no schedule for %s", op)
	}
}

func (a *AlphaBeta) time(s Schedule, size units.Bytes) units.Time {
	return units.Time(s.Steps)*a.Alpha.Time() + a.NodeBandwidth.Transmit(s.Bandwidth*float64(size))
}
