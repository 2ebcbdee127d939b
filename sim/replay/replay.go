package replay

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Program returns a plan as phases, one for each step. When a phase begins, a timeline of
// every port says when circuits are up, by the simulation's clock and not by the plan's: a
// transfer starts when those on its routes are, after the start-up. It is a flow over its
// routes; bytes are rounded up to whole ones. The phases keep the symmetry of the steps,
// unless a change of circuits breaks it.
func Program(p *plan.Plan) sim.Program {
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

// phaseOf returns a step as a phase on circuits that are all up.
func phaseOf(p *plan.Plan, stage *plan.Stage, step *plan.Step) *sim.Phase {
	phase := &sim.Phase{
		Network: sim.Network{Graph: stage.Topology, Bandwidth: p.Fabric.Bandwidth, Delay: p.Fabric.Delta},
		Startup: p.Fabric.Alpha,
		Group:   step.Group,
		Flows:   make([]sim.Flow, len(step.Base)),
		Routes:  make([][]flow.Route, len(step.Base)),
	}
	for i := range step.Base {
		phase.Flows[i] = flowOf(p, &step.Base[i])
		phase.Routes[i] = step.Base[i].Routes
	}
	return phase
}

func flowOf(p *plan.Plan, t *plan.Transfer) sim.Flow {
	return sim.Flow{Src: int32(t.Src), Dst: int32(t.Dst), Bytes: wholeBytes(p.Bytes(t.Chunks))}
}

// wholeBytes rounds up, but not for the rounding of a sum of fractions.
func wholeBytes(bytes float64) units.Bytes {
	if near := math.Round(bytes); math.Abs(bytes-near) <= 1e-9*bytes {
		return units.Bytes(near)
	}
	return units.Bytes(math.Ceil(bytes))
}

func picoseconds(t units.Time) units.Duration { return units.Duration(math.Round(float64(t) * 1000)) }
