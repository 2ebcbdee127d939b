package plan

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// clock runs stages through time, each as early as the fabric allows. The rules are those
// of the package comment.
type clock struct {
	plan *Plan
	now  units.Time      // the last step has ended
	up   *topology.Graph // what the stage before had; nil: the first configuration is free
	// resting are the circuits of the base where all others are charged step by step, else nil.
	resting *topology.Graph

	first units.Time // the steps of the stage before began to send
	ready units.Time // its change was over

	stage    int // that is next
	commands []Command

	planes []plane // where they reconfigure independently
	free   bool    // their first circuits are up at the start
	lanes  []LaneTime
}

// Command is an order to the switches: to set up the circuits of a stage.
type Command struct {
	Stage int // from 0
	Plane int // from 1, where it is for one plane alone; 0: for all
	// At is when it is given and Over when all circuits are up. Where computation hides a
	// part of a change, the plan's time stands still while GPUs compute, and At is so much
	// before the end of the step before, which may be before 0.
	At, Over units.Time
}

// Commands returns the commands to the switches and their times, earliest first: one for every
// reconfiguration. None begins before the one before is over, except on independent planes. The
// steps must be priced.
func (p *Plan) Commands() ([]Command, error) {
	c, err := p.clockwork()
	if err != nil {
		return nil, err
	}
	// Planes overtake one another.
	slices.SortStableFunc(c.commands, func(a, b Command) int { return cmp.Compare(a.At, b.At) })
	return c.commands, nil
}

// clockwork runs the clock once more over a plan that is priced, and changes nothing of it.
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

// run sets the times of a stage whose steps are priced. It returns how long steps waited
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
	wait = max(wait, c.ready-c.now) // of an earlier change, if nothing changes now
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

// carry runs a stage whose change goes on while its steps send over circuits that stay.
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

// runSteps runs a stage on a fabric that charges steps (fabric.ChargeSteps): each waits for its
// circuits to be set, whether they are up or not, unless they are the base's and stay.
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
