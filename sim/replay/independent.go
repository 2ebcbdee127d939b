package replay

import (
	"fmt"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// explainTurns explains every turn of independent planes separately, and the total by the turns
// of the plane that ends last in the simulation.
func explainTurns(p *plan.Plan, level sim.Level, o sim.Options, phases, calm []sim.PhaseResult) (*Explanation, error) {
	e := &Explanation{}
	totals, ends, planned := make([]tally, p.Fabric.Ports), make([]units.Time, p.Fabric.Ports), make([]units.Time, p.Fabric.Ports)
	last, i := 0, 0
	for stage, step := range p.Steps() {
		k := stage.Turn()
		if totals[k] == nil {
			totals[k] = tally{}
		}
		t, err := compare(p, stage, step, level, o, sending(&calm[i]))
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", step.Index, err)
		}
		wait := whole(&calm[i]) - sending(&calm[i]) - p.Fabric.Alpha.Time()
		totals[k][Rounding] += wait - stage.Reconfiguration
		t[Jitter] += whole(&phases[i]) - whole(&calm[i])
		e.Steps = append(e.Steps, t.parts())
		totals[k].add(t)
		ends[k], planned[k] = phases[i].End.Time(), step.Start+step.Cost.Total()
		if ends[k] > ends[last] {
			last = k
		}
		i++
	}
	totals[last][OtherPlane] += planned[last] - p.Cost.Total()
	e.Total = totals[last].parts()
	return e, nil
}
