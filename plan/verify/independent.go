package verify

import (
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
)

// checkIndependent checks the form of a plan with independent planes, beyond the form of a plan
// whose planes reconfigure independently.
func checkIndependent(p *plan.Plan) error {
	switch {
	case !p.Independent:
		return nil
	case !p.Staggered():
		return errors.New("independent: no stage says what every plane does")
	case p.Collective.Op != collective.AllToAll:
		return fmt.Errorf("independent: planes depend on one another in %s; only those of %s do not", p.Collective.Op, collective.AllToAll)
	case !p.Fabric.Avoid.IsZero():
		return errors.New("independent: the plane of a failed port is not known, so another turn might use it")
	}
	duties := collective.Duties(p.Collective.Op, &p.Collective.Space)
	for i := range p.Stages {
		stage := &p.Stages[i]
		if stage.OnlyPlane() < 0 {
			return fmt.Errorf("stage %d: independent: several planes have circuits, or none; a turn is of one", i+1)
		}
		number := 0
		for x := range stage.Steps[0].All(p.Collective.Space) {
			number++
			if x.Action != collective.Copy {
				return fmt.Errorf("%s: independent: the action is %q, want %q", where(i, 0, number-1), x.Action, collective.Copy)
			}
			for c := range x.Chunks.All() {
				if from := duties(c).From; len(from) != 1 || from[0] != x.Src {
					return fmt.Errorf("%s: independent: chunk %d is not there from the start", where(i, 0, number-1), c)
				}
			}
		}
	}
	return nil
}

// turn replays a turn of an independent plane. The plane is rewired when the last byte of its
// previous turn has arrived, and sends when its circuits are up.
func (t *planesTimeline) turn(i int) error {
	stage := &t.plan.Stages[i]
	step := &stage.Steps[0]
	k := stage.OnlyPlane()
	plane, lane := &t.planes[k], stage.Lanes[k]
	over := plane.spent
	t.rewire(plane, lane.Circuits)
	begin, end := max(over, plane.lit), step.Start+step.Cost.Total()
	plane.spent = begin + t.sending(lane, step)
	switch {
	case !plan.Near(stage.Start, over):
		return fmt.Errorf("stage %d: begins at %v, but the turn before on plane %d ends at %v", i+1, stage.Start, k+1, over)
	case !plan.Near(step.Start, stage.Start+stage.Reconfiguration) || stage.Reconfiguration < 0:
		return fmt.Errorf("stage %d: starts at %v, but waits from %v for %v", i+1, step.Start, stage.Start, stage.Reconfiguration)
	case before(step.Start, begin):
		return fmt.Errorf("stage %d: starts at %v, before plane %d is up at %v", i+1, step.Start, k+1, begin)
	case before(begin, step.Start):
		return fmt.Errorf("stage %d: starts at %v, but plane %d is up at %v", i+1, step.Start, k+1, begin)
	case before(end, plane.spent):
		return fmt.Errorf("stage %d, step 1: plane %d is up at %v, so its bytes are there at %v, not at %v", i+1, k+1, begin, plane.spent, end)
	case stage.Hidden != 0:
		return fmt.Errorf("stage %d: %v of the change are said to be hidden, but all of it goes on before the turn", i+1, stage.Hidden)
	}
	return nil
}
