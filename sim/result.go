package sim

import (
	"math/big"

	"github.com/lightpath-net/lightpath/units"
)

// Result is what a simulation found. Times are whole picoseconds; the flow level
// rounds up to them.
type Result struct {
	Completion units.Duration // of the last phase
	// ArrivalSum is the sum, over all packets, of their arrival in ps. At flow level
	// it is nil.
	ArrivalSum *big.Int
	Packets    int64 // delivered; 0 at flow level
	PacketHops int64
	Events     int64 // runs of packets served, or changes of rates
	// RatesKept is the longest time for which rates were kept, at flow level, though flows had
	// started or ended. 0: all rates are exact.
	RatesKept units.Duration
	Phases    []PhaseResult
	Links     []LinkResult // in order of From and To
}

// PhaseResult is when one phase did what.
type PhaseResult struct {
	Start   units.Duration // its circuits began to be set up
	Traffic units.Duration // its flows began
	End     units.Duration // its last packet arrived
	// Flows is when each flow was complete, in the order of the phase, if
	// Options.FlowTimes asks for it.
	Flows []units.Duration
	// Starts is when each flow started, if that was not known before; else nil.
	Starts []units.Duration
}

// LinkResult is what the circuits between two nodes did, over all phases.
type LinkResult struct {
	From, To int
	Circuits int // at most
	Bytes    units.Bytes
	Packets  int64
	Busy     units.Duration // added up over the circuits
	// QueuePeak is the most work that ever waited here, as the time that one circuit takes for
	// it. It includes the rest of packets in transmission, and what the node itself has to send.
	QueuePeak units.Duration
	// RelayPeak is the most that ever waited of what came from elsewhere, if
	// Options.Relay bounds it.
	RelayPeak units.Bytes
}

// Utilization returns the part of a time in which the circuits were sending.
func (l *LinkResult) Utilization(time units.Duration) float64 {
	if time == 0 || l.Circuits == 0 {
		return 0
	}
	return float64(l.Busy) / (float64(time) * float64(l.Circuits))
}
