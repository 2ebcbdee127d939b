package verify

import (
	"context"
	"fmt"
	"maps"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// checkChargedSteps checks the times of a plan on a fabric that charges steps
// (fabric.ChargeSteps). A step waits for its circuits unless they are those of the base and the
// step before had them, or it is the first step on a fabric that is free at the start. It
// shares no code with Price.
func checkChargedSteps(ctx context.Context, p *plan.Plan) (violation, cancelled error) {
	f := &p.Fabric
	base, err := f.Resting()
	if err != nil {
		return err, nil
	}
	initial, err := f.InitialTopology()
	if err != nil {
		return err, nil
	}
	var up map[[2]int]int // nil: the first circuits are free
	if initial != nil {
		up = circuitsOf(initial)
	}
	rest := circuitsOf(base)
	delay := f.Reconfig.Base.Time() + f.Sync.Time()
	ended := units.Time(0)
	for i := range p.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stage := &p.Stages[i]
		next := circuitsOf(stage.Topology)
		if before(stage.Start, ended) {
			return fmt.Errorf("stage %d: begins at %v, while the step before runs until %v", i+1, stage.Start, ended), nil
		}
		if stage.Hidden != 0 {
			return fmt.Errorf("stage %d: %v of the delay are said to be hidden, but all steps wait for it", i+1, stage.Hidden), nil
		}
		ended = max(ended, stage.Start)
		for j := range stage.Steps {
			step, need := &stage.Steps[j], units.Time(0)
			if up != nil && !(maps.Equal(next, rest) && maps.Equal(next, up)) {
				need = delay
			}
			if j == 0 && !plan.Near(ended+stage.Reconfiguration, ended+need) {
				return fmt.Errorf("stage %d: its first step pays %v for its circuits, but %v are planned", i+1, need, stage.Reconfiguration), nil
			}
			if before(step.Start, ended+need) {
				return fmt.Errorf("stage %d, step %d: starts at %v, but pays %v for its circuits after %v", i+1, j+1, step.Start, need, ended), nil
			}
			up, ended = next, step.Start+step.Cost.Total()
		}
	}
	return nil, nil
}

// circuitsOf counts the circuits from one GPU to another.
func circuitsOf(g *topology.Graph) map[[2]int]int {
	counts := map[[2]int]int{}
	for e := range g.Edges() {
		counts[[2]int{e.From, e.To}] += e.Count
	}
	return counts
}
