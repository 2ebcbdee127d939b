package staged

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
)

// judgement is what is known of the time of a step on a candidate.
type judgement struct {
	looked bool
	exact  bool    // cost is the time of the routes that a plan would use; else a lower bound on it
	cost   float64 // ns, +Inf where the candidate does not connect a pair
	routed *routed // once it was computed
}

// cost returns the time of a step of the class on the candidate, in ns, or a lower
// bound on it that takes no linear program; exact says which.
func (w *workload) cost(ctx context.Context, c *candidate, index int) (cost float64, exact bool, err error) {
	class := &w.classes[index]
	if class.offsets != nil && c.jump.count > 0 {
		load, ok := c.jump.load(class)
		if !ok {
			return math.Inf(1), true, nil
		}
		return w.price(load, class), true, nil
	}
	if c.known == nil {
		c.known = make([]judgement, len(w.classes))
	}
	j := &c.known[index]
	if !j.looked {
		if j.cost, j.exact, err = w.glance(ctx, c, class); err != nil {
			return 0, false, err
		}
		j.looked = true
	}
	return j.cost, j.exact, nil
}

func (w *workload) price(load flow.Load, class *class) float64 {
	return float64(plan.CostOf(w.fabric, load, class.pair, class.reduced).Total())
}

// glance prices a step where paths are unique, and else bounds its time from below by
// what no routing can beat: the largest distance and the counting bound on the peak.
func (w *workload) glance(ctx context.Context, c *candidate, class *class) (cost float64, exact bool, err error) {
	if c.next == nil && c.jump.count > 0 {
		c.next, _ = flow.NewSuccessor(c.topology())
	}
	if c.next != nil {
		load, ok := c.next.Evaluate(class.all())
		if !ok {
			return math.Inf(1), true, nil
		}
		return w.price(load, class), true, nil
	}
	floor, attained, err := flow.Floor(ctx, w.problem(c.topology(), class))
	switch {
	case errors.Is(err, flow.ErrUnreachable):
		return math.Inf(1), true, nil
	case err != nil:
		return 0, false, err
	}
	// A routing that splits may do without the floor's dilation.
	exact = attained && w.fabric.Routing != flow.ShortestSplit &&
		(w.fabric.Forwarding == fabric.CutThrough || floor.Dilation <= floor.Peak)
	if !exact {
		floor.Dilation = 0
	}
	return w.price(floor, class), exact, nil
}

// settle keeps the routes of a class on a candidate and their time.
func (w *workload) settle(c *candidate, index int, r *routed) {
	if c.known == nil {
		c.known = make([]judgement, len(w.classes))
	}
	c.known[index] = judgement{looked: true, exact: true, cost: float64(r.cost.Total()), routed: r}
}
