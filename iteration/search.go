package iteration

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/units"
)

// search looks for a course of a program.
type search struct {
	program *Program
	of      *Repertoire
	kinds   []*kindOf
	times   []int // how often each work occurs
	tails   []units.Time
	copies  bool // whether offers over copies of circuits are allowed
	also    *column
	known   *recall // earlier decisions of dispatchers, or nil
}

func newSearch(p *Program, r *Repertoire) *search {
	s := &search{program: p, of: r, times: make([]int, len(p.Works))}
	p.followers() // computed now, because several goroutines ask for them
	for j := range p.Jobs {
		if w := p.Jobs[j].Work; w != Computes {
			s.times[w]++
		}
	}
	byName := map[string]*kindOf{}
	for w := range p.Works {
		k := byName[p.Works[w].Like]
		if k == nil {
			k = &kindOf{}
			byName[p.Works[w].Like] = k
			s.kinds = append(s.kinds, k)
		}
		k.works = append(k.works, w)
	}
	for i := range r.Menus {
		if k := byName[r.Menus[i].Kind]; k != nil {
			k.menus = append(k.menus, &r.Menus[i])
		}
	}
	_, s.tails = p.chain(func(j int) units.Time {
		job := &p.Jobs[j]
		if job.Work == Computes {
			return job.Compute
		}
		least := units.Time(math.Inf(1))
		for i := range r.Offers[job.Work] {
			least = min(least, r.Offers[job.Work][i].Time)
		}
		return least
	})
	return s
}

// ladder returns the delays for which courses are searched, whatever the delay of the fabric:
// so the courses considered do not depend on it, and every course takes longer for a longer
// delay.
func ladder() []units.Time {
	delays := []units.Time{0}
	for d := units.Time(100); d <= 1e9; d *= 10 {
		delays = append(delays, d, 3*d)
	}
	return delays
}

// found is the best course so far.
type found struct {
	course *Course
	time   units.Time
}

func (f *found) offer(c *Course, time units.Time) bool {
	if c == nil || f.course != nil && time >= f.time {
		return false
	}
	f.course, f.time = c, time
	return true
}

// on returns the search with the given lanes per line and another delay.
func (s *search) on(lanes int, delay units.Time) *search {
	r := *s.of
	r.Lines, r.Delay = r.Lines.narrowed(lanes), delay
	o := *s
	o.of = &r
	return &o
}

// fits leaves out the offers that need more lanes than there are.
func (s *search) fits(rule *rule) *rule {
	allowed := make([][]int, len(rule.offers))
	for w, list := range rule.offers {
		for _, k := range list {
			if o := &s.of.Offers[w][k]; o.First == NoCircuits || s.of.Lines.fits(s.of.Circuits[o.First].Claims) {
				allowed[w] = append(allowed[w], k)
			}
		}
	}
	r := *rule
	r.offers = allowed
	return &r
}

// trial is a rule by which a dispatcher decides for some lanes and some delay.
type trial struct {
	rule *rule
	at   *search
	on   *search // where the course's time is wanted; nil: for the same lanes and delay
}

// try runs dispatchers in parallel, and offers their courses in order.
func (s *search) try(ctx context.Context, trials []trial, offer func(i int, c *Course, time units.Time)) error {
	made, errs := make([]dispatched, len(trials)), make([]error, len(trials))
	threads.Few(ctx, len(trials), func(i int) {
		t := &trials[i]
		made[i], errs[i] = t.at.dispatch(ctx, t.rule)
		switch c := made[i].course; {
		case c == nil:
		case t.on != nil:
			made[i].time = c.length(t.on.program, t.on.of)
		case t.at.known == nil: // otherwise it is known
			made[i].time = min(made[i].time, c.length(t.at.program, t.at.of))
		}
	})
	for i := range made {
		if errs[i] != nil {
			return errs[i]
		}
		if made[i].course != nil {
			offer(i, made[i].course, made[i].time)
		}
	}
	return nil
}

// dispatch has a dispatcher decide by a rule, unless the decision is known.
func (s *search) dispatch(ctx context.Context, rule *rule) (dispatched, error) {
	if slices.ContainsFunc(rule.offers, func(list []int) bool { return len(list) == 0 }) {
		return dispatched{}, nil
	}
	d := newDispatcher(s.program, s.of, rule, s.tails)
	if made, ok := s.known.find(d); ok {
		return made, nil
	}
	made, err := d.decide(ctx)
	if s.known != nil && made.course != nil {
		made.time = min(made.time, made.course.length(s.program, s.of))
		s.known.keep(d, made)
	}
	return made, err
}

// consider offers a course with its time.
func (s *search) consider(best *found, c *Course, time units.Time) {
	if s.also != nil {
		s.also.offer(s.program, c)
		return
	}
	best.offer(c, time)
}

