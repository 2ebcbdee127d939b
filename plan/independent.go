package plan

import (
	"github.com/lightpath-net/lightpath/units"
)

// A plan whose planes are independent is one plan for each plane, side by side: every stage is
// a turn of one plane, which begins when the turn before on that plane is over, whatever the
// others do. Nothing is passed on from turn to turn: what a GPU sends it had from the start,
// so that no turn waits for another plane. Times are those of each plane, and the plan takes
// as long as the plane that ends last, whose costs are the plan's.

// OnlyPlane returns the plane whose turn a stage is, from 0, or -1.
func (s *Stage) OnlyPlane() int {
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
func (s *Stage) Turn() int { return max(0, s.OnlyPlane()) }

// runTurn sets the times of a turn of an independent plane.
func (c *clock) runTurn(stage *Stage) units.Time {
	if c.planes == nil {
		c.planes = make([]plane, len(stage.Lanes))
	}
	k := stage.OnlyPlane()
	if k < 0 || k >= len(c.planes) {
		c.stage++
		return 0 // no turn; package verify says so
	}
	at, step := &c.planes[k], &stage.Steps[0]
	times := LaneTime{Stage: c.stage, Plane: k + 1, At: at.ended, Over: at.ended}
	stage.Start, stage.Reconfiguration, stage.Hidden = at.ended, 0, 0
	if delay, changes := c.changeOf(at, stage.Lanes[k].Circuits); changes {
		times.Over += delay
		c.commands = append(c.commands, Command{Stage: c.stage, Plane: k + 1, At: times.At, Over: times.Over})
		stage.Reconfiguration = c.plan.Fabric.WaitAlone(delay)
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
