// Package training is the command train: the time of a minibatch of data-parallel training.
package training

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// TrainSchema names the JSON form of a training simulation and its version.
const TrainSchema = "lightpath.train/v1"

// TrainRequest asks for the time of a minibatch of data-parallel training.
type TrainRequest struct {
	// Trace is the model: in JSON its layers, or the name of one that is built in.
	Trace *train.Trace `json:"trace" help:"a built-in trace ${NAME}"`
	// Speedup is how many times as fast as in the trace GPUs compute; 0: 1.
	Speedup float64 `json:"speedup,omitempty" help:"compute this many times as fast as the trace, ${FACTOR}" default:"1"`
	// Topology is the expression of fixed circuits. Allreduces follow its breadth-first-broadcast
	// schedule, and all-to-alls are split over shortest paths; alpha is the fabric's. If it is
	// empty, every collective is planned on the fabric.
	Topology string `json:"topology,omitempty" help:"fixed circuits, a topology expression ${EXPR} (default: plan on the fabric)"`
	// NodeBandwidth is the rate of all ports of a node together; 0: the fabric's bandwidth for
	// every port that the topology needs. Only with a topology.
	NodeBandwidth units.Bandwidth `json:"node_bandwidth_bps,omitzero" help:"with ${topology}: rate of all ports of a node together (default: ${bandwidth} for every port)"`
	Fabric        fabric.Fabric   `json:"fabric,omitzero"`
	Planner       string          `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
	Algorithm     string          `json:"algorithm,omitempty" help:"allreduce algorithm ${NAME}, or auto: the fastest" default:"auto"`
	// Bucket collects gradients up to this size; 0: all that are ready are sent together.
	Bucket units.Bytes `json:"bucket_bytes,omitzero" help:"collect gradients in buckets of this size, e.g. 25MiB (default: send all that are ready together)"`
	// AllToAllFirst lets an all-to-all overtake gradients that wait for the network.
	AllToAllFirst bool `json:"alltoall_first,omitempty" help:"let an all-to-all overtake gradients that wait for the network"`
}

// UnmarshalJSON reads the JSON form.
func (r *TrainRequest) UnmarshalJSON(data []byte) error {
	type plain TrainRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *TrainRequest) Complete() error {
	if r.Trace == nil {
		return field.Errorf("trace", "missing; want layers, or one of %s", strings.Join(train.Names(), ", "))
	}
	if err := r.Trace.Validate(); err != nil {
		return field.In("trace", err)
	}
	if r.Speedup == 0 {
		r.Speedup = 1
	}
	switch {
	case !(r.Speedup > 0) || math.IsInf(r.Speedup, 0):
		return field.Errorf("speedup", "%v; want a number above 0", r.Speedup)
	case r.Bucket < 0:
		return field.Errorf("bucket_bytes", "must be above 0B")
	case r.NodeBandwidth < 0:
		return field.Errorf("node_bandwidth_bps", "must be above 0")
	case r.Topology == "" && r.NodeBandwidth > 0:
		return field.Errorf("node_bandwidth_bps", "is for a topology; a fabric has its bandwidth per port")
	case r.Topology != "" && r.Planner != "" && r.Planner != collective.Auto:
		return field.Errorf("planner", "not with a topology, whose circuits stay")
	case r.Topology != "" && r.Algorithm != "" && r.Algorithm != collective.Auto:
		return field.Errorf("algorithm", "not with a topology, whose circuits stay")
	}
	r.Planner, r.Algorithm = cmp.Or(r.Planner, collective.Auto), cmp.Or(r.Algorithm, collective.Auto)
	if r.Topology != "" {
		if _, err := topology.ParseExpr(r.Topology); err != nil {
			return field.In("topology", err)
		}
	}
	return command.CompleteFabric(&r.Fabric)
}

// Training is the simulation of a minibatch.
type Training struct {
	Schema  string          `json:"schema"`
	Trace   string          `json:"trace"`
	Layers  int             `json:"layers"`
	Network TrainingNetwork `json:"network"`
	// BucketBytes is the size of buckets; 0: all that are ready are sent together.
	BucketBytes   int64 `json:"bucket_bytes"`
	AllToAllFirst bool  `json:"alltoall_first"`
	train.Result
	// BoundNs is the least time of a minibatch on this network, however gradients are grouped;
	// with planner auto also whatever the circuits and plans.
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
	Topology         string     `json:"topology"`
	Degree           int        `json:"degree"`
	AlphaNs          units.Time `json:"alpha_ns"`
	NodeBandwidthBps int64      `json:"node_bandwidth_bps"`
	Steps            int        `json:"steps"`
	Bandwidth        string     `json:"bandwidth"` // "p/q" of M/B, exact
	// Others have fewer steps and more bandwidth: every collective uses the fastest for its size.
	Others   []TrainingSchedule `json:"others,omitempty"`
	AllToAll *TrainingExchange  `json:"alltoall,omitempty"`
}

// TrainingSchedule is a schedule of an allreduce.
type TrainingSchedule struct {
	Steps     int    `json:"steps"`
	Bandwidth string `json:"bandwidth"` // "p/q" of M/B, exact
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
	train.PlannedCount
	// Within are reconfigurations within collectives, of planner auto.
	Within int `json:"changes_within,omitempty"`
	// Stays is the topology that is up for the whole minibatch, "" if circuits change.
	Stays string `json:"stays,omitempty"`
	// PortsUsed is how many ports of a GPU the plans use, 0: all.
	PortsUsed int `json:"ports_used,omitempty"`
}

// Train simulates a minibatch.
func Train(ctx context.Context, r TrainRequest, options ...command.Option) (*Training, error) {
	e := command.NewEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	r.Trace = r.Trace.Faster(r.Speedup)
	answer := &Training{
		Schema: TrainSchema, Trace: r.Trace.Name, Layers: len(r.Trace.Layers),
		BucketBytes: int64(r.Bucket), AllToAllFirst: r.AllToAllFirst,
	}
	carryOut := r.oneByOne
	if r.Topology == "" && r.Planner == collective.Auto {
		carryOut = r.fastest
	}
	if err := carryOut(ctx, answer, e); err != nil {
		return nil, err
	}
	answer.BoundNs = min(answer.BoundNs, answer.MinibatchNs) // they differ by rounding where they are the same
	if answer.BoundNs > 0 {
		answer.Gap = float64(answer.MinibatchNs/answer.BoundNs) - 1
	}
	return answer, nil
}

// oneByOne has every collective carried out in its own way, whatever comes after it.
func (r *TrainRequest) oneByOne(ctx context.Context, answer *Training, e *command.Environment) error {
	costs := r.onFabric
	if r.Topology != "" {
		costs = r.onCircuits
	}
	cost, next, err := costs(ctx, &answer.Network, e)
	if err != nil {
		return err
	}
	result, err := train.Simulate(ctx, r.Trace, next, train.Options{
		Bucket: r.Bucket, AllToAllFirst: r.AllToAllFirst, Progress: e.Progress,
	})
	if err != nil {
		return err
	}
	answer.Result = *result
	answer.BoundNs, err = train.Bound(ctx, r.Trace, cost)
	return err
}

// onCircuits returns the cost of collectives on a topology, alone and as the next one:
// the same, as nothing changes between them.
func (r *TrainRequest) onCircuits(ctx context.Context, n *TrainingNetwork, e *command.Environment) (cost, next train.Cost, err error) {
	expr, err := topology.ParseExpr(r.Topology)
	if err != nil {
		return nil, nil, field.In("topology", err)
	}
	g, err := expr.Build()
	if err != nil {
		return nil, nil, field.In("topology", err)
	}
	progress := percent(e, "scheduling")
	all, err := expand.Frontier(ctx, expr, expand.Options{Op: bfb.AllReduce, Progress: func(_ string, done, total int) {
		if progress != nil {
			progress(done, total)
		}
	}})
	if err != nil {
		return nil, nil, err
	}
	s := all[len(all)-1] // of least bandwidth
	node, err := r.nodeBandwidth(s.Degree)
	if err != nil {
		return nil, nil, err
	}
	n.Nodes = s.Nodes
	n.Circuits = &TrainingCircuits{
		Topology: expr.String(), Degree: s.Degree, AlphaNs: r.Fabric.Alpha.Time(), NodeBandwidthBps: int64(node),
		Steps: s.Steps, Bandwidth: s.Bandwidth.RatString(),
	}
	model := &train.AlphaBeta{
		Alpha: r.Fabric.Alpha, NodeBandwidth: node, AllReduce: trainingSchedule(s),
		AllToAll: func(ctx context.Context) (train.Schedule, error) { return n.Circuits.exchange(ctx, g) },
	}
	for _, o := range all[:len(all)-1] {
		model.Others = append(model.Others, trainingSchedule(o))
		n.Circuits.Others = append(n.Circuits.Others, TrainingSchedule{Steps: o.Steps, Bandwidth: o.Bandwidth.RatString()})
	}
	return model.Cost(), model.Cost(), nil
}

func trainingSchedule(s *expand.Schedule) train.Schedule {
	bandwidth, _ := s.Bandwidth.Float64()
	return train.Schedule{Steps: s.Steps, Bandwidth: bandwidth}
}

// percent returns a callback for progress that tells the status, at every new percent.
func percent(e *command.Environment, what string) func(done, total int) {
	if e.Status == nil {
		return nil
	}
	last := -1
	return func(done, total int) {
		if now := int(100 * float64(done) / float64(max(1, total))); now != last {
			last = now
			e.Status(fmt.Sprintf("%s: %d%%", what, now))
		}
	}
}

func (r *TrainRequest) nodeBandwidth(degree int) (units.Bandwidth, error) {
	if r.NodeBandwidth > 0 {
		return r.NodeBandwidth, nil
	}
	if r.Fabric.Bandwidth > math.MaxInt64/units.Bandwidth(max(1, degree)) {
		return 0, field.Errorf("fabric.bandwidth", "%v for each of %d ports does not fit 64 bits", r.Fabric.Bandwidth, degree)
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
func (r *TrainRequest) onFabric(ctx context.Context, n *TrainingNetwork, e *command.Environment) (cost, next train.Cost, err error) {
	n.Nodes = r.Fabric.Nodes
	n.Planned = &TrainingPlanned{Fabric: r.Fabric, Planner: r.Planner, Algorithm: r.Algorithm}
	plans := 0
	costs := train.NewPlanned(r.Fabric, &n.Planned.PlannedCount, func(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error) {
		operation := collective.Operation{Op: op, Size: size}
		if op == collective.AllReduce {
			operation.Algorithm = r.Algorithm
		}
		plans++
		made, err := planning.Plan(ctx, planning.PlanRequest{Fabric: r.Fabric, Operations: []collective.Operation{operation}, Planner: r.Planner},
			command.WithRegistry(e.Search.Planners), command.WithoutBaselines(), sharing(e, 0), command.WithProgress(percent(e, fmt.Sprintf("plan %d, for %s of %v", plans, op, size))))
		if named, ok := err.(*field.Error); ok && named.Path == "operations[0].algorithm" {
			return nil, field.In("algorithm", named.Err)
		}
		return made, err
	})
	return costs.Alone, costs.Next, nil
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