// rules are the ways in which a dispatcher may decide, among all offers: as many as there is
// time for.
func (s *search) rules(most int) []*rule {
	all := s.only(func(int, *Offer) bool { return true })
	list := []*rule{{}, {patience: 1}, {soonest: true}, {patience: 0.5}, {patience: 3}, {patience: 1, soonest: true}, {patience: 0.5, soonest: true}, {patience: 3, soonest: true}}
	list = list[:max(1, min(most, len(list)))]
	if s.of.Lines.most() == 1 {
		list = slices.DeleteFunc(list, func(r *rule) bool { return r.same(s.of.Delay) })
	}
	for _, r := range list {
		r.policy, r.ahead, r.offers = Best, true, all
	}
	return list
}

// same reports whether, with one lane per line, the dispatcher decides as by an earlier rule
// that differs in nothing else: there is no choice of lanes, and without a delay no reason for
// patience.
func (r *rule) same(delay units.Time) bool { return r.soonest || delay == 0 && r.patience > 0 }

// maxJobs limits the jobs that are dispatched in a search, over all trials.
const maxJobs = 8_000_000

// trials returns for how many delays of the ladder, and by how many rules for each, courses of
// a program are searched. It depends only on the program.
func (s *search) trials() (delays []units.Time, rules int) {
	delays = ladder()
	left := maxJobs / max(1, len(s.program.Jobs)) / s.of.Lines.most()
	for len(delays) > 4 && left < 2*len(delays) {
		var fewer []units.Time
		for i := 0; i < len(delays); i += 2 {
			fewer = append(fewer, delays[i])
		}
		delays = fewer
	}
	return delays, left / len(delays)
}

// baseline returns the course of a policy, if there is one.
func (s *search) baseline(ctx context.Context, policy string) (dispatched, error) {
	switch policy {
	case Static:
		return s.static(ctx)
	case Phases, PhasesAhead:
		return dispatch(ctx, s.program, s.of, s.phases(policy, policy == PhasesAhead), s.tails)
	case One:
		if s.of.Shared == NoCircuits {
			return dispatched{}, nil
		}
		set := make([]bool, len(s.of.Circuits))
		set[s.of.Shared] = true
		return dispatch(ctx, s.program, s.of, &rule{policy: One, ahead: true, offers: s.only(func(_ int, o *Offer) bool { return o.stays(set) })}, s.tails)
	case Each:
		return dispatch(ctx, s.program, s.of, s.each(), s.tails)
	}
	return dispatched{}, nil
}

// Plan is a course and what it is compared with.
type Plan struct {
	*Course
	*Timetable
	Baselines map[string]*Timetable
	Bound     units.Time
	Compute   units.Time // the longest chain of computations

	left *occupancy // state of the lanes after the course; nil: unknown
}

// Fastest finds a fast course of a program. It takes the fastest of the policies and of what a
// dispatcher decides by different rules, for different delays and on fewer ports, and then
// tries other offers work by work. It does all that with every smaller number of ports, too, so
// that one more port never makes it slower. For a policy other than Best, the result is the
// course of that policy, nil if there is none.
func Fastest(ctx context.Context, p *Program, r *Repertoire, policy string) (*Plan, error) {
	s := newSearch(p, r)
	best := &found{}
	plan, err := s.compared(ctx, best, policy)
	if err != nil {
		return nil, err
	}
	if policy == Best {
		if err := s.look(ctx, best); err != nil {
			return nil, err
		}
		if err := s.onFewer(ctx, best); err != nil {
			return nil, err
		}
	}
	plan.choose(best, p, r)
	return plan, nil
}

// compared finds the courses of all policies, and offers that of the requested one, or of all,
// and that of the fastest sequence.
func (s *search) compared(ctx context.Context, best *found, policy string) (*Plan, error) {
	plan := &Plan{Baselines: map[string]*Timetable{}, Compute: s.program.ComputeTime(), Bound: s.of.Bound}
	for _, other := range Policies() {
		made, err := s.baseline(ctx, other)
		if err != nil {
			return nil, err
		}
		if made.course == nil {
			continue
		}
		plan.Baselines[other] = made.course.Time(s.program, s.of)
		if policy == Best || policy == other {
			best.offer(made.course, plan.Baselines[other].Iteration)
		}
	}
	if c := s.of.inSequence(s.program); c != nil && policy == Best {
		best.offer(c, c.Time(s.program, s.of).Iteration)
	}
	return plan, nil
}

// choose makes the best course, if there is one, the course of a plan.
func (p *Plan) choose(best *found, of *Program, r *Repertoire) {
	p.Course = best.course
	if best.course != nil {
		p.Course, p.Timetable, p.left = best.course.shortened(of, r, &clock{}, infinite)
	}
}

// look tries all rules, then all courses of small programs, and then other offers; then it does
// all that with copies of circuits.
func (s *search) look(ctx context.Context, best *found) error {
	if err := s.lookAmong(ctx, best); err != nil {
		return err
	}
	if t := s.copied(); t != nil {
		return t.lookAmong(ctx, best)
	}
	return nil
}

func (s *search) lookAmong(ctx context.Context, best *found) error {
	if err := s.climb(ctx, best); err != nil {
		return err
	}
	left := maxJobs / max(1, len(s.program.Jobs))
	if err := s.here(ctx, best, &left); err != nil {
		return err
	}
	return s.descend(ctx, best, &left)
}

