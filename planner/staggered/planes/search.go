package planes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Plan is a pattern for every plane, with the timing of the steps.
type Plan struct {
	Patterns []Pattern
	*Timing
}

// breadth is the number of circuits that Search tries for a step, those that serve it best.
const breadth = 6

// Search looks for the patterns that take the least time. It starts from several sets of
// patterns: all planes reconfigured together (the best such way, by a dynamic program), planes
// that take turns, and planes that respond one after another to step lengths between those
// without any reconfiguration and several times that. It improves the best of them until nothing
// helps: a plane, or all planes with the same pattern, responds again to the lengths and prices
// of the linear program (respond); or in a run of steps it skips all, serves each over its best
// circuits, or keeps the circuits of the first or the last step.
//
// Search does this for equal delays, for every delay of a fixed series (delays) from the longest
// down to one no longer than any change of the problem, and adds what it found before as another
// start. It returns the plan whose patterns are best for the actual problem. A problem with
// shorter changes has at least the same patterns to choose from, and none takes longer, so
// shorter changes are never slower.
//
// The result is never slower than reconfiguring all planes together over the same circuits, all
// planes alike. The work is counted and limited (mostWork), so the answer is the same on every
// machine; it is nil if that is not enough for one linear program. report receives the progress.
func Search(ctx context.Context, p *Problem, report func(done, total int)) (*Plan, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	known := [][]Pattern{slices.Repeat([]Pattern{p.together()}, p.Planes)}
	var best [][]Pattern // for each delay
	series := p.delays()
	for i, delay := range series {
		report(i, len(series))
		q := p.uniform(delay)
		found, err := climb(ctx, q, append(q.starts(), best...))
		if err != nil {
			return nil, err
		}
		for k, plan := range found {
			if known = append(known, plan.Patterns); k == 0 {
				best = append(best, plan.Patterns)
			}
		}
	}
	if len(known) == 1 {
		return nil, ctx.Err()
	}
	s := &searcher{problem: p, seen: map[string]bool{}, left: math.Inf(1)}
	var least *Plan
	for _, patterns := range known {
		if plan := s.time(patterns); plan != nil && (least == nil || plan.Total < least.Total*(1-gainTolerance)) {
			least = plan
		}
	}
	return least, ctx.Err()
}

// Search uses delays from longestDelay down to shortestDelay times the time of the steps without
// delays, each nextDelay times the one before. With a longer delay no plane ever reconfigures;
// with a shorter one, planes reconfigure before every step.
const (
	longestDelay  = 16
	shortestDelay = 1.0 / 1024
	nextDelay     = 0.7
)

// delays returns the delays for which Search looks for patterns. They depend only on the steps;
// their number depends on the shortest change of the problem.
func (p *Problem) delays() []units.Time {
	least := units.Time(math.Inf(1))
	for c, row := range p.Change {
		for d, time := range row {
			if c != d {
				least = min(least, time)
			}
		}
	}
	unit := units.Time(0)
	for i := range p.Services {
		unit += p.Services[i][p.Direct(i)].alone(p.Planes)
	}
	var all []units.Time
	for delay := unit * longestDelay; ; delay *= nextDelay {
		all = append(all, delay)
		if delay <= least || delay <= unit*shortestDelay {
			return all
		}
	}
}

// uniform returns the problem with every change taking the given delay.
func (p *Problem) uniform(delay units.Time) *Problem {
	q := *p
	q.Change = make([][]units.Time, len(p.Change))
	for c := range p.Change {
		q.Change[c] = slices.Repeat([]units.Time{delay}, len(p.Change))
		q.Change[c][c] = 0
	}
	if p.Initial != nil {
		q.Initial = slices.Repeat([]units.Time{delay}, len(p.Change))
	}
	return &q
}

// climb improves the best of some starts. It returns the best plan and others that are almost as
// good, at most mostGood: one of them may be better for another delay.
func climb(ctx context.Context, p *Problem, from [][]Pattern) ([]*Plan, error) {
	s := &searcher{problem: p, seen: map[string]bool{}, left: mostWork, runs: runsOf(len(p.Services))}
	for _, patterns := range from {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.time(patterns)
	}
	for _, start := range slices.Clone(s.good[:min(len(s.good), mostStarts)]) {
		if err := s.improve(ctx, start); err != nil {
			return nil, err
		}
	}
	return s.good, nil
}

// mostGood is the number of plans kept for each delay.
const mostGood = 12

// mostWork is the number of tableau entries that a search may touch for each delay.
const mostWork = 5e7

// mostStarts is the number of starts that climb improves.
const mostStarts = 4

// gainTolerance is the relative gain from which a time counts as less. It exceeds the precision
// of the linear program, so that improving ends.
const gainTolerance = 1e-9

type searcher struct {
	problem *Problem
	seen    map[string]bool // patterns tried so far
	left    float64         // work left
	runs    [][2]int        // runs of steps
	good    []*Plan         // the best plans, ascending
}

