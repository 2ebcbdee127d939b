// Package direct plans the whole collective on one topology, with breadth-first-broadcast
// schedules: every shard follows shortest paths, in as many steps as the topology's diameter
// (Zhao et al., "Efficient Direct-Connect Topologies for Collective Communications", NSDI
// 2025).
package direct

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Name and Algorithm of the planner.
const (
	Name      = "direct-connect"
	Algorithm = "bfb"
)

// New returns the planner.
func New() planner.Planner { return direct{} }

type direct struct{}

func (direct) Name() string { return Name }
func (direct) About() string {
	return "one topology and a breadth-first-broadcast schedule on it (Zhao et al., NSDI 2025)"
}

// Traits implements planner.Described. A plan lists the transfers of every shard.
func (d direct) Traits() planner.Traits {
	return planner.Traits{Circuits: planner.CircuitsStay, Listed: true, Compact: manyOn, Composes: &planner.Composer{Algorithm: Algorithm, Supports: d.supports}}
}

// supports returns an error that says why the planner cannot perform an operation, or nil.
func (direct) supports(c *collective.Collective, _ *fabric.Fabric) error {
	if _, ok := Schedulable(c.Op); !ok {
		return fmt.Errorf("planner %s does allgather, reducescatter and allreduce, not %s", Name, c.Op)
	}
	if c.Space.Members != nil {
		return fmt.Errorf("planner %s needs all GPUs to take part", Name)
	}
	return nil
}

// Schedulable returns what package bfb calls an operation, if it has schedules for it.
func Schedulable(op collective.Op) (bfb.Op, bool) {
	switch op {
	case collective.AllGather:
		return bfb.AllGather, true
	case collective.ReduceScatter:
		return bfb.ReduceScatter, true
	case collective.AllReduce:
		return bfb.AllReduce, true
	}
	return 0, false
}

// Plan implements planner.Planner.
func (d direct) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := d.supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if r.Alike && (!r.Fabric.Links.IsZero() || !r.Fabric.Open() || r.Fabric.Base != "") {
		return nil, fmt.Errorf("%w: GPUs differ", planner.ErrInfeasible)
	}
	if !r.Fabric.Links.IsZero() {
		return d.uneven(ctx, r)
	}
	if !r.Fabric.Open() {
		return around(ctx, r)
	}
	if r.Alike {
		return alike(ctx, r)
	}
	if manyOn(&r.Fabric) {
		return manyOrRotating(ctx, r)
	}
	g, err := topologyFor(ctx, &r)
	if err != nil {
		return nil, err
	}
	if r.Fabric.Base != "" {
		return On(ctx, r, g)
	}
	s, err := bestOn(ctx, &r, g)
	if err != nil {
		return nil, err
	}
	switch other, its, err := resized(ctx, &r, &s); {
	case err != nil:
		return nil, err
	case other != nil:
		g, s = other, *its
	}
	up, err := r.Fabric.InitialTopology()
	if err != nil || up == nil || up.Circuits() == 0 || up.Equal(g) {
		return onSource(ctx, r, g, &s)
	}
	return fasterOn(ctx, r, up, g)
}

// fasterOn returns the faster of two plans: on the circuits that are up at the start, which
// need no reconfiguration, and on another topology.
func fasterOn(ctx context.Context, r planner.Request, up, other *topology.Graph) (*plan.Plan, error) {
	asked := r
	kept, reason := On(ctx, r, up)
	if kept != nil && (r.Limit <= 0 || kept.Cost.Total() < r.Limit) {
		r.Limit = kept.Cost.Total()
	}
	p, err := On(ctx, r, other)
	if err != nil && !errors.Is(err, planner.ErrBeyond) && !errors.Is(err, planner.ErrInfeasible) {
		return nil, err
	}
	made := p
	if p == nil || kept != nil && kept.Cost.Total() <= p.Cost.Total() {
		made = kept
	}
	if made != nil && asked.Beyond(made.Cost.Total()) == nil {
		return made, nil
	}
	// A plan that was given up at the limit has an unknown time, so the other plan is not
	// certain to be faster.
	var late, later *planner.Beyond
	switch {
	case errors.As(reason, &late) && (!errors.As(err, &later) || late.Least < later.Least):
		return nil, reason
	case errors.As(err, &later):
		return nil, err
	case made != nil:
		return made, nil
	}
	return nil, err
}

