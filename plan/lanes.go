package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Lane is the part of one plane in a step of a plan whose planes reconfigure independently
// (fabric.OverlapPlanes): its circuits, at most one per GPU, and the share of every transfer
// that they carry. A plane that skips the step has neither.
type Lane struct {
	Circuits *topology.Graph // nil: the plane skips the step
	Share    float64
}

// Staggered reports whether the plan has lanes: it says what every plane does.
func (p *Plan) Staggered() bool { return len(p.Stages) > 0 && p.Stages[0].Lanes != nil }

// IdlePlanes adds idle planes to a plan with lanes until there is one plane for each port.
func (p *Plan) IdlePlanes() {
	for i := range p.Stages {
		for lanes := &p.Stages[i].Lanes; *lanes != nil && len(*lanes) < p.Fabric.Ports; {
			*lanes = append(*lanes, Lane{})
		}
	}
}

// successor returns, for each node, the node at the other end of its circuit in a plane, or -1.
func successor(g *topology.Graph) ([]int32, error) {
	next := make([]int32, g.Nodes())
	enter := make([]bool, g.Nodes())
	for u := range next {
		next[u] = -1
	}
	for e := range g.Edges() {
		if e.Count > 1 || next[e.From] >= 0 || enter[e.To] {
			return nil, fmt.Errorf("circuit %d->%d is one of several of a GPU; a plane has one port of each", e.From, e.To)
		}
		next[e.From], enter[e.To] = int32(e.To), true
	}
	return next, nil
}

// along returns the only path from one node to another.
func along(next []int32, src, dst int) ([]int32, error) {
	path := []int32{int32(src)}
	for u := next[src]; u >= 0 && len(path) <= len(next); u = next[u] {
		path = append(path, u)
		if int(u) == dst {
			return path, nil
		}
	}
	return nil, fmt.Errorf("its circuits do not lead from %d to %d", src, dst)
}

// LaneRoutes returns the routes of a transfer over the lanes of a stage. Each lane has only one
// path; lanes with the same path become one route.
func LaneRoutes(lanes []Lane, src, dst int) ([]flow.Route, error) {
	var routes []flow.Route
	for p, lane := range lanes {
		if lane.Circuits == nil {
			continue
		}
		next, err := successor(lane.Circuits)
		if err != nil {
			return nil, fmt.Errorf("plane %d: %w", p+1, err)
		}
		path, err := along(next, src, dst)
		if err != nil {
			return nil, fmt.Errorf("plane %d: %w", p+1, err)
		}
		same := slices.IndexFunc(routes, func(r flow.Route) bool { return slices.Equal(r.Path, path) })
		if same < 0 {
			routes = append(routes, flow.Route{Path: path, Share: lane.Share})
		} else {
			routes[same].Share += lane.Share
		}
	}
	return routes, nil
}

// priceLane returns how long a lane takes for its share of a step once it has begun.
func (p *pricer) priceLane(ctx context.Context, lane Lane, step *Step) (StepCost, error) {
	next, err := successor(lane.Circuits)
	if err != nil {
		return StepCost{}, err
	}
	one := Step{Group: step.Group, Base: make([]Transfer, len(step.Base))}
	for i, t := range step.Base {
		path, err := along(next, t.Src, t.Dst)
		if err != nil {
			return StepCost{}, err
		}
		one.Base[i] = Transfer{Transfer: t.Transfer, Routes: []flow.Route{{Path: path, Share: 1}}}
	}
	load, pair, err := p.loadOf(ctx, lane.Circuits, &one)
	if err != nil {
		return StepCost{}, err
	}
	load.Peak *= lane.Share
	load.Dilation *= lane.Share
	return CostOf(&p.Fabric, load, pair, p.reduced(step)), nil
}

// priceLanes returns the cost of the slowest lane.
func (p *pricer) priceLanes(ctx context.Context, stage *Stage, step *Step) (StepCost, error) {
	var slowest StepCost
	for i, lane := range stage.Lanes {
		if lane.Circuits == nil {
			continue
		}
		cost, err := p.priceLane(ctx, lane, step)
		if err != nil {
			return StepCost{}, fmt.Errorf("plane %d: %w", i+1, err)
		}
		if cost.Total() > slowest.Total() {
			slowest = cost
		}
	}
	return slowest, nil
}

// plane is the clock's record of a plane.
type plane struct {
	up    *topology.Graph // nil before the first circuits
	ended units.Time      // when the last byte on them arrived
	cost  Cost            // so far, if planes are independent
}

// LaneTime is when a plane serves a step.
type LaneTime struct {
	Stage, Plane int // from 0 and from 1, as in Command
	// At and Over begin and end the change of its circuits; they are equal if no circuit changes.
	At, Over units.Time
	// Begin and End are those of its share, including start-up and propagation.
	Begin, End units.Time
}

// LaneTimes returns the times of planes that reconfigure independently, stage by stage. The
// steps must be priced.
func (p *Plan) LaneTimes() ([]LaneTime, error) {
	c, err := p.clockwork()
	if err != nil {
		return nil, err
	}
	return c.lanes, nil
}

// runLanes sets the times of a stage whose planes reconfigure independently. A plane changes as
// soon as its last byte has arrived, while GPUs reduce; it serves the step as soon as it is up
// and the previous step has ended.
func (c *clock) runLanes(stage *Stage) units.Time {
	f := &c.plan.Fabric
	if c.planes == nil {
		c.planes = make([]plane, len(stage.Lanes))
	}
	step := &stage.Steps[0]
	end, longest := c.now, units.Time(0)
	for i, lane := range stage.Lanes {
		if lane.Circuits == nil {
			continue
		}
		plane, begin := &c.planes[i], c.now
		at := LaneTime{Stage: c.stage, Plane: i + 1, At: begin, Over: begin}
		if delay, changes := c.changeOf(plane, lane.Circuits); changes {
			over := plane.ended + delay
			at.At, at.Over = plane.ended, over
			c.commands = append(c.commands, Command{Stage: c.stage, Plane: i + 1, At: plane.ended, Over: over})
			longest = max(longest, delay)
			begin = max(begin, over+f.Sync.Time())
		}
		cost, err := (&pricer{Plan: c.plan}).priceLane(context.Background(), lane, step)
		if err != nil {
			continue // the step would have no price
		}
		plane.up, plane.ended = lane.Circuits, begin+cost.Total()-cost.Reduction
		at.Begin, at.End = begin, plane.ended
		c.lanes = append(c.lanes, at)
		end = max(end, plane.ended+cost.Reduction)
	}
	c.stage++
	wait := max(0, end-c.now-step.Cost.Total())
	if Near(c.now+wait, c.now) {
		wait = 0 // rounding
	}
	stage.Start, stage.Reconfiguration, stage.Hidden = c.now, wait, max(0, longest-wait)
	step.Start = c.now + wait
	c.now = step.Start + step.Cost.Total()
	return wait
}

// changeOf returns how long a plane takes to change to the next circuits, and whether it
// changes at all. On a fabric that is not free at the start, every plane must first be set up.
func (c *clock) changeOf(at *plane, next *topology.Graph) (units.Time, bool) {
	switch {
	case at.up == nil && c.free:
		return 0, false
	case at.up == nil:
		return c.plan.Fabric.Reconfig.Delay(topology.New(next.Nodes(), "dark", nil), next), true
	case at.up == next || at.up.Equal(next):
		return 0, false
	}
	return c.plan.Fabric.Reconfig.Delay(at.up, next), true
}
