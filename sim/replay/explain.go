package replay

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Cause is a reason why a simulation takes more or less time than the plan says.
type Cause string

// The causes, in the order in which they are listed.
const (
	// Rounding is the effect of whole bytes, packets and picoseconds.
	Rounding      Cause = "rounding"
	Serialisation Cause = "serialisation"      // packets, not whole messages, are forwarded
	Cap           Cause = "theta cap"          // the plan holds fast steps back
	Hidden        Cause = "hidden propagation" // packets propagate while others are sent
	Queueing      Cause = "queueing"           // packets wait, while circuits idle that they will need
	Sharing       Cause = "fair sharing"       // flows get other rates than in the plan
	// Darkness says that steps wait for circuits longer or shorter than in the plan.
	Darkness   Cause = "dark circuits"
	Jitter     Cause = "jitter"      // GPUs start late
	NoBarriers Cause = "no barriers" // GPUs go on before others have ended a step
	// OtherPlane says that, among independent planes, another one ends last than in the plan.
	OtherPlane Cause = "another plane"
	// Communications says that those of an iteration take longer or shorter than in its plan.
	Communications Cause = "communications"
	// Stragglers says that GPUs compute for longer than in the plan of an iteration.
	Stragglers Cause = "stragglers"
)

var causes = [...]Cause{Rounding, Serialisation, Cap, Hidden, Queueing, Sharing, Darkness, Jitter, NoBarriers, OtherPlane, Communications, Stragglers}

// About describes a cause in a few words.
func (c Cause) About() string {
	switch c {
	case Rounding:
		return "bytes, packets and picoseconds are whole"
	case Serialisation:
		return "hops store and forward packets, not messages"
	case Cap:
		return "the plan caps the throughput of a step"
	case Hidden:
		return "packets propagate while others are sent"
	case Queueing:
		return "packets queue where routes meet"
	case Sharing:
		return "fair rates are not those of the plan"
	case Darkness:
		return "transfers wait longer or shorter for circuits that change meanwhile"
	case Jitter:
		return "GPUs start late"
	case NoBarriers:
		return "GPUs and circuits go on without waiting for all others"
	case Communications:
		return "those of the longest chain take longer or shorter than in the plan"
	case Stragglers:
		return "GPUs compute for longer than in the plan, and others wait for them"
	case OtherPlane:
		return "another plane ends last than in the plan, where it ends sooner"
	}
	return ""
}

// Part is the time that one cause adds, or saves if it is negative.
type Part struct {
	Cause Cause
	Time  units.Time
}

// Explanation says why a simulation differs from the plan.
type Explanation struct {
	Total []Part
	Steps [][]Part // of each step, without the preceding change of circuits
}

// Resolution is the smallest difference that an explanation shows. Parts that round to zero are
// left out.
const Resolution = units.Time(1) / 1000

// Explain compares the phases of a simulated plan with its steps. The parts add up to the
// difference, up to the resolution of each. If GPUs start late, calm has the phases of the same
// simulation without late starts; otherwise it is nil.
//
// If only some transfers of a step wait for circuits, the step is compared as a whole.
// Otherwise the wait is compared with the plan's separately, and counts only for the total.
//
// The difference of a step is divided as follows. The work of its busiest circuit replaces the
// plan's load, first as the plan counts it and then in whole bytes and packets. The rest is the
// difference from that work plus the propagation over the longest route. If it is negative,
// propagation was hidden. If it is positive, it is the serialisation of a packet on further
// hops as far as that goes, and queueing beyond it.
func Explain(p *plan.Plan, level sim.Level, o sim.Options, phases, calm []sim.PhaseResult) (*Explanation, error) {
	if calm == nil {
		calm = phases
	}
	if steps := p.CountSteps(); len(phases) != steps || len(calm) != steps {
		return nil, fmt.Errorf("replay: %d and %d phases for %d steps", len(phases), len(calm), steps)
	}
	if p.Independent {
		return explainTurns(p, level, o, phases, calm)
	}
	if p.Staggered() {
		return explainLanes(p, phases, calm), nil
	}
	timeline, err := newTimeline(p)
	if err != nil {
		return nil, err
	}
	e := &Explanation{}
	total := tally{}
	i, ended := 0, units.Time(0)
	for stage, step := range p.Steps() {
		phase := phaseOf(p, stage, step)
		if err := timeline.begin(calm[i].Start, stage, step, phase); err != nil {
			return nil, fmt.Errorf("step %d: %w", step.Index, err)
		}
		planned := step.Start - ended
		t := tally{}
		if staggered(phase) {
			t[Darkness] = whole(&calm[i]) - planned - step.Cost.Total()
		} else {
			if t, err = compare(p, stage, step, level, o, sending(&calm[i])-phase.Reduction.Time()); err != nil {
				return nil, fmt.Errorf("step %d: %w", step.Index, err)
			}
			cause := Rounding
			if k := p.Fabric.Overlap.Kind; k == fabric.OverlapPorts || k == fabric.OverlapCircuits {
				cause = Darkness
			}
			total[cause] += phase.Reconfiguration.Time() - planned
		}
		t[Jitter] += whole(&phases[i]) - whole(&calm[i])
		e.Steps = append(e.Steps, t.parts())
		total.add(t)
		ended = step.Start + step.Cost.Total()
		i++
	}
	e.Total = total.parts()
	return e, nil
}

