package sets

import (
	"math"
	"sync"
)

// MaxStages limits the stages of the plans that are bounded.
const MaxStages = 4

// Stage is what is known of a stage: its steps, and how many hops they have beyond one each.
type Stage struct{ Steps, Spare int }

func (s Stage) hops() int { return s.Steps + s.Spare }

// Shape is what is known of a plan. Of the inner stages, all but the first and the last, only the
// hops count.
type Shape struct {
	Stages [MaxStages]Stage
	Count  int // of stages
}

// inner reports whether a stage is neither the first nor the last.
func (s *Shape) inner(i int) bool { return i > 0 && i+1 < s.Count }

// spare returns the hops beyond one for each step.
func (s *Shape) spare() int {
	sum := 0
	for _, t := range s.Stages[:s.Count] {
		sum += t.Spare
	}
	return sum
}

// Loads knows the least loads of shapes. It may be used by several goroutines.
type Loads struct {
	nodes  int
	mu     sync.Mutex
	known  map[Shape]float64
	weight map[place][]float64
	rings  map[class]float64
	idle   sync.Pool // of programs
}

// maxKnown limits the loads that are remembered; with one more all are forgotten.
const maxKnown = 1 << 15

// NewLoads returns the loads of shapes for a number of GPUs.
func NewLoads(nodes int) *Loads {
	return &Loads{nodes: nodes, known: map[Shape]float64{}, weight: map[place][]float64{}, rings: map[class]float64{}}
}

// Of returns the least load of a shape, in circuits that a byte position of all buffers passes,
// over the number of GPUs; +Inf if no such plan reaches everyone. It holds for plans with fewer
// steps or spare hops, too, because a step may be empty and no message needs to use all hops.
func (l *Loads) Of(s Shape) float64 {
	l.mu.Lock()
	load, known := l.known[s]
	l.mu.Unlock()
	if known {
		return load
	}
	reach := 1.0
	for _, t := range s.Stages[:s.Count] {
		reach *= float64(1 + t.hops())
	}
	load = math.Inf(1)
	if reach >= float64(l.nodes) {
		p, ok := l.idle.Get().(*program)
		if !ok {
			p = newProgram(l.nodes)
		}
		load = max(p.solve(&s), l.fewLoad(&s))
		l.idle.Put(p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxKnown {
		clear(l.known)
	}
	l.known[s] = load
	return load
}

// fewest is the least number of messages over the number of GPUs (Patarasuk and Yuan 2009).
func (l *Loads) fewest() float64 { return 2 - 2/float64(l.nodes) }
