package lightpath

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// TrainSchema names the JSON form of a training simulation and its version.
const TrainSchema = "lightpath.train/v1"

// TrainRequest asks for the time of a minibatch of data-parallel training.
type TrainRequest struct {
	Trace *train.Trace
	// Topology is the expression of circuits that stay. Allreduces have the
	// breadth-first-broadcast schedule on it, all-to-alls are divided over shortest paths;
	// alpha is the fabric's. If it is empty, every collective is planned on the fabric.
	Topology string
	// NodeBandwidth is what the ports of a node carry together; 0: the fabric's bandwidth
	// for every port that the topology needs. It is for a topology.
	NodeBandwidth units.Bandwidth
	Fabric        fabric.Fabric
	Planner       string // a name, or Auto or "": the fastest
	Algorithm     string // of allreduces: a name, or Auto or "": the fastest
	Options       train.Options
	// Status, if not nil, is called with a line on what was found so far.
	Status func(text string)
}

// Training is the simulation of a minibatch.
type Training struct {
	Schema  string          `json:"schema"`
	Trace   string          `json:"trace"`
	Layers  int             `json:"layers"`
	Network TrainingNetwork `json:"network"`
	// BucketBytes is the size of buckets; 0: whatever is ready goes together.
	BucketBytes   int64 `json:"bucket_bytes"`
	AllToAllFirst bool  `json:"alltoall_first"`
	train.Result
	// BoundNs is what a minibatch takes on this network at least, however gradients are put
	// together.
	BoundNs units.Time `json:"bound_ns"`
	Gap     float64    `json:"gap"`
}

// TrainingNetwork is where the collectives go: circuits that stay, or a fabric.
type TrainingNetwork struct {
	Nodes    int               `json:"nodes"`
	Circuits *TrainingCircuits `json:"circuits,omitempty"`
	Planned  *TrainingPlanned  `json:"planned,omitempty"`
}

// TrainingCircuits is a topology with its schedules: an allreduce takes
// steps x alpha + bandwidth x size / node bandwidth.
type TrainingCircuits struct {
	Topology         string            `json:"topology"`
	Degree           int               `json:"degree"`
	AlphaNs          units.Time        `json:"alpha_ns"`
	NodeBandwidthBps int64             `json:"node_bandwidth_bps"`
	Steps            int               `json:"steps"`
	Bandwidth        string            `json:"bandwidth"` // "p/q" of M/B, exact
	AllToAll         *TrainingExchange `json:"alltoall,omitempty"`
}

// TrainingExchange is an all-to-all over shortest paths.
type TrainingExchange struct {
	Steps     int     `json:"steps"`
	Bandwidth float64 `json:"bandwidth"` // in M/B
}

// TrainingPlanned is a fabric and how its plans were made.
type TrainingPlanned struct {
	Fabric    fabric.Fabric `json:"fabric"`
	Planner   string        `json:"planner"`
	Algorithm string        `json:"algorithm"`
	Plans     int           `json:"plans"` // that were made
	// Changes are reconfigurations between one collective and the next, and ChangesNs their
	// time, which is part of that of the later one.
	Changes   int        `json:"changes"`
	ChangesNs units.Time `json:"changes_ns"`
}

// Train simulates a minibatch.
func Train(ctx context.Context, r TrainRequest) (*Training, error) {
	if r.Trace == nil {
		return nil, errors.New("no trace")
	}
	if err := r.Trace.Validate(); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	answer := &Training{
		Schema: TrainSchema, Trace: r.Trace.Name, Layers: len(r.Trace.Layers),
		BucketBytes: int64(r.Options.Bucket), AllToAllFirst: r.Options.AllToAllFirst,
	}
	costs := r.onFabric
	if r.Topology != "" {
		costs = r.onCircuits
	}
	cost, next, err := costs(ctx, &answer.Network)
	if err != nil {
		return nil, err
	}
	result, err := train.Simulate(ctx, r.Trace, next, r.Options)
	if err != nil {
		return nil, err
	}
	answer.Result = *result
	if answer.BoundNs, err = train.Bound(ctx, r.Trace, cost); err != nil {
		return nil, err
	}
	answer.BoundNs = min(answer.BoundNs, answer.MinibatchNs) // they differ by rounding where they are the same
	if answer.BoundNs > 0 {
		answer.Gap = float64(answer.MinibatchNs/answer.BoundNs) - 1
	}
	return answer, nil
}

