package plan

import "github.com/lightpath-net/lightpath/units"

// A plan with independent planes is one plan per plane, side by side: every stage is a turn of
// one plane, and begins when that plane's previous turn is over, whatever the others do. GPUs
// send only what they had from the start, so no turn waits for another plane. Each plane has
// its own times. The plan takes as long as the plane that ends last, and reports that plane's
// costs.

// OnlyPlane returns the plane, from 0, whose turn a stage is, or -1.
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

// Turn returns the plane, from 0, whose turn a stage of independent planes is.
func (s *Stage) Turn() int { return max(0, s.OnlyPlane()) }

// runTurn sets the times of a turn of an independent plane.
func (c *clock) runTurn(stage *Stage) units.Time {
	if c.planes == nil {
		c.planes = make([]plane, len(stage.Lanes))
	}
	k := stage.OnlyPlane()
	if k < 0 || k >= len(c.planes) {
		c.stage++
		return 0 // not a turn; package verify reports it
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
