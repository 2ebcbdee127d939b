package plan

import (
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// A plan whose planes are independent is one plan for each plane, side by side: every stage is
// a turn of one plane, which begins when the turn before on that plane is over, whatever the
// others do. Nothing is passed on from turn to turn: what a GPU sends it had from the start,
// so that no turn waits for another plane. Times are those of each plane, and the plan takes
// as long as the plane that ends last, whose costs are the plan's.

// turnOf returns the plane whose turn a stage is, from 0, or -1.
func (s *Stage) turnOf() int {
	turn := -1
	for k, lane := range s.Lanes {
		switch {
		case lane.Circuits == nil:
		case turn >= 0:
			return -1
		default:
			turn = k
		}
	}
	return turn
}

// Turn returns the plane whose turn a stage of independent planes is, from 0.
func (s *Stage) Turn() int { return max(0, s.turnOf()) }

// runTurn sets the times of a turn of an independent plane.
func (c *clock) runTurn(stage *Stage) units.Time {
	if c.planes == nil {
		c.planes = make([]plane, len(stage.Lanes))
	}
	k := stage.turnOf()
	if k < 0 || k >= len(c.planes) {
		c.stage++
		return 0 // no turn; Verify says so
	}
	at, step := &c.planes[k], &stage.Steps[0]
	times := LaneTime{Stage: c.stage, Plane: k + 1, At: at.ended, Over: at.ended}
	stage.Start, stage.Reconfiguration, stage.Hidden = at.ended, 0, 0
	if delay, changes := c.changeOf(at, stage.Lanes[k].Circuits); changes {
		times.Over += delay
		c.commands = append(c.commands, Command{Stage: c.stage, Plane: k + 1, At: times.At, Over: times.Over})
		stage.Reconfiguration = delay + c.plan.Fabric.Sync.Time()
	}
	step.Start = stage.Start + stage.Reconfiguration
	at.up, at.ended = stage.Lanes[k].Circuits, step.Start+step.Cost.Total()
	at.cost.Startup += step.Cost.Startup
	at.cost.Propagation += step.Cost.Propagation
	at.cost.Transmission += step.Cost.Transmission
	at.cost.Reconfiguration += stage.Reconfiguration
	times.Begin, times.End = step.Start, at.ended
	c.lanes = append(c.lanes, times)
	c.now = max(c.now, at.ended)
	c.stage++
	return stage.Reconfiguration
}

// last returns the costs of the plane that ends last.
func (c *clock) last() Cost {
	var last plane
	for _, p := range c.planes {
		if p.ended > last.ended {
			last = p
		}
	}
	return last.cost
}

// checkIndependent checks the form of a plan whose planes are independent, beyond that of one
// whose planes are rewired by themselves.
func (p *Plan) checkIndependent() error {
	switch {
	case !p.Independent:
		return nil
	case !p.Staggered():
		return errors.New("independent: no stage says what every plane does")
	case p.Collective.Op != collective.AllToAll:
		return fmt.Errorf("independent: planes depend on one another in %s; only those of %s do not", p.Collective.Op, collective.AllToAll)
	case p.Fabric.Avoid != "":
		return errors.New("independent: which plane a failed port is on is not told, so that its other turns could use it")
	}
	duties := collective.Duties(p.Collective.Op, &p.Collective.Space)
	for i := range p.Stages {
		stage := &p.Stages[i]
		if stage.turnOf() < 0 {
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

// turn replays a turn of an independent plane: it is rewired when the last byte of its turn
// before has arrived, and sends when its circuits are up.
func (t *planesTimeline) turn(i int) error {
	stage := &t.plan.Stages[i]
	step := &stage.Steps[0]
	k := stage.turnOf()
	plane, lane := &t.planes[k], stage.Lanes[k]
	over := plane.spent
	t.rewire(plane, lane.Circuits)
	begin, end := max(over, plane.lit), step.Start+step.Cost.Total()
	plane.spent = begin + t.sending(lane, step)
	switch {
	case !near(stage.Start, over):
		return fmt.Errorf("stage %d: begins at %v, but the turn before on plane %d ends at %v", i+1, stage.Start, k+1, over)
	case !near(step.Start, stage.Start+stage.Reconfiguration) || stage.Reconfiguration < 0:
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
