package simulating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TrafficOptions configure the simulation of messages on fixed circuits.
type TrafficOptions struct {
	// Routes are the routes of each message; a message with an empty list follows Spread.
	Routes [][]TrafficRoute `json:"routes,omitempty"`
	// Spread says over which shortest paths messages go; "": sim.SpreadNone.
	Spread sim.Spread `json:"spread,omitempty" help:"which shortest paths ${traffic} takes, ${MODE}: shortest (one path) | ecmp (one per message) | spray (one per packet)" default:"shortest"`
	// Rewire changes circuits while messages are sent.
	Rewire []sim.Rewiring `json:"rewire,omitempty"`
	// Triggers start messages when others are done, instead of at their start times.
	Triggers []sim.Trigger `json:"triggers,omitempty"`
	// Buffer is the size of a node's buffer for packets to forward, per neighbour; 0: no limit.
	Buffer units.Bytes `json:"buffer_bytes,omitzero" help:"for ${traffic}: a node's buffer for packets to forward, per neighbour; 0B: no limit" default:"0B"`
}

// TrafficRoute is a route of a message and the share of the message that takes it.
type TrafficRoute struct {
	Path  []int32 `json:"path"`
	Share float64 `json:"share"`
}

// UseRoutes sets routes.
func (o *TrafficOptions) UseRoutes(routes [][]flow.Route) {
	o.Routes = nil
	for _, list := range routes {
		these := []TrafficRoute{}
		for _, r := range list {
			these = append(these, TrafficRoute{r.Path, r.Share})
		}
		o.Routes = append(o.Routes, these)
	}
}

// unused returns an error if an option is set although there is no traffic.
func (o *TrafficOptions) unused() error {
	const alone = "only with `traffic`; a plan has its own"
	switch {
	case o.Routes != nil:
		return field.Errorf("routes", alone)
	case o.Spread != "":
		return field.Errorf("spread", alone)
	case o.Rewire != nil:
		return field.Errorf("rewire", alone)
	case o.Triggers != nil:
		return field.Errorf("triggers", "only with `traffic`")
	case o.Buffer != 0:
		return field.Errorf("buffer_bytes", "only with `traffic`")
	}
	return nil
}

// complete checks the options of traffic between some nodes.
func (o *TrafficOptions) complete(r *SimulateRequest, nodes int) error {
	o.Spread = cmp.Or(o.Spread, sim.SpreadNone)
	stepwise := o.Triggers != nil || o.Buffer > 0
	const without = "not with triggers or a buffer"
	switch {
	case !slices.Contains(sim.Spreads(), o.Spread):
		return field.Errorf("spread", "%q is not one of %v", o.Spread, sim.Spreads())
	case o.Routes != nil && len(o.Routes) != len(r.Traffic):
		return field.Errorf("routes", "of %d messages; there are %d", len(o.Routes), len(r.Traffic))
	case o.Buffer < 0 || o.Buffer > 0 && o.Buffer < r.Packet:
		return field.Errorf("buffer_bytes", "%v; want at least a packet, %v", o.Buffer, r.Packet)
	case stepwise && r.Level != sim.PacketLevel:
		return field.Errorf("level", without)
	case stepwise && o.Rewire != nil:
		return field.Errorf("rewire", without)
	case stepwise && r.Jitter > 0:
		return field.Errorf("jitter_ns", without)
	case stepwise && priorities(r.Traffic):
		return field.Errorf("traffic", "priorities, "+without)
	}
	for i := range o.Rewire {
		if _, err := o.Rewire[i].Change(nodes); err != nil {
			return field.In(field.Index("rewire", i), err)
		}
	}
	return nil
}

// priorities reports whether messages have different priorities.
func priorities(flows []sim.Flow) bool {
	return slices.ContainsFunc(flows, func(f sim.Flow) bool { return f.Priority != flows[0].Priority })
}

func (r *SimulateRequest) completeTraffic() error {
	standard := fabric.Default()
	r.Bandwidth = cmp.Or(r.Bandwidth, standard.Bandwidth)
	r.Forwarding = cmp.Or(r.Forwarding, fabric.StoreAndForward)
	if r.Delta == nil {
		r.Delta = &standard.Delta
	}
	switch {
	case r.Pace != "" && r.Pace != replay.PaceOff:
		return field.Errorf("pace", "only with a plan; traffic is sent as it comes")
	case r.Timing != "" && r.Timing != replay.Barrier:
		return field.Errorf("timing", "only with a plan; traffic says when it starts")
	case r.Plan != nil || r.PlanID != "":
		return field.Errorf("plan", "a plan and traffic on a topology: want one of them")
	case r.Schedule != nil:
		return field.Errorf("schedule", "a schedule and traffic on a topology: want one of them")
	case r.Topology == "":
		return field.Errorf("topology", "missing; want the circuits that the traffic goes over")
	case r.Traffic == nil:
		return field.Errorf("traffic", "missing; want messages for the topology")
	case r.Bandwidth < 0:
		return field.Errorf("bandwidth_bps", "must be above 0")
	case *r.Delta < 0:
		return field.Errorf("delta_ns", "must not be negative")
	case r.Forwarding != fabric.CutThrough && r.Forwarding != fabric.StoreAndForward:
		return field.Errorf("forwarding", "%q is not %s or %s", r.Forwarding, fabric.CutThrough, fabric.StoreAndForward)
	}
	expr, err := topology.ParseExpr(r.Topology)
	if err != nil {
		return field.In("topology", err)
	}
	return r.TrafficOptions.complete(r, expr.Nodes())
}

