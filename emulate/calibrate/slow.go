package calibrate

import (
	"math"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// held is the part of the fabric's time that a host may need for itself: more, and what is
// measured is the host and not the fabric.
const held = 0.25

// Slow returns the smallest factor by which a plan's times must be stretched for the host
// to hold them: so that, by what was measured, it needs no more than a quarter of the
// time of any step or change of circuits for itself. It is rounded up to two digits.
//
// A step costs the host what all of its circuits carry together, and signs to and from all
// ranks; the host was measured with all of its ranks sending at once.
func (h *Host) Slow(p *plan.Plan) float64 {
	ranks := float64(p.Fabric.Nodes) / float64(h.Nodes)
	perByte := h.PerByte / units.Time(h.Nodes)
	slow := 1.0
	need := func(host, modelled units.Time) {
		if modelled > 0 {
			slow = max(slow, float64(host/modelled)/held)
		}
	}
	for i := range p.Stages {
		stage := &p.Stages[i]
		need(h.Reconfig*units.Time(ranks), stage.Reconfiguration)
		for j := range stage.Steps {
			step := &stage.Steps[j]
			carried := 0.0
			for k := range step.Base {
				t := &step.Base[k]
				for _, r := range t.Routes {
					carried += p.Bytes(t.Chunks) * r.Share * float64(len(r.Path)-1)
				}
			}
			carried *= float64(step.Group.Order())
			host := h.Alpha*units.Time(ranks) + h.Delta*units.Time(step.Cost.Hops) + perByte*units.Time(carried)
			need(host, step.Cost.Total())
		}
	}
	return roundUp(slow)
}

// roundUp keeps two digits.
func roundUp(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Ceil(x/unit-1e-9) * unit
}
