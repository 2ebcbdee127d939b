package joint

import (
	"sync"

	"github.com/lightpath-net/lightpath/fabric"
)

// machine is what a fabric charges, in ns.
type machine struct {
	alpha, delta float64
	perByte      float64 // over one circuit
	wait         float64 // for a change of circuits
	ports        int
	duplex       bool
	stores       bool // store-and-forward
	capped       bool // no step sends faster than its busiest pair over one circuit
}

// newMachine reads a fabric. The wait is exact where it does not depend on what changes;
// else it is that of a change of every circuit, which is what a change of stages mostly is.
func newMachine(f *fabric.Fabric, ports, members int) machine {
	m := machine{
		alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()), perByte: float64(f.Bandwidth.Transmit(1)),
		ports: ports, duplex: f.Duplex, stores: f.Forwarding == fabric.StoreAndForward, capped: f.CapTheta,
	}
	if wait, ok := f.UniformWait(); ok {
		m.wait = float64(wait)
		return m
	}
	changes := 1
	switch f.Reconfig.Model {
	case fabric.PerPort, fabric.PerCircuit:
		changes = ports * members
	case fabric.PerSwitch:
		if changes = f.Reconfig.Switches; changes == 0 {
			changes = ports
		}
	}
	delay := float64(f.Reconfig.Base.Time()) + float64(changes)*float64(f.Reconfig.Each.Time())
	if f.Overlap.Kind == fabric.OverlapCompute {
		delay = max(0, delay-float64(f.Overlap.Compute.Time()))
	}
	m.wait = delay + float64(f.Sync.Time())
	return m
}

// load is the load of a step that its time is for, in units of one source's data.
func (m *machine) load(t tally) float64 {
	load := t.peak
	if m.stores {
		load = max(load, t.dilation)
	}
	if m.capped {
		load = max(load, t.pair)
	}
	return load
}

// shape is what something takes: start-ups, hops in a row, changes of circuits in
// between, and the sum over the steps of the busiest circuit's load.
type shape struct {
	steps, hops, changes int
	load                 float64 // in units of what the context says
}

func (s shape) plus(t shape) shape {
	return shape{s.steps + t.steps, s.hops + t.hops, s.changes + t.changes, s.load + t.load}
}

// time prices a shape whose unit of load has some bytes.
func (m *machine) time(s shape, unit float64) float64 {
	return m.alpha*float64(s.steps) + m.delta*float64(s.hops) + m.wait*float64(s.changes) + m.perByte*unit*s.load
}

// program is a way to work off a digit. The unit of its load is one point's data: of a
// gather a point's shard, of the others the vector.
type program struct {
	shape
	points int
	kind   kind
	parts  int // into which a point's data is cut
	// scattered is the number of shards into which the reversal of its gather part cuts
	// the vector: its points, of an exchange 1.
	scattered int
	// ranges: a point's shards, where it has one of so many, are those of a range that its own
	// is in, and not those of its residue.
	ranges bool
	about  string // in a few words
	// lay lists what is sent, and turned is the same with the circuits turned round:
	// reversed in time it leads from sums of shards to shards of sums, on the circuits of
	// lay. It is nil for an exchange.
	lay, turned func() []stage
	// settle, if not nil, counts what it really takes: of the hops and the load only lower
	// bounds are known so far.
	settle func(stopped func() bool) counted
	// core is the exchange between the two halves of a total; nil in others.
	core func() []stage
	// sums is what leads to the shards of sums that the gather begins with, where that is not
	// its reversal.
	sums func() []stage
	// back, if not nil, is the load of the reversal on the same circuits, where that is
	// another: on one-way graphs without symmetry.
	back *reversal
	has  uses // besides points
}

// kind is what a program does.
type kind int

const (
	gather   kind = iota
	exchange      // of whole vectors, which leaves the sum with everybody
	total         // a reversed gather, an exchange of what it leaves, and a gather: the sum, too
)

// stage is a time in which the circuits of a program stay, and everything is a gather or
// an exchange.
type stage struct {
	net   *network
	kind  kind
	steps [][]way
}

// counted is what a program really takes.
type counted struct {
	hops int
	load float64
}

// reversal is the load of a reversed gather, or a lower bound on it until it is settled.
type reversal struct {
	load   float64
	settle func(stopped func() bool) float64
}

// once returns a function that finds something when it is first asked for it, whoever asks,
// and does not keep what was given up.
func once[T any](find func(stopped func() bool) (found T, whole bool)) func(stopped func() bool) T {
	var mutex sync.Mutex
	var known bool
	var kept T
	return func(stopped func() bool) T {
		mutex.Lock()
		defer mutex.Unlock()
		if known {
			return kept
		}
		found, whole := find(stopped)
		if whole {
			known, kept = true, found
		}
		return found
	}
}

// settled takes over what was counted, which is no less than the bounds except for rounding:
// so what is picked does not depend on what was counted before.
func (p *program) settled(c counted) {
	p.settle = nil
	p.hops, p.load = max(p.hops, c.hops), max(p.load, c.load)
}

// settleOne counts what is only bounded, and reports whether there was anything; what a
// reversal takes only if that is asked for.
func (p *program) settleOne(pair bool, stopped func() bool) bool {
	switch {
	case p.settle != nil:
		p.settled(p.settle(stopped))
	case pair && p.back != nil && p.back.settle != nil:
		p.back = &reversal{load: max(p.back.load, p.back.settle(stopped))}
	default:
		return false
	}
	return true
}

// pick returns the program that takes the least time when one point's data have the given
// bytes, of equals the first; nil if none takes less than the limit.
func (s *search) pick(programs []*program, bytes, limit float64) (*program, float64) {
	return s.fastest(programs, limit, false, func(p *program) float64 { return s.time(p.shape, bytes) })
}

// fastest returns the program of the least time below a limit. Loads that are only bounded
// are counted as long as the bound is the best.
func (s *search) fastest(programs []*program, limit float64, pair bool, time func(*program) float64) (*program, float64) {
	for {
		var best *program
		least := limit
		for _, p := range programs {
			if t := time(p); t < least {
				best, least = p, t
			}
		}
		if best == nil || !best.settleOne(pair, s.stopped) {
			return best, least
		}
	}
}

// pair is what a gather and its reversal before it take, on the same circuits.
func (p *program) pair() shape {
	both := p.plus(p.shape)
	if p.back != nil {
		both.load = p.load + p.back.load
	}
	return both
}

// pickPair returns the gather that takes the least time together with its reversal.
func (s *search) pickPair(programs []*program, bytes, limit float64) (*program, float64) {
	return s.fastest(programs, 2*limit, true, func(p *program) float64 { return s.time(p.pair(), bytes) })
}
