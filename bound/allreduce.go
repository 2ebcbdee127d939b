package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// hopCosts has the costs of stages, steps and hops for one byte that represents all, in ns.
// Data that travel h hops in a stage do so in steps. If there are fewer steps than hops, some
// paths use several circuits per step, and then the paths together use at least as many extra
// circuits as there are hops more than steps. So a hop beyond the first of a stage costs a
// start-up or a circuit, whichever is less.
type hopCosts struct {
	alpha, delta, wait float64
	relay              float64 // of one circuit for a byte: the time of the whole over all circuits
	balls              []float64
	known              []float64 // cost of stages, by the factor left to reach; NaN: not computed yet
}

func newHopCosts(f *fabric.Fabric, n int, size units.Bytes) *hopCosts {
	c := &hopCosts{
		alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()), wait: float64(f.LeastWait()),
		relay: float64(f.Bandwidth.Transmit(float64(size) / float64(n) / meanPorts(f))),
		balls: []float64{1}, known: make([]float64, n+1),
	}
	for i := range c.known {
		c.known[i] = math.NaN()
	}
	c.known[1] = 0
	for h := 1; c.balls[h-1] < float64(n); h++ {
		more := level(f, h)
		if more == 0 {
			break
		}
		c.balls = append(c.balls, c.balls[h-1]+more)
	}
	return c
}

// more returns the cost of a hop beyond the first of a stage.
func (c *hopCosts) more() float64 { return c.delta + min(c.alpha, c.relay) }

// left returns how many times more nodes must be reached after the given hops.
func (c *hopCosts) left(n, hops int) int { return max(1, int(math.Ceil(float64(n)/c.balls[hops]))) }

// stages returns the least cost of stages that reach n nodes, each with a change of circuits.
func (c *hopCosts) stages(n int) float64 {
	known := &c.known[n]
	if !math.IsNaN(*known) {
		return *known
	}
	best := math.Inf(1)
	for h := 1; h < len(c.balls); h++ {
		cost := c.alpha + c.wait + c.delta + float64(h-1)*c.more()
		if cost >= best {
			break
		}
		best = min(best, cost+c.stages(c.left(n, h)))
	}
	*known = best
	return best
}

// apart returns the cost of the given hops in separate steps of a stage that has other steps,
// too.
func (c *hopCosts) apart(hops int) float64 {
	switch {
	case hops == 0:
		return 0
	case c.alpha <= c.relay:
		return float64(hops) * (c.delta + c.alpha)
	}
	return c.alpha + float64(hops)*c.delta + float64(hops-1)*c.relay
}

// twice returns the least cost of reaching n nodes twice: by the steps up to some step, and by
// those from that step on. The stage of that step has p hops up to it and q hops from it on,
// and some of both are in that step. One more hop in the step saves one hop on both sides and
// costs one more circuit, so the step has either one hop or as many as possible. The second
// result is the same cost if a step with all hops of its stage costs extra.
func (c *hopCosts) twice(n int, longer float64) (least, leastLonger float64) {
	least, leastLonger = math.Inf(1), math.Inf(1)
	var hops []int // the fewest hops for every rest
	for h := 1; h < len(c.balls); h++ {
		if h == 1 || c.left(n, h) < c.left(n, h-1) {
			hops = append(hops, h)
		}
	}
	for _, p := range hops {
		before := c.stages(c.left(n, p))
		for _, q := range hops {
			if q < p {
				continue // the same, reversed
			}
			around := before + c.stages(c.left(n, q))
			for _, shared := range [...]int{1, p} {
				step := c.alpha + c.delta*float64(shared) + c.relay*float64(shared-1)
				cost := around + step + c.apart(p-shared) + c.apart(q-shared)
				least = min(least, cost)
				if p == shared && q == shared {
					cost += longer
				}
				leastLonger = min(leastLonger, cost)
			}
		}
	}
	return least, leastLonger
}

// sumBound bounds the time of an allreduce. load gives the least load, in buffers per circuit,
// of a shape with one step per stage.
//
// Follow one byte position through all buffers. It needs at least 2n-2 messages: before some
// node knows the sum all others have sent one, and after that all others get one (Patarasuk and
// Yuan 2009). It needs 2n unless data reaches everyone twice. Suppose that after some step no
// node knows all inputs and, from then on, none can reach all outputs. Then every input has
// left its node by that step, because only that node could spread it otherwise, and every
// output gets a message afterwards. If there is no such moment, the steps up to some step reach
// everyone, and so do those from it on.
//
// A plan has one or more steps in every stage. If it has one in each and no superfluous stage,
// its shape is one of few, for which more is known: see fewSteps. A superfluous stage costs its
// start-up, hop and change. The result is the least, over all cases, of the amount by which the
// case raises the parts of the bound so far.
func sumBound(f *fabric.Fabric, n int, size units.Bytes, base Breakdown, load func(shape []int) float64) units.Time {
	c := newHopCosts(f, n, size)
	once, twice := c.relay*float64(2*n), c.relay*float64(2*n-2)
	longer := max(0, c.alpha-c.relay) // one step more than stages, if hops are cheaper than steps
	reach := c.stages(n) - c.wait
	stage := c.alpha + c.delta + c.wait
	met, metLonger := c.twice(n, longer)
	limit := min(
		reach+longer+once,
		metLonger+twice,
		reach+stage+once,
		max(met+twice, reach+stage+twice),
	)
	found := limit
	complete := visitShapes(f, n, c.relay, func() float64 { return found - twice }, func(shape []int, cost float64) {
		hops, messages := 0, twice
		for _, h := range shape {
			hops += h
		}
		if meetsInBetween(f, n, shape) {
			messages = once
		}
		bytes := messages + c.relay*float64(hops-len(shape))
		if cost+bytes < found {
			found = min(found, cost+max(bytes, float64(f.Bandwidth.Transmit(load(shape)))))
		}
	})
	if !complete {
		found = min(limit, reach+twice)
	}
	return max(base.Extra, units.Time(found)-(base.Total()-base.Extra))
}

// meetsInBetween reports whether there is a step such that neither the steps up to it nor those
// after it reach everyone.
func meetsInBetween(f *fabric.Fabric, n int, shape []int) bool {
	before := 1.0
	for i := range shape {
		before *= ballOf(f, shape[i])
		after := 1.0
		for _, h := range shape[i+1:] {
			after *= ballOf(f, h)
		}
		if before < float64(n) && after < float64(n) {
			return true
		}
	}
	return false
}
