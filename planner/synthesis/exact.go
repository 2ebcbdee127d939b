package synthesis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// maxExactNodes is the number of nodes up to which Exact works: sets of nodes are 64-bit words.
// Reasonable times allow proofs only for far fewer nodes.
const maxExactNodes = 64

// exactClasses is the number of classes of arcs up to which Exact solves the relaxation, whose
// cuts keep the search tree small.
const exactClasses = 300

// Exact finds a topology of least cost and proves that none is better. If the work is used up
// or the context ends first, it returns the best topology and bound so far; if it has found none,
// ErrSpent or the context's error.
//
// It is a branch-and-bound search that places circuits one by one, node after node. A partial
// topology is bounded by
//
//   - cuts, tangents of the mixed integer cone program of HARVEST's appendix A: lengths of
//     circuits that prove a load on every topology (see cut), from the relaxation of the
//     program, from good topologies, and from every whole topology that is met. Each is
//     updated with an addition per circuit laid;
//   - distances, as if free ports led everywhere, and the loads of circuits that demands
//     cannot avoid; with one port these are the exact loads;
//   - with propagation, both for each number of hops that routes may have.
//
// Topologies that are images of one another under automorphisms of the demands are searched once
// (see orderly). The time is exponential in nodes times ports. One port takes milliseconds with 8
// nodes and less than a second with 14; two ports with 8 nodes take a second if the steps are
// symmetric, and up to half a minute if they are not and propagation matters.
//
// If an additional circuit can make a topology slower (non-optimal routing, or store-and-forward
// with several ports), Exact also searches topologies with unused ports and all images, and the
// result is the best for the routes that flow finds.
func Exact(ctx context.Context, p Problem, opt Options) (*Result, error) {
	iv, err := newInterval(p)
	if err != nil {
		return nil, err
	}
	if iv.Nodes > maxExactNodes {
		return nil, fmt.Errorf("%w: %d nodes, Exact takes at most %d", ErrProblem, iv.Nodes, maxExactNodes)
	}
	iv.exact, iv.limit = true, opt.Work
	x := newExact(ctx, iv, opt)
	if err := x.warmUp(ctx); err != nil {
		return nil, err
	}
	x.prove(ctx)
	return x.result(ctx)
}

// exact is a run of Exact.
type exact struct {
	*tree
	opt   Options
	known *bounds
	bound units.Time // proven so far
	tried int        // topologies tried before the tree

	before []*topology.Graph // the successive best ones before the tree
}

func newExact(ctx context.Context, iv *interval, opt Options) *exact {
	identity := arithmetic.UpTo(iv.Nodes)
	automorphisms := [][]int{identity}
	if iv.monotone() { // otherwise routers may treat images differently
		automorphisms = iv.automorphisms()
	}
	x := &exact{opt: opt, known: iv.bounds(ctx, sample(automorphisms), exactClasses)}
	x.bound = x.known.time
	x.tree = newTree(iv, x.known.bytes, automorphisms)
	x.report = x.progress
	return x
}

// progress tells the caller how far the search has come.
func (x *exact) progress() {
	if x.opt.Progress != nil {
		x.opt.Progress(Progress{Cost: x.cost(), Bound: min(x.bound, x.cost()), Evaluations: x.tried + x.visited})
	}
}

// Exact tries some topologies before the tree search: a good one cuts off most of the tree. With
// one port they cost next to nothing.
const (
	warmEffort        = 200
	warmEffortOnePort = 500
)

// warmUp learns from the relaxation and from a short search.
func (x *exact) warmUp(ctx context.Context) error {
	if x.known.relaxed != nil {
		x.learnRelaxation(x.known.relaxed)
	}
	effort := warmEffort
	if x.iv.Ports == 1 {
		effort = warmEffortOnePort
	}
	s := newSeeker(x.iv, Options{Effort: effort}, x.known)
	if err := s.run(ctx, nil); err != nil {
		return err
	}
	x.tried, x.before = s.tried, s.earlier
	if s.best != nil {
		x.keep(s.best)
	}
	if x.known.relaxed != nil {
		for _, e := range s.kept {
			x.learnTopology(e.graph)
		}
	}
	return nil
}

// frontier is the number of beginnings of topologies that are sorted by their bounds before any
// is followed to the end, so that the proven bound rises during the search.
const frontier = 256

// beginning is the first circuits of topologies, given by their ends.
type beginning struct {
	ends  []int
	bound units.Time
}

// prove walks the tree: first down to the depth at which it has enough branches, and then along
// these in the order of their bounds.
func (x *exact) prove(ctx context.Context) {
	list := []beginning{{}}
	for depth := 1; len(list) > 0 && len(list) < frontier && depth <= x.n*x.ports && !x.stopped; depth++ {
		var deeper []beginning
		for _, b := range list {
			x.walk(ctx, b.ends, depth, func(bound units.Time) {
				ends := make([]int, len(x.laid))
				for k, c := range x.laid {
					ends[k] = c[1]
				}
				deeper = append(deeper, beginning{ends, bound})
			})
		}
		list = deeper
	}
	slices.SortStableFunc(list, func(a, b beginning) int { return cmp.Compare(a.bound, b.bound) })
	for _, b := range list {
		if x.stopped || b.bound >= x.limit {
			break
		}
		x.bound = max(x.bound, b.bound)
		x.walk(ctx, b.ends, -1, nil)
	}
	if !x.stopped {
		x.bound = x.cost()
	}
	x.progress()
}

// result returns the outcome of the search.
func (x *exact) result(ctx context.Context) (*Result, error) {
	switch {
	case x.err != nil:
		return nil, x.err
	case x.best == nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case x.best == nil && x.stopped:
		return nil, ErrSpent
	case x.best == nil:
		return nil, ErrInfeasible
	}
	return newResult(x.iv, x.best, x.bound, x.tried+x.visited, append(x.before, x.earlier...)), nil
}
