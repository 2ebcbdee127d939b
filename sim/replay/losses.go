package replay

import (
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Losses watches a simulation in which nothing fails and records what each failure would lose:
// every message with a packet that has not left a circuit when that circuit fails. The first
// phase that loses something never ends; later ones show what would be lost if the plan went on
// as if nothing had happened. Each failure is treated separately. A packet whose last bit
// leaves the circuit in the very picosecond of the failure is not lost. One that is then in
// flight to a failing GPU is lost, unless it arrives in that picosecond.
//
// It observes the packet level, and all flows must be simulated (no Options.Orbit).
type Losses struct {
	failures []Failure
	delay    units.Duration
	ports    []*portCircuits   // by failure; nil if it is not of a port
	open     []map[int]*losing // by failure and phase: phases that have not ended
	phases   [][]LostPhase
}

// losing is what a phase that has not ended has lost so far.
type losing struct {
	first LostPhase
	flows map[int]struct{}
}

// LostPhase is what one phase loses.
type LostPhase struct {
	Phase int
	// At is when the first packet finds a circuit down, or is lost on its way; From and To are the
	// ends of that circuit.
	At       units.Duration
	From, To int
	Flows    []sim.Flow // flows that do not arrive whole
}

// Bytes returns the bytes of the messages that do not arrive whole.
func (l *LostPhase) Bytes() units.Bytes {
	return each.Sum(l.Flows, func(f sim.Flow) units.Bytes { return f.Bytes })
}

// NewLosses watches for the losses of failures. Circuits have the given delay.
func NewLosses(delay units.Duration, failures ...Failure) *Losses {
	l := &Losses{failures: failures, delay: delay, ports: make([]*portCircuits, len(failures)), open: make([]map[int]*losing, len(failures)), phases: make([][]LostPhase, len(failures))}
	for i := range l.open {
		l.open[i] = map[int]*losing{}
	}
	return l
}

// Of returns the losses of the i-th failure, phase by phase, without phases that lose nothing.
func (l *Losses) Of(i int) []LostPhase { return l.phases[i] }

// Transmission implements sim.Observer.
func (l *Losses) Transmission(t sim.Transmission) {
	for i := range l.failures {
		f := &l.failures[i]
		early, hit := f.hits(&t, l.delay, l.ports[i])
		if !hit {
			continue
		}
		// Find the first packet that has not left in time.
		end := t.Start + t.Each
		if late := f.At - early - end; late >= 0 {
			if t.Packets == 1 || late/t.Gap+1 >= units.Duration(t.Packets) {
				continue
			}
			end += (late/t.Gap + 1) * t.Gap
		}
		l.note(i, &t, max(f.At, end-t.Each))
	}
}

// note records a flow that loses a packet at the given time.
func (l *Losses) note(i int, t *sim.Transmission, at units.Duration) {
	now := l.open[i][t.Phase]
	if now == nil {
		now = &losing{flows: map[int]struct{}{}}
		l.open[i][t.Phase] = now
	}
	if len(now.flows) == 0 || at < now.first.At || at == now.first.At && before(t, &now.first) {
		now.first = LostPhase{Phase: t.Phase, At: at, From: t.From, To: t.To}
	}
	now.flows[t.Flow] = struct{}{}
}

func before(t *sim.Transmission, l *LostPhase) bool {
	return t.From < l.From || t.From == l.From && t.To < l.To
}

// Phase implements sim.Observer.
func (l *Losses) Phase(index int, p *sim.Phase, _ *sim.PhaseResult) {
	order := p.Group.Order()
	for i, open := range l.open {
		lost := open[index]
		if lost == nil {
			continue
		}
		phase := lost.first
		for _, number := range slices.Sorted(maps.Keys(lost.flows)) {
			f := p.Flows[number/order]
			f.Src = int32(p.Group.Apply(number%order, int(f.Src)))
			f.Dst = int32(p.Group.Apply(number%order, int(f.Dst)))
			phase.Flows = append(phase.Flows, f)
		}
		l.phases[i] = append(l.phases[i], phase)
		delete(open, index)
	}
}

// Finish ends the phases of a plan simulated without barriers, in which phases overlap and all
// end together.
func (l *Losses) Finish(p *plan.Plan) {
	index := 0
	for stage, step := range p.Steps() {
		l.Phase(index, phaseOf(p, stage, step), nil)
		index++
	}
}
