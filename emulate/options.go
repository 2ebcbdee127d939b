package emulate

import (
	"cmp"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
)

// Options configure the run of a plan. The zero value runs it within this process, with float32,
// as fast as the host can.
type Options struct {
	Type number.Type // of elements; "": Float32
	Seed uint64      // of the inputs
	// Slow multiplies every time of the fabric: transmission, propagation, start-up,
	// reconfiguration. 0: no waiting at all.
	Slow float64
	// Asynchronous makes every rank go on as soon as it can, instead of all together, and
	// circuits change as soon as the ranks at their ends are done with the old ones.
	Asynchronous bool
	// Control is the protocol, one of control's drivers, by which a controller sets circuits at
	// the switch; "": the coordinator sets them by the emulation's protocol.
	Control string
	// RanksPerProcess is how many ranks share a process; 0: one rank per process up to 64 ranks,
	// and 64 processes beyond that.
	RanksPerProcess int
	// Launcher starts processes; nil: ranks, switch and coordinator are goroutines.
	Launcher Launcher
	// Faults are the faults to inject.
	Faults []fault.Injection
	// Patience is how long nothing may happen before a process counts as stalled; 0: 5 s.
	Patience time.Duration
	// Rendezvous is how long processes may take to join; 0: 30 s.
	Rendezvous time.Duration
	// Results, if not nil, is called with the final data of every rank, by chunk. Several
	// goroutines call it. It is not called with a Launcher, because ranks then run elsewhere.
	Results func(rank int, chunks map[int][]byte)
	// Progress, if not nil, is called after every step.
	Progress func(done, total int)
	// Ended, if not nil, is called after every step, with its measured and expected times.
	Ended func(step Step)
	// RankEnded, if not nil, is called when a rank has ended a step. Steps count from 1.
	RankEnded func(rank, step int)
	// Refuse, if not nil, is asked before the switch carries out a command of its controller; an
	// error is the switch's refusal. With a Launcher nobody asks, because the switch runs
	// elsewhere.
	Refuse func(control.Change) error
}

// Defaults of Options.
const (
	DefaultPatience   = 5 * time.Second
	DefaultRendezvous = 30 * time.Second
	MaxProcesses      = 64 // started by default
)

func (o *Options) fill(nodes int) error {
	o.Type = cmp.Or(o.Type, number.Float32)
	if _, err := number.Parse(string(o.Type)); err != nil {
		return err
	}
	switch {
	case !(o.Slow >= 0) || o.Slow > MaxSlow:
		return fmt.Errorf("slow: %v; want 0 to %v", o.Slow, MaxSlow)
	case o.RanksPerProcess < 0:
		return fmt.Errorf("ranks per process: %d; want 1 or more, or 0 for a choice", o.RanksPerProcess)
	case o.RanksPerProcess == 0:
		o.RanksPerProcess = arithmetic.CeilDiv(nodes, MaxProcesses)
	}
	if o.Control != "" {
		if _, err := inventory.Lookup(o.Control); err != nil {
			return fmt.Errorf("control: %w", err)
		}
	}
	for _, f := range o.Faults {
		if f.Kind == fault.Slowed && o.Slow == 0 {
			return fmt.Errorf("%v: without waiting no circuit has a speed", f)
		}
	}
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	o.Rendezvous = cmp.Or(o.Rendezvous, DefaultRendezvous)
	return nil
}

// MaxSlow is the largest factor of time; it keeps scaled times far from overflow.
const MaxSlow = 1e9

// packet returns the bytes of a data frame. The modelled time of a transfer is spread over its
// packets, so the smallest transfer should have several; but every frame costs the host time,
// whatever its size.
func packet(p *plan.Plan, slow float64) int {
	if slow == 0 {
		return maxPacket
	}
	return int(min(max(largest(p)/packetsOfLargest, minPacket), maxPacket))
}

// largest returns the bytes of the largest transfer of a plan.
func largest(p *plan.Plan) float64 {
	most := 0.0
	for _, step := range p.Steps() {
		for i := range step.Base {
			most = max(most, p.Bytes(step.Base[i].Chunks))
		}
	}
	return most
}

// IterationPacket returns the bytes of a data frame of iterations: because many groups send at
// once, a transfer has fewer frames than in the run of a single plan.
func IterationPacket(programs map[wire.ProgramID]*program.Program) int {
	most := 0.0
	for _, g := range programs {
		most = max(most, largest(g.Plan))
	}
	return int(min(max(most/framesOfLargest, leastFrame), maxPacket))
}

const (
	packetsOfLargest = 16
	minPacket        = 1 << 10
	maxPacket        = 64 << 10
	framesOfLargest  = 4
	leastFrame       = 4 << 10
)

// beat returns the interval of heartbeats, short enough that several can be late.
func (o *Options) beat() time.Duration { return max(10*time.Millisecond, o.Patience/10) }

// harms turns injected faults of circuits into the switch's configuration.
func harms(faults []fault.Injection, slow float64) []wire.Harm {
	var list []wire.Harm
	for _, f := range faults {
		if !f.OfLink() {
			continue
		}
		h := wire.Harm{From: f.From, To: f.To, Step: f.Step, At: injectedAt(f, slow), Slow: f.Factor, Corrupt: f.Kind == fault.Corrupted}
		list = append(list, h)
		if !f.OneWay {
			h.From, h.To = f.To, f.From
			list = append(list, h)
		}
	}
	return list
}

// injectedAt returns when a fault happens in the host's time. If the fabric's times are not
// waited for, its times are taken unscaled.
func injectedAt(f fault.Injection, slow float64) time.Duration {
	slow = cmp.Or(slow, 1)
	return time.Duration(float64(f.At.Time()) * slow)
}
