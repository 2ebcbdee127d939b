package exploring

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// FindSchema names the JSON form of Find's answer and its version.
const FindSchema = "lightpath.find/v1"

// FindRequest asks for the best topologies of a size and degree.
type FindRequest struct {
	Nodes         int           `json:"nodes,omitempty" help:"number of nodes" default:"64"`
	Degree        int           `json:"degree,omitempty" help:"number of ports per node" default:"4"`
	Op            collective.Op `json:"op,omitempty" placeholder:"OP" help:"collective operation: allgather | reducescatter | allreduce" default:"allreduce"`
	Bidirectional bool          `json:"bidirectional,omitempty" help:"only two-way circuits"`
	// Alpha is the latency per step, and NodeBandwidth the rate of all ports of a node together;
	// nil and 0: 10us and 100Gbps.
	Alpha         *units.Duration `json:"alpha_ns,omitempty" help:"latency per step" default:"10us"`
	NodeBandwidth units.Bandwidth `json:"node_bandwidth_bps,omitzero" help:"rate of all ports of a node together" default:"100Gbps"`
	// Size is the size for which the best topology is chosen; 0: 1MiB.
	Size units.Bytes `json:"size_bytes,omitzero" help:"size of the collective" default:"1MiB"`
	// Swaps, if above 0, makes Find also search for topologies that are faster for the size,
	// which takes time.
	Swaps int `json:"swaps,omitempty" help:"also search for faster topologies at this size: try ${N} exchanges of circuits for every diameter and symmetry"`
	// Trace is a model, instead of a size: the best topology is chosen for its gradients. In
	// JSON it is a list of layers, or the name of a built-in trace. Bucket is how much of the
	// gradients is sent together; 0: train.DefaultBucket.
	Trace  *train.Trace `json:"trace,omitempty" help:"choose for the gradients of a model instead of one size: a built-in trace ${NAME}"`
	Bucket units.Bytes  `json:"bucket_bytes,omitzero" help:"with ${trace}: bucket size of gradients sent together; the first bucket is 1MiB" default:"25MiB"`
}

// UnmarshalJSON reads the JSON form.
func (r *FindRequest) UnmarshalJSON(data []byte) error {
	type plain FindRequest
	return command.ReadRequest(data, (*plain)(r))
}

// The default machine on which topologies are compared: Zhao et al., Table 4.
const (
	defaultFindAlpha     = 10 * units.Microsecond
	defaultFindBandwidth = 100 * units.Gbps
	defaultFindSize      = units.MiB
	mostSwaps            = 1_000_000
)

// Complete fills in the defaults and reports the first invalid field.
func (r *FindRequest) Complete() error {
	r.Nodes, r.Degree, r.Op = cmp.Or(r.Nodes, 64), cmp.Or(r.Degree, 4), cmp.Or(r.Op, collective.AllReduce)
	r.NodeBandwidth, r.Bucket = cmp.Or(r.NodeBandwidth, defaultFindBandwidth), cmp.Or(r.Bucket, train.DefaultBucket)
	if r.Alpha == nil {
		alpha := defaultFindAlpha
		r.Alpha = &alpha
	}
	if r.Trace == nil {
		r.Size = cmp.Or(r.Size, defaultFindSize)
	}
	switch {
	case r.Nodes < 2:
		return field.Errorf("nodes", "%d; want 2 or more", r.Nodes)
	case r.Degree < 1 || r.Degree > fabric.MaxPorts:
		return field.Errorf("degree", "%d is not in 1..%d, the ports that a fabric may have", r.Degree, fabric.MaxPorts)
	case *r.Alpha < 0:
		return field.Errorf("alpha_ns", "must not be negative")
	case r.NodeBandwidth < 0:
		return field.Errorf("node_bandwidth_bps", "must be above 0")
	case r.Size < 0:
		return field.Errorf("size_bytes", "must be above 0B")
	case r.Bucket < 0:
		return field.Errorf("bucket_bytes", "must be above 0B")
	case r.Swaps < 0 || r.Swaps > mostSwaps:
		return field.Errorf("swaps", "%d is not in 0..%d", r.Swaps, mostSwaps)
	case r.Swaps > 0 && (r.Degree > finder.MostSearchedPorts || r.Nodes > finder.MostSearchedNodes):
		return field.Errorf("swaps", "topologies are searched for up to %d nodes and %d ports", finder.MostSearchedNodes, finder.MostSearchedPorts)
	case r.Trace != nil && r.Size != 0:
		return field.Errorf("size_bytes", "not with a trace, which gives the sizes")
	}
	return scheduledOp(r.Op)
}

