package calibrate

import (
	"math"

	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// held is the fraction of the fabric's time that a host may need for itself. If it needs more,
// the measured times are the host's and not the fabric's.
const held = 0.25

// Slow returns the smallest factor by which a plan's times must be stretched for the host to
// keep up. By the measurements, the host then needs at most a quarter of the time of any step or
// change of circuits for itself. The factor is rounded up to two digits.
//
// The host's time for a step is that for the bytes of all circuits together, and for signals to
// and from all ranks. The host was measured with all of its ranks sending at once.
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
			host := h.Alpha*units.Time(ranks) + h.Delta*units.Time(step.Cost.Hops) + perByte*units.Time(carried(p, step))
			need(host, step.Cost.Total())
		}
	}
	return roundUp(slow)
}

// SlowIteration is Slow for the jobs of an iteration. By the measurements, the host needs at
// most a quarter of the iteration's time for all bytes, frames and signals of all jobs together,
// as if these came one after the other.
func (h *Host) SlowIteration(jobs *iterations.Jobs, programs map[wire.ProgramID]*program.Program) float64 {
	nodes := units.Time(h.Nodes)
	packet := float64(emulate.IterationPacket(programs))
	host := units.Time(0)
	for i := range jobs.List {
		job := &jobs.List[i]
		share := units.Time(len(job.Group)) / nodes
		switch job.Kind {
		case iterations.Waits:
		case iterations.Computes:
			host += h.Barrier * share
		case iterations.Changes:
			host += h.Reconfig * share
		case iterations.Communicates:
			g := programs[job.Program]
			for _, place := range g.Steps {
				// A step was measured with one frame per rank.
				bytes := carried(g.Plan, place.Step)
				frames := max(1, bytes/packet/float64(len(job.Group)))
				host += (h.Alpha+h.Delta*units.Time(max(1, place.Step.Cost.Hops)))*share*units.Time(frames) + h.PerByte/nodes*units.Time(bytes)
			}
		}
	}
	return roundUp(max(1, float64(host/units.Time(jobs.Rounds)/jobs.Agenda.Iteration)/held))
}

// carried returns the bytes of a step, counting every hop.
func carried(p *plan.Plan, step *plan.Step) float64 {
	sum := 0.0
	for k := range step.Base {
		t := &step.Base[k]
		for _, r := range t.Routes {
			sum += p.Bytes(t.Chunks) * r.Share * float64(len(r.Path)-1)
		}
	}
	return sum * float64(step.Group.Order())
}

// roundUp rounds up to two digits.
func roundUp(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Ceil(x/unit-1e-9) * unit
}
