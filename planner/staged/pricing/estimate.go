package pricing

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
)

// Judgement is what is known of the time of a step on a candidate.
type Judgement struct {
	Looked bool
	Exact  bool    // Cost is the time of the routes that a plan would use, not only a bound
	Cost   float64 // ns, +Inf if the candidate does not connect a pair
	Most   float64 // upper bound in ns
	rough  bool    // a closer look may raise the bound or prove it exact
	Routed *Routed // nil until computed

	tried float64 // ns within which no routes were found
}

// Cost returns the time of a step of the class on the candidate, in ns, or a lower bound on it
// that needs no linear program; exact says which.
func (w *Workload) Cost(ctx context.Context, c *Candidate, index int) (cost float64, exact bool, err error) {
	class := &w.Classes[index]
	wires := w.Uneven(c)
	if wires == nil && class.Offsets != nil && c.Jump.Count > 0 {
		load, ok := c.Jump.load(class)
		if !ok {
			return math.Inf(1), true, nil
		}
		return w.price(load, class), true, nil
	}
	if c.Own != nil && slices.Contains(c.Own.Classes, index) {
		return w.price(c.Own.load(class), class), true, nil
	}
	j := c.Known.put(index, len(w.Classes))
	if !j.Looked {
		if wires != nil {
			*j, err = w.unevenly(ctx, wires, class)
		} else {
			*j, err = w.glance(ctx, c, class)
		}
		if err != nil {
			return 0, false, err
		}
	}
	return j.Cost, j.Exact, nil
}

// Closely is Cost with a search for every destination, if Cost has used one search for all nodes.
func (w *Workload) Closely(ctx context.Context, c *Candidate, index int) (cost float64, exact bool, err error) {
	cost, exact, err = w.Cost(ctx, c, index)
	known := c.Known.Of(index)
	if err != nil || known == nil || !known.rough {
		return cost, exact, err
	}
	j, err := w.look(ctx, c, &w.Classes[index])
	if err != nil {
		return 0, false, err
	}
	*known = j
	return j.Cost, j.Exact, nil
}

// Price returns the time in ns of a step of the class if the circuits carry the load.
func (w *Workload) Price(load flow.Load, index int) float64 { return w.price(load, &w.Classes[index]) }

func (w *Workload) price(load flow.Load, class *Class) float64 {
	return float64(plan.CostOf(w.Fabric, load, class.pair, class.reduced).Total())
}

// glance prices a step if paths are unique. Otherwise it returns a lower bound that no routing
// can beat, from the largest distance and the counting bound on the peak. Most is the time over
// one shortest path for every pair, or +Inf if that is unknown or not allowed.
func (w *Workload) glance(ctx context.Context, c *Candidate, class *Class) (j Judgement, err error) {
	if c.Next != nil || c.Jump.Count > 0 {
		load, _, ok, _ := w.loads(c, class, byWalk, func() (a, b flow.Load, ok bool, err error) {
			if c.Jump.Count > 0 {
				a, ok = w.onRing(&c.Jump, class)
			} else {
				a, ok = c.Next.Evaluate(class.All())
			}
			return a, a, ok, nil
		})
		if !ok {
			return judged(math.Inf(1)), nil
		}
		return judged(w.price(load, class)), nil
	}
	if floors := c.floor(); floors != nil {
		load, _, ok, _ := w.loads(c, class, byFloors, func() (a, b flow.Load, ok bool, err error) {
			if class.Uniform > 0 {
				a, ok = floors.Uniform(class.Uniform)
				return a, a, ok, nil
			}
			group := c.within(class.Step.Group)
			a, ok = floors.Of(class.each(group), group)
			return a, a, ok, nil
		})
		if !ok {
			return judged(math.Inf(1)), nil
		}
		return Judgement{Looked: true, rough: true, Cost: w.price(load, class), Most: math.Inf(1)}, nil
	}
	return w.look(ctx, c, class)
}

// look bounds the time of a step by its shortest paths, which may already be its time.
func (w *Workload) look(ctx context.Context, c *Candidate, class *Class) (j Judgement, err error) {
	floor, shortest, connected, err := w.loads(c, class, bySearch, func() (a, b flow.Load, ok bool, err error) {
		if w.Fabric.Routing == flow.Optimal && len(class.Demands)*c.Topology().Bundles() > longSearch {
			if a, b, ok = flow.RootFloor(w.Problem(c.Topology(), class)); ok {
				return a, b, true, nil
			}
		}
		a, b, err = flow.Floor(ctx, w.Problem(c.Topology(), class))
		if errors.Is(err, flow.ErrUnreachable) {
			return a, b, false, nil
		}
		return a, b, true, err
	})
	switch {
	case err != nil:
		return Judgement{}, err
	case !connected:
		return judged(math.Inf(1)), nil
	}
	// A routing that splits may avoid the floor's dilation.
	exact := floor == shortest && w.Fabric.Routing != flow.ShortestSplit &&
		(w.Fabric.Forwarding == fabric.CutThrough || floor.Dilation <= floor.Peak)
	if !exact && w.Fabric.Routing != flow.ShortestSplit && w.Fabric.Forwarding == fabric.CutThrough && w.noDetour(c, class, floor, shortest) {
		return judged(w.price(shortest, class)), nil
	}
	if !exact {
		floor.Dilation = 0
	}
	j = judged(w.price(floor, class))
	if !exact {
		j.Exact, j.Most = false, math.Inf(1)
		if w.Fabric.Routing != flow.ShortestSplit {
			j.Most = w.price(shortest, class)
		}
	}
	return j, nil
}

// longSearch is the number of demands times bundles above which searches for every destination
// take longer than some hundredths of a second.
const longSearch = 1 << 23

// judged returns the judgement of a step whose time is known.
func judged(cost float64) Judgement {
	return Judgement{Looked: true, Exact: true, Cost: cost, Most: cost}
}

// Settle keeps the routes of a class on a candidate and their time.
func (w *Workload) Settle(c *Candidate, index int, r *Routed) {
	j := c.Known.put(index, len(w.Classes))
	*j = judged(float64(r.Cost.Total()))
	j.Routed = r
}

// AtLeast records that a class has no routes on a candidate within some time, and a lower bound
// on the time of its routes.
func (w *Workload) AtLeast(c *Candidate, index int, within, least float64) {
	if j := c.Known.put(index, len(w.Classes)); !j.Exact {
		j.Looked, j.Cost, j.tried = true, max(j.Cost, least), max(j.tried, within)
	}
}

// retry is the relative increase in time from which it is worth asking for routes within that
// time again. If the time is the same except for rounding, the search asks for routes without a
// limit, so that it ends.
const retry = 1e-6

// Until returns the time within which to search for routes of a class on a candidate, if routes
// within a given time are useful.
func (w *Workload) Until(c *Candidate, index int, within float64) float64 {
	if j := c.Known.Of(index); j != nil && within <= j.tried*(1+retry) {
		return math.Inf(1)
	}
	return within
}