func scheduledOp(op collective.Op) error {
	if _, ok := direct.Schedulable(op); !ok {
		return field.Errorf("op", "topologies are found for allgather, reducescatter or allreduce, not %s", op)
	}
	return nil
}

// loads returns the sizes for which the best topology is chosen, each with its weight.
func (r *FindRequest) loads() ([]finder.Weighted, error) {
	if r.Trace == nil {
		return []finder.Weighted{{Size: r.Size, Weight: 1}}, nil
	}
	if err := r.Trace.Validate(); err != nil {
		return nil, field.In("trace", err)
	}
	buckets := r.Trace.Buckets(r.Bucket)
	loads := make([]finder.Weighted, len(buckets))
	for i, bytes := range buckets {
		loads[i] = finder.Weighted{Size: bytes, Weight: 1}
	}
	return loads, nil
}

// TopologyFrontier is the Pareto-optimal topologies: no other topology is better in both steps
// and bandwidth.
type TopologyFrontier struct {
	Schema        string          `json:"schema"`
	Nodes         int             `json:"nodes"`
	Degree        int             `json:"degree"`
	Op            collective.Op   `json:"op"`
	Bidirectional bool            `json:"bidirectional"`
	Frontier      []TopologyPoint `json:"frontier"`
	// Bound is the lower bound for all topologies.
	Bound TopologyPoint `json:"bound"`
	// Best is the fastest point of the frontier.
	Best TopologyPoint `json:"best"`
}

// TopologyPoint is one topology.
type TopologyPoint struct {
	Expr      string     `json:"expr,omitempty"`
	Steps     int        `json:"steps"`
	Bandwidth string     `json:"bandwidth"` // "p/q" of M/B, exact
	TimeNs    units.Time `json:"time_ns"`   // for all loads together
	Method    string     `json:"method,omitempty"`
}

