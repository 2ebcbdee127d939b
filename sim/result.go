package sim

import (
	"math/big"

	"github.com/lightpath-net/lightpath/units"
)

// Result is the outcome of a simulation. Times are whole picoseconds; the flow level rounds up
// to them.
type Result struct {
	Completion units.Duration // of the last phase
	// ArrivalSum is the sum of the arrival times of all packets in ps, nil at flow level.
	ArrivalSum *big.Int
	Packets    int64 // delivered; 0 at flow level
	PacketHops int64
	Events     int64 // runs of packets served, or changes of rates
	// RatesKept is the longest time for which the flow level kept rates while flows started or
	// ended. If it is 0, all rates are exact.
	RatesKept units.Duration
	Phases    []PhaseResult
	Links     []LinkResult // in order of From and To
}

// PhaseResult has the times of one phase.
type PhaseResult struct {
	Start   units.Duration // when its circuits began to be set up
	Traffic units.Duration // when its flows began
	End     units.Duration // when its last packet arrived
	// Flows is when each flow was complete, in the order of the phase, if Options.FlowTimes is
	// set.
	Flows []units.Duration
	// Starts is when each flow started, if that was not known beforehand; else nil.
	Starts []units.Duration
}

// LinkResult has the statistics of the circuits between two nodes, over all phases.
type LinkResult struct {
	From, To int
	Circuits int // most at any time
	Bytes    units.Bytes
	Packets  int64
	Busy     units.Duration // sum over the circuits
	// QueuePeak is the most work that ever waited here, as the time that one circuit takes for it.
	// It includes the rest of packets in transmission, and the node's own packets.
	QueuePeak units.Duration
	// RelayPeak is the most forwarded bytes that ever waited, if Options.Relay limits them.
	RelayPeak units.Bytes
}

// Utilization returns the fraction of a time in which the circuits were sending.
func (l *LinkResult) Utilization(time units.Duration) float64 {
	if time == 0 || l.Circuits == 0 {
		return 0
	}
	return float64(l.Busy) / (float64(time) * float64(l.Circuits))
}
