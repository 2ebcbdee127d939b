package resized

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Name is the name of the planner, and of the algorithm in its plans.
const Name = "resized"

// Finder finds plans of the operation of a request for another number of GPUs. One of them is as
// good as the fastest at every delay, so they do not depend on the delay of the fabric. There are
// none if the fastest at that delay exceeds the limit of the request.
type Finder func(ctx context.Context, nodes int, r planner.Request) ([]*plan.Plan, error)

// New returns the planner. It asks others for the plans for other numbers of GPUs.
func New(find Finder) planner.Planner { return composer{find} }

type composer struct{ find Finder }

func (composer) Name() string { return Name }
func (composer) About() string {
	return "a plan for a few GPUs more or fewer, without some of its GPUs or with more inserted into its circuits"
}

// Traits implements planner.Described.
func (x composer) Traits() planner.Traits {
	return planner.Traits{
		Applies: applies, Composes: &planner.Composer{Algorithm: Name, Supports: supports}, Bound: boundOf, Listed: true, Last: true,
		Ops: []collective.Op{collective.AllReduce},
	}
}

// The numbers of GPUs and ports for which plans are made. With more ports, few plans have steps of
// many hops, and plans for other numbers of GPUs take long to find.
const (
	fewest, most = 4, 1 << 8
	mostPorts    = 2
)

// applies reports why the planner makes no plan on a fabric.
func applies(f *fabric.Fabric) error {
	switch _, uniform := f.Reconfig.Uniform(); {
	case f.Tiered():
		return fmt.Errorf("planner %s is for fabrics without islands", Name)
	case !f.Avoid.IsZero() || !f.Links.IsZero():
		return fmt.Errorf("planner %s is for fabrics whose circuits are equal", Name)
	case !f.Layout.IsZero() || f.Base != "" || f.Initial != fabric.InitialFree && f.Initial != fabric.InitialDark:
		return fmt.Errorf("planner %s is for fabrics that can have any circuits", Name)
	case !uniform:
		return fmt.Errorf("planner %s is for changes that all take the same", Name)
	case f.Ports > mostPorts:
		return fmt.Errorf("planner %s is for at most %d ports", Name, mostPorts)
	case f.Duplex && f.Ports < 2:
		return fmt.Errorf("planner %s is for two ports or more if circuits are two-way", Name)
	}
	return nil
}

// supports reports why the planner cannot do an operation, or nil.
func supports(c *collective.Collective, f *fabric.Fabric) error {
	switch {
	case c.Op != collective.AllReduce:
		return fmt.Errorf("planner %s does not do %s", Name, c.Op)
	case c.Space.Members != nil:
		return fmt.Errorf("planner %s is for all GPUs of a fabric", Name)
	case f.Nodes < fewest || f.Nodes > most:
		return fmt.Errorf("planner %s is for %d to %d GPUs", Name, fewest, most)
	}
	return applies(f)
}

// boundOf bounds the time of a plan from below.
func boundOf(_ context.Context, r planner.Request) (least, most units.Time, err error) {
	return leastFor(r.Fabric.Nodes, &r), units.Time(math.Inf(1)), nil
}

// leastFor returns a lower bound on the time of a request's operation on a number of GPUs.
func leastFor(nodes int, r *planner.Request) units.Time {
	f := r.Fabric
	f.Nodes = nodes
	return bound.OfOperation(&f, &collective.Section{Op: r.Collective.Op, Size: r.Size, Space: collective.SpaceOf(r.Collective.Op, nodes, 1)}).Total()
}

// errNone is the error if no plan for another number of GPUs is of use.
var errNone = fmt.Errorf("%w: no plan for a few GPUs more or fewer can be resized", planner.ErrInfeasible)

// Plan implements planner.Planner.
func (x composer) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if r.Parts > 0 || r.Alike {
		return nil, fmt.Errorf("%w: planner %s treats GPUs differently, and cuts data accordingly", planner.ErrInfeasible, Name)
	}
	var best *plan.Plan
	limit := r.Limit
	for _, nodes := range sources(&r.Fabric) {
		within := r
		if limit > 0 {
			if within.Limit = useful(&r, nodes, 1, limit); leastFor(nodes, &r) >= within.Limit {
				continue
			}
		}
		from, err := x.find(ctx, nodes, within)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, planner.ErrInfeasible) || errors.Is(err, planner.ErrBeyond):
			continue
		case err != nil:
			return nil, err
		}
		for _, p := range from {
			made, err := resize(ctx, p, &r, limit)
			switch {
			case errors.Is(err, planner.ErrInfeasible):
			case err != nil:
				return nil, err
			case best == nil || made.Cost.Total() < best.Cost.Total():
				best = made
				if limit == 0 || made.Cost.Total() < limit {
					limit = made.Cost.Total()
				}
			}
		}
	}
	switch {
	case best == nil && r.Limit > 0:
		return nil, &planner.Beyond{Least: r.Limit}
	case best == nil:
		return nil, errNone
	}
	best.Bound = min(best.OperationBound().Total(), best.Cost.Total())
	return best, nil
}

// useful returns the time that a plan for a number of GPUs must beat, so that the resized plan can
// beat a limit. A new GPU sends its vector and receives the result over circuits that are as busy
// as others, and routes over these get longer: in ends steps, 1 or 2. A GPU that is left out
// shortens routes in proportion at best.
func useful(r *planner.Request, nodes, ends int, limit units.Time) units.Time {
	if nodes > r.Fabric.Nodes {
		return limit * units.Time(nodes) / units.Time(r.Fabric.Nodes)
	}
	return limit - units.Time(ends)*(r.Fabric.Delta.Time()+r.Fabric.Bandwidth.Transmit(float64(r.Size)/float64(r.Fabric.Ports)))
}

