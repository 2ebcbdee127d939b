package bound

import (
	"container/heap"
	"math"
	"sync"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Limits of castShapes and sumShapes: the GPUs, the shapes that it looks at, the linear programs
// that it solves and the steps of a shape. Where one is reached, slower shapes are left to the
// other bounds.
const (
	maxShapedNodes  = 1024
	maxCastShapes   = 2048
	maxCastPrograms = 256
	maxCastSteps    = 10
)

// castShapes bounds the time of a broadcast or a reduction of all GPUs, in ns, by going through the
// shapes of plans: the hops of every step, and where circuits change. 0 if it gives no bound. A
// bound that does not exceed enough does not help the caller: then any number up to enough may be
// returned.
//
// Shapes come in the order of their latencies. Of each, castProgram finds what its steps load at
// least; that and the latency bound all plans of the shape. Plans whose latency is that of the
// next shape or more are bounded by castBound and castEnds. So the search ends as soon as these
// exceed the best shape.
func castShapes(f *fabric.Fabric, n int, size units.Bytes, enough float64) float64 {
	if !hasShapes(f, n) {
		return 0
	}
	key := newShapesKey(f, n, size, enough)
	return key.remembered(func() float64 {
		p, slower := newCastProgram(f, n), newPipelines(f, n, size)
		return key.search(p, p.load, func(latency float64) float64 {
			return max(latency+key.whole, slower.least(latency), castEnds(f, n, size, latency))
		})
	})
}

// hasShapes reports whether shapes are worth going through: one-way rings and chains have bounds of
// their own.
func hasShapes(f *fabric.Fabric, n int) bool {
	return n > 2 && n <= maxShapedNodes && (f.Ports > 1 || f.Duplex)
}

func newShapesKey(f *fabric.Fabric, n int, size units.Bytes, enough float64) shapesKey {
	return shapesKey{
		n: n, ports: f.Ports, duplex: f.Duplex, shares: sharesOf(f), mean: meanPorts(f),
		alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()), wait: float64(f.LeastWait()),
		whole:  float64(f.Bandwidth.Transmit(float64(size) / float64(f.Ports))),
		enough: enough,
	}
}

// remembered returns what was found before, or finds it.
func (k shapesKey) remembered(find func() float64) float64 {
	shaped.Lock()
	least, known := shaped.of[k]
	shaped.Unlock()
	if known {
		return least
	}
	least = find()
	shaped.Lock()
	defer shaped.Unlock()
	if len(shaped.of) >= maxKnowledge {
		clear(shaped.of)
	}
	shaped.of[k] = least
	return least
}

// shapesKey is what castShapes and sumShapes depend on.
type shapesKey struct {
	n, ports                          int
	duplex, sum                       bool // sum: an allreduce
	shares                            portShares
	mean                              float64 // see meanPorts
	alpha, delta, wait, whole, enough float64 // whole: all bytes of the message over a GPU's ports
}

// shaped is what these have found: a plan asks for its bound several times.
var shaped = struct {
	sync.Mutex
	of map[shapesKey]float64
}{of: map[shapesKey]float64{}}

// search goes through all shapes in the order of their latencies: load is what the steps of one
// load at least, and rest bounds plans with some latency or more.
func (k *shapesKey) search(p *castProgram, load func([]castStep) float64, rest func(latency float64) float64) float64 {
	queue := &castQueue{{k.alpha + k.delta, []castStep{{hops: 1}}}}
	best, others, latency := math.Inf(1), 0.0, -1.0
	for shapes, programs := 0, 0; ; shapes++ {
		s := heap.Pop(queue).(castShape)
		if s.latency > latency {
			latency = s.latency
			others = rest(latency)
		}
		if others >= best {
			return best
		}
		if shapes == maxCastShapes || programs == maxCastPrograms || len(s.steps) > maxCastSteps {
			return min(best, others)
		}
		if p.within(s.steps, false) >= float64(k.n) {
			programs++
			if best = min(best, s.latency+k.whole*load(s.steps)); best <= k.enough {
				return best
			}
		}
		last := len(s.steps) - 1
		if s.steps[last].hops+1 < len(p.balls) { // else one more reaches nobody
			longer := s.and()
			longer[last].hops++
			heap.Push(queue, castShape{s.latency + k.delta, longer})
		}
		if k.ports > 1 && k.wait > 0 { // pairs that stay bring nothing, changes that cost nothing do
			heap.Push(queue, castShape{s.latency + k.alpha + k.delta, s.and(castStep{hops: 1})})
		}
		heap.Push(queue, castShape{s.latency + k.alpha + k.delta + k.wait, s.and(castStep{1, true})})
	}
}

// castShape is the steps of a plan and what their start-ups, hops and changes take.
type castShape struct {
	latency float64
	steps   []castStep
}

// castStep is a step's hops, and whether circuits change before it.
type castStep struct {
	hops    int
	changes bool
}

// and is the steps with others behind them.
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