// onCircuits returns the cost of collectives on a topology, alone and as the next one:
// the same, as nothing changes between them.
func (r *TrainRequest) onCircuits(ctx context.Context, n *TrainingNetwork) (cost, next train.Cost, err error) {
	expr, err := topology.ParseExpr(r.Topology)
	if err != nil {
		return nil, nil, err
	}
	g, err := expr.Build()
	if err != nil {
		return nil, nil, err
	}
	if r.Fabric.Alpha < 0 {
		return nil, nil, errors.New("alpha: must not be negative")
	}
	s, err := bfb.Solve(ctx, g, bfb.Options{Op: bfb.AllReduce, Progress: r.percent("scheduling")})
	if err != nil {
		return nil, nil, err
	}
	node, err := r.nodeBandwidth(s.Degree)
	if err != nil {
		return nil, nil, err
	}
	n.Nodes = s.Nodes
	n.Circuits = &TrainingCircuits{
		Topology: expr.String(), Degree: s.Degree, AlphaNs: r.Fabric.Alpha.Time(), NodeBandwidthBps: int64(node),
		Steps: s.Steps, Bandwidth: s.Bandwidth.RatString(),
	}
	bandwidth, _ := s.Bandwidth.Float64()
	model := &train.AlphaBeta{
		Alpha: r.Fabric.Alpha, NodeBandwidth: node, AllReduce: train.Schedule{Steps: s.Steps, Bandwidth: bandwidth},
		AllToAll: func(ctx context.Context) (train.Schedule, error) { return n.Circuits.exchange(ctx, g) },
	}
	return model.Cost(), model.Cost(), nil
}

// percent returns a callback for progress that tells Status of it, at every new percent.
func (r *TrainRequest) percent(what string) func(done, total int) {
	if r.Status == nil {
		return nil
	}
	last := -1
	return func(done, total int) {
		if now := int(100 * float64(done) / float64(max(1, total))); now != last {
			last = now
			r.Status(fmt.Sprintf("%s: %d%%", what, now))
		}
	}
}

func (r *TrainRequest) nodeBandwidth(degree int) (units.Bandwidth, error) {
	if r.NodeBandwidth < 0 || r.NodeBandwidth == 0 && r.Fabric.Bandwidth <= 0 {
		return 0, errors.New("node bandwidth: must be above 0")
	}
	if r.NodeBandwidth > 0 {
		return r.NodeBandwidth, nil
	}
	if r.Fabric.Bandwidth > math.MaxInt64/units.Bandwidth(max(1, degree)) {
		return 0, fmt.Errorf("bandwidth: %v for each of %d ports does not fit 64 bits", r.Fabric.Bandwidth, degree)
	}
	return r.Fabric.Bandwidth * units.Bandwidth(degree), nil
}

// exchange returns the schedule of an all-to-all and keeps it.
func (c *TrainingCircuits) exchange(ctx context.Context, g *topology.Graph) (train.Schedule, error) {
	if c.AllToAll == nil {
		s, err := train.SplitEvenly(ctx, g)
		if err != nil {
			return train.Schedule{}, err
		}
		c.AllToAll = &TrainingExchange{Steps: s.Hops, Bandwidth: s.Load * float64(c.Degree) / float64(g.Nodes())}
	}
	return train.Schedule(*c.AllToAll), nil
}

