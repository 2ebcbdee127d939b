package simulating

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// canReplan returns an error if an iteration cannot be planned around a failure. Ranks of a
// class use the same ports, so all of them leave out a port that one has lost.
func (r *SimulateRequest) canReplan(f replay.Failure) error {
	switch d := r.Iteration; {
	case f.GPU:
		return fmt.Errorf("%v: no plan goes on without a rank; start again on a spare GPU", f)
	case f.Switch:
		return r.canDoWithout(f)
	case !f.OnePort:
		return fmt.Errorf("%v: no plan of an iteration avoids single circuits; name the port, port:U.P", f)
	case d.Fabric.Ports < 2:
		return fmt.Errorf("%v: no port is left", f)
	case !d.Fabric.Layout.IsZero() && !d.Fabric.Layout.Parallel():
		return fmt.Errorf("%v: with these switches, ports differ; only ports of ideal switches and of rails can be left out", f)
	}
	return nil
}

// canDoWithout returns an error if an iteration cannot be planned around a switch. Every GPU
// must lose exactly one port and keep at least one.
func (r *SimulateRequest) canDoWithout(f replay.Failure) error {
	d := r.Iteration
	plugged := d.Fabric.Plugging()
	if plugged == nil || d.Fabric.Ports < 2 {
		return fmt.Errorf("%v: all circuits go through it, and none is left", f)
	}
	for gpu := range d.Ranks {
		lost := 0
		for port := range d.Fabric.Ports {
			if plugged.Switch(gpu, port) == f.From {
				lost++
			}
		}
		if lost != 1 || !d.Fabric.Layout.Parallel() {
			return fmt.Errorf("%v: GPU %d has %d of its ports there; an iteration is planned again where every GPU loses one, as on rails", f, gpu, lost)
		}
	}
	return nil
}

// replan plans the iteration with one port less, and proves the plan.
func (r *SimulateRequest) replan(ctx context.Context, e *command.Run) (*iteration.Agenda, error) {
	f := r.Iteration.Fabric
	f.Ports--
	d, err := iterating.IterateIn(ctx, iterating.IterateRequest{Workload: r.Iteration.Workload, Fabric: f}, e)
	if err != nil {
		return nil, fmt.Errorf("there is no plan with %s: %w", units.Count(f.Ports, "port"), err)
	}
	return iterating.Agenda(ctx, d)
}

func recovered(made *rehearsal.Recovery) *SimulatedRecovery {
	if made == nil {
		return nil
	}
	return &SimulatedRecovery{
		Ports: made.Agenda.Fabric.Ports, PredictedNs: made.Agenda.Iteration, Restarted: made.Restarted, FailingNs: made.Failing, AfterNs: made.After,
	}
}
