package sim

import "github.com/lightpath-net/lightpath/units"

// Observer receives the events of a simulation.
type Observer interface {
	// Phase is called when a phase is over. Its result includes the completion of every flow. The
	// callee must not keep the arguments.
	Phase(index int, p *Phase, r *PhaseResult)
	// Transmission is called for consecutive packets on a circuit, at packet level only. Calls are
	// in order of time for each circuit, but not across circuits. With Options.Orbit, only
	// representatives are reported.
	Transmission(t Transmission)
}

// Transmission is a run of packets of one flow on one circuit: the first starts at Start, each
// further one Gap later, and each takes Each.
type Transmission struct {
	Phase            int
	From, To         int
	Circuit          int // of the bundle
	Flow             int
	Route            int // the same number for all packets of a flow that take the same route
	Packets          int64
	Start, Gap, Each units.Duration
	// Bytes is the size of each packet. The first was in the queue from Queued on, each further
	// one from QueuedGap later. Relayed packets came from another node.
	Bytes             units.Bytes
	Queued, QueuedGap units.Duration
	Relayed           bool
}
