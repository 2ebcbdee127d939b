package digit

import (
	"sync"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// Machine is what a fabric charges, in ns.
type Machine struct {
	Alpha, Delta float64
	PerByte      float64 // over one circuit
	Wait         float64 // for a change of circuits
	Ports        int
	Duplex       bool
	Stores       bool // store-and-forward
	Capped       bool // no step sends faster than its busiest pair over one circuit
}

// NewMachine reads a fabric. The wait is exact where it does not depend on what changes;
// else it is that of a change of every circuit, which is what a change of stages mostly is.
func NewMachine(f *fabric.Fabric, ports, members int) Machine {
	m := Machine{
		Alpha: float64(f.Alpha.Time()), Delta: float64(f.Delta.Time()), PerByte: float64(f.Bandwidth.Transmit(1)),
		Ports: ports, Duplex: f.Duplex, Stores: f.Forwarding == fabric.StoreAndForward, Capped: f.CapTheta,
	}
	if wait, ok := f.UniformWait(); ok {
		m.Wait = float64(wait)
		return m
	}
	m.Wait = float64(f.WaitFor(f.Reconfig.Most(members, ports)))
	return m
}

// Load is the load of a step that its time is for, in units of one source's data.
func (m *Machine) Load(t network.Tally) float64 {
	load := t.Peak
	if m.Stores {
		load = max(load, t.Dilation)
	}
	if m.Capped {
		load = max(load, t.Pair)
	}
	return load
}

// Shape is what something takes: start-ups, hops in a row, changes of circuits in
// between, and the sum over the steps of the busiest circuit's load.
type Shape struct {
	Steps, Hops, Changes int
	Load                 float64 // in units of what the context says
}

func (s Shape) plus(t Shape) Shape {
	return Shape{s.Steps + t.Steps, s.Hops + t.Hops, s.Changes + t.Changes, s.Load + t.Load}
}

// Time prices a shape whose unit of load has some bytes.
func (m *Machine) Time(s Shape, unit float64) float64 {
	return m.Alpha*float64(s.Steps) + m.Delta*float64(s.Hops) + m.Wait*float64(s.Changes) + m.PerByte*unit*s.Load
}

// program is a way to work off a digit. The unit of its load is one point's data: of a
// gather a point's shard, of the others the vector.
type program struct {
	Shape
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
	Lay, turned func() []stage
	on          func() *network.Network // of a gather that stays on one that is known
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
	has  Uses // besides points
	line bool // on a line digraph
	// uneven: the network looks different from its points, and a transfer stands for itself alone.
	uneven bool
}

// First returns the network that it begins on. Ways over it are not looked for where it is known.
func (p *program) First() *network.Network {
	if p.on != nil {
		return p.on()
	}
	return p.Lay()[0].Net
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
	Net   *network.Network
	kind  kind
	steps [][]network.Way
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
	p.Hops, p.Load = max(p.Hops, c.hops), max(p.Load, c.load)
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
func (s *Search) pick(programs []*program, bytes, limit float64) (*program, float64) {
	return s.fastest(programs, limit, false, func(p *program) float64 { return s.Time(p.Shape, bytes) })
}

// fastest returns the program of the least time below a limit. Loads that are only bounded
// are counted as long as the bound is the best.
func (s *Search) fastest(programs []*program, limit float64, pair bool, time func(*program) float64) (*program, float64) {
	for {
		var best *program
		least := limit
		for _, p := range programs {
			if t := time(p); t < least {
				best, least = p, t
			}
		}
		if best == nil || !best.settleOne(pair, s.Stopped) {
			return best, least
		}
	}
}

// pair is what a gather and its reversal before it take, on the same circuits.
func (p *program) pair() Shape {
	both := p.plus(p.Shape)
	if p.back != nil {
		both.Load = p.Load + p.back.load
	}
	return both
}

// pickPair returns the gather that takes the least time together with its reversal.
func (s *Search) pickPair(programs []*program, bytes, limit float64) (*program, float64) {
	return s.fastest(programs, 2*limit, true, func(p *program) float64 { return s.Time(p.pair(), bytes) })
}
