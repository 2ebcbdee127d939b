package sim

import (
	"github.com/lightpath-net/lightpath/units"
)

// Observer receives the events of a simulation.
type Observer interface {
	// Phase is called when a phase is over. Its result includes the completion of
	// every flow. Neither argument may be kept.
	Phase(index int, p *Phase, r *PhaseResult)
	// Transmission is called for packets that follow each other on a circuit, at
	// packet level only. Calls come in order of time for each circuit, but not
	// across circuits. With Options.Orbit, only representatives are seen.
	Transmission(t Transmission)
}

// Transmission is packets of one flow on one circuit: the first starts at Start, each
// further one Gap later, and each takes Each.
type Transmission struct {
	Phase            int
	From, To         int
	Circuit          int // of the bundle
	Flow             int
	Route            int // packets of a flow that go the same way have the same number
	Packets          int64
	Start, Gap, Each units.Duration
	// Bytes is the size of each. The first was in the queue from Queued on, each further one
	// from QueuedGap later; Relayed packets have come there from elsewhere.
	Bytes             units.Bytes
	Queued, QueuedGap units.Duration
	Relayed           bool
}
