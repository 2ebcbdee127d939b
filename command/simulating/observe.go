package simulating

import "github.com/lightpath-net/lightpath/sim"

// progressUnits is the resolution of the progress of one phase.
const progressUnits = 1000

// tell reports the progress of the simulation; all phases count the same.
func (r *simulator) tell(p sim.Progress) {
	if p.Total == 0 {
		return
	}
	done := int(float64(p.Done) / float64(p.Total) * progressUnits)
	r.e.Report(p.Phase*progressUnits+done, r.phases*progressUnits)
}

// observers forwards events to several observers.
type observers []sim.Observer

// Phase implements sim.Observer.
func (o observers) Phase(index int, p *sim.Phase, r *sim.PhaseResult) {
	for _, each := range o {
		each.Phase(index, p, r)
	}
}

// Transmission implements sim.Observer.
func (o observers) Transmission(t sim.Transmission) {
	for _, each := range o {
		each.Transmission(t)
	}
}
