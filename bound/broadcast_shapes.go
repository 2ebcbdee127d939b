package bound

import (
	"container/heap"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// These limit castShapes and sumShapes: the GPUs, and those on a cycle, where stages have many
// hops; the shapes they consider, the linear programs that each of them solves, and the steps of a
// shape. Slower shapes are left to the other bounds when a limit is reached, and so are loads whose
// program was not solved.
const (
	maxShapedNodes  = 1 << 20
	maxShapedCycle  = 4096
	maxCastShapes   = 8192
	maxCastPrograms = 2048
	maxSumPrograms  = 4096
	maxCastSteps    = 10
)

// castShapes bounds the time of a broadcast or a reduction of all GPUs, in ns, by enumerating
// the shapes of plans: the hops of every step, and where circuits change. It returns 0 if it
// gives no bound. A bound of at most enough does not help the caller; then it may return any
// number up to enough.
//
// Shapes are enumerated in the order of their latencies. For each, castProgram computes the
// least load of its steps; that and the latency bound all plans of the shape. castBound and
// castEnds bound plans with at least the latency of the next shape. So the search ends as soon
// as these exceed the best shape.
func castShapes(f *fabric.Fabric, n int, size units.Bytes, enough float64) float64 {
	if !hasShapes(f, n) {
		return 0
	}
	key := newShapesKey(f, n, size, enough)
	return shaped.kept(key, func() float64 {
		p, slower := newCastProgram(f, n), newPipelines(f, n, size)
		return key.search(p, p.load, func(latency float64) float64 {
			return max(latency+key.whole, slower.least(latency), castEnds(f, n, size, latency))
		})
	})
}

// hasShapes reports whether enumerating shapes pays: one-way rings and chains have bounds of
// their own.
func hasShapes(f *fabric.Fabric, n int) bool {
	cycle := f.Duplex && f.Ports == 2
	return n > 2 && n <= maxShapedNodes && (f.Ports > 1 || f.Duplex) && (!cycle || n <= maxShapedCycle)
}

func newShapesKey(f *fabric.Fabric, n int, size units.Bytes, enough float64) shapesKey {
	return shapesKey{
		n: n, ports: f.Ports, duplex: f.Duplex, shares: sharesOf(f), mean: meanPorts(f),
		alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()), wait: float64(f.LeastWait()),
		whole:  float64(f.Bandwidth.Transmit(float64(size) / float64(f.Ports))),
		enough: enough,
	}
}

// shapesKey is what castShapes and sumShapes depend on.
type shapesKey struct {
	n, ports                          int
	duplex, sum                       bool // sum: an allreduce
	shares                            portShares
	mean                              float64 // see meanPorts
	alpha, delta, wait, whole, enough float64 // whole: all bytes of the message over a GPU's ports
}

// shaped remembers their results, because a plan asks for its bound several times.
var shaped = memory[shapesKey, float64]{most: maxKnowledge}

// search goes through all shapes in the order of their latencies. load returns the least load
// of the steps of a shape, and rest bounds plans with at least some latency.
func (k *shapesKey) search(p *castProgram, load func([]castStep) float64, rest func(latency float64) float64) float64 {
	queue := &castQueue{{k.alpha + k.delta, []castStep{{hops: 1}}}}
	best, others, latency := math.Inf(1), 0.0, -1.0
	most := maxCastPrograms
	if k.sum {
		most = maxSumPrograms
	}
	for shapes, programs := 0, 0; ; shapes++ {
		s := heap.Pop(queue).(castShape)
		if s.latency > latency {
			latency = s.latency
			others = rest(latency)
		}
		if others >= best {
			return best
		}
		if shapes == maxCastShapes || programs == most || len(s.steps) > maxCastSteps {
			return min(best, others)
		}
		if p.within(s.steps, false) >= float64(k.n) && !(k.sum && mirrored(s.steps)) {
			programs++
			if best = min(best, max(others, s.latency+k.whole*load(s.steps))); best <= k.enough {
				return best
			}
		}
		last := len(s.steps) - 1
		if s.steps[last].hops+1 < len(p.balls) { // otherwise one more hop reaches no further node
			longer := s.and()
			longer[last].hops++
			heap.Push(queue, castShape{s.latency + k.delta, longer})
		}
		if k.ports > 1 && k.wait > 0 { // pairs that stay bring nothing, changes that are free do
			heap.Push(queue, castShape{s.latency + k.alpha + k.delta, s.and(castStep{hops: 1})})
		}
		heap.Push(queue, castShape{s.latency + k.alpha + k.delta + k.wait, s.and(castStep{1, true})})
	}
}

// castShape has the steps of a plan and the time of their start-ups, hops and changes.
type castShape struct {
	latency float64
	steps   []castStep
}

// castStep has the hops of a step, and whether circuits change before it.
type castStep struct {
	hops    int
	changes bool
}

// and returns the steps followed by others.
func (s *castShape) and(more ...castStep) []castStep {
	return append(append(make([]castStep, 0, len(s.steps)+len(more)), s.steps...), more...)
}

// castQueue is a heap of shapes, the shortest latency first.
type castQueue []castShape

func (q castQueue) Len() int           { return len(q) }
func (q castQueue) Less(i, j int) bool { return q[i].latency < q[j].latency }
func (q castQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *castQueue) Push(x any)        { *q = append(*q, x.(castShape)) }
func (q *castQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
