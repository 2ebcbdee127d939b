package plan

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// clock runs stages through time, each as early as the fabric allows, by the rules in the
// package comment.
type clock struct {
	plan *Plan
	now  units.Time      // when the last step ended
	up   *topology.Graph // circuits of the previous stage; nil: the first configuration is free
	// resting is the base, on a fabric that charges every step that is not on it; else nil.
	resting *topology.Graph

	first units.Time // when the steps of the previous stage began to send
	ready units.Time // when its change was over

	stage    int // the next one
	commands []Command

	planes []plane // if they reconfigure independently
	free   bool    // their first circuits are up at the start
	lanes  []LaneTime
}

// Command tells the switches to set up the circuits of a stage.
type Command struct {
	Stage int // from 0
	Plane int // from 1, if it is for one plane only; 0: for all
	// At is when the command is given, Over when all circuits are up. If computation hides part of
	// a change, the plan's clock stands still while GPUs compute; At is then that much earlier
	// than the end of the previous step, and may be negative.
	At, Over units.Time
}

// Commands returns the commands to the switches, one for every reconfiguration, in order of
// time. None begins before the previous one is over, except on independent planes. The steps
// must be priced.
func (p *Plan) Commands() ([]Command, error) {
	c, err := p.clockwork()
	if err != nil {
		return nil, err
	}
	// Planes run independently, so their commands are out of order.
	slices.SortStableFunc(c.commands, func(a, b Command) int { return cmp.Compare(a.At, b.At) })
	return c.commands, nil
}

// clockwork runs the clock again over a priced plan, without changing the plan.
func (p *Plan) clockwork() (*clock, error) {
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	resting, err := p.Fabric.Resting()
	if err != nil {
		return nil, err
	}
	c := &clock{plan: p, up: up, free: up == nil, resting: resting}
	for i := range p.Stages {
		stage := p.Stages[i]
		stage.Steps = slices.Clone(stage.Steps)
		c.run(&stage)
	}
	return c, nil
}

// run sets the times of a stage whose steps are priced, and returns how long its steps waited
// for circuits.
func (c *clock) run(stage *Stage) units.Time {
	switch {
	case stage.Lanes != nil && c.plan.Independent:
		return c.runTurn(stage)
	case stage.Lanes != nil:
		return c.runLanes(stage)
	case c.resting != nil:
		return c.runSteps(stage)
	}
	f := &c.plan.Fabric
	old, next := c.up, stage.Topology
	stage.Start, stage.Reconfiguration, stage.Hidden = c.now, 0, 0
	c.up = next
	changes := old != nil && old != next && !old.Equal(next)
	c.stage++
	if changes && f.Overlap.Kind == fabric.OverlapCircuits {
		return c.carry(stage, old)
	}
	before := 0 // steps that wait for no circuit
	for before < len(stage.Steps) && c.plan.Grounded(stage, &stage.Steps[before]) {
		before++
	}
	began := c.now
	for j := range before {
		stage.Steps[j].Start = c.now
		c.now += stage.Steps[j].Cost.Total()
	}
	wait := units.Time(0)
	if changes {
		hidden, delay := f.Hidden(old, next, began-c.first), f.Reconfig.Delay(old, next)
		command := began - hidden
		hidden += c.now - began
		wait = f.Wait(old, next, hidden)
		stage.Hidden = min(delay, hidden)
		c.commands = append(c.commands, Command{Stage: c.stage - 1, At: command, Over: command + delay})
	}
	wait = max(wait, c.ready-c.now) // an earlier change may still be going on
	if before == len(stage.Steps) && c.stage == len(c.plan.Stages) {
		if changes {
			stage.Hidden = f.Reconfig.Delay(old, next)
		}
		wait = 0 // nobody needs the circuits
	}
	if before == 0 {
		stage.Reconfiguration = wait
	}
	c.now += wait
	c.first = c.now
	for j := before; j < len(stage.Steps); j++ {
		step := &stage.Steps[j]
		step.Start = c.now
		c.now += step.Cost.Total()
	}
	return wait
}

// carry runs a stage whose steps send over unchanged circuits while the others change.
func (c *clock) carry(stage *Stage, old *topology.Graph) units.Time {
	f, next := &c.plan.Fabric, stage.Topology
	delay := f.Reconfig.Delay(old, next)
	command := max(c.now+f.Sync.Time(), c.ready)
	waited := command - c.now
	c.now, c.ready = command, command+delay
	c.commands = append(c.commands, Command{Stage: c.stage - 1, At: command, Over: c.ready})
	stay, circuits := f.Reconfig.Stay(old, next), f.Circuits()
	paid := units.Time(0)
	for j := range stage.Steps {
		step := &stage.Steps[j]
		wait := units.Time(0)
		if c.ready > c.now {
			wait = NewMixed(f, circuits, next, stay, step.Cost, c.plan.routed(step)).Wait(c.ready - c.now)
		}
		paid += wait
		if j == 0 {
			stage.Reconfiguration = waited + wait
		}
		c.now += wait
		step.Start = c.now
		c.now += step.Cost.Total()
	}
	stage.Hidden = max(0, delay-paid-max(0, c.ready-c.now))
	return waited + paid
}

// runSteps runs a stage on a fabric that charges steps (fabric.ChargeSteps): every step waits
// until its circuits are set, even if they are up already, unless they are those of the base
// and stay.
func (c *clock) runSteps(stage *Stage) units.Time {
	f, next := &c.plan.Fabric, stage.Topology
	wait := f.WaitAlone(f.Reconfig.Base.Time())
	rests := next == c.resting || next.Equal(c.resting)
	stage.Start, stage.Reconfiguration, stage.Hidden = c.now, 0, 0
	waited := units.Time(0)
	for j := range stage.Steps {
		step := &stage.Steps[j]
		if c.up != nil && !(rests && next.Equal(c.up)) {
			c.commands = append(c.commands, Command{Stage: c.stage, At: c.now, Over: c.now + f.Reconfig.Base.Time()})
			if j == 0 {
				stage.Reconfiguration = wait
			}
			c.now += wait
			waited += wait
		}
		c.up = next
		step.Start = c.now
		c.now += step.Cost.Total()
	}
	c.stage++
	return waited
}
