package iteration

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// maxCourses is the largest number of courses of a program for which all are tried, and
// maxMoves that of its communications. Both depend only on the program and the offers, so that
// a program that is small for one delay is small for every other.
const (
	maxCourses = 4_000_000
	maxMoves   = 14
)

// exact is a search through all courses of a small program by branch and bound: every order of
// its communications, every offer, all lanes that differ in what they hold or when they are
// free. Circuits on lanes that have not been used yet are up before the iteration.
//
// Offers over circuits that all ranks share are left out.
type exact struct {
	*search
	ctx    context.Context
	best   *found
	moves  []int   // jobs that communicate
	needs  [][]int // by move: the moves that must precede it
	offers [][]int // by work
	after  [][]int // by job: its followers
	course *Course
	ends   []units.Time // by job; negative: not done yet
	clock  clock
	nodes  int
}

// exhaust finds the best of all courses if there are few enough, and reports whether it did.
func (s *search) exhaust(ctx context.Context, best *found, at *search) (bool, error) {
	x := &exact{search: at, ctx: ctx, best: &found{time: units.Time(math.Inf(1))}, after: at.program.followers()}
	x.offers = at.only(func(_ int, o *Offer) bool {
		return o.First == NoCircuits || o.First != at.of.Shared && at.of.Lines.fits(at.of.Circuits[o.First].Claims)
	})
	if !x.few() {
		return false, nil
	}
	if best.course != nil {
		x.best.time = best.time
	}
	x.course = &Course{Policy: Best, Ahead: true, Initial: make([][]Lane, len(at.of.Circuits))}
	x.ends = make([]units.Time, len(at.program.Jobs))
	for j := range x.ends {
		x.ends[j] = -1
	}
	b := newOccupancy(at.of)
	x.branch(b, 0, -1)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if c := x.best.course; c != nil {
		c = s.widened(c)
		best.offer(c, c.Time(s.program, s.of).Iteration)
	}
	return true, nil
}

// together returns the search in which every line has one lane, and circuits take it
// completely.
func (s *search) together() *search {
	t := s.on(1, s.of.Delay)
	t.of.Circuits = slices.Clone(t.of.Circuits)
	for i := range t.of.Circuits {
		claims := slices.Clone(t.of.Circuits[i].Claims)
		for k := range claims {
			claims[k].Lanes = 1
		}
		t.of.Circuits[i].Claims = claims
	}
	return t
}

// widened returns a course whose circuits have as many lanes as they claim, the first lanes of
// each line, after a search with fewer.
func (s *search) widened(c *Course) *Course {
	r := s.of
	wide := func(circuits int, lanes []Lane) []Lane {
		claimed := 0
		for _, claim := range r.Circuits[circuits].Claims {
			claimed += claim.Lanes
		}
		if lanes == nil || len(lanes) == claimed {
			return lanes
		}
		var list []Lane
		for _, claim := range r.Circuits[circuits].Claims {
			for i := range claim.Lanes {
				list = append(list, Lane{claim.Line, i})
			}
		}
		return list
	}
	for i := range c.Initial {
		c.Initial[i] = wide(i, c.Initial[i])
	}
	for i := range c.Moves {
		m := &c.Moves[i]
		if first := r.Offers[s.program.Jobs[m.Job].Work][m.Offer].First; first != NoCircuits {
			m.Take = wide(first, m.Take)
		}
	}
	return c
}

