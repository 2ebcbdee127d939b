package plan

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Cost is the time of a plan, divided by cause.
type Cost struct {
	Startup         units.Time // alpha, per step
	Propagation     units.Time // delta, per hop of each step's longest route
	Transmission    units.Time // bytes of the most loaded circuit over its bandwidth
	Reduction       units.Time // gamma, for the bytes that the busiest node of each step reduces
	Reconfiguration units.Time // changes of circuits
}

// Total returns the sum of the parts.
func (c Cost) Total() units.Time {
	return c.Startup + c.Propagation + c.Transmission + c.Reduction + c.Reconfiguration
}

// Bytes returns the time that grows with the size: transmission and reduction.
func (c Cost) Bytes() units.Time { return c.Transmission + c.Reduction }

// StepCost is the time of one step.
type StepCost struct {
	Startup      units.Time
	Propagation  units.Time
	Transmission units.Time
	Reduction    units.Time
	Hops         int // of the longest route
	// Congestion is 1/theta: the transmission time divided by the time that one circuit needs for
	// the bytes of the busiest pair. It is below 1 where several circuits share a pair's bytes,
	// because theta is capped at the number of ports, not at 1.
	Congestion float64
}

// Total returns the sum of the parts.
func (c StepCost) Total() units.Time { return c.Startup + c.Propagation + c.Transmission + c.Reduction }

// CostOf prices a step of the given load. The busiest pair exchanges pairBytes, and no node
// reduces more than the given bytes: alpha + delta*hops + bytes(most loaded circuit)/bandwidth
// + gamma*reduced. With store-and-forward a route takes at least the time of its hops one after
// another, so the bytes are the larger of the peak load and the dilation. Where theta is capped
// at 1, they are at least those of the busiest pair.
func CostOf(f *fabric.Fabric, load flow.Load, pairBytes, reduced float64) StepCost {
	bytes := load.Peak
	if f.Forwarding == fabric.StoreAndForward {
		bytes = max(bytes, load.Dilation)
	}
	if f.CapTheta {
		bytes = max(bytes, pairBytes)
	}
	return StepCost{
		Startup:      f.Alpha.Time(),
		Propagation:  f.Delta.Time() * units.Time(load.Hops),
		Transmission: f.Bandwidth.Transmit(bytes),
		Reduction:    f.Gamma.Of(reduced),
		Hops:         load.Hops,
		Congestion:   bytes / pairBytes,
	}
}

// PriceStep computes the cost of a step from its routes only. circuits gives the properties of
// the fabric's circuits, nil if all are equal. It returns the error of its context once that
// has ended.
func (p *Plan) PriceStep(ctx context.Context, circuits *fabric.Circuits, stage *Stage, step *Step) (StepCost, error) {
	return (&pricer{Plan: p, circuits: circuits}).step(ctx, stage, step)
}

// pricer computes the costs of a plan's steps one after another.
type pricer struct {
	*Plan
	circuits *fabric.Circuits // nil if all are equal
	loads    flow.Loader
}

func (p *pricer) step(ctx context.Context, stage *Stage, step *Step) (StepCost, error) {
	switch {
	case stage.Lanes != nil:
		return p.priceLanes(ctx, stage, step)
	case p.Fabric.Tiered():
		return p.priceTiers(ctx, stage, step)
	case p.circuits != nil:
		return p.priceUneven(ctx, p.circuits.On(stage.Topology), step)
	}
	load, pairBytes, err := p.loadOf(ctx, stage.Topology, step)
	if err != nil {
		return StepCost{}, err
	}
	return CostOf(&p.Fabric, load, pairBytes, p.reduced(step)), nil
}

// reduced returns the most bytes that any node reduces in a step.
func (p *Plan) reduced(step *Step) float64 {
	if p.Fabric.Gamma == (fabric.Gamma{}) {
		return 0
	}
	return Reduced(&p.Fabric, step.Unrouted(), p.Bytes)
}

// Reduced returns the most bytes that any node reduces in a step; 0 if reducing is free.
func Reduced(f *fabric.Fabric, step collective.Step, bytes func(collective.Chunks) float64) float64 {
	if f.Gamma == (fabric.Gamma{}) {
		return 0
	}
	return step.Reduced(bytes)
}

// loadOf returns the load of a step's routes on the circuits, and the bytes of the busiest
// pair.
func (p *pricer) loadOf(ctx context.Context, circuits *topology.Graph, step *Step) (load flow.Load, pairBytes float64, err error) {
	load, err = p.loads.Of(ctx, circuits, step.Group, len(step.Base), func(i int) (flow.Demand, []flow.Route) {
		t := &step.Base[i]
		return flow.Demand{Src: t.Src, Dst: t.Dst, Amount: p.Bytes(t.Chunks)}, t.Routes
	})
	if err != nil {
		return load, 0, err
	}
	return load, p.busiestPair(circuits.Nodes(), step), nil
}

