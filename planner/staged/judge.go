package staged

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
)

// judgement is what is known of the time of a step on a candidate.
type judgement struct {
	looked bool
	exact  bool    // cost is the time of the routes that a plan would use; else a lower bound on it
	cost   float64 // ns, +Inf where the candidate does not connect a pair
	most   float64 // ns that it does not exceed
	rough  bool    // a closer look may say that it is exact
	routed *routed // once it was computed

	tried float64 // ns within which there were no routes
}

// cost returns the time of a step of the class on the candidate, in ns, or a lower
// bound on it that takes no linear program; exact says which.
func (w *workload) cost(ctx context.Context, c *candidate, index int) (cost float64, exact bool, err error) {
	class := &w.classes[index]
	wires := w.wires(c)
	if wires == nil && class.offsets != nil && c.jump.count > 0 {
		load, ok := c.jump.load(class)
		if !ok {
			return math.Inf(1), true, nil
		}
		return w.price(load, class), true, nil
	}
	if c.own != nil && slices.Contains(c.own.classes, index) {
		return w.price(c.own.load(class), class), true, nil
	}
	if c.known == nil {
		c.known = make([]judgement, len(w.classes))
	}
	j := &c.known[index]
	if !j.looked {
		if wires != nil {
			*j, err = w.unevenly(ctx, wires, class)
		} else {
			*j, err = w.glance(ctx, c, class)
		}
		if err != nil {
			return 0, false, err
		}
	}
	return j.cost, j.exact, nil
}

// closely is cost with a search for every destination, where one for all nodes has been
// enough so far.
func (w *workload) closely(ctx context.Context, c *candidate, index int) (cost float64, exact bool, err error) {
	cost, exact, err = w.cost(ctx, c, index)
	if err != nil || c.known == nil || !c.known[index].rough {
		return cost, exact, err
	}
	j, err := w.look(ctx, c, &w.classes[index])
	if err != nil {
		return 0, false, err
	}
	c.known[index] = j
	return j.cost, j.exact, nil
}

func (w *workload) price(load flow.Load, class *class) float64 {
	return float64(plan.CostOf(w.fabric, load, class.pair, class.reduced).Total())
}

// glance prices a step where paths are unique, and else bounds its time from below by
// what no routing can beat: the largest distance and the counting bound on the peak.
// It also says what one shortest path for every pair takes, +Inf where that is no way to
// route.
func (w *workload) glance(ctx context.Context, c *candidate, class *class) (j judgement, err error) {
	if c.next != nil || c.jump.count > 0 {
		load, _, ok, _ := w.loads(c, class, byWalk, func() (a, b flow.Load, ok bool, err error) {
			if c.jump.count > 0 {
				a, ok = w.onRing(&c.jump, class)
			} else {
				a, ok = c.next.Evaluate(class.all())
			}
			return a, a, ok, nil
		})
		if !ok {
			return judged(math.Inf(1)), nil
		}
		return judged(w.price(load, class)), nil
	}
	if c.kin != nil && class.offsets != nil && class.uniform == 0 {
		hops, peak, ok := c.kin.floorOf(class, len(c.jumps))
		if !ok {
			return judged(math.Inf(1)), nil
		}
		return judgement{looked: true, rough: true, cost: w.price(flow.Load{Hops: hops, Peak: peak}, class), most: math.Inf(1)}, nil
	}
	if floors := c.floor(); floors != nil {
		load, _, ok, _ := w.loads(c, class, byFloors, func() (a, b flow.Load, ok bool, err error) {
			if class.uniform > 0 {
				a, ok = floors.Uniform(class.uniform)
				return a, a, ok, nil
			}
			group := c.within(class.step.Group)
			a, ok = floors.Of(class.each(group), group)
			return a, a, ok, nil
		})
		if !ok {
			return judged(math.Inf(1)), nil
		}
		return judgement{looked: true, rough: true, cost: w.price(load, class), most: math.Inf(1)}, nil
	}
	return w.look(ctx, c, class)
}

// look bounds the time of a step by its shortest paths, which may be all that it takes.
func (w *workload) look(ctx context.Context, c *candidate, class *class) (j judgement, err error) {
	floor, shortest, connected, err := w.loads(c, class, bySearch, func() (a, b flow.Load, ok bool, err error) {
		if w.fabric.Routing == flow.Optimal && len(class.demands)*c.topology().Bundles() > longSearch {
			if a, b, ok = flow.RootFloor(w.problem(c.topology(), class)); ok {
				return a, b, true, nil
			}
		}
		a, b, err = flow.Floor(ctx, w.problem(c.topology(), class))
		if errors.Is(err, flow.ErrUnreachable) {
			return a, b, false, nil
		}
		return a, b, true, err
	})
	switch {
	case err != nil:
		return judgement{}, err
	case !connected:
		return judged(math.Inf(1)), nil
	}
	// A routing that splits may do without the floor's dilation.
	exact := floor == shortest && w.fabric.Routing != flow.ShortestSplit &&
		(w.fabric.Forwarding == fabric.CutThrough || floor.Dilation <= floor.Peak)
	if !exact && w.fabric.Routing != flow.ShortestSplit && w.fabric.Forwarding == fabric.CutThrough && w.noDetour(c, class, floor, shortest) {
		return judged(w.price(shortest, class)), nil
	}
	if !exact {
		floor.Dilation = 0
	}
	j = judged(w.price(floor, class))
	if !exact {
		j.exact, j.most = false, math.Inf(1)
		if w.fabric.Routing != flow.ShortestSplit {
			j.most = w.price(shortest, class)
		}
	}
	return j, nil
}

// longSearch is the number of demands times bundles above which searches for every destination
// take longer than some hundredths of a second.
const longSearch = 1 << 23

// judged is what is known where the time is.
func judged(cost float64) judgement {
	return judgement{looked: true, exact: true, cost: cost, most: cost}
}

// settle keeps the routes of a class on a candidate and their time.
func (w *workload) settle(c *candidate, index int, r *routed) {
	if c.known == nil {
		c.known = make([]judgement, len(w.classes))
	}
	c.known[index] = judged(float64(r.cost.Total()))
	c.known[index].routed = r
}

// atLeast keeps that a class has no routes on a candidate within some time, and a bound on
// what they take.
func (w *workload) atLeast(c *candidate, index int, within, least float64) {
	if c.known == nil {
		c.known = make([]judgement, len(w.classes))
	}
	if j := &c.known[index]; !j.exact {
		j.looked, j.cost, j.tried = true, max(j.cost, least), max(j.tried, within)
	}
}

// retry is how much more time, relatively, makes it worth asking again for routes within it:
// where it is the same but for rounding, all routes are asked for, so that a search ends.
const retry = 1e-6

// until returns the time within which routes of a class on a candidate are to be looked for,
// if those of some time are of use.
func (w *workload) until(c *candidate, index int, within float64) float64 {
	if c.known != nil && within <= c.known[index].tried*(1+retry) {
		return math.Inf(1)
	}
	return within
}