// few reports whether there are few enough courses.
func (x *exact) few() bool {
	p := x.program
	number := make([]int, len(p.Jobs))
	before := make([]uint32, len(p.Jobs)) // set of moves that a job waits for
	var ways []float64                    // number of choices by move
	for j := range p.Jobs {
		for _, b := range p.Jobs[j].After {
			before[j] |= before[b]
			if p.Jobs[b].Work != Computes {
				before[j] |= 1 << number[b]
			}
		}
		if p.Jobs[j].Work == Computes {
			continue
		}
		if number[j] = len(x.moves); len(x.moves) == maxMoves {
			return false
		}
		sum := 0.0
		for _, k := range x.offers[p.Jobs[j].Work] {
			sum += x.choices(&x.of.Offers[p.Jobs[j].Work][k])
		}
		x.moves, ways = append(x.moves, j), append(ways, sum)
	}
	// courses[set] counts the courses from a set of finished moves on.
	courses := make([]float64, 1<<len(x.moves))
	courses[len(courses)-1] = 1
	for done := len(courses) - 2; done >= 0; done-- {
		for i, j := range x.moves {
			if done>>i&1 == 0 && before[j]&^uint32(done) == 0 {
				courses[done] += ways[i] * courses[done|1<<i]
			}
		}
	}
	for _, j := range x.moves {
		var list []int
		for i := range x.moves {
			if before[j]>>i&1 == 1 {
				list = append(list, i)
			}
		}
		x.needs = append(x.needs, list)
	}
	return courses[0] <= maxCourses
}

// choices returns in how many ways the circuits of an offer can take lanes.
func (x *exact) choices(o *Offer) float64 {
	if o.First == NoCircuits {
		return 1
	}
	ways := 1.0
	for i, c := range x.of.Circuits[o.First].Claims {
		if x.of.Lines.Aligned && slices.ContainsFunc(x.of.Circuits[o.First].Claims[:i], func(b Claim) bool { return x.of.Lines.sameBank(b.Line, c.Line) }) {
			continue
		}
		for k := range c.Lanes {
			ways *= float64(x.of.Lines.Lanes(c.Line)-k) / float64(k+1)
		}
	}
	return ways
}

// branch tries every next move at a depth. Two moves that have nothing in common are tried only
// in the order of their numbers.
func (x *exact) branch(b *occupancy, depth, last int) {
	if x.nodes++; x.nodes%1024 == 0 && x.ctx.Err() != nil {
		return
	}
	if depth == len(x.moves) {
		if time := x.course.lengthBelow(x.program, x.of, x.best.time*(1-1e-9)); time < x.best.time {
			x.best.course, x.best.time = x.course.clone(), time
		}
		return
	}
	for i, j := range x.moves {
		if x.ends[j] >= 0 || slices.ContainsFunc(x.needs[i], func(k int) bool { return x.ends[x.moves[k]] < 0 }) {
			continue
		}
		if last > i && !slices.Contains(x.needs[i], last) && !x.meet(j, x.moves[last]) && !x.ringed(j) && !x.ringed(x.moves[last]) {
			continue
		}
		ready := x.ready(j)
		for _, k := range x.offers[x.program.Jobs[j].Work] {
			x.try(b, depth, i, ready, k)
		}
	}
}

// ringed reports whether a job may use lanes of classes other than its own.
func (x *exact) ringed(j int) bool {
	w := &x.program.Works[x.program.Jobs[j].Work]
	return w.IsSend() && len(x.program.Places[w.Kind]) > 2
}

// meet reports whether two jobs have a class in common.
func (x *exact) meet(j, k int) bool {
	p := x.program
	return slices.ContainsFunc(p.Works[p.Jobs[j].Work].Classes, func(c int) bool {
		return slices.Contains(p.Works[p.Jobs[k].Work].Classes, c)
	})
}

// ready returns when everything that a job waits for has ended.
func (x *exact) ready(j int) units.Time {
	at := units.Time(0)
	for _, b := range x.program.Jobs[j].After {
		if x.program.Jobs[b].Work == Computes {
			at = max(at, x.ready(b)+x.program.Jobs[b].Compute)
		} else {
			at = max(at, x.ends[b])
		}
	}
	return at
}

