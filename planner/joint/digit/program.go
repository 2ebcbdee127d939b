package digit

import (
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// Machine is what a fabric charges, in ns.
type Machine struct {
	Alpha, Delta float64
	PerByte      float64 // over one circuit
	Wait         float64 // for a reconfiguration
	Ports        int
	Duplex       bool
	Stores       bool // store-and-forward
	Capped       bool // no step sends faster than its busiest pair over one circuit
}

// NewMachine returns the machine of a fabric. The wait is exact if it does not depend on what
// changes. Otherwise it is that of a change of every circuit, which is what most changes of
// stages are.
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

// Load returns the load that determines the time of a step, in units of one source's data.
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

// Shape is the cost of something: start-ups, consecutive hops, reconfigurations in between, and
// the sum over the steps of the busiest circuit's load.
type Shape struct {
	Steps, Hops, Changes int
	Load                 float64 // in units that depend on the context
}

func (s Shape) plus(t Shape) Shape {
	return Shape{s.Steps + t.Steps, s.Hops + t.Hops, s.Changes + t.Changes, s.Load + t.Load}
}

// Time returns the time of a shape whose unit of load has the given bytes.
func (m *Machine) Time(s Shape, unit float64) float64 {
	return m.Alpha*float64(s.Steps) + m.Delta*float64(s.Hops) + m.Wait*float64(s.Changes) + m.PerByte*unit*s.Load
}

// program is a way to process a digit. The unit of its load is one point's data: a point's shard
// for a gather, otherwise the vector.
type program struct {
	Shape
	points int
	kind   kind
	parts  int // that a point's data is cut into
	// scattered is the number of shards into which the reversal of its gather part cuts the
	// vector: the number of its points, or 1 for an exchange.
	scattered int
	// ranges: if a point has one of several ranges of shards, that is the range that contains its
	// own shard, and not the shards of its residue.
	ranges bool
	about  string // in a few words
	// Lay lists what is sent, and turned does so for reversed circuits: reversed in time, turned
	// is the reduce-scatter on the circuits of Lay. It is nil for an exchange.
	Lay, turned func() []stage
	on          func() *network.Network // the network of a gather that stays on a known one
	// settle, if not nil, counts the real cost. Until then the hops and the load are only lower
	// bounds.
	settle func(stopped func() bool) counted
	// core is the exchange between the two halves of a total; nil in others.
	core func() []stage
	// sums, if not nil, lists what leads to the shards of sums that the gather begins with, where
	// that is not the reversed gather.
	sums func() []stage
	// back, if not nil, is the load of the reversal on the same circuits, where that differs: on
	// one-way graphs without symmetry.
	back *reversal
	// before: the side sums that include what outer digits have summed up.
	before collective.Sides
	has    Uses // besides points
	line   bool // on a line digraph
	// uneven: the network looks different from different points, so every transfer stands only
	// for itself.
	uneven bool
}

// First returns the network that the program begins on. If that is known, no routes are computed.
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
	exchange      // of whole vectors, which leaves the sum with every point
	total         // a reversed gather, an exchange of its result, and a gather: also leaves the sum
)

// stage is a period in which the circuits of a program stay, and all its steps gather or all
// exchange.
type stage struct {
	Net   *network.Network
	kind  kind
	steps [][]network.Way
}

// counted is the real cost of a program.
type counted struct {
	hops int
	load float64
}

// reversal is the load of a reversed gather, or a lower bound on it until it is settled.
type reversal struct {
	load   float64
	settle func(stopped func() bool) float64
}

// once returns a function that finds something when anyone first asks for it. It does not keep a
// result if find gave up.
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

// settled takes over what was counted. That is no less than the bounds except for rounding, so
// what pick chooses does not depend on what was counted before.
func (p *program) settled(c counted) {
	p.settle = nil
	p.Hops, p.Load = max(p.Hops, c.hops), max(p.Load, c.load)
}

// settleOne counts what is only bounded, and reports whether there was anything to count. It
// counts the reversal only if pair is set.
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

// pick returns the fastest program if one point's data has the given bytes, the first in a tie;
// nil if none beats the limit.
func (s *Search) pick(programs []*program, bytes, limit float64) (*program, float64) {
	return s.fastest(programs, limit, false, func(p *program) float64 { return s.Time(p.Shape, bytes) })
}

// fastest returns the fastest program below a limit. A load that is only bounded is counted once
// its program looks the fastest.
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

// pair returns the shape of a gather after its reversal, on the same circuits.
func (p *program) pair() Shape {
	both := p.plus(p.Shape)
	if p.back != nil {
		both.Load = p.Load + p.back.load
	}
	return both
}

// pickPair returns the gather that is fastest together with its reversal.
func (s *Search) pickPair(programs []*program, bytes, limit float64) (*program, float64) {
	return s.fastest(programs, 2*limit, true, func(p *program) float64 { return s.Time(p.pair(), bytes) })
}
