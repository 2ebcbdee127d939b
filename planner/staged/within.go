package staged

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// passWithin makes pass with a limit, in ns: a step on a candidate is not looked at where
// the way there, what the step takes at least and what every later step takes at least on
// any circuits (leastFrom) are above it together. No schedule is lost that takes no longer,
// so that the answer is then as without a limit; where there is none, the error is a
// *planner.Beyond.
//
// At 1024 GPUs a pool has a ring for every jump, and the pairs of a tree's step are far apart
// on nearly all of them: a look at a few pairs is enough to leave a ring out.
func passWithin(limit float64) passer {
	p := prune{limit: limit * (1 + limitTolerance)}
	return p.pass
}

// prune leaves out what cannot be part of a schedule within a limit.
type prune struct {
	limit float64   // ns, with its tolerance
	rest  []float64 // leastFrom, if there is a limit
	left  []float64 // leastLeft, which is no less, where it was found; else rest
	back  bool      // it was looked for

	least float64 // of what was left out: no schedule with any of it takes less
}

// begin prepares a pass.
func (p *prune) begin(w *workload) {
	p.least = math.Inf(1)
	if p.rest == nil && !math.IsInf(p.limit, 1) {
		p.rest = w.leastFrom()
		p.left = p.rest
	}
}

// out reports whether a step on a candidate, which is arrived at after some time, is of no
// use.
func (p *prune) out(w *workload, c *candidate, step int, arrival float64) bool {
	if p.rest == nil || math.IsInf(arrival, 1) {
		return false
	}
	least := arrival + p.left[step]
	if least <= p.limit && step == 0 {
		least = p.whole(w, c, arrival)
	}
	if least <= p.limit {
		later := arrival + p.left[step+1]
		if least = later + w.leastOn(c, w.classOf[step], p.limit-later); least <= p.limit {
			return false
		}
	}
	p.least = min(p.least, least)
	return true
}

// whole is what a schedule takes at least that begins on a candidate, which is arrived at
// after some time: where a change of circuits alone takes too long, all steps on it.
func (p *prune) whole(w *workload, c *candidate, arrival float64) float64 {
	changed := arrival + float64(w.fabric.LeastBarrier()) + p.rest[0]
	if changed <= p.limit {
		return arrival + p.rest[0]
	}
	for _, class := range w.classOf {
		if arrival += w.leastOn(c, class, p.limit-arrival); arrival > p.limit {
			break
		}
	}
	return min(arrival, changed)
}

// leastFrom returns, for every step and for the end, what the step and all after it take at
// least on any circuits, in ns.
func (w *workload) leastFrom() []float64 {
	rest := make([]float64, len(w.steps)+1)
	for i := len(w.steps) - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + w.leastOf(w.classOf[i])
	}
	return rest
}

// leastOf is what a step of a class takes at least on any circuits, in ns: one hop, and what
// the busiest node sends or receives over all its ports, on circuits as good as the best.
func (w *workload) leastOf(index int) float64 {
	class := &w.classes[index]
	if class.least == 0 {
		load := flow.Load{Peak: class.busiest() / float64(w.fabric.Ports), Hops: 1}
		class.least = float64(plan.CostOf(w.fabric.Ideal(), load, class.pair, class.reduced).Total())
	}
	return class.least
}

// busiest returns the most bytes that a node sends, or that one receives.
func (c *class) busiest() float64 {
	out, in := map[int]float64{}, map[int]float64{}
	most := 0.0
	for _, d := range c.demands {
		_, from := c.step.Group.Locate(d.Src)
		_, to := c.step.Group.Locate(d.Dst)
		out[from] += d.Amount
		in[to] += d.Amount
		most = max(most, out[from], in[to])
	}
	return most
}

// leastOn is what a step of a class takes at least on a candidate, in ns, without a route:
// on a ring of equal jumps the distances of pairs have a closed form. It looks no further
// once that is above within.
func (w *workload) leastOn(c *candidate, index int, within float64) float64 {
	class := &w.classes[index]
	least := w.leastOf(index)
	if c.known != nil && c.known[index].looked {
		return max(least, c.known[index].cost)
	}
	if c.jump.count == 0 || class.offsets != nil || w.wires(c) != nil { // offsets are quick to price
		return least
	}
	load := flow.Load{Hops: 1}
	circuits := float64(c.n * c.jump.count)
	for i, s := range w.apart(class, c.n).sums {
		hops := c.jump.hops(s.offset)
		if hops == 0 {
			return math.Inf(1)
		}
		load.Peak += s.bytes * float64(hops) / circuits // of all circuits the same, at best
		longer := hops > load.Hops
		if load.Hops = max(load.Hops, hops); longer || i%priceEvery == priceEvery-1 {
			if least = max(least, w.price(load, class)); least > within {
				return least
			}
		}
	}
	return max(least, w.price(load, class))
}

// priceEvery is after how many offsets what is known of a step is priced.
const priceEvery = 16

// tooSlow returns an error that wraps planner.ErrBeyond if all steps on any circuits take
// longer than the limit of a request. Steps that are taken apart take no less.
func (w *workload) tooSlow(r *planner.Request) error {
	limit := units.Time(w.limit(r))
	if math.IsInf(float64(limit), 1) {
		return nil
	}
	if least := units.Time(w.leastFrom()[0]); planner.Above(least, limit) {
		return &planner.Beyond{Least: least}
	}
	return nil
}
