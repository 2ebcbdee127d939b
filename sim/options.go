package sim

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Options configure a simulation. The zero value means packets of 4KiB, store-and-forward,
// unlimited queues and no skew.
type Options struct {
	Packet     units.Bytes       // 0 is DefaultPacket
	Forwarding fabric.Forwarding // "" is store-and-forward
	// Priorities serves waiting packets by the priority of their flow, and by arrival only among
	// equals. A packet in transmission is not interrupted.
	Priorities bool
	// Relay limits the forwarded bytes that wait for one bundle of circuits at a node; 0 is no
	// limit. A node's own packets wait in its memory and do not count. A packet beyond the limit
	// is an error: nothing is dropped.
	Relay units.Bytes
	Skew  Skew
	// Orbit simulates one representative of each orbit under a phase's Group. The result is the
	// same.
	Orbit bool
	// Coarse, at flow level, ends flows together that would end within this fraction of the
	// phase's time so far. The bandwidth of the first ones goes to others only when the last one
	// has ended. 0 is exact; 0.001 makes many flows of different sizes feasible.
	Coarse float64
	// Exact, at flow level, recomputes the rates of all flows whenever one starts or ends, even if
	// that takes longer than simulating every packet. Without it, rates may be kept for some time:
	// see Result.RatesKept.
	Exact bool
	// Threads is the number of threads; 0 is as many as help. The result does not depend on it.
	Threads int
	// FlowTimes keeps the completion of every flow in the result.
	FlowTimes bool
	// Progress, if not nil, is called from time to time.
	Progress func(Progress)
	// Observer, if not nil, receives the events on the circuits. One thread then simulates all
	// packets.
	Observer Observer
}

// DefaultPacket is the default packet size.
const DefaultPacket units.Bytes = 4096

// Progress says how far a simulation has come.
type Progress struct {
	Phase int            // number, from 0
	Time  units.Duration // in the simulation
	// Done of this phase's Total packet-hops, or of its flows at flow level, are simulated.
	Done, Total int64
}

// complete returns the options with defaults filled in, or an error.
func (o Options) complete() (Options, error) {
	o.Packet = cmp.Or(o.Packet, DefaultPacket)
	o.Forwarding = cmp.Or(o.Forwarding, fabric.StoreAndForward)
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