// timed returns the search for which the times of courses are wanted, nil for a column.
func (s *search) timed() *search {
	if s.also != nil {
		return nil
	}
	return s
}

// climb has a dispatcher decide for every delay of the ladder.
func (s *search) climb(ctx context.Context, best *found) error {
	delays, rules := s.trials()
	first := 1
	if len(s.program.Jobs) > mostCopied && s.also == nil && s.narrows() {
		first = s.of.Lines.most() // onFewer tries fewer
	}
	for lanes := first; lanes <= s.of.Lines.most(); lanes++ {
		for i, delay := range delays {
			s.of.report(searched, (lanes-1)*len(delays)+i, s.of.Lines.most()*len(delays))
			at := s.on(lanes, delay)
			var trials []trial
			for _, rule := range at.rules(rules) {
				trials = append(trials, trial{at.fits(rule), at, s.timed()})
			}
			if err := s.try(ctx, trials, func(_ int, c *Course, time units.Time) { s.consider(best, c, time) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// here searches for courses for the fabric's delay: all of them if there are few, otherwise
// variations of the best, with the remaining trials.
func (s *search) here(ctx context.Context, best *found, left *int) error {
	if _, err := s.exhaust(ctx, best, s.together()); err != nil {
		return err
	}
	for lanes := 1; lanes <= s.of.Lines.most(); lanes++ {
		few, err := s.exhaust(ctx, best, s.on(lanes, s.of.Delay))
		if err != nil {
			return err
		}
		if !few {
			break
		}
	}
	return s.descendAt(ctx, best, s, best, left)
}

// descend restricts works that differ only in their classes to one offer, sort by sort, as long
// as that helps, for some delays of the ladder, whatever the delay of the fabric.
func (s *search) descend(ctx context.Context, best *found, left *int) error {
	for i, delay := range ladder() {
		if i%4 != 3 && i > 0 {
			continue
		}
		at, here := s.on(s.of.Lines.most(), delay), &found{}
		for _, policy := range []string{Static, PhasesAhead} {
			made, err := at.baseline(ctx, policy)
			if err != nil {
				return err
			}
			here.offer(made.course, made.time)
		}
		if err := s.descendAt(ctx, best, at, here, left); err != nil {
			return err
		}
	}
	return nil
}

// descendAt is descend for one delay, from the course to beat here, with the remaining trials.
// best and here are the same if the delay is the fabric's.
func (s *search) descendAt(ctx context.Context, best *found, at *search, here *found, left *int) error {
	all := s.only(func(int, *Offer) bool { return true })
	sorts := s.sorts()
	kept, tried := make(restricted, len(sorts)), map[string]bool{}
	for improved := true; improved; {
		improved = false
		for i, works := range sorts {
			var trials []trial
			var of []restricted
			for k := range all[works[0]] {
				if *left--; *left < 0 {
					break
				}
				if next := kept.with(i, k); !tried[next.key()] { // otherwise it is no faster than before
					tried[next.key()] = true
					of = append(of, next)
					trials = append(trials, trial{&rule{policy: Best, ahead: true, patience: 1, offers: s.restrict(all, sorts, next)}, at, nil})
				}
			}
			err := s.try(ctx, trials, func(i int, c *Course, time units.Time) {
				if !here.offer(c, time) {
					return
				}
				improved, kept = true, of[i]
				if here != best {
					s.consider(best, c, c.length(s.program, s.of))
				}
			})
			if err != nil || *left < 0 {
				return err
			}
		}
	}
	return nil
}

// restricted is the only offer allowed for the works of each sort, counted from 1; 0: all are.
type restricted []int

// with returns a copy in which the works of one sort are restricted to an offer.
func (r restricted) with(sort, offer int) restricted {
	next := slices.Clone(r)
	next[sort] = offer + 1
	return next
}

func (r restricted) key() string { return fmt.Sprint([]int(r)) }

// restrict leaves the works of each sort only the offers that they are restricted to, including
// those over copies of the same circuits if these are allowed.
func (s *search) restrict(all, sorts [][]int, to restricted) [][]int {
	left := slices.Clone(all)
	for i, only := range to {
		for _, w := range sorts[i] {
			switch {
			case only > 0 && s.copies:
				left[w] = withCopies(s.of.Offers[w], only-1)
			case only > 0:
				left[w] = []int{only - 1}
			}
		}
	}
	return left
}

// sorts groups works of the same kind, operation and size that have equally many offers.
func (s *search) sorts() [][]int {
	var list [][]int
	at := map[string]int{}
	offers := s.only(func(int, *Offer) bool { return true })
	for w := range s.program.Works {
		work := &s.program.Works[w]
		key := fmt.Sprint(work.Kind, work.Op, int64(work.Size), work.Skew, len(offers[w]))
		k, ok := at[key]
		if !ok {
			k = len(list)
			at[key] = k
			list = append(list, nil)
		}
		list[k] = append(list[k], w)
	}
	return list
}
