package sets

import (
	"math"

	"github.com/lightpath-net/lightpath/internal/heap"
)

// A search finds at most mostLoads loads, and with more than fewNodes GPUs fewer, because programs
// take longer then. Beyond it the least bound of all boxes that are left is returned.
const mostLoads, fewNodes = 6000, 128

// Costs are the times of a start-up, of a hop, and of a whole buffer over a circuit, in ns.
type Costs struct{ Start, Hop, Whole float64 }

// search finds the shape whose bound is least, by branch and bound. A box has all shapes between
// two. Its bound has the latency of the first and the load of the second, which bounds that of all.
//
// A load takes much longer to find than anything else. So it is found only for the box whose bound
// is the least, after this has been divided until no latency in it is above the limit. Boxes are
// divided in the middle, the first one at powers of two, so that other sizes of a buffer need the
// same loads.
type search struct {
	*Loads
	Costs
	stages int
}

type box struct {
	least     float64
	low, high Shape
	load      float64 // the least of all shapes, or less
	known     bool    // whether load is that of high
	exact     bool    // one shape, whose rings count
}

// Least returns a time, without changes of circuits, that no allreduce with so many stages beats.
// If it is not below a limit, the search may end early.
func (l *Loads) Least(stages int, c Costs, limit float64) float64 {
	s := &search{l, c, stages}
	limit = min(limit, s.some())
	queue := heap.New(func(a, b *box) bool { return a.least < b.least })
	queue.Push(s.all())
	left := min(mostLoads, mostLoads*fewNodes/l.nodes)
	for queue.Len() > 0 {
		b := queue.Pop()
		if b.least >= limit {
			return limit
		}
		at, wide := b.widest(c)
		switch {
		case at >= 0 && (b.known || wide > limit-b.least):
			low, high := b.halves(at)
			for _, half := range [...]*box{&low, &high} {
				if !s.trim(half) {
					continue
				}
				if s.bound(half); half.least < limit {
					half.known = half.known && half.high == b.high
					queue.Push(*half)
				}
			}
		case b.known && stages == 1 && !b.exact:
			b.exact, b.least = true, max(b.least, s.ring(&b.low))
			queue.Push(b)
		case b.known || left == 0:
			return b.least
		default:
			left--
			b.known, b.load = true, max(b.load, s.Of(b.high))
			s.bound(&b)
			queue.Push(b)
		}
	}
	return limit
}

// all returns the box of all shapes that can be the best. No stage has more than 2n-2 steps, nor an
// inner one more hops: with so many steps of one hop it loads the least, whatever the others do.
func (s *search) all() box {
	b := box{low: Shape{Count: s.stages}, high: Shape{Count: s.stages}, load: s.fewest()}
	most := 1
	for most < 2*s.nodes-2 {
		most *= 2
	}
	for i := range s.stages {
		b.low.Stages[i] = Stage{1, 0}
		if b.low.inner(i) {
			b.high.Stages[i] = Stage{1, most - 1}
			continue
		}
		b.high.Stages[i] = Stage{most, 0}
		for b.high.Stages[i].Spare < most*(s.nodes-2) {
			b.high.Stages[i].Spare += b.high.Stages[i].Spare + 1
		}
	}
	s.bound(&b)
	return b
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

// bound bounds the shapes of a box.
func (s *search) bound(b *box) {
	load := b.load
	if s.stages < 3 {
		load = max(load, s.fewest()+float64(b.low.spare())/float64(s.nodes))
	}
	b.least = max(b.least, s.latency(&b.low)+s.Whole*load)
}

// trim leaves out shapes with steps of n hops or more, which go round all circuits, and shapes
// whose mirror image, backwards in time, is in another box: both load as much. It reports whether
// shapes are left.
func (s *search) trim(b *box) bool {
	low, high := &b.low.Stages, &b.high.Stages
	for i := range s.stages {
		if b.low.inner(i) {
			continue
		}
		high[i].Spare = min(high[i].Spare, high[i].Steps*(s.nodes-2))
		for low[i].Spare > low[i].Steps*(s.nodes-2) {
			if low[i].Steps++; low[i].Steps > high[i].Steps {
				return false
			}
		}
	}
	for i, j := 0, s.stages-1; i < j; i, j = i+1, j-1 { // the first of such two is not above the last
		for _, of := range [...]struct{ low, high, lowLast, highLast *int }{
			{&low[i].Steps, &high[i].Steps, &low[j].Steps, &high[j].Steps},
			{&low[i].Spare, &high[i].Spare, &low[j].Spare, &high[j].Spare},
		} {
			if *of.low > *of.highLast {
				return false
			}
			*of.high, *of.lowLast = min(*of.high, *of.highLast), max(*of.lowLast, *of.low)
			if *of.low < *of.highLast {
				return true
			}
		}
	}
	return true
}

// widest returns the number by which the latencies of a box differ most, the steps and the spare
// hops of the stages, and by how much they do; -1 if there is only one shape.
func (b *box) widest(c Costs) (at int, most float64) {
	at, most = -1, -1
	for i := range b.low.Count {
		from, to := b.low.Stages[i], b.high.Stages[i]
		if wide := float64(to.Steps-from.Steps) * (c.Start + c.Hop); to.Steps > from.Steps && wide > most {
			at, most = 2*i, wide
		}
		if wide := float64(to.Spare-from.Spare) * c.Hop; to.Spare > from.Spare && wide > most {
			at, most = 2*i+1, wide
		}
	}
	return at, most
}

// halves divides a box at one of these numbers.
func (b *box) halves(at int) (low, high box) {
	low, high = *b, *b
	from, to := b.low.Stages[at/2], b.high.Stages[at/2]
	if at%2 == 0 {
		middle := (from.Steps + to.Steps) / 2
		low.high.Stages[at/2].Steps, high.low.Stages[at/2].Steps = middle, middle+1
	} else {
		middle := (from.Spare + to.Spare) / 2
		low.high.Stages[at/2].Spare, high.low.Stages[at/2].Spare = middle, middle+1
	}
	return low, high
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
					if next.valid(s.nodes) {
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

// valid reports whether a shape is one of those that are searched.
func (s *Shape) valid(nodes int) bool {
	for i, t := range s.Stages[:s.Count] {
		if t.Steps < 1 || t.Spare < 0 || !s.inner(i) && t.Spare > t.Steps*(nodes-2) {
			return false
		}
	}
	return true
}
