package replay

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Pace says in which steps of a plan routes send at the plan's rate, with their bytes spread
// evenly over the time of the busiest circuit.
type Pace string

// Paces.
const (
	// PaceMerging paces steps in which several circuits, or a faster one, feed a queue. In other
	// steps nothing can arrive too fast: packets sent as soon as possible are never later than the
	// plan, and often earlier, because they hide propagation. PaceOn gives that advantage up, and
	// planes that come up late have no time to spare: it is up to 37% slower on the plans of
	// docs/packets.md, and nowhere faster. So PaceMerging is the default.
	PaceMerging Pace = "merging"
	PaceOn      Pace = "on"  // in all steps
	PaceOff     Pace = "off" // in none
)

// Paces lists them.
func Paces() []Pace { return []Pace{PaceMerging, PaceOn, PaceOff} }

// Paced is Program with flows that send at a pace.
func Paced(p *plan.Plan, pace Pace) sim.Program {
	return func(yield func(*sim.Phase, error) bool) {
		if !slices.Contains(Paces(), pace) {
			yield(nil, fmt.Errorf("replay: pace %q; want one of %v", pace, Paces()))
			return
		}
		for phase, err := range Program(p) {
			if err == nil {
				phase.Pace, err = pace.holds(phase)
			}
			if !yield(phase, err) || err != nil {
				return
			}
		}
	}
}

// holds reports whether the flows of a phase send at a pace.
func (x Pace) holds(phase *sim.Phase) (bool, error) {
	if x != PaceMerging {
		return x == PaceOn, nil
	}
	if slows(phase) {
		return true, nil
	}
	alike := *phase // the circuits' speed does not matter for what feeds and serves a queue
	alike.Network.Vary = nil
	limits, err := LimitsOf(&alike, sim.PacketLevel, sim.Options{})
	return limits.Merges || limits.Wide && limits.Hops > 1, err
}

// slows reports whether a route goes from faster circuits on to slower ones. If a GPU sends
// there to several others, one after another, their circuits idle in turn.
func slows(phase *sim.Phase) bool {
	vary := phase.Network.Vary
	if vary == nil {
		return false
	}
	rate := func(u, v int32) float64 {
		bandwidth, _ := vary(int(u), int(v))
		return float64(bandwidth) * float64(phase.Network.Graph.Count(int(u), int(v)))
	}
	for _, routes := range phase.Routes {
		for _, r := range routes {
			for h := 2; h < len(r.Path); h++ {
				if rate(r.Path[h-2], r.Path[h-1]) > rate(r.Path[h-1], r.Path[h]) {
					return true
				}
			}
		}
	}
	return false
}

// Program returns a plan as phases, one for each step. When a phase begins, a timeline of every
// port says when circuits are up, by the simulation's clock, not the plan's: a transfer starts
// when the circuits on its routes are up, after the start-up. It becomes a flow over its
// routes, with bytes rounded up to integers. Phases keep the symmetry of the steps, unless a
// reconfiguration breaks it.
func Program(p *plan.Plan) sim.Program {
	if p.Independent || p.Staggered() {
		return planesProgram(p)
	}
	return func(yield func(*sim.Phase, error) bool) {
		t, err := newTimeline(p)
		if err != nil {
			yield(nil, err)
			return
		}
		for stage, step := range p.Steps() {
			phase := phaseOf(p, stage, step)
			phase.Begin = func(now units.Duration) error { return t.begin(now, stage, step, phase) }
			if !yield(phase, nil) {
				return
			}
		}
	}
}

// networkOf returns the circuits of a stage, each with its own bandwidth and delay if some of
// the fabric's circuits have them.
func networkOf(p *plan.Plan, stage *plan.Stage) sim.Network {
	n := sim.Network{Graph: stage.Topology, Bandwidth: p.Fabric.Bandwidth, Delay: p.Fabric.Delta}
	if circuits := p.Fabric.Circuits(); circuits != nil {
		n.Vary = circuits.Of
	}
	return n
}

// phaseOf returns a step as a phase on circuits that are all up.
func phaseOf(p *plan.Plan, stage *plan.Stage, step *plan.Step) *sim.Phase {
	if p.Fabric.Tiered() {
		return newTiers(p).phase(stage, step)
	}
	return plainPhase(p, stage, step)
}

// plainPhase is phaseOf for a step that uses only circuits.
func plainPhase(p *plan.Plan, stage *plan.Stage, step *plan.Step) *sim.Phase {
	phase := &sim.Phase{
		Network: networkOf(p, stage),
		Startup: p.Fabric.Alpha,
		Group:   step.Group,
		Flows:   make([]sim.Flow, len(step.Base)),
		Routes:  make([][]flow.Route, len(step.Base)),
	}
	for i := range step.Base {
		phase.Flows[i] = flowOf(p, &step.Base[i])
		phase.Routes[i] = step.Base[i].Routes
	}
	phase.Reduction = reduction(p, step)
	return phase
}

// reduction returns how long the node that has most to reduce takes for it, rounded to
// picoseconds; all wait for it.
func reduction(p *plan.Plan, step *plan.Step) units.Duration {
	if p.Fabric.Gamma.Time == 0 {
		return 0
	}
	return slices.Max(reductions(p, step))
}

// reductions returns how long each node takes to reduce what it received in a step.
func reductions(p *plan.Plan, step *plan.Step) []units.Duration {
	gamma := p.Fabric.Gamma
	times := make([]units.Duration, p.Fabric.Nodes)
	if gamma.Time == 0 {
		return times
	}
	received := make([]float64, p.Fabric.Nodes)
	for t := range step.All(p.Collective.Space) {
		if t.Action.Adds() {
			received[t.Dst] += p.Bytes(t.Chunks)
		}
	}
	for u, bytes := range received {
		times[u] = picoseconds(units.Time(bytes / float64(gamma.Per) * float64(gamma.Time.Time())))
	}
	return times
}

func flowOf(p *plan.Plan, t *plan.Transfer) sim.Flow {
	return sim.Flow{Src: int32(t.Src), Dst: int32(t.Dst), Bytes: wholeBytes(p.Bytes(t.Chunks))}
}

// wholeBytes rounds up, ignoring the rounding of a sum of fractions.
func wholeBytes(bytes float64) units.Bytes {
	if near := math.Round(bytes); math.Abs(bytes-near) <= 1e-9*bytes {
		return units.Bytes(near)
	}
	return units.Bytes(math.Ceil(bytes))
}

func picoseconds(t units.Time) units.Duration { return units.Duration(math.Round(float64(t) * 1000)) }