// simulateTraffic simulates messages.
func (r *SimulateRequest) simulateTraffic(ctx context.Context, e *command.Run) (*Simulation, error) {
	g, err := topology.Parse(r.Topology)
	if err != nil {
		return nil, field.In("topology", err)
	}
	if r.Level == sim.PacketLevel && r.Forwarding == fabric.CutThrough && *r.Delta == 0 {
		return nil, field.Errorf("delta_ns", "0ns per hop, "+cutThroughNeeds)
	}
	how := r.options()
	how.Forwarding, how.FlowTimes, how.Priorities = r.Forwarding, true, priorities(r.Traffic)
	run := &simulator{
		level: r.Level, options: how, nodes: g.Nodes(), phases: 1, delta: *r.Delta, failures: r.Fail,
		graphs: slices.Values([]*topology.Graph{g}), e: e,
	}
	phase, err := r.phase(ctx, g)
	if err != nil {
		return nil, err
	}
	simulate := run.simulate(sim.Sequence(phase))
	if r.Triggers != nil || r.Buffer > 0 {
		simulate = func(ctx context.Context, o sim.Options) (*sim.Result, error) {
			return stepwise.Run(ctx, phase, r.Triggers, stepwise.Config{Packet: o.Packet, Forwarding: o.Forwarding, Buffer: r.Buffer, Observer: o.Observer})
		}
	}
	s, result, err := run.run(ctx, simulate)
	if err != nil {
		var bad *sim.PhaseError
		if errors.As(err, &bad) { // there is only one phase
			err = field.In("traffic", bad.Err)
		}
		return nil, err
	}
	s.addFlows(r.Traffic, &result.Phases[0])
	return s, nil
}

// phase returns the traffic on its circuits.
func (r *SimulateRequest) phase(ctx context.Context, g *topology.Graph) (*sim.Phase, error) {
	p := &sim.Phase{Network: sim.Network{Graph: g, Bandwidth: r.Bandwidth, Delay: *r.Delta}, Flows: r.Traffic}
	for i := range r.Rewire {
		c, err := r.Rewire[i].Change(g.Nodes())
		if err != nil {
			return nil, field.In(field.Index("rewire", i), err)
		}
		p.Changes = append(p.Changes, c)
	}
	if r.Routes == nil && r.Spread == sim.SpreadNone {
		return p, nil
	}
	p.Routes = make([][]flow.Route, len(p.Flows))
	for i, list := range r.Routes {
		for _, x := range list {
			for h, u := range x.Path {
				if slices.Contains(x.Path[:h], u) {
					return nil, field.In("routes", fmt.Errorf("%v visits GPU %d twice", x.Path, u))
				}
			}
			p.Routes[i] = append(p.Routes[i], flow.Route(x))
		}
	}
	seed := uint64(collective.DefaultSeed)
	if r.Seed != nil {
		seed = *r.Seed
	}
	return p, field.In("traffic", sim.Multipath(ctx, p, r.Spread, int64(r.Packet), seed))
}

// addFlows records when messages arrived.
func (s *Simulation) addFlows(traffic []sim.Flow, r *sim.PhaseResult) {
	var took []units.Time
	for i, f := range traffic {
		start := f.Start
		if r.Starts != nil {
			start = r.Starts[i]
		}
		s.Flows = append(s.Flows, SimulatedFlow{
			Src: int(f.Src), Dst: int(f.Dst), Bytes: int64(f.Bytes), StartNs: start.Time(), CompletionNs: r.Flows[i].Time(),
		})
		took = append(took, (r.Flows[i] - start).Time())
	}
	if len(took) > 0 {
		s.FlowTimes = summed(took)
	}
}

// SimulatedTimes summarizes how long messages took from their start to their arrival. A
// percentile is the time within which that share of them arrived: of n times in ascending order,
// p50 is number n/2, rounded up.
type SimulatedTimes struct {
	MeanNs units.Time `json:"mean_ns"`
	P50Ns  units.Time `json:"p50_ns"`
	P90Ns  units.Time `json:"p90_ns"`
	P99Ns  units.Time `json:"p99_ns"`
	MaxNs  units.Time `json:"max_ns"`
}

// summed summarizes times.
func summed(times []units.Time) *SimulatedTimes {
	slices.Sort(times)
	at := func(part float64) units.Time { return times[max(0, int(math.Ceil(part*float64(len(times))))-1)] }
	return &SimulatedTimes{MeanNs: arithmetic.Sum(times) / units.Time(len(times)), P50Ns: at(0.5), P90Ns: at(0.9), P99Ns: at(0.99), MaxNs: at(1)}
}
