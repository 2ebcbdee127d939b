package expand

import (
	"context"
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Methods says which schedules compete.
type Methods int

const (
	// AnyMethod: breadth-first broadcast, the constructions, and for some families what a
	// search has found (see Arrivals), also on the graphs inside an expression.
	AnyMethod Methods = iota
	// OnlyBFB: breadth-first broadcast on the whole graph.
	OnlyBFB
	// OnlyConstruction: breadth-first broadcast only where there is no construction, which is
	// the case for most families and for products of different graphs. It is fast on large
	// graphs.
	OnlyConstruction
)

// Options say what schedule is wanted. The zero value asks for an allgather of least
// bandwidth.
type Options struct {
	Op bfb.Op
	// Methods says which schedules compete.
	Methods Methods
	// StepCost is the price of a step in units of M/B, the bandwidth's. Nil is 0: the
	// least bandwidth wins and, of equals, the fewest steps.
	StepCost *big.Rat
	// Chunks, if above 0, is the number of equal chunks that a shard is cut into; each travels
	// whole. Only breadth-first broadcast then competes.
	Chunks int
	// Progress, if not nil, is called now and then with the expression whose breadth-first
	// broadcast is being computed, and the number of its nodes that are done.
	Progress func(expr string, done, total int)
}

// Solve returns the best schedule for an expression, on the graph that the expression builds.
// Of equally good schedules breadth-first broadcast wins, because it keeps to shortest paths.
//
// It runs bfb.Solve for the graph and, except with OnlyBFB, for every graph inside the
// expression. For a line graph it also streams the schedule of the graph that is expanded.
func Solve(ctx context.Context, e topology.Expr, opts Options) (*Schedule, error) {
	all, err := Frontier(ctx, e, opts)
	if err != nil {
		return nil, err
	}
	best := all[0]
	for _, s := range all[1:] {
		if opts.price(s).Cmp(opts.price(best)) < 0 {
			best = s
		}
	}
	return best, nil
}

// price is what Solve minimises.
func (o *Options) price(s *Schedule) *big.Rat {
	price := new(big.Rat).Set(s.Bandwidth)
	if o.StepCost != nil {
		price.Add(price, new(big.Rat).Mul(o.StepCost, big.NewRat(int64(s.Steps), 1)))
	}
	return price
}

// Frontier returns the Pareto-optimal schedules of an expression, by ascending steps: none has
// both fewer steps and less bandwidth than another. It ignores StepCost.
func Frontier(ctx context.Context, e topology.Expr, opts Options) ([]*Schedule, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	checked, err := e.Checked()
	if err != nil {
		return nil, err
	}
	s := &solver{opts: opts}
	var forward, backward []*Allgather
	switch opts.Op {
	case bfb.AllGather:
		forward, err = s.solve(ctx, checked, false)
	case bfb.ReduceScatter:
		backward, err = s.solve(ctx, checked, true)
	default:
		forward, backward, err = s.bothWays(ctx, checked)
	}
	if err != nil {
		return nil, err
	}
	return s.perform(checked.String(), forward, backward)
}

func (o *Options) check() error {
	switch {
	case o.Op < bfb.AllGather || o.Op > bfb.AllReduce:
		return fmt.Errorf("%w: unknown operation %d", ErrInput, int(o.Op))
	case o.Methods < AnyMethod || o.Methods > OnlyConstruction:
		return fmt.Errorf("%w: unknown methods %d", ErrInput, int(o.Methods))
	case o.StepCost != nil && o.StepCost.Sign() < 0:
		return fmt.Errorf("%w: a step costs %v, want at least 0", ErrInput, o.StepCost)
	case o.Chunks != 0 && o.Methods == OnlyConstruction:
		return fmt.Errorf("%w: constructions do not keep %d chunks per shard whole", ErrInput, o.Chunks)
	}
	return nil
}

// perform combines the allgathers of both directions into schedules on the graph of that
// name.
func (s *solver) perform(name string, forward, backward []*Allgather) ([]*Schedule, error) {
	// A direction that the operation does not use has a single schedule, which is nil.
	if forward == nil {
		forward = []*Allgather{nil}
	}
	if backward == nil {
		backward = []*Allgather{nil}
	}
	var all []*Schedule
	for _, b := range backward {
		for _, f := range forward {
			schedule, err := Perform(s.opts.Op, f, b)
			if err != nil {
				return nil, err
			}
			schedule.Graph = schedule.Graph.Named(name)
			schedule.Chunks = s.opts.Chunks
			all = append(all, schedule)
		}
	}
	return frontier(all, func(s *Schedule) Figures { return s.Figures }), nil
}