// Find returns the best topologies of a size and degree.
func Find(ctx context.Context, r FindRequest, options ...command.Option) (*TopologyFrontier, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	loads, err := r.loads()
	if err != nil {
		return nil, err
	}
	op, _ := direct.Schedulable(r.Op)
	how := finder.Options{Op: op, Bidirectional: r.Bidirectional, Families: e.Known.Families}
	how.Progress = func(_ string, done, total int) { e.Report(done, total) }
	points, err := frontierOf(ctx, e, &r, how)
	if errors.Is(err, finder.ErrNone) {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if err == nil && r.Swaps > 0 {
		machine := finder.Machine{Alpha: *r.Alpha, NodeBandwidth: r.NodeBandwidth}
		points, err = machine.Search(ctx, finder.Searched{Nodes: r.Nodes, Degree: r.Degree, Options: how, Moves: r.Swaps}, points, loads)
	}
	if err != nil {
		return nil, e.Unfinished(ctx, err, func() (any, string) { return r.soFar(points, loads, how) })
	}
	return r.answer(points, loads, how)
}

// soFar returns the topologies known so far, for when time runs out.
func (r *FindRequest) soFar(points []finder.Point, loads []finder.Weighted, how finder.Options) (known any, words string) {
	if len(points) == 0 {
		return nil, ""
	}
	answer, err := r.answer(points, loads, how)
	if err != nil {
		return nil, err.Error()
	}
	return answer, "these are the best topologies so far, and none better was ruled out"
}

// answer prices topologies and chooses the best.
func (r *FindRequest) answer(points []finder.Point, loads []finder.Weighted, how finder.Options) (*TopologyFrontier, error) {
	bound, err := finder.Bound(r.Nodes, r.Degree, how)
	if err != nil {
		return nil, err
	}
	machine := finder.Machine{Alpha: *r.Alpha, NodeBandwidth: r.NodeBandwidth}
	answer := &TopologyFrontier{Schema: FindSchema, Nodes: r.Nodes, Degree: r.Degree, Op: r.Op, Bidirectional: r.Bidirectional}
	for _, p := range points {
		point, err := pricedPoint(machine, loads, p)
		if err != nil {
			return nil, err
		}
		answer.Frontier = append(answer.Frontier, point)
	}
	if answer.Bound, err = pricedPoint(machine, loads, finder.Point{Cost: bound}); err != nil {
		return nil, err
	}
	choice, err := machine.Choose(points, loads)
	if err != nil {
		return nil, err
	}
	answer.Best = answer.Frontier[choice.Index]
	return answer, nil
}

// frontierOf searches for the frontier or looks it up in the store.
func frontierOf(ctx context.Context, e *command.Run, r *FindRequest, how finder.Options) ([]finder.Point, error) {
	if e.Store == nil {
		return finder.New(r.Degree, how).Frontier(ctx, r.Nodes)
	}
	points, err := e.Store.Frontier(ctx, r.Nodes, r.Degree, how)
	if err == nil || errors.Is(err, finder.ErrNone) {
		if saveErr := e.Store.Save(); saveErr != nil {
			return nil, saveErr
		}
	}
	return points, err
}

// pricedPoint prices a topology for all loads.
func pricedPoint(m finder.Machine, loads []finder.Weighted, p finder.Point) (TopologyPoint, error) {
	choice, err := m.Choose([]finder.Point{p}, loads)
	if err != nil {
		return TopologyPoint{}, err
	}
	found := TopologyPoint{Steps: p.Steps, Bandwidth: p.Bandwidth.RatString(), TimeNs: choice.Time, Method: string(p.Method)}
	if p.Method != "" {
		found.Expr = p.Expr.String()
	}
	return found, nil
}

// FillRequest asks for the topologies of every size from 2 to Fill. They are kept in the store
// given by WithStore.
type FillRequest struct {
	Fill          int           `json:"fill" help:"fill the store with all sizes from 2 to ${N}"`
	Degree        int           `json:"degree,omitempty" help:"number of ports per node" default:"4"`
	Op            collective.Op `json:"op,omitempty" placeholder:"OP" help:"collective operation: allgather | reducescatter | allreduce" default:"allreduce"`
	Bidirectional bool          `json:"bidirectional,omitempty" help:"only two-way circuits"`
}

// UnmarshalJSON reads the JSON form.
func (r *FillRequest) UnmarshalJSON(data []byte) error {
	type plain FillRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *FillRequest) Complete() error {
	r.Degree, r.Op = cmp.Or(r.Degree, 4), cmp.Or(r.Op, collective.AllReduce)
	switch {
	case r.Fill < 2:
		return field.Errorf("fill", "sizes from 2 to %d; want 2 or more", r.Fill)
	case r.Degree < 1:
		return field.Errorf("degree", "%d; want 1 or more", r.Degree)
	}
	return scheduledOp(r.Op)
}

// StoreContent describes what a store holds after Fill.
type StoreContent struct {
	Store string `json:"store"` // its file
	Most  int    `json:"nodes"` // the largest size; the smallest is 2
}

// Fill finds the topologies of every size. If it is interrupted, it keeps those found so far.
func Fill(ctx context.Context, r FillRequest, options ...command.Option) (*StoreContent, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if e.Store == nil {
		return nil, field.Errorf("store", "needs a file to fill")
	}
	op, _ := direct.Schedulable(r.Op)
	how := finder.Options{Op: op, Bidirectional: r.Bidirectional}
	err := e.Store.Fill(ctx, r.Fill, r.Degree, how, func(n int) { e.Report(n, r.Fill) })
	if saveErr := e.Store.Save(); saveErr != nil {
		return nil, saveErr
	}
	if err != nil {
		return nil, err
	}
	return &StoreContent{e.Store.Path(), r.Fill}, nil
}
