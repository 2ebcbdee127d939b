package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// maxShapes limits the shapes that fewSteps considers, and maxFewNodes the GPUs for which it
// considers any.
const (
	maxShapes   = 256
	maxFewNodes = 1 << 20
)

// fewSteps returns by how much the bound of reach and bandwidth can be raised.
//
// A plan either has more steps than stages, or one step in every stage. In the first case it
// costs at least one start-up more than the reach demands. In the second its shape is (h1, ..,
// hk), the hops of its stages, and only few shapes cost less than that extra start-up. For each
// of these, bytes are bounded by what every stage can deliver in its only step, in which no
// node passes on what came in the same step:
//
// A copy that a node receives over q hops uses q circuits, and a node with d ports has at most
// d^q others at q hops from it. So if c nodes hold a copy at the beginning of a step, at most
// c*d^q nodes get one over q hops, for q*size bytes of circuits' load each.
//
// The result is the minimum over all shapes and the first case.
func fewSteps(f *fabric.Fabric, s *collective.Section, base Breakdown) units.Time {
	n := s.Space.MembersCount()
	if s.Space.Kind == collective.Listed || s.Space.Sizes != nil || n > maxFewNodes {
		return 0
	}
	var load func(shape []int) float64 // bytes of the busiest circuit
	size := float64(s.Size)
	switch s.Op {
	case collective.AllGather, collective.ReduceScatter:
		load = func(shape []int) float64 { return spreadLoad(f, n, shape) * size / float64(n) / meanPorts(f) }
	case collective.AllReduce:
		met := meetings{}
		load = func(shape []int) float64 { return met.sumLoad(f, n, shape) * size / float64(f.Ports) }
	default:
		return 0
	}
	alpha, delta, wait := float64(f.Alpha.Time()), float64(f.Delta.Time()), float64(f.LeastWait())
	least := alpha*float64(base.Stages) + delta*float64(base.Hops) + wait*float64(base.Stages-1)
	extra := alpha
	complete := visitShapes(f, n, 0, func() float64 { return least + extra }, func(shape []int, cost float64) {
		bytes := max(float64(base.Transmission), float64(f.Bandwidth.Transmit(load(shape))))
		extra = min(extra, cost-least+bytes-float64(base.Transmission))
	})
	if !complete {
		extra = 0
	}
	base.Extra = units.Time(max(0, extra))
	if s.Op == collective.AllReduce {
		summed, rest := sumBound(f, n, s.Size, base, load), base.Total()-base.Extra
		least := summed + rest
		least = max(least, units.Time(knownBound(f, n, s.Size, float64(least))))
		least = max(least, units.Time(sumShapes(f, n, s.Size, float64(least))))
		return max(summed, least-rest)
	}
	return base.Extra
}

// visitShapes calls a function for every shape whose balls multiply to at least n and whose
// cost is below a limit, which may fall meanwhile. Each hop beyond the first of a stage costs
// more extra. For a stage that reaches all that is left, it also visits shapes with more hops.
// It gives up after maxShapes and reports that. The shape passed to the function is valid only
// during the call.
func visitShapes(f *fabric.Fabric, n int, more float64, limit func() float64, call func(shape []int, cost float64)) (complete bool) {
	alpha, delta, wait := float64(f.Alpha.Time()), float64(f.Delta.Time()), float64(f.LeastWait())
	shapes := 0
	var visit func(shape []int, reach, cost, beyond float64) bool
	visit = func(shape []int, reach, cost, beyond float64) bool {
		if reach >= float64(n) {
			if shapes++; shapes > maxShapes {
				return false
			}
			call(shape, cost)
			return true
		}
		perStage := alpha
		if len(shape) > 0 {
			perStage += wait
		}
		ball, grow := 1.0, float64(f.Ports)
		for h := 1; ; h++ {
			ball += grow
			grow *= growth(f)
			next, over := cost+perStage+delta*float64(h), beyond+more*float64(h-1)
			if next+over >= limit() {
				return true
			}
			if !visit(append(shape, h), reach*ball, next, over) { // all shapes of a length share one buffer
				return false
			}
			if ball >= float64(n) || grow == 0 {
				return true
			}
		}
	}
	return visit(make([]int, 0, 16), 1, 0, 0)
}

// level returns how many nodes there can be at distance q.
func level(f *fabric.Fabric, q int) float64 {
	return float64(f.Ports) * math.Pow(growth(f), float64(q-1))
}

// ballOf returns how many nodes there can be within h hops, including the node itself.
func ballOf(f *fabric.Fabric, h int) float64 {
	sum, at := 1.0, float64(f.Ports)
	for range h {
		sum += at
		at *= growth(f)
	}
	return sum
}

// hopLoad returns the least load, in copies times hops, with which the given number of further
// nodes get a copy from count holders in one step of at most h hops; +Inf if they cannot.
func hopLoad(f *fabric.Fabric, count, more float64, h int) float64 {
	sum, at := 0.0, float64(f.Ports)
	for q := 1; q <= h && more > 0; q++ {
		room := min(more, count*at)
		sum += room * float64(q)
		more -= room
		at *= growth(f)
	}
	if more > 0 {
		return math.Inf(1)
	}
	return sum
}