// topologyFor returns the finder's best topology for the size of the collective. It returns the
// base topology if the request names one, if something has failed, or if the finder has no
// topology or the switches cannot set it up.
func topologyFor(ctx context.Context, r *planner.Request) (*topology.Graph, error) {
	return topologyOf(ctx, r, finder.Options{})
}

// topologyOf is topologyFor with further finder options.
func topologyOf(ctx context.Context, r *planner.Request, options finder.Options) (*topology.Graph, error) {
	f := &r.Fabric
	if f.Base == "" && f.Avoid.IsZero() {
		g, err := fastestOf(ctx, r, f.Ports, options)
		if err != nil || g != nil && (!f.Restricts() || f.Fits(g) == nil) {
			return g, err
		}
	}
	g, err := f.BaseTopology()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	return g, nil
}

// Fastest returns the finder's best topology with the given number of ports for the size of the
// collective, or nil if the finder has none.
func Fastest(ctx context.Context, r *planner.Request, ports int) (*topology.Graph, error) {
	return fastestOf(ctx, r, ports, finder.Options{})
}

// fastestKey holds everything that the finder's answer depends on.
type fastestKey struct {
	nodes, ports        int
	op                  bfb.Op
	duplex              bool
	unstored, circulant bool
	alike               int
	families            *topology.Registry
	machine             finder.Machine
	size                units.Bytes
}

// fastestOf is Fastest with further finder options. It keeps its answers in r.Kept.
func fastestOf(ctx context.Context, r *planner.Request, ports int, options finder.Options) (*topology.Graph, error) {
	f := &r.Fabric
	machine := finder.Machine{Alpha: f.Alpha + f.Delta, NodeBandwidth: f.Bandwidth * units.Bandwidth(ports)}
	options.Op, _ = Schedulable(r.Collective.Op)
	options.Bidirectional, options.Families = f.Duplex, f.Families()
	type answer struct {
		graph *topology.Graph
		err   error
	}
	key := fastestKey{
		f.Nodes, ports, options.Op, f.Duplex, options.Unstored, options.Circulant, options.Alike, options.Families, machine, r.Size,
	}
	found := planner.Kept(r.Kept, key, func() (answer, bool) {
		choice, err := machine.Fastest(ctx, f.Nodes, ports, options, []finder.Weighted{{Size: r.Size, Weight: 1}})
		switch {
		case errors.Is(err, finder.ErrNone):
			return answer{}, true
		case err != nil:
			return answer{nil, err}, false
		}
		g, err := choice.Point.Expr.Build()
		return answer{g, err}, true
	})
	return found.graph, found.err
}

// On makes the plan on a given topology.
func On(ctx context.Context, r planner.Request, g *topology.Graph) (*plan.Plan, error) {
	return onSource(ctx, r, g, nil)
}

// bestOn is best, but its error for a topology that is not connected wraps
// planner.ErrInfeasible.
func bestOn(ctx context.Context, r *planner.Request, g *topology.Graph) (source, error) {
	s, err := best(ctx, r, g)
	if errors.Is(err, bfb.ErrNotConnected) {
		err = fmt.Errorf("%w: %s: %w", planner.ErrInfeasible, g.Name(), err)
	}
	return s, err
}

// onSource makes the plan of a schedule on a topology. If the schedule is nil, it takes the
// best one.
func onSource(ctx context.Context, r planner.Request, g *topology.Graph, of *source) (*plan.Plan, error) {
	if of == nil {
		found, err := bestOn(ctx, &r, g)
		if err != nil {
			return nil, err
		}
		of = &found
	}
	s := *of
	if err := r.Beyond(s.least(&r)); err != nil {
		return nil, err
	}
	steps, parts, err := filled(ctx, s, g.Nodes(), 0)
	if most := mostParts(&r); err == nil && (parts == 0 || parts > most) {
		// The shares of shards have no small common denominator, or there would be more chunks
		// than are useful, or chunks of less than a byte, which cannot be sent. Whole chunks
		// are nearly as good, and their optimum is exact too.
		chunks := min(wholeChunks, most)
		op, _ := Schedulable(r.Collective.Op)
		whole, solveErr := bfb.Solve(ctx, g, bfb.Options{Op: op, Chunks: chunks, Progress: r.Progress})
		if solveErr != nil {
			return nil, solveErr
		}
		s = source{whole.Steps, whole.Time, whole.All, whole.Of}
		steps, parts, err = filled(ctx, s, g.Nodes(), chunks)
	}
	if err != nil {
		return nil, err
	}
	return laid(ctx, &r, g, steps, parts)
}