// try carries out a move by an offer, on all lanes that make a difference.
func (x *exact) try(b *occupancy, depth, i int, ready units.Time, offer int) {
	j := x.moves[i]
	o := &x.of.Offers[x.program.Jobs[j].Work][offer]
	takes := [][]Lane{nil}
	if o.First != NoCircuits && !b.up(o.First) {
		takes = x.takes(b, o.First)
	}
	for _, take := range takes {
		next := b.clone()
		initial := take != nil && !x.of.Cold && b.seats[o.First].left == never && !slices.ContainsFunc(take, func(l Lane) bool {
			at := next.at(l)
			return !at.untouched || next.owner(at) != NoCircuits
		})
		move := Move{Job: j, Offer: offer, Take: take}
		if initial && x.course.Initial[o.First] == nil {
			next.sit(o.First, take)
			x.course.Initial[o.First], move.Take = take, nil
		} else {
			initial = false
		}
		start, set := next.begin(o, ready, move.Take, true)
		run := span{start, start + o.Time}
		next.do(o, move.Take, set, run)
		x.ends[j] = run.end
		left := x.tails[j] - x.least(j)
		if least := run.end + left; least < x.best.time*(1-1e-12) {
			x.course.Moves = append(x.course.Moves, move)
			if x.of.Cold || next.wrap() < x.best.time*(1-1e-12) || x.mayFollow() {
				x.branch(next, depth+1, i)
			}
			x.course.Moves = x.course.Moves[:len(x.course.Moves)-1]
		}
		x.ends[j] = -1
		if initial {
			x.course.Initial[o.First] = nil
		}
	}
}

// mayFollow reports whether, after the moves so far, iterations may follow one another sooner
// than in the best course. With all jobs as early as possible, they do not.
func (x *exact) mayFollow() bool {
	if len(x.program.Jobs) > mostShortened {
		return false
	}
	return x.course.holds(x.program, x.of, &x.clock, x.best.time*(1-1e-9)).ok
}

// least returns the time of a job's fastest offer.
func (x *exact) least(j int) units.Time {
	least := units.Time(math.Inf(1))
	offers := x.of.Offers[x.program.Jobs[j].Work]
	for k := range offers {
		least = min(least, offers[k].Time)
	}
	return least
}

// takes lists the ways to take lanes for circuits. Lanes that hold the same and are free at the
// same time are interchangeable.
func (x *exact) takes(b *occupancy, circuits int) [][]Lane {
	lines := &x.of.Lines
	all := [][]Lane{nil}
	claims := x.of.Circuits[circuits].Claims
	done := make([]bool, len(claims))
	for i, c := range claims {
		if done[i] {
			continue
		}
		together := []Claim{c}
		for k := i + 1; k < len(claims) && lines.Aligned; k++ {
			if lines.sameBank(claims[k].Line, c.Line) {
				together, done[k] = append(together, claims[k]), true
			}
		}
		var next [][]Lane
		for _, set := range subsets(b, together, lines.Lanes(c.Line)) {
			var lanes []Lane
			for _, t := range together {
				for _, lane := range set {
					lanes = append(lanes, Lane{t.Line, lane})
				}
			}
			for _, before := range all {
				next = append(next, slices.Concat(before, lanes))
			}
		}
		all = next
	}
	return all
}

// subsets lists the sets of lanes, with the same numbers in all lines of some claims, that
// differ in what they hold.
func subsets(b *occupancy, claims []Claim, lanes int) [][]int {
	alike := func(i, k int) bool {
		return !slices.ContainsFunc(claims, func(c Claim) bool { return *b.at(Lane{c.Line, i}) != *b.at(Lane{c.Line, k}) })
	}
	var list [][]int
	var from func(i int, chosen []int)
	from = func(i int, chosen []int) {
		if len(chosen) == claims[0].Lanes {
			list = append(list, slices.Clone(chosen))
			return
		}
		if i == lanes {
			return
		}
		from(i+1, append(chosen, i))
		// Without lane i, skip all lanes like it: equal lanes are taken in order.
		k := i + 1
		for k < lanes && alike(i, k) {
			k++
		}
		from(k, chosen)
	}
	from(0, nil)
	return list
}

// clone returns a copy of the occupancy.
func (b *occupancy) clone() *occupancy {
	c := *b
	c.lanes, c.seats, c.islands = slices.Clone(b.lanes), slices.Clone(b.seats), slices.Clone(b.islands)
	return &c
}

// clone returns a copy of the course.
func (c *Course) clone() *Course {
	d := *c
	d.Initial, d.Moves = slices.Clone(c.Initial), slices.Clone(c.Moves)
	return &d
}
