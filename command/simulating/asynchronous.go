package simulating

import (
	"context"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// completeTiming returns an error for settings that need barriers.
func (r *SimulateRequest) completeTiming() error {
	if err := command.CheckTiming(string(r.Timing)); err != nil || r.Timing != replay.Asynchronous {
		return err
	}
	const free = "not with timing asynchronous"
	switch {
	case r.Level != sim.PacketLevel:
		return field.Errorf("level", free+"; use packet")
	case r.Orbit:
		return field.Errorf("orbit", free+", which follows every GPU")
	case r.Jitter > 0:
		return field.Errorf("jitter_ns", free)
	}
	return nil
}

// replayAsynchronously simulates a plan without barriers, and once more with barriers to find
// what they cost.
func (r *SimulateRequest) replayAsynchronously(ctx context.Context, p *plan.Plan, run *simulator) (*Simulation, error) {
	if err := command.CheckBarriers(string(r.Timing), &p.Fabric); err != nil {
		return nil, err
	}
	s, result, err := run.run(ctx, func(ctx context.Context, o sim.Options) (*sim.Result, error) {
		o.Skew = sim.Skew{} // no GPU is slow
		return replay.RunAsynchronous(ctx, p, r.Pace, o)
	})
	if err != nil {
		return nil, err
	}
	o := run.options
	o.Orbit, o.Skew = true, sim.Skew{}
	with, err := sim.Run(ctx, r.Level, replay.Paced(p, r.Pace), o)
	if err != nil {
		return nil, err
	}
	explanation, err := replay.Explain(p, r.Level, o, with.Phases, nil)
	if err != nil {
		return nil, err
	}
	cost := (with.Completion - result.Completion).Time()
	s.Pace, s.Timing, s.PredictedNs, s.BarriersCostNs = r.Pace, r.Timing, p.Cost.Total(), &cost
	s.Explanation = explained(explanation.Total)
	if cost != 0 {
		s.Explanation = append(s.Explanation, SimulatedCause{replay.NoBarriers, -cost})
	}
	i, ended := 0, map[int]units.Time{} // by plane, if planes do not wait for one another
	for stage, step := range p.Steps() {
		phase, plane := result.Phases[i], 0
		if p.Independent {
			plane = stage.Turn()
		}
		end := step.Start + step.Cost.Total()
		s.Steps = append(s.Steps, SimulatedStep{
			Index: step.Index, StartNs: phase.Start.Time(), EndNs: phase.End.Time(), TotalNs: (phase.End - phase.Start).Time(),
			PredictedNs: end - ended[plane], // also from end to end
		})
		i, ended[plane] = i+1, end
	}
	return s, nil
}