// spreadLoad returns the load of a gather, per node and in shards. A shard starts at one node
// and must get to all, and each node gets it once. The holders grow from 1 to n along the
// shape. The load of the cheapest growth bounds every shard, so n times it bounds all shards,
// spread over n nodes. The load is a convex function of what a step brings, so the cheapest
// growth is found from the last step back: what must have been reached before it, and the rest
// as near as possible. All numbers of holders are tried: O(k n^2) for k stages, at most log2(n).
func spreadLoad(f *fabric.Fabric, n int, shape []int) float64 {
	k := len(shape)
	if k == 1 {
		return hopLoad(f, 1, float64(n-1), shape[0])
	}
	if n > 128 {
		return float64(n - 1)
	}
	// cost[c] is the cost of getting from c holders to n in the steps from i on.
	cost := make([]float64, n+1)
	for c := range cost {
		cost[c] = math.Inf(1)
	}
	cost[n] = 0
	for i := k - 1; i >= 0; i-- {
		next := make([]float64, n+1)
		for c := 1; c <= n; c++ {
			next[c] = math.Inf(1)
			for to := c; to <= n; to++ {
				if math.IsInf(cost[to], 1) {
					continue
				}
				next[c] = min(next[c], hopLoad(f, float64(c), float64(to-c), shape[i])+cost[to])
			}
		}
		cost = next
	}
	return cost[1]
}

// sumLoad returns the load of an allreduce, per node and in buffers. After step t the input of
// every node must meet every output at some node. So for each byte the sum over w of S_w*F_w is
// at least n^2, where w knows the inputs of S_w nodes and can still reach F_w. If w gets c
// messages in step t, each brings the inputs of at most A nodes, where A is the product of the
// balls of the previous steps; so S_w <= A*(1+c). Likewise F_w <= B*(1+e) if w sends e messages
// in the next step and B is the product of the balls after that. So over nodes and bytes the
// mean of (1+c)*(1+e) is at least n/(A*B), where c and e are at most the step's ball less one.
// The load of both steps is at least the mean of L(c) + L(e), with the messages over as few
// hops as possible. That is a linear program over the frequencies of all (c, e), with two
// constraints: its optimum lies on the lower convex hull. A step in no such pair counts
// nothing; of the two ways to pair neighbours, the better one is taken.
//
// In a single step, every node gets every other node's input.
func (m meetings) sumLoad(f *fabric.Fabric, n int, shape []int) float64 {
	k := len(shape)
	if k == 1 {
		return hopLoad(f, 1, float64(n-1), shape[0])
	}
	var few [16]float64
	balls := few[:min(k, len(few))]
	if k > len(few) {
		balls = make([]float64, k)
	}
	all := 1.0
	for i, h := range shape {
		balls[i] = min(float64(n), ballOf(f, h))
		all *= balls[i]
	}
	best := 0.0
	for first := range 2 {
		sum := 0.0
		for t := first; t+1 < k; t += 2 {
			pair := meeting{shape[t], shape[t+1], float64(n) / (all / balls[t] / balls[t+1])}
			load, ok := m[pair]
			if !ok {
				load = meetLoad(f, n, pair)
				m[pair] = load
			}
			sum += load
		}
		best = max(best, sum)
	}
	return best
}

// meeting is two consecutive steps, given by their hops, and the least mean of (1+c)(1+e) over
// them.
type meeting struct {
	before, after int
	value         float64
}

// meetings remembers the loads of meetings, because shapes have many in common.
type meetings map[meeting]float64

// meetLoad returns the least mean of L(c)+L(e) of a meeting.
func meetLoad(f *fabric.Fabric, n int, m meeting) float64 {
	value := m.value
	if value <= 1 {
		return 0
	}
	loads := func(h int) []float64 { // by number of messages, the nearest first
		list := []float64{0}
		most := int(min(float64(n), ballOf(f, h)))
		for q := 1; q <= h; q++ {
			for left := level(f, q); left > 0 && len(list) < most; left-- {
				list = append(list, list[len(list)-1]+float64(q))
			}
		}
		return list
	}
	in, out := loads(m.before), loads(m.after)
	if len(in)*len(out) > 1<<16 {
		return 0
	}
	// Find the line of the hull through the target: mixtures of one type below and one above it.
	type point struct{ value, load float64 }
	below, above := make([]point, 0, len(in)*len(out)), make([]point, 0, len(in)*len(out))
	for c := range in {
		for e := range out {
			p := point{float64(1+c) * float64(1+e), in[c] + out[e]}
			if p.value >= value {
				above = append(above, p)
			} else {
				below = append(below, p)
			}
		}
	}
	best := math.Inf(1)
	// By duality: for any price per unit of value, the least load minus price times value, plus
	// the price of the target, bounds the mean. The best price is a slope of the hull.
	for _, a := range above {
		best = min(best, a.load)
		for _, b := range below {
			share := (value - b.value) / (a.value - b.value)
			best = min(best, share*a.load+(1-share)*b.load)
		}
		if len(below)*len(above) > 1<<20 {
			return 0
		}
	}
	return best
}
