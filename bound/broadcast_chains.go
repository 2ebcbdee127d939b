package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// maxChainShapes limits the shapes that castChains considers. Beyond it castChains gives no
// bound.
const maxChainShapes = 1 << 14

// chains describes plans with one port whose circuits change: in every stage they form chains,
// along which data travels from whoever has any.
//
// Let stage i have H hops in total, let K nodes have data when it begins, and let R be the
// number of nodes that one node can reach in all later stages. Both are at most products of 1+H
// over the other stages. After the stage each byte is at n/R nodes or more. Count a node's
// place along its chain from the nearest preceding node that had data when the stage began.
//
// Consider a step from x to y hops of the stage. Before it, no node behind place x has data. A
// node that has a byte at the end is at most H-y places behind one that had it after the step.
// So at most K (1 + x+H-y) nodes have it from places up to x. All others, at least n/R less
// that number, have it from places behind x, and each node there passed it to at most H-y+1
// nodes, including itself. Each of these places got a copy over one of the K circuits from place x
// to x+1. With q = n/(K R) the load of the step is therefore at least
//
//	(q - (1 + x+H-y)) / (H-y+1)
//
// messages. One step with all hops has q-1 copies, which is right for a chain. Over all steps
// the load is at least 1, because all bytes leave the root.
type chains struct {
	n                         int
	alpha, delta, wait, whole float64
	enough, best              float64
	shape                     []int
	shapes                    int
	time                      []float64 // scratch, by hops so far
}

// castChains bounds the time of a broadcast or a reduction with one port whose circuits change,
// in ns, if that is below a limit; else it returns the limit. A bound of at most enough does
// not help the caller; then it may return any number up to enough.
func castChains(f *fabric.Fabric, n int, size units.Bytes, enough, limit float64) float64 {
	c := &chains{
		n: n, alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()), wait: float64(f.LeastWait()),
		whole: float64(f.Bandwidth.Transmit(float64(size))), enough: enough, best: limit,
	}
	if f.Delta == 0 { // all hops that a stage can have are free: no load counts
		return min(limit, 2*c.alpha+c.wait+c.whole)
	}
	// Steps of one hop have no load that counts here.
	for stages := 2; c.wait*float64(stages-1)+c.whole < enough && 1<<(stages-1) < n; stages++ {
		hops := math.Ceil(math.Pow(float64(n), 1/float64(stages))*(1-1e-12)) - 1
		if float64(stages)*(hops*(c.alpha+c.delta)+c.wait)-c.wait+c.whole <= enough {
			return 0
		}
	}
	if !c.visit(1, 0) {
		return 0
	}
	return c.best
}

// visit tries all shapes that begin with the current one, each stage with at least as many hops
// as the one before it; the order of stages does not matter. No node is more than n-1 places
// behind another, so hops beyond n-1 bring nothing. It reports whether it is worth going on.
func (c *chains) visit(reach, latency float64) bool {
	if reach >= float64(c.n) && len(c.shape) > 1 {
		if c.shapes++; c.shapes > maxChainShapes {
			return false
		}
		if c.best = min(c.best, c.takes(reach, latency)); c.best <= c.enough {
			return false
		}
	}
	least := 1
	if len(c.shape) > 0 {
		least = c.shape[len(c.shape)-1]
		latency += c.wait
	}
	for hops := least; hops < c.n; hops++ {
		now := latency + c.alpha + c.delta*float64(hops)
		if now+c.whole >= c.best {
			return true
		}
		c.shape = append(c.shape, hops)
		ok := c.visit(reach*float64(1+hops), now)
		c.shape = c.shape[:len(c.shape)-1]
		if !ok {
			return false
		}
	}
	return true
}

// takes returns the least time of a shape; its latency includes a start-up for each stage.
func (c *chains) takes(reach, latency float64) float64 {
	loads := 0.0
	for i, hops := range c.shape {
		if i > 0 && hops == c.shape[i-1] {
			continue // counted with the previous one
		}
		alike := 1
		for i+alike < len(c.shape) && c.shape[i+alike] == hops {
			alike++
		}
		loads += float64(alike) * c.stage(hops, float64(c.n)/reach*float64(1+hops))
		if latency+loads >= c.best {
			return c.best
		}
	}
	return latency + max(c.whole, loads)
}

// stage returns the least time of the steps of a stage, without its hops and first start-up.
func (c *chains) stage(hops int, q float64) float64 {
	c.time = c.time[:0]
	for range hops + 1 {
		c.time = append(c.time, math.Inf(1))
	}
	c.time[0] = -c.alpha
	for x := range hops {
		for y := x + 1; y <= hops; y++ {
			load := max(0, (q-float64(1+x+hops-y))/float64(hops-y+1))
			c.time[y] = min(c.time[y], c.time[x]+c.alpha+c.whole*load)
		}
	}
	return c.time[hops]
}
