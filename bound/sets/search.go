package sets

import (
	"container/heap"
	"math"
)

// A search divides at most mostBoxes boxes, and with more than boxedNodes GPUs fewer, because
// programs take longer then. Beyond it the least bound of all boxes that are left is returned.
const mostBoxes, boxedNodes = 2000, 128

// Costs are the times of a start-up, of a hop, and of a whole buffer over a circuit, in ns.
type Costs struct{ Start, Hop, Whole float64 }

// search finds the shape whose bound is least, by branch and bound. A box has all shapes between
// two. Its bound has the latency of the first and the load of the second, which bounds that of all.
type search struct {
	*Loads
	Costs
	stages int
}

type box struct {
	least     float64
	low, high Shape
	exact     bool // one shape, whose rings count
}

// Least returns a time, without changes of circuits, that no allreduce with so many stages beats.
// If it is not below a limit, the search may end early.
func (l *Loads) Least(stages int, c Costs, limit float64) float64 {
	s := &search{l, c, stages}
	limit = min(limit, s.some())
	first := box{low: Shape{Count: stages}, high: Shape{Count: stages}}
	for i := range stages {
		first.low.Stages[i] = Stage{1, 0}
		first.high.Stages[i] = Stage{2 * l.nodes, 2 * l.nodes}
		if first.high.inner(i) {
			first.high.Stages[i].Steps = 1
		}
	}
	s.narrow(&first, limit)
	queue, most := &boxes{first}, min(mostBoxes, mostBoxes*boxedNodes*boxedNodes/(l.nodes*l.nodes))
	for count := 0; queue.Len() > 0; count++ {
		b := heap.Pop(queue).(box)
		low, high, single := b.halves(c)
		if single && !b.exact && b.least < limit && stages == 1 {
			b.exact, b.least = true, max(b.least, s.ring(&b.low))
			heap.Push(queue, b)
			continue
		}
		if b.least >= limit || count == most || single {
			return min(limit, b.least)
		}
		for _, half := range [...]*box{&low, &high} {
			if s.narrow(half, limit); half.least < limit {
				heap.Push(queue, *half)
			}
		}
	}
	return limit
}

// latency returns the time of the start-ups and hops of a shape.
func (c *Costs) latency(s *Shape) float64 {
	sum := 0.0
	for _, t := range s.Stages[:s.Count] {
		sum += c.Start*float64(t.Steps) + c.Hop*float64(t.hops())
	}
	return sum
}

// time returns the bound of one shape. In every step some message uses all hops, so the messages
// pass at least as many circuits more as there are spare hops. An inner stage may have more steps.
func (s *search) time(of *Shape) float64 {
	load := s.fewest()
	if s.stages < 3 {
		load += float64(of.spare()) / float64(s.nodes)
	}
	return s.latency(of) + s.Whole*max(load, s.Of(*of))
}

// narrow bounds the shapes of a box, and leaves out some whose latency is not below a limit even
// so.
func (s *search) narrow(b *box, limit float64) {
	latency, fewest := s.latency(&b.low), s.fewest()
	if s.stages < 3 {
		fewest += float64(b.low.spare()) / float64(s.nodes)
	}
	for narrower := true; narrower; {
		b.least = latency + s.Whole*max(fewest, s.Of(b.high))
		room := limit - b.least
		if room <= 0 {
			return
		}
		narrower = false
		for i := range s.stages {
			low, high := b.low.Stages[i], &b.high.Stages[i]
			if most := room / (s.Start + s.Hop); float64(high.Steps-low.Steps) > most {
				high.Steps, narrower = low.Steps+int(most), true
			}
			if most := room / s.Hop; float64(high.Spare-low.Spare) > most {
				high.Spare, narrower = low.Spare+int(most), true
			}
		}
	}
}

// halves divides a box where its latencies differ most, if it has more than one shape.
func (b *box) halves(c Costs) (low, high box, single bool) {
	low, high = *b, *b
	at, steps, widest := -1, false, -1.0
	for i := range b.low.Count {
		from, to := b.low.Stages[i], b.high.Stages[i]
		if wide := float64(to.Steps-from.Steps) * (c.Start + c.Hop); to.Steps > from.Steps && wide > widest {
			at, steps, widest = i, true, wide
		}
		if wide := float64(to.Spare-from.Spare) * c.Hop; to.Spare > from.Spare && wide > widest {
			at, steps, widest = i, false, wide
		}
	}
	if at < 0 {
		return low, high, true
	}
	from, to := b.low.Stages[at], b.high.Stages[at]
	if steps {
		middle := (from.Steps + to.Steps) / 2
		low.high.Stages[at].Steps, high.low.Stages[at].Steps = middle, middle+1
	} else {
		middle := (from.Spare + to.Spare) / 2
		low.high.Stages[at].Spare, high.low.Stages[at].Spare = middle, middle+1
	}
	return low, high, false
}

// moves are changes of a stage that some tries.
var moves = [...]Stage{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {-1, 1}, {1, -1}, {-1, 2}, {-2, 1}, {2, 0}, {-2, 0}}

// some returns the bound of a good shape: it begins with equal stages and changes one, two or all
// of them as long as that is better. The least bound is not above it.
func (s *search) some() float64 {
	at := Shape{Count: s.stages}
	hops := int(math.Ceil(math.Pow(float64(s.nodes), 1/float64(s.stages)) - 1))
	for i := range s.stages {
		at.Stages[i] = Stage{max(1, hops), 0}
		if at.inner(i) {
			at.Stages[i] = Stage{1, 2*max(1, hops) - 1}
		}
	}
	best := s.time(&at)
	for better := true; better; {
		better = false
		for i := range s.stages {
			for _, by := range moves {
				for _, all := range [...]bool{true, false} {
					next := at.moved(i, by, all)
					if next.valid() {
						if time := s.time(&next); time < best {
							best, at, better = time, next, true
						}
					}
				}
			}
		}
	}
	if s.stages == 1 {
		best = max(best, s.ring(&at))
	}
	return best
}

// ring returns the bound of one stage's steps, divided in all ways. If hops cost nothing, too many
// shapes are as good.
func (s *search) ring(of *Shape) float64 {
	if s.Hop == 0 {
		return 0
	}
	return s.latency(of) + s.Whole*s.ringLoad(of.Stages[0].Steps, of.Stages[0].hops())
}

// moved changes a stage and the one that mirrors it, or all stages.
func (s *Shape) moved(i int, by Stage, all bool) Shape {
	next := *s
	for j := range s.Count {
		if all || j == i || j == s.Count-1-i {
			next.Stages[j].Spare += by.Spare
			if !s.inner(j) {
				next.Stages[j].Steps += by.Steps
			}
		}
	}
	return next
}

func (s *Shape) valid() bool {
	for _, t := range s.Stages[:s.Count] {
		if t.Steps < 1 || t.Spare < 0 {
			return false
		}
	}
	return true
}

// boxes is a heap, the least bound first.
type boxes []box

func (q boxes) Len() int           { return len(q) }
func (q boxes) Less(i, j int) bool { return q[i].least < q[j].least }
func (q boxes) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *boxes) Push(x any)        { *q = append(*q, x.(box)) }
func (q *boxes) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