// time returns the plan with some patterns. It sorts them, so that permuted planes count as the
// same. It returns nil if the patterns do not serve every step, were tried before, or take too
// much work.
func (s *searcher) time(patterns []Pattern) *Plan {
	sorted := slices.Clone(patterns)
	slices.SortFunc(sorted, func(a, b Pattern) int { return slices.Compare(a, b) })
	key := make([]byte, 0, len(sorted)*len(sorted[0])*2)
	for _, pattern := range sorted {
		for _, c := range pattern {
			key = append(key, byte(c), byte(c>>8))
		}
	}
	if s.seen[string(key)] {
		return nil
	}
	s.seen[string(key)] = true
	t, work := s.problem.timeWithin(sorted, s.left)
	s.left -= work
	if t == nil {
		return nil
	}
	plan := &Plan{sorted, t}
	at, _ := slices.BinarySearchFunc(s.good, plan.Total, func(p *Plan, total units.Time) int {
		if p.Total <= total { // of equals, the first stays first
			return -1
		}
		return 1
	})
	s.good = slices.Insert(s.good, at, plan)
	s.good = s.good[:min(len(s.good), mostGood)]
	return plan
}

// improve climbs from a plan until no step helps.
func (s *searcher) improve(ctx context.Context, best *Plan) error {
	for {
		better, err := s.step(ctx, best)
		if err != nil || better == nil {
			return err
		}
		best = better
	}
}

// step returns a better plan than the given one, or nil if it finds none. Candidates are all
// changes of a pattern within a run of steps, and the patterns with which planes respond. It
// tries at most mostTries of them, those worth most at the current lengths and prices.
func (s *searcher) step(ctx context.Context, now *Plan) (*Plan, error) {
	groups, of := group(now.Patterns)
	answer := s.problem.respond(now.Lengths, now.prices, breadth)
	var tries []try
	for g := range groups {
		before := s.problem.worth(groups[g].Pattern, now)
		tries = append(tries, try{g, answer, s.problem.worth(answer, now) - before})
		for _, run := range s.runs {
			for _, pattern := range s.problem.along(groups[g].Pattern, run[0], run[1]) {
				tries = append(tries, try{g, pattern, s.problem.worth(pattern, now) - before})
			}
		}
	}
	slices.SortStableFunc(tries, func(a, b try) int { return cmp.Compare(b.gain, a.gain) })
	for _, t := range tries[:min(len(tries), mostTries)] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if better := s.replace(now, of, t.group, t.pattern); better != nil {
			return better, nil
		}
	}
	return nil, nil
}

// try is a new pattern to try for planes of a group.
type try struct {
	group   int
	pattern Pattern
	gain    float64 // of worth
}

// mostTries is the number of patterns tried before a plan counts as a local optimum.
const mostTries = 500

// replace gives another pattern to one, two, four and so on, and finally all planes of a group.
// It returns the first better plan, or nil.
func (s *searcher) replace(now *Plan, of []int, g int, pattern Pattern) *Plan {
	patterns := slices.Clone(now.Patterns)
	left := each.Count(of, func(group int) bool { return group == g })
	done := 0
	for plane, group := range of {
		if group != g {
			continue
		}
		patterns[plane] = pattern
		if done++; done&(done-1) != 0 && done < left {
			continue
		}
		if other := s.time(patterns); other != nil && other.Total < now.Total*(1-gainTolerance) {
			return other
		}
	}
	return nil
}

// mostRuns is the number of runs of steps tried in a round; with more steps, the runs are
// shorter.
const mostRuns = 400

// runsOf lists runs as first and last steps, the short runs first.
func runsOf(steps int) [][2]int {
	var runs [][2]int
	for length := 1; length <= steps && len(runs)+steps-length <= mostRuns; length++ {
		for i := 0; i+length <= steps; i++ {
			runs = append(runs, [2]int{i, i + length - 1})
		}
	}
	return runs
}

// along returns the variants of a pattern that differ only in the steps first..last.
func (p *Problem) along(pattern Pattern, first, last int) []Pattern {
	with := func(circuits func(i int) int) Pattern {
		other := slices.Clone(pattern)
		for i := first; i <= last; i++ {
			if c := circuits(i); c == Skip || p.Services[i][c].serves() {
				other[i] = c
			} else {
				other[i] = Skip
			}
		}
		return other
	}
	ways := []Pattern{with(func(int) int { return Skip }), with(p.Direct)}
	for _, end := range []int{first - 1, last + 1, first, last} {
		if end >= 0 && end < len(pattern) && pattern[end] != Skip {
			ways = append(ways, with(func(int) int { return pattern[end] }))
		}
	}
	if first == last {
		for _, c := range p.choices(first, breadth) {
			ways = append(ways, with(func(int) int { return c }))
		}
	} else {
		ways = append(ways, with(func(i int) int {
			if (i-first)%2 == 0 {
				return p.Direct(i)
			}
			return Skip
		}), with(func(int) int { return p.Direct(first) }), with(func(int) int { return p.Direct(last) }))
	}
	return slices.DeleteFunc(ways, func(w Pattern) bool { return slices.Equal(w, pattern) })
}