// explainLanes compares every step of a plan whose planes reconfigure independently as a whole.
func explainLanes(p *plan.Plan, phases, calm []sim.PhaseResult) *Explanation {
	e := &Explanation{}
	total := tally{}
	i, ended := 0, units.Time(0)
	for _, step := range p.Steps() {
		end := step.Start + step.Cost.Total()
		t := tally{
			Darkness: whole(&calm[i]) - (end - ended),
			Jitter:   whole(&phases[i]) - whole(&calm[i]),
		}
		e.Steps = append(e.Steps, t.parts())
		total.add(t)
		ended = end
		i++
	}
	e.Total = total.parts()
	return e
}

// staggered reports whether some flows start later than others.
func staggered(phase *sim.Phase) bool {
	return slices.ContainsFunc(phase.Flows, func(f sim.Flow) bool { return f.Start > 0 })
}

// whole returns how long a phase took, including waits.
func whole(r *sim.PhaseResult) units.Time { return (r.End - r.Start).Time() }

// sending returns how long the flows of a phase took.
func sending(r *sim.PhaseResult) units.Time { return (r.End - r.Traffic).Time() }

// compare divides by cause the difference between the time that the flows of a step took and
// the plan's time.
func compare(p *plan.Plan, stage *plan.Stage, step *plan.Step, level sim.Level, o sim.Options, took units.Time) (tally, error) {
	if !p.Fabric.Links.IsZero() || p.Fabric.Tiered() {
		return compareUneven(step, level, took), nil
	}
	limits, err := LimitsOf(phaseOf(p, stage, step), level, o)
	if err != nil {
		return nil, err
	}
	load, err := loadOf(p, stage, step)
	if err != nil {
		return nil, err
	}
	stored := p.Fabric.Forwarding == fabric.StoreAndForward
	peak := p.Fabric.Bandwidth.Transmit(load.Peak)
	counted := peak
	if stored {
		counted = max(counted, p.Fabric.Bandwidth.Transmit(load.Dilation))
	}
	t := tally{
		Rounding:      limits.Work - peak,
		Serialisation: peak - counted,
		Cap:           counted - step.Cost.Transmission,
	}
	rest := took - limits.Work - step.Cost.Propagation
	if rest < 0 {
		t[Hidden] = rest
		return t, nil
	}
	if stored {
		again := min(rest, units.Time(limits.Hops-1)*limits.Packet)
		t[Serialisation] += again
		rest -= again
	}
	if level == sim.FlowLevel {
		t[Sharing] = rest
	} else {
		t[Queueing] = rest
	}
	return t, nil
}

// compareUneven is compare for unequal circuits: all time of the flows beyond the plan's counts
// as waiting, including that for whole bytes.
func compareUneven(step *plan.Step, level sim.Level, took units.Time) tally {
	rest := took - step.Cost.Transmission - step.Cost.Propagation
	switch {
	case rest < 0:
		return tally{Hidden: rest}
	case level == sim.FlowLevel:
		return tally{Sharing: rest}
	}
	return tally{Queueing: rest}
}

// loadOf returns the load of a step as the plan counts it.
func loadOf(p *plan.Plan, stage *plan.Stage, step *plan.Step) (flow.Load, error) {
	demands := make([]flow.Demand, len(step.Base))
	routes := make([][]flow.Route, len(step.Base))
	for i := range step.Base {
		t := &step.Base[i]
		demands[i] = flow.Demand{Src: t.Src, Dst: t.Dst, Amount: p.Bytes(t.Chunks)}
		routes[i] = t.Routes
	}
	return flow.LoadOf(stage.Topology, step.Group, demands, routes)
}

// tally adds up times by cause.
type tally map[Cause]units.Time

func (t tally) add(more tally) {
	for cause, time := range more {
		t[cause] += time
	}
}

// parts lists the times that are at least half of the resolution, rounded to it.
func (t tally) parts() []Part {
	var parts []Part
	for _, cause := range causes {
		if ps := math.Round(float64(t[cause] / Resolution)); ps != 0 {
			parts = append(parts, Part{cause, units.Time(ps) * Resolution})
		}
	}
	return parts
}
