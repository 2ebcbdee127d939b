// Package fault names what can go wrong in an emulation, and describes faults to inject.
package fault

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Kind is what went wrong.
type Kind string

// The kinds, the most telling first: if several faults are seen at once, the first in this list
// is the cause and the others follow from it.
const (
	SwitchDied Kind = "switch-died" // the switch has gone
	Restarted  Kind = "restarted"   // a rank has joined a second time
	Secret     Kind = "secret"      // a client does not know the secret of the run
	OtherPlan  Kind = "other-plan"  // a rank has another plan
	Garbage    Kind = "garbage"     // a message violates the protocol or is untrue
	Clock      Kind = "clock"       // a clock has jumped
	Cut        Kind = "cut"         // bytes were sent into a circuit that has failed
	Dark       Kind = "dark"        // bytes were sent into a dark port
	Torn       Kind = "torn"        // a circuit changed while bytes were in flight
	Invalid    Kind = "invalid"     // the switch was asked for impossible circuits
	Refused    Kind = "refused"     // the switch does not set what its controller requests
	WrongData  Kind = "wrong-data"  // a result is not what the operation promises
	Died       Kind = "died"        // a rank has gone
	Internal   Kind = "internal"    // a rank could not execute its program
	Stalled    Kind = "stalled"     // a rank or the switch makes no progress
	Absent     Kind = "absent"      // a rank or the switch has not joined
	SwitchLost Kind = "switch-lost" // a rank has lost the switch
)

// Injected kinds that show up as other kinds, or not as a fault at all.
const (
	Slowed    Kind = "slowed"    // a circuit takes longer
	Corrupted Kind = "corrupted" // a circuit corrupts the bytes it carries
)

var kinds = []Kind{
	SwitchDied, Restarted, Secret, OtherPlan, Garbage, Clock, Cut, Dark, Torn, Invalid, Refused, WrongData, Died, Internal, Stalled, Absent, SwitchLost,
}

// order returns the rank of a kind: lower is closer to the cause.
func (k Kind) order() int {
	for i, other := range kinds {
		if k == other {
			return i
		}
	}
	return len(kinds)
}

// Before reports whether a fault of this kind is closer to the cause than the other.
func (k Kind) Before(other Kind) bool { return k.order() < other.order() }

// Nobody stands for no rank in particular.
const Nobody = -1

// Fault is the fault that ended a run: which member, in which step, with which peer.
type Fault struct {
	Kind Kind `json:"kind"`
	Rank int  `json:"rank"` // Nobody: the switch, or a stranger
	Step int  `json:"step"` // 0: before the first; the iteration, for an iteration's plan
	// Where is the operation, for an iteration's plan.
	Where  string `json:"where,omitempty"`
	Peer   int    `json:"peer"` // Nobody: none in particular
	Detail string `json:"detail"`
}

// Error is one line that names rank, step and peer.
func (f *Fault) Error() string {
	who, peer := "the switch", ""
	if f.Rank != Nobody {
		who = fmt.Sprintf("rank %d", f.Rank)
	}
	if f.Peer != Nobody {
		peer = fmt.Sprintf(", peer %d", f.Peer)
	}
	when := "before step 1"
	if f.Step > 0 {
		when = fmt.Sprintf("step %d", f.Step)
	}
	if f.Where != "" {
		when = fmt.Sprintf("iteration %d, %s", f.Step, f.Where)
	}
	return fmt.Sprintf("%s, %s%s: %s", who, when, peer, f.Detail)
}

// Message returns the fault as a message.
func (f *Fault) Message() wire.FaultMessage {
	return wire.FaultMessage{Kind: string(f.Kind), Rank: f.Rank, Step: f.Step, Peer: f.Peer, Detail: f.Detail}
}

// Of is the inverse of Message.
func Of(m *wire.FaultMessage) *Fault {
	return &Fault{Kind: Kind(m.Kind), Rank: m.Rank, Step: m.Step, Peer: m.Peer, Detail: m.Detail}
}
