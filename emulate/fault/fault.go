// Package fault says what can go wrong in an emulation, and how to make it go wrong.
package fault

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Kind is what went wrong.
type Kind string

// The kinds, the most telling first: where several things are seen to go wrong at once, the
// first of these is the cause and the others follow from it.
const (
	SwitchDied Kind = "switch-died" // the switch has gone
	Restarted  Kind = "restarted"   // a rank has come a second time
	Secret     Kind = "secret"      // somebody does not know the secret of the run
	OtherPlan  Kind = "other-plan"  // a rank has another plan
	Garbage    Kind = "garbage"     // somebody does not speak the protocol, or not the truth
	Clock      Kind = "clock"       // a clock has jumped
	Cut        Kind = "cut"         // bytes were sent into a circuit that has failed
	Dark       Kind = "dark"        // bytes were sent into a dark port
	Torn       Kind = "torn"        // a circuit changed while bytes were under way
	Invalid    Kind = "invalid"     // the switch was asked for circuits that cannot be
	Refused    Kind = "refused"     // the switch does not set what its controller asks for
	WrongData  Kind = "wrong-data"  // a result is not what the operation promises
	Died       Kind = "died"        // a rank has gone
	Internal   Kind = "internal"    // a rank could not do what its program says
	Stalled    Kind = "stalled"     // a rank or the switch makes no progress
	Absent     Kind = "absent"      // a rank or the switch has not come
	SwitchLost Kind = "switch-lost" // a rank has lost the switch
)

// Kinds that are made on purpose and show as others, or not as a fault at all.
const (
	Slowed    Kind = "slowed"    // a circuit takes longer
	Corrupted Kind = "corrupted" // a circuit changes what it carries
)

var kinds = []Kind{
	SwitchDied, Restarted, Secret, OtherPlan, Garbage, Clock, Cut, Dark, Torn, Invalid, Refused, WrongData, Died, Internal, Stalled, Absent, SwitchLost,
}

// rank of a kind: lower is closer to the cause.
func (k Kind) order() int {
	for i, other := range kinds {
		if k == other {
			return i
		}
	}
	return len(kinds)
}

// Before reports whether a fault of this kind is rather the cause than the other.
func (k Kind) Before(other Kind) bool { return k.order() < other.order() }

// Nobody stands for no rank in particular.
const Nobody = -1

// Fault is what ended a run: who, when, in exchange with whom.
type Fault struct {
	Kind Kind `json:"kind"`
	Rank int  `json:"rank"` // Nobody: the switch, or a stranger
	Step int  `json:"step"` // 0: before the first; of an iteration's plan, the iteration
	// Where is the operation, of an iteration's plan.
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

// Message is the fault as it is sent.
func (f *Fault) Message() wire.FaultMessage {
	return wire.FaultMessage{Kind: string(f.Kind), Rank: f.Rank, Step: f.Step, Peer: f.Peer, Detail: f.Detail}
}

// Of reads what Message made.
func Of(m *wire.FaultMessage) *Fault {
	return &Fault{Kind: Kind(m.Kind), Rank: m.Rank, Step: m.Step, Peer: m.Peer, Detail: m.Detail}
}
