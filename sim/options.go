package sim

import (
	"fmt"
	"runtime"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Options say how to simulate. The zero value is a packet size of 4KiB,
// store-and-forward, queues without end and no skew.
type Options struct {
	Packet     units.Bytes       // 0 is DefaultPacket
	Forwarding fabric.Forwarding // "" is store-and-forward
	// Priorities serves waiting packets by the priority of their flow, and by
	// arrival only among equals. A packet under way is not interrupted.
	Priorities bool
	// Relay bounds the forwarded bytes that wait for one bundle of circuits at a node; 0 is no
	// bound. What a node itself sends waits in its memory and does not count. A packet too many
	// is an error: nothing is dropped.
	Relay units.Bytes
	Skew  Skew
	// Orbit simulates one representative of each orbit under a phase's Group. The
	// result is the same as without it.
	Orbit bool
	// Coarse, at flow level, lets flows end together that end within this fraction of
	// the phase's time so far: what the first ones leave is given to others only
	// when the last one has ended. 0 is exact; 0.001 makes many flows of different
	// sizes feasible.
	Coarse float64
	// Exact, at flow level, recomputes the rates of all flows whenever one starts or ends, even if
	// that takes longer than following every packet. Without it, rates are then kept for some
	// time: Result.RatesKept.
	Exact bool
	// Threads to use; 0 is as many as help. The result does not depend on it.
	Threads int
	// FlowTimes keeps the completion of every flow in the result.
	FlowTimes bool
	// Progress, if it is not nil, is called now and then.
	Progress func(Progress)
	// Observer, if not nil, receives the events on the circuits. One thread then simulates all
	// packets.
	Observer Observer
}

// DefaultPacket is the default packet size.
const DefaultPacket units.Bytes = 4096

// Progress says how far a simulation is.
type Progress struct {
	Phase int            // from 0
	Time  units.Duration // simulated
	// Done of Total packet-hops, or flows at flow level, of this phase are simulated.
	Done, Total int64
}

// complete returns the options with defaults in place, or what is wrong with them.
func (o Options) complete() (Options, error) {
	if o.Packet == 0 {
		o.Packet = DefaultPacket
	}
	if o.Forwarding == "" {
		o.Forwarding = fabric.StoreAndForward
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	switch {
	case o.Packet < 0:
		return o, fmt.Errorf("sim: packets of %d bytes", o.Packet)
	case o.Forwarding != fabric.StoreAndForward && o.Forwarding != fabric.CutThrough:
		return o, fmt.Errorf("sim: forwarding %q: want %q or %q", o.Forwarding, fabric.CutThrough, fabric.StoreAndForward)
	case o.Relay < 0:
		return o, fmt.Errorf("sim: room for %d bytes", o.Relay)
	case o.Threads < 0:
		return o, fmt.Errorf("sim: %d threads", o.Threads)
	case !(o.Coarse >= 0 && o.Coarse <= 1):
		return o, fmt.Errorf("sim: coarseness %v: want 0 to 1", o.Coarse)
	case !inTime(o.Skew.Node) || !inTime(o.Skew.Phase):
		return o, fmt.Errorf("sim: skew of %d and %d ps", o.Skew.Node, o.Skew.Phase)
	}
	return o, nil
}
