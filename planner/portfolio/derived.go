package portfolio

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/derived"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// derivedBy returns a finder of plans for other operations by the best of some planners. It finds
// the plans that are fastest for some delay. So the plans derived from them do not depend on the
// delay, and a smaller delay is never worse.
func derivedBy(all planner.Registry) derived.Finder {
	return func(ctx context.Context, op collective.Op, of planner.Request) ([]*plan.Plan, error) {
		r := otherOperation(op, of)
		key := derivedKey{op, r.Fabric.Key(), of.Size, collective.FormatMembers(of.Collective.Space.Members)}
		found := planner.Kept(of.Kept, key, func() (derivedFrom, bool) {
			s := searchFor(all, of)
			s.scope.composed = op == collective.AllToAll || manyBy(&r.Fabric, of.Size) && op != collective.Gather && op != collective.Scatter
			s.scope.noPipelines = true
			plans, err := r.forAnyDelay(ctx, all.Best(), s)
			return derivedFrom{plans, err}, ctx.Err() == nil
		})
		return found.plans, found.err
	}
}

// All planners look for plans to derive others from if there are at most mostByAll GPUs and
// sending the size takes at most mostHops hops of a small message (mostPaired hops with one
// two-way port). Beyond that, the steps of algorithms take long to plan at all delays; those of
// an all-to-all do so for any number of GPUs. The steps that planners compose are faster with few
// exceptions, mostly with one two-way port: a reduction of 32 MiB on 109 GPUs takes 10% longer
// with them. Algorithms that leave their number of pieces open are always left out: to find the
// best number for every delay took most of the time, and of hundreds of plans none was faster for
// it.
const (
	mostByAll  = 128
	mostHops   = 300
	mostPaired = 1e3
)

// manyBy reports whether the steps of algorithms take long to plan for a size on a fabric.
func manyBy(f *fabric.Fabric, size units.Bytes) bool {
	most := units.Time(mostHops)
	if f.Duplex && f.Ports == 1 {
		most = mostPaired
	}
	return f.Nodes > mostByAll || f.Bandwidth.Transmit(float64(size)) > most*(f.Alpha+f.Delta).Time()
}

// stayingBy returns a finder of plans for other operations on circuits that never change.
func stayingBy(all planner.Registry) derived.Stayer {
	return func(ctx context.Context, op collective.Op, on *topology.Graph, of planner.Request) (*plan.Plan, error) {
		r := otherOperation(op, of)
		r.Fabric.Base, r.Fabric.Initial = topology.EdgesOf(on).String(), fabric.InitialFree
		// The given circuits may need more ports than the fabric has.
		if err := r.Fabric.Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
		return r.Fastest(ctx, all.Baseline(plan.Static), searchFor(all, of))
	}
}

// otherOperation returns a request for another operation on the same fabric without a delay. On a
// dark fabric every plan takes one change more than on one whose first circuits are free, so the
// same plans are the fastest. They are sought with free circuits: with dark ones and a delay of
// seconds, what plans differ in is lost in that change, and few can be ruled out by a bound.
func otherOperation(op collective.Op, of planner.Request) *Request {
	r := &Request{Fabric: of.Fabric, Operations: []collective.Operation{{Op: op, Size: of.Size, GPUs: of.Collective.Space.Members}}}
	r.Fabric.Reconfig, r.Fabric.Overlap = fabric.Reconfig{Model: fabric.Constant}, fabric.Overlap{}
	if r.Fabric.Initial == fabric.InitialDark {
		r.Fabric.Initial = fabric.InitialFree
	}
	return r
}

// searchFor returns a search for plans of other operations that shares the request's memory.
func searchFor(all planner.Registry, of planner.Request) *Search {
	s := NewSearch(Options{Planners: all, Bare: true, AllPorts: true})
	if of.Kept != nil {
		s.memory.kept = of.Kept
	}
	return s
}

// derivedKey is everything that plans of other operations depend on.
type derivedKey struct {
	op      collective.Op
	fabric  fabric.Key
	size    units.Bytes
	members string
}

// derivedFrom is the result of a search for plans of other operations.
type derivedFrom struct {
	plans []*plan.Plan
	err   error
}

// same is the relative difference up to which two times count as equal. Pipelines with different
// numbers of pieces, up to thousands, are each the fastest for some delay, by ever smaller
// margins. Each takes long to make and to follow, so once those found have manyParts steps times
// GPUs, sameOfMany takes the place of same: without it, 239 plans of half a million transfers were
// made for a reduction of 64 MiB on 128 GPUs without latency.
const (
	same       = 1e-6
	sameOfMany = 1e-3
	manyParts  = 1 << 18
)

// forAnyDelay returns plans for every delay that is the same for all changes: at each delay one of
// them is as good as the fastest, or nearly so.
func (r *Request) forAnyDelay(ctx context.Context, p planner.Planner, s *Search) ([]*plan.Plan, error) {
	var made []*plan.Plan
	var known []envelope.Line
	parts := 0 // steps times GPUs of the plans made
	ask := func(wait float64) (envelope.Line, error) {
		delay := units.Duration(math.Round(wait * 1000))
		wait = float64(delay.Time())
		other := *r
		other.Fabric.Reconfig.Base = delay
		best := envelope.Line{Fixed: math.Inf(1)}
		for _, l := range known {
			if l.At(wait) < best.At(wait) {
				best = l
			}
		}
		tolerance := same
		if parts >= manyParts {
			tolerance = sameOfMany
		}
		enough := units.Time(best.At(wait) * (1 - tolerance))
		within := s
		if len(known) > 0 {
			within = s.within(enough)
		}
		p, err := other.Fastest(ctx, p, within)
		if len(known) > 0 && errors.Is(err, planner.ErrBeyond) {
			return best, nil
		}
		if err != nil {
			return envelope.Line{}, err
		}
		if p.Cost.Total() > enough {
			return best, nil
		}
		changes := float64(p.Reconfigurations)
		fixed := p.Cost.Total()
		if p.Reconfigurations > 0 { // exact even if changes take much longer than all else
			cost := p.Cost
			cost.Reconfiguration = units.Time(changes) * other.Fabric.WaitFor(0)
			fixed = cost.Total()
		}
		line := envelope.Line{Fixed: float64(fixed), Slope: changes, Of: len(made)}
		made, known, parts = append(made, p), append(known, line), parts+p.CountSteps()*r.Fabric.Nodes
		return line, nil
	}
	first, err := ask(0)
	if err != nil {
		return nil, err
	}
	lines, err := envelope.Trace(0, frontier.Longest(first.Fixed), func(wait float64) (envelope.Line, error) {
		if wait == 0 {
			return first, nil
		}
		return ask(wait)
	})
	if err != nil {
		return nil, err
	}
	var all []*plan.Plan
	for _, l := range lines {
		all = append(all, made[l.Of])
	}
	return all, nil
}