// rings reports whether circuits that stay form a ring, on which all are equally busy if all GPUs
// do the same.
func rings(f *fabric.Fabric) bool { return f.Ports == 1 || f.Duplex }

// mostGrown is how many GPUs are added to a plan at most.
const mostGrown = 3

// sources lists the numbers of GPUs from whose plans to make one: those whose largest prime factor
// is smaller than that of the fabric's own number and of all numbers in between. Plans shrink by up
// to an eighth on rings; on other circuits, where few can and plans take long to find, by one GPU,
// and there they grow only from the number with the smallest factor.
func sources(f *fabric.Fabric) []int {
	mostShrunk := 1
	if rings(f) {
		mostShrunk = max(3, f.Nodes/8)
	}
	below := smoother(f.Nodes, -1, mostGrown)
	if !rings(f) {
		below = below[max(0, len(below)-1):]
	}
	return append(below, smoother(f.Nodes, 1, mostShrunk)...)
}

// smoother lists the numbers at most the given distance above or below a number, the nearest
// first, whose largest prime factor is smaller than those of all numbers before.
func smoother(n, direction, most int) []int {
	var all []int
	smallest := largestFactor(n)
	for k := 1; k <= most && n+direction*k >= fewest; k++ {
		if p := largestFactor(n + direction*k); p < smallest {
			all, smallest = append(all, n+direction*k), p
		}
	}
	return all
}

// largestFactor returns the largest prime factor of a number, 1 if it has none.
func largestFactor(n int) int {
	if primes := arithmetic.PrimeFactors(n); len(primes) > 0 {
		return primes[len(primes)-1]
	}
	return 1
}

// With more than exactGPUs GPUs, plans that can gain less than leastGain are left alone: it takes
// long to resize them.
const exactGPUs, leastGain = 64, 0.005

// promising reports whether a plan, once GPUs are left out, may be faster than a limit. It then has
// as many steps and changes as before. Its routes are shorter in proportion at best, and so is
// what its busiest circuits carry. But every GPU sends all but its share of the vector, once to
// sum it up and once as a result.
func promising(from *plan.Plan, r *planner.Request, limit units.Time) bool {
	n := r.Fabric.Nodes
	if limit == 0 || from.Fabric.Nodes < n {
		return true
	}
	if n > exactGPUs {
		limit *= 1 - leastGain
	}
	shorter := units.Time(n) / units.Time(from.Fabric.Nodes)
	wait, _ := r.Fabric.UniformWait()
	sent := r.Fabric.Bandwidth.Transmit(2 * float64(r.Size) * float64(n-1) / float64(n*r.Fabric.Ports))
	return from.Cost.Startup+units.Time(from.Reconfigurations)*wait+shorter*from.Cost.Propagation+
		max(sent, shorter*from.Cost.Transmission) < limit
}

// resize makes a plan for a request from one for another number of GPUs. The error wraps
// planner.ErrInfeasible if none is faster than the limit, if that is above 0.
func resize(ctx context.Context, from *plan.Plan, r *planner.Request, limit units.Time) (*plan.Plan, error) {
	if !promising(from, r, limit) {
		return nil, errNone
	}
	whole, err := formOf(from)
	if err != nil {
		return nil, err
	}
	s := sizing{fabric: &r.Fabric, bytes: float64(r.Size), alike: alike(from)}
	ends := 1
	if rings(&r.Fabric) {
		ends = min(2, from.CountSteps())
	}
	if limit > 0 && s.time(whole) >= float64(useful(r, whole.nodes, ends, limit)) {
		return nil, errNone
	}
	var f *form
	if r.Fabric.Nodes > whole.nodes {
		f, err = s.grow(ctx, whole, r.Fabric.Nodes-whole.nodes)
	} else {
		f, err = s.shrink(ctx, whole, whole.nodes-r.Fabric.Nodes)
	}
	if err != nil {
		return nil, err
	}
	if f == nil || limit > 0 && s.time(f) >= float64(limit) {
		return nil, errNone
	}
	made := &plan.Plan{
		Fabric: r.Fabric, Among: from.Among, Provenance: plan.Provenance{Planner: Name, Strategy: about(from)},
		Collective: plan.Collective{Op: r.Collective.Op, Algorithm: Name, Size: r.Size},
	}
	if made.Stages, made.Collective.Space, err = f.alongRings(r.Fabric.Duplex).stages(); err != nil {
		return nil, err
	}
	for i := range made.Stages {
		if err := made.Fabric.Fits(made.Stages[i].Topology); err != nil {
			return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
	}
	return made, made.PriceContext(ctx)
}

// alike reports whether all GPUs do the same in a plan.
func alike(p *plan.Plan) bool {
	for _, step := range p.Steps() {
		if step.Group.Order() != p.Fabric.Nodes {
			return false
		}
	}
	return true
}

// about describes what a plan was made from.
func about(from *plan.Plan) string {
	by := from.Collective.Algorithm
	if from.Strategy != "" {
		by += ": " + from.Strategy
	}
	return fmt.Sprintf("from %d GPUs (%s)", from.Fabric.Nodes, by)
}
