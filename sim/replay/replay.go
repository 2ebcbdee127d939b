package replay

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Program returns a plan as phases, one for each step: nothing is up while circuits
// change, then the start-up passes, then all transfers of the step start at once. A
// transfer is a flow over its routes; bytes are rounded up to whole ones. The phases keep
// the symmetry of the steps.
func Program(p *plan.Plan) sim.Program {
	return func(yield func(*sim.Phase, error) bool) {
		for stage, step := range p.Steps() {
			if !yield(phaseOf(p, stage, step), nil) {
				return
			}
		}
	}
}

func phaseOf(p *plan.Plan, stage *plan.Stage, step *plan.Step) *sim.Phase {
	phase := &sim.Phase{
		Network: sim.Network{Graph: stage.Topology, Bandwidth: p.Fabric.Bandwidth, Delay: p.Fabric.Delta},
		Startup: p.Fabric.Alpha,
		Group:   step.Group,
		Flows:   make([]sim.Flow, len(step.Base)),
		Routes:  make([][]flow.Route, len(step.Base)),
	}
	if step == &stage.Steps[0] {
		phase.Reconfiguration = picoseconds(stage.Reconfiguration)
	}
	for i := range step.Base {
		t := &step.Base[i]
		phase.Flows[i] = sim.Flow{Src: int32(t.Src), Dst: int32(t.Dst), Bytes: wholeBytes(p.Bytes(t.Chunks))}
		phase.Routes[i] = t.Routes
	}
	return phase
}

// wholeBytes rounds up, but not for the rounding of a sum of fractions.
func wholeBytes(bytes float64) units.Bytes {
	if near := math.Round(bytes); math.Abs(bytes-near) <= 1e-9*bytes {
		return units.Bytes(near)
	}
	return units.Bytes(math.Ceil(bytes))
}

func picoseconds(t units.Time) units.Duration { return units.Duration(math.Round(float64(t) * 1000)) }
