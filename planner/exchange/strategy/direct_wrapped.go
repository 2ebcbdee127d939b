package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// wrapped is the strategy direct for equal demands whose matchings do not fill the last topology.
// There it has parallel circuits, or a few short stages instead: a matching with more circuits
// than others is done first, and the others share the ports from then on. So a block is sent in
// parts, as jobs wrap around from one machine to the next in McNaughton's rule.
type wrapped struct {
	solver // every matching once, in one stage
	skewed
	each       int
	units      int                 // matchings that have a port, or two, at once
	jobs       int                 // all matchings
	circuitsOf func(j int) [][]int // of a matching, or of a ring in both directions
	short      [][]turn            // the last stages, for one or more of them
}

// mostPieces is the largest number of parts of a block in a wrapped schedule.
const mostPieces = 64

// newWrapped returns the solver itself if there is nothing to share.
func newWrapped(p *Problem, s solver) solver {
	each, even := p.even()
	n, ports := p.Demand.Nodes(), p.ports()
	if s == nil || !p.Fluid || !even || n > explicitNodes {
		return s
	}
	w := &wrapped{solver: s, skewed: newAnyDemand(p, Direct, false), each: each, units: ports, jobs: n - 1}
	switch {
	case !p.Duplex:
		w.circuitsOf = func(j int) [][]int { return routing.Rings(n, []int{j + 1}) }
	case n%2 == 1 && ports%2 == 0:
		w.units, w.jobs = ports/2, (n-1)/2
		w.circuitsOf = func(j int) [][]int { return routing.Rings(n, []int{j + 1, n - 1 - j}) }
	default:
		w.jobs = n - 1 + n%2
		pairings := tournament(n)
		w.circuitsOf = func(j int) [][]int { return [][]int{pairings[j]} }
	}
	if left := w.jobs % w.units; left > 0 {
		w.short = turnsOf(left, w.units)
	}
	if len(w.short) == 0 {
		return s
	}
	return w
}

// turn is a short stage that some jobs share. They are the last ones of all.
type turn struct {
	jobs int // that have something left
	wide int // of these, the first ones have one unit more
	low  int // units that the others have, at least 1
	left int // of every job, 1/left is left
	last bool
}

// takes returns the time of the turn, in times that a job takes with one unit.
func (t turn) takes() float64 {
	if t.last {
		return 1 / float64(t.left*t.low)
	}
	return 1 / float64(t.left*(t.low+1))
}

// parts returns how many of the given number of parts of a job are sent: by a wide one and by the
// others.
func (t turn) parts(of int) (wide, low int) {
	if t.last {
		return of / t.left, of / t.left
	}
	return of / t.left, of / t.left / (t.low + 1) * t.low
}

// turnsOf lists ways to share units among fewer jobs, in ascending order of their number of turns
// and in descending order of their time. With the most turns all units are busy all the time,
// unless that divides jobs in too many parts.
func turnsOf(jobs, units int) [][]turn {
	var all [][]turn
	var before []turn
	for left := 1; left <= mostPieces; {
		t := turn{jobs: jobs, low: units / jobs, left: left, last: true}
		way := append(slices.Clone(before), t)
		if len(all) == 0 && t.low > 1 || len(all) > 0 && timeOf(way) < timeOf(all[len(all)-1]) || len(before) > 0 && len(all) == 0 {
			all = append(all, way)
		}
		if t.wide = units % jobs; t.wide == 0 {
			break
		}
		t.last = false
		before = append(before, t)
		jobs, left = jobs-t.wide, left*(t.low+1)
	}
	return all
}

// timeOf returns the time of turns, in times that a job takes with one unit.
func timeOf(turns []turn) float64 {
	sum := 0.0
	for _, t := range turns {
		sum += t.takes()
	}
	return sum
}

// way returns the turns of a schedule with d stages, or nil if there are none.
func (s *wrapped) way(d int) []turn {
	for _, turns := range s.short {
		if s.jobs/s.units+len(turns) == d {
			return turns
		}
	}
	return nil
}

func (s *wrapped) limit() int {
	return max(s.solver.limit(), s.jobs/s.units+len(s.short[len(s.short)-1]))
}

func (s *wrapped) worth() []int {
	list := s.solver.worth()
	for d := s.solver.limit() + 1; d <= s.limit(); d++ {
		list = append(list, d)
	}
	return list
}

func (s *wrapped) floor(d int) int {
	if d <= s.solver.limit() {
		return s.solver.floor(d)
	}
	return s.slots(s.way(d))
}

// slots returns the slots of a schedule with the given turns, rounded down.
func (s *wrapped) slots(turns []turn) int {
	return int((float64(s.jobs/s.units) + timeOf(turns)) * float64(s.each) * (1 - roundingError))
}

// roundingError is more than the relative error of a sum of times.
const roundingError = 1e-12

func (s *wrapped) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	if d <= s.solver.limit() {
		if err := s.solver.candidates(ctx, d, worth, visit); err != nil {
			return err
		}
	}
	turns := s.way(d)
	if turns == nil || !worth(s.slots(turns)) {
		return ctx.Err()
	}
	c, err := s.flowing(ctx, s.sharing(turns))
	if err != nil {
		return err
	}
	return visitOne(visit, c)
}

// sharing returns flows in which every job has one unit for one stage, except the last few, which
// take turns.
func (s *wrapped) sharing(turns []turn) *routing.Flows {
	last := turns[len(turns)-1]
	f := &routing.Flows{Nodes: s.nodes, Ports: s.ports, Finer: last.left}
	job := 0
	for ; job+s.units <= s.jobs; job += s.units {
		f.Stages = append(f.Stages, nil)
		for k := range s.units {
			s.send(f, job+k, 1, last.left)
		}
	}
	for _, t := range turns {
		f.Stages = append(f.Stages, nil)
		wide, low := t.parts(last.left)
		for k := range t.jobs {
			if j := s.jobs - t.jobs + k; k < t.wide && !t.last {
				s.send(f, j, t.low+1, wide)
			} else {
				s.send(f, j, t.low, low)
			}
		}
	}
	f.Sort()
	return f
}

// send adds a job to the last stage, with parallel circuits, of which the first stands for all.
func (s *wrapped) send(f *routing.Flows, job, count, parts int) {
	stage := len(f.Stages) - 1
	for _, next := range s.circuitsOf(job) {
		port := len(f.Stages[stage])
		f.Stages[stage] = append(f.Stages[stage], slices.Repeat([][]int{next}, count)...)
		for u, v := range next {
			if v < 0 {
				continue
			}
			hop := model.Leg{Stage: int32(stage), Port: int32(port*s.nodes + u), Hops: 1}
			f.Parts = append(f.Parts, routing.Part{Src: int32(u), Dst: int32(v), Amount: s.each * parts, Hops: []model.Leg{hop}})
		}
	}
}