// mostParts returns the largest number of chunks that a shard may be cut into: no more than are
// useful, than the shard has whole bytes or than the request allows, but at least 1.
func mostParts(r *planner.Request) int {
	most := max(1, int(min(maxParts, r.Size/units.Bytes(r.Fabric.Nodes))))
	if r.Parts > 0 {
		most = min(most, r.Parts)
	}
	return most
}

// laid returns the plan that runs the steps on a topology. Shards have the given number of
// chunks.
func laid(ctx context.Context, r *planner.Request, g *topology.Graph, steps []plan.Step, parts int) (*plan.Plan, error) {
	if err := r.Fabric.Fits(g); r.Fabric.Restricts() && err != nil {
		return nil, fmt.Errorf("%w: %s: %w", planner.ErrInfeasible, g.Name(), err)
	}
	p := &plan.Plan{
		Fabric:     r.Fabric,
		Provenance: plan.Provenance{Planner: Name},
		Collective: plan.Collective{
			Op: r.Collective.Op, Algorithm: Algorithm, Size: r.Size,
			Space: collective.SpaceOf(r.Collective.Op, r.Fabric.Nodes, parts),
		},
		Stages: []plan.Stage{{Topology: g, Steps: steps}},
	}
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	p.Bound = min(p.OperationBound().Total(), p.Cost.Total())
	return p, nil
}

// source holds what a plan needs of a schedule.
type source struct {
	steps int
	time  *big.Rat // of the busiest circuits of all steps, in shards
	all   func() iter.Seq2[int, bfb.Transfer]
	// of yields the transfers of nodes first to last-1, which use links that no other node
	// uses. It is nil if the schedule cannot be split by nodes.
	of func(first, last int) iter.Seq2[int, bfb.Transfer]
}

// least returns the time of a plan with this schedule if shards can be cut as it asks; every
// step has one hop. Whole chunks, a fabric that is dark at the start, and circuits worse than
// the best can only add to it.
func (s *source) least(r *planner.Request) units.Time {
	f := r.Fabric.Ideal()
	space := collective.SpaceOf(r.Collective.Op, f.Nodes, 1)
	shards, _ := s.time.Float64()
	return units.Time(s.steps)*(f.Alpha.Time()+f.Delta.Time()) +
		f.Bandwidth.Transmit(shards*space.Bytes(float64(r.Size), collective.Single(0)))
}

// best returns the fastest schedule for the request: a breadth-first broadcast or, if the
// topology has an expression, a schedule constructed from those of the graphs inside it.
func best(ctx context.Context, r *planner.Request, g *topology.Graph) (source, error) {
	op, _ := Schedulable(r.Collective.Op)
	expr, err := r.Fabric.Families().ParseExpr(g.Name())
	if err != nil {
		s, err := bfb.Solve(ctx, g, bfb.Options{Op: op, Progress: r.Progress})
		if err != nil {
			return source{}, err
		}
		return source{s.Steps, s.Time, s.All, s.Of}, nil
	}
	f := &r.Fabric
	// The latency of a step, in units of the time that the ports of a node take for all data.
	send := float64(f.Bandwidth.Transmit(float64(r.Size))) / float64(f.Ports)
	options := expand.Options{Op: op, StepCost: new(big.Rat).SetFloat64(float64(f.Alpha.Time()+f.Delta.Time()) / send)}
	if r.Progress != nil {
		options.Progress = func(_ string, done, total int) { r.Progress(done, total) }
	}
	s, err := expand.Solve(ctx, expr, options)
	if err != nil {
		return source{}, err
	}
	return source{s.Steps, s.Time, s.All, s.Of}, nil
}