// busiestPair returns the most bytes that the transfers of a step, with all their images, send
// between any two of the given number of nodes. It takes O(nodes + transfers). Images of two
// transfers can join the same pair, so both are moved to their home in the group and compared
// there.
func (p *Plan) busiestPair(nodes int, step *Step) float64 {
	group := step.Group
	if len(step.Base) == 1 {
		return p.Bytes(step.Base[0].Chunks)
	}
	start := make([]int32, nodes+1) // of each home's transfers in list
	for i := range step.Base {
		_, home := group.Locate(step.Base[i].Src)
		start[home+1]++
	}
	for u := range nodes {
		start[u+1] += start[u]
	}
	list, next := make([]int32, len(step.Base)), slices.Clone(start)
	for i := range step.Base {
		_, home := group.Locate(step.Base[i].Src)
		list[next[home]] = int32(i)
		next[home]++
	}
	most, bytes := 0.0, make([]float64, nodes)
	for u := range nodes {
		here := list[start[u]:start[u+1]]
		for _, i := range here {
			t := &step.Base[i]
			k, _ := group.Locate(t.Src)
			to := group.Back(k, t.Dst)
			bytes[to] += p.Bytes(t.Chunks)
			most = max(most, bytes[to])
		}
		for _, i := range here {
			k, _ := group.Locate(step.Base[i].Src)
			bytes[group.Back(k, step.Base[i].Dst)] = 0
		}
	}
	return most
}

// changes counts the stages whose circuits differ from those of the previous stage. It leaves
// out the first configuration if the fabric starts free.
func (p *Plan) changes() int {
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return 0
	}
	count := 0
	for i := range p.Stages {
		next := p.Stages[i].Topology
		if up != nil && up != next && !up.Equal(next) {
			count++
		}
		up = next
	}
	return count
}

// Price computes every time that the plan claims, from its circuits and routes: the cost of
// each step, the starts of steps and stages, the total and the number of reconfigurations.
func (p *Plan) Price() error { return p.PriceContext(context.Background()) }

// PriceContext is Price with a context. It returns the error of its context once that has
// ended; the claims are then invalid.
func (p *Plan) PriceContext(ctx context.Context) error {
	pricer := pricer{Plan: p, circuits: p.Fabric.Circuits()}
	index := 0
	for i := range p.Stages {
		stage := &p.Stages[i]
		for j := range stage.Steps {
			index++
			step := &stage.Steps[j]
			step.Index = index
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if step.Cost, err = pricer.step(ctx, stage, step); err != nil {
				return fmt.Errorf("stage %d, step %d: %w", i+1, index, err)
			}
		}
	}
	return p.Retime()
}

// Retime is Price for steps whose costs are known: it computes the other times. It is enough
// after a change of how long changes of circuits take, or what they overlap with.
func (p *Plan) Retime() error {
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return err
	}
	resting, err := p.Fabric.Resting()
	if err != nil {
		return err
	}
	p.Cost = Cost{}
	clock := clock{plan: p, up: up, free: up == nil, resting: resting}
	for i := range p.Stages {
		stage := &p.Stages[i]
		for j := range stage.Steps {
			cost := &stage.Steps[j].Cost
			p.Cost.Startup += cost.Startup
			p.Cost.Propagation += cost.Propagation
			p.Cost.Transmission += cost.Transmission
			p.Cost.Reduction += cost.Reduction
		}
		p.Cost.Reconfiguration += clock.run(stage)
	}
	p.Reconfigurations = p.changes()
	if p.Staggered() || clock.resting != nil {
		p.Reconfigurations = len(clock.commands)
	}
	if p.Independent {
		p.Cost = clock.last()
	}
	return nil
}

// RouteStep gives a step's transfers the fastest routes on a graph that the fabric's routing
// policy allows. The graph must be invariant under the step's group.
func (p *Plan) RouteStep(ctx context.Context, g *topology.Graph, step Step) error {
	return p.RouteStepWithin(ctx, g, step, units.Time(math.Inf(1)))
}

// RouteStepWithin is RouteStep with a limit on the time of the step. If all routes take longer,
// it leaves the step as it is, and the error wraps flow.ErrSlower.
func (p *Plan) RouteStepWithin(ctx context.Context, g *topology.Graph, step Step, limit units.Time) error {
	demands := make([]flow.Demand, len(step.Base))
	for i := range step.Base {
		t := &step.Base[i]
		demands[i] = flow.Demand{Src: t.Src, Dst: t.Dst, Amount: p.Bytes(t.Chunks)}
	}
	solved, err := flow.FastestWithin(ctx, flow.Problem{Graph: g, Demands: demands, Group: step.Group}, p.Fabric.Routing, func(load flow.Load) float64 {
		return float64(CostOf(&p.Fabric, load, 1, 0).Total())
	}, float64(limit))
	if err != nil {
		return err
	}
	for i := range step.Base {
		step.Base[i].Routes = solved.Routes[i]
	}
	p.Approximate = p.Approximate || solved.Approximate
	return nil
}