// onFabric returns the cost of collectives that are planned, alone and as the next one,
// which may have to change the circuits that the one before has left.
func (r *TrainRequest) onFabric(ctx context.Context, n *TrainingNetwork) (cost, next train.Cost, err error) {
	if err := r.Fabric.Validate(); err != nil {
		return nil, nil, err
	}
	n.Nodes = r.Fabric.Nodes
	n.Planned = &TrainingPlanned{Fabric: r.Fabric, Planner: cmp.Or(r.Planner, Auto), Algorithm: cmp.Or(r.Algorithm, Auto)}
	p := &plannedCosts{request: r, about: n.Planned, made: map[planKey]*madePlan{}}
	p.envelope = envelope.NewLazy(p.line)
	if p.straight() {
		// The smallest and the largest size first: all others lie between them.
		totals := r.Trace.Totals()
		for _, size := range []units.Bytes{totals.Bytes, leastGradient(r.Trace)} {
			if size > 0 {
				if _, _, err := p.envelope.At(ctx, size); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return p.alone, p.next, nil
}

func leastGradient(t *train.Trace) units.Bytes {
	least := units.Bytes(0)
	for i := range t.Layers {
		if b := t.Layers[i].Bytes; b > 0 && (least == 0 || b < least) {
			least = b
		}
	}
	return least
}

// plannedCosts knows the times of plans, which it makes when they are needed.
type plannedCosts struct {
	request  *TrainRequest
	about    *TrainingPlanned
	made     map[planKey]*madePlan
	envelope *envelope.Lazy[units.Bytes] // of allreduces
	up       *topology.Graph             // what the last collective has left, nil before the first
}

type planKey struct {
	op   collective.Op
	size units.Bytes
}

// madePlan is what is kept of a plan.
type madePlan struct {
	total, transmission units.Time
	first, last         *topology.Graph
}

// straight says whether the time of a plan is a line in the size. It is not where the
// delay of a reconfiguration hides behind what is being sent.
func (p *plannedCosts) straight() bool {
	kind := p.request.Fabric.Overlap.Kind
	return kind != fabric.OverlapPorts && kind != fabric.OverlapCircuits
}

// plan makes a plan, or returns the one that it has made for that.
func (p *plannedCosts) plan(ctx context.Context, key planKey) (*madePlan, error) {
	if m, ok := p.made[key]; ok {
		return m, nil
	}
	operation := Operation{Op: key.op, Size: key.size}
	if key.op == collective.AllReduce {
		operation.Algorithm = p.request.Algorithm
	}
	made, err := Plan(ctx, PlanRequest{
		Fabric: p.request.Fabric, Operations: []Operation{operation}, Planner: p.request.Planner,
		Progress: p.request.percent(fmt.Sprintf("plan %d, for %s of %v", p.about.Plans+1, key.op, key.size)),
	})
	if err != nil {
		return nil, fmt.Errorf("%s of %v: %w", key.op, key.size, err)
	}
	m := &madePlan{
		total: made.Cost.Total(), transmission: made.Cost.Transmission,
		first: made.Stages[0].Topology, last: made.Stages[len(made.Stages)-1].Topology,
	}
	p.made[key] = m
	p.about.Plans++
	return m, nil
}

// line is the time of the best plan for an allreduce, as a function of the size.
func (p *plannedCosts) line(ctx context.Context, size units.Bytes) (envelope.Line, error) {
	m, err := p.plan(ctx, planKey{collective.AllReduce, size})
	if err != nil {
		return envelope.Line{}, err
	}
	return envelope.Line{Fixed: float64(m.total - m.transmission), Slope: float64(m.transmission) / float64(size)}, nil
}

// best returns the time of a collective and its plan, which may have been made for another
// size.
func (p *plannedCosts) best(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, *madePlan, error) {
	if op != collective.AllReduce || !p.straight() {
		m, err := p.plan(ctx, planKey{op, size})
		if err != nil {
			return 0, nil, err
		}
		return m.total, m, nil
	}
	time, of, err := p.envelope.At(ctx, size)
	if err != nil {
		return 0, nil, err
	}
	return units.Time(time), p.made[planKey{op, of}], nil
}

// alone is the cost of a collective by itself.
func (p *plannedCosts) alone(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
	time, _, err := p.best(ctx, op, size)
	return time, err
}

// next is the cost of a collective after the one before. If the fabric says that the first
// configuration of a plan is free, that holds for the first collective only: the others
// change the circuits that are up. Any other start is part of every plan.
func (p *plannedCosts) next(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
	time, m, err := p.best(ctx, op, size)
	if err != nil {
		return 0, err
	}
	f := &p.request.Fabric
	if p.up != nil && f.Initial == fabric.InitialFree && !p.up.Equal(m.first) {
		change := f.Wait(p.up, m.first, f.Hidden(p.up, m.first, 0))
		p.about.Changes++
		p.about.ChangesNs += change
		time += change
	}
	p.up = m.last
	return time, nil
}

// TracesSchema names the JSON form of the list of traces and its version.
const TracesSchema = "lightpath.traces/v1"

// TraceList is the traces that are built in.
type TraceList struct {
	Schema string      `json:"schema"`
	Traces []TraceInfo `json:"traces"`
}

// TraceInfo sums a trace up.
type TraceInfo struct {
	Name          string     `json:"name"`
	About         []string   `json:"about"` // lines on where it comes from
	Layers        int        `json:"layers"`
	GradientBytes int64      `json:"gradient_bytes"`
	AllToAllBytes int64      `json:"alltoall_bytes"` // that a GPU sends in a minibatch
	ForwardNs     units.Time `json:"forward_ns"`
	BackwardNs    units.Time `json:"backward_ns"`
}

// Traces lists the traces that are built in.
func Traces() (*TraceList, error) {
	list := &TraceList{Schema: TracesSchema}
	for _, name := range train.Names() {
		t, err := train.Builtin(name)
		if err != nil {
			return nil, err
		}
		totals := t.Totals()
		list.Traces = append(list.Traces, TraceInfo{
			Name: t.Name, About: t.About, Layers: len(t.Layers), GradientBytes: int64(totals.Bytes),
			AllToAllBytes: int64(totals.Exchange), ForwardNs: totals.Forward.Time(), BackwardNs: totals.Backward.Time(),
		})
	}
	return list, nil
}
