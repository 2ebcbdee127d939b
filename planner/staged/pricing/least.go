package pricing

import (
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// leastShifted returns a lower bound in ns on a step of a class on a translate, without building
// its circuits.
func (w *Workload) leastShifted(c *Candidate, index int) float64 {
	if c.lows == nil {
		c.lows = make([]float64, len(w.Classes))
	}
	if c.lows[index] == 0 {
		c.lows[index] = w.LeastOf(index)
		// Without a floor, a later look finds out more.
		if load, ok := c.floor().Of(w.whole(&w.Classes[index]), topology.Translations{}); ok {
			c.lows[index] = max(c.lows[index], w.price(load, &w.Classes[index]))
		}
	}
	return c.lows[index]
}

// LeastFrom returns, for every step and for the end, a lower bound in ns on the time of the step
// and all steps after it on any circuits.
func (w *Workload) LeastFrom() []float64 {
	rest := make([]float64, len(w.Steps)+1)
	for i := len(w.Steps) - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + w.LeastOf(w.ClassOf[i])
	}
	return rest
}

// LeastOf returns a lower bound in ns on a step of a class on any circuits: one hop, and the
// bytes of the busiest node over all its ports, on circuits as good as the best.
func (w *Workload) LeastOf(index int) float64 {
	class := &w.Classes[index]
	if class.least == 0 {
		load := flow.Load{Peak: class.busiest() / float64(w.Fabric.Ports), Hops: 1}
		class.least = float64(plan.CostOf(w.Fabric.Ideal(), load, class.pair, class.reduced).Total())
	}
	return class.least
}

// busiest returns the most bytes that a node sends or receives.
func (c *Class) busiest() float64 {
	out, in := map[int]float64{}, map[int]float64{}
	most := 0.0
	for _, d := range c.Demands {
		_, from := c.Step.Group.Locate(d.Src)
		_, to := c.Step.Group.Locate(d.Dst)
		out[from] += d.Amount
		in[to] += d.Amount
		most = max(most, out[from], in[to])
	}
	return most
}

// LeastOn returns a lower bound in ns on a step of a class on a candidate, without routing it: on
// a ring of equal jumps the distances of pairs have a closed form, and searches for the distances
// on other circuits serve all steps. It stops as soon as the bound is above within.
func (w *Workload) LeastOn(c *Candidate, index int, within float64) float64 {
	class := &w.Classes[index]
	least := w.LeastOf(index)
	if j := c.Known.Of(index); j != nil && j.Looked {
		return max(least, j.Cost)
	}
	if c.Translate != nil && c.Graph == nil && w.Circuits == nil && class.Uniform == 0 {
		return max(least, w.leastShifted(c, index))
	}
	if w.searched(c) {
		return max(least, w.leastByDistance(c, index))
	}
	if c.Jump.Count == 0 || class.Offsets != nil || w.Uneven(c) != nil { // offsets are quick to price
		return least
	}
	if load, connected, known := w.evenOnRing(&c.Jump, class); known {
		if !connected {
			return math.Inf(1)
		}
		return max(least, w.price(load, class)*(1-TieTolerance)) // sums in another order differ by less
	}
	load := flow.Load{Hops: 1}
	circuits := float64(c.N * c.Jump.Count)
	for i, s := range w.apart(class, c.N).sums {
		hops := c.Jump.hops(s.offset)
		if hops == 0 {
			return math.Inf(1)
		}
		load.Peak += s.bytes * float64(hops) / circuits // at best all circuits carry the same
		longer := hops > load.Hops
		if load.Hops = max(load.Hops, hops); longer || i%priceEvery == priceEvery-1 {
			if least = max(least, w.price(load, class)); least > within {
				return least
			}
		}
	}
	return max(least, w.price(load, class))
}

// priceEvery is the number of offsets after which LeastOn updates its bound.
const priceEvery = 16

// TooSlow returns an error that wraps planner.ErrBeyond if all steps on any circuits take longer
// than the limit of a request. Splitting steps does not lower the bound.
func (w *Workload) TooSlow(r *planner.Request) error {
	limit := units.Time(w.Limit(r))
	if math.IsInf(float64(limit), 1) {
		return nil
	}
	if least := units.Time(w.LeastFrom()[0]); planner.Above(least, limit) {
		return &planner.Beyond{Least: least}
	}
	return nil
}
