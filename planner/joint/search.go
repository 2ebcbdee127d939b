package joint

import (
	"cmp"
	"math"
	"slices"
)

// digit is a digit of the GPUs' numbers and how it is worked off: by a gather (and its
// reversal) or by an exchange.
type digit struct {
	points int
	prog   *program
}

// solution is a way to carry an operation out, the digits from the outermost, which is
// scattered first and gathered last.
type solution struct {
	digits []digit
	time   float64 // as predicted, in ns
}

// search finds the best ways to split a number of GPUs into digits.
//
// With T the time of a program at some bytes, and w the wait for a change of circuits, an
// allgather of B bytes takes, at best, the smaller of T(gather of n, B) and
//
//	min over P: G(n/P, B/P) + w + T(gather of P, B)
//
// and an allreduce the smallest of T(exchange of n, B), twice T(gather of n, B), because
// the reversed gather leaves the circuits that the gather begins with, and
//
//	min over P: T(exchange of P, B) + w + A(n/P, B)
//	min over P: T(gather of P, B) + w + A(n/P, B/P) + w + T(gather of P, B)
//	min over P and M: T(ladder of P that scatters M, B) + 2w + A(n/P, B/M)
//
// Sub-problems are told by the GPUs that are left and the bytes, which are the whole over
// a divisor of n: there are at most as many as pairs of divisors. It keeps the best few of
// each, for fabrics on which waits differ: those are priced as plans.
type search struct {
	machine
	keep      int
	gathers   map[int][]*program
	exchanges map[int][]*program
	floors    map[int][]*floor
	known     map[task][]solution
}

// task is what is left to do.
type task struct {
	op    goal
	nodes int
	scale int // the bytes are the whole over this
}

type goal int

const (
	allGather goal = iota
	allReduce
)

func newSearch(m machine, keep int) *search {
	return &search{
		machine: m, keep: keep,
		gathers: map[int][]*program{}, exchanges: map[int][]*program{}, floors: map[int][]*floor{}, known: map[task][]solution{},
	}
}

// know makes the programs for a number of points known.
func (s *search) know(points int) {
	if _, ok := s.gathers[points]; !ok {
		s.gathers[points], s.exchanges[points], s.floors[points] = s.programs(points)
	}
}

// solve returns the best ways to do a task on so many bytes, the fastest first; none where
// no program fits.
func (s *search) solve(t task, bytes float64) []solution {
	if all, ok := s.known[t]; ok {
		return all
	}
	var all []solution
	add := func(time float64, d digit, rest []digit) {
		if !math.IsInf(time, 1) {
			all = append(all, solution{append([]digit{d}, rest...), time})
		}
	}
	for _, points := range divisors(t.nodes)[1:] {
		s.know(points)
		shard := bytes / float64(points)
		gathers := s.gathers[points]
		if c := s.chain(points, shard); c != nil {
			gathers = append(gathers[:len(gathers):len(gathers)], c)
		}
		for _, f := range s.floors[points] {
			gathers = append(gathers, f.program(&s.machine, f.climb(&s.machine, bytes, points), false))
		}
		g, gatherTime := s.pick(gathers, shard)
		x, exchangeTime := s.pick(s.exchanges[points], bytes)
		left := t.nodes / points
		switch {
		case left == 1 && t.op == allGather:
			add(gatherTime, digit{points, g}, nil)
		case left == 1:
			g, pairTime := s.pickPair(gathers, shard)
			add(pairTime, digit{points, g}, nil)
			add(exchangeTime, digit{points, x}, nil)
			for _, f := range s.floors[points] {
				for _, until := range divisors(points) {
					l := f.climb(&s.machine, bytes, until)
					add(l.time, digit{points, f.program(&s.machine, l, true)}, nil)
				}
			}
		case t.op == allGather:
			for _, rest := range s.solve(task{t.op, left, t.scale * points}, bytes/float64(points)) {
				add(rest.time+s.wait+gatherTime, digit{points, g}, rest.digits)
			}
		default:
			for _, rest := range s.solve(task{t.op, left, t.scale * points}, bytes/float64(points)) {
				add(rest.time+2*s.wait+2*gatherTime, digit{points, g}, rest.digits)
			}
			for _, rest := range s.solve(task{t.op, left, t.scale}, bytes) {
				add(rest.time+s.wait+exchangeTime, digit{points, x}, rest.digits)
			}
			for _, f := range s.floors[points] {
				for _, until := range divisors(points)[1:] {
					l := f.climb(&s.machine, bytes, until)
					for _, rest := range s.solve(task{t.op, left, t.scale * until}, bytes/float64(until)) {
						add(rest.time+2*s.wait+l.time, digit{points, f.program(&s.machine, l, true)}, rest.digits)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b solution) int { return cmp.Compare(a.time, b.time) })
	all = all[:min(len(all), s.keep)]
	s.known[t] = all
	return all
}
