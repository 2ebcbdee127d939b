package pass

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// carriedWithin returns a pass for a fabric on which transfers over circuits that stay continue
// while others change (fabric.OverlapCircuits, see package plan). A change may then last for
// several steps. So the state is not only the topology but, while some of it is dark, also when
// the change will be over and which topology was up before. A step never ends sooner if it begins
// later or if circuits are up later. So of two states that come from the same topology, one that
// is later in both respects is never better, and of the states in which everything is up only one
// per topology remains (undominated).
//
// The pass drops a state if the schedule would exceed the limit even with every later step on the
// topology that suits it best and without waits (leastAfter). No schedule within the limit is
// lost, so if the limit is the time of some schedule, the answer is the same as without a limit.
// Without a limit there are O(steps*pool^2) moves or more, because states with dark circuits
// accumulate. With one, few states remain if a change takes longer than it can save.
//
// If the routes of a step are not known, its wait for circuits is bounded from below (late), so
// the search stays lazy.
func carriedWithin(limit float64) passer {
	var rest []float64
	return func(ctx context.Context, report func(done, total int), q *Problem) (*Schedule, error) {
		x := &carrier{work: q.Work, pool: q.Pool, delay: q.delay, lit: make([]*moment, len(q.Pool)), dark: make([][]*moment, len(q.Pool))}
		if rest == nil { // times only grow, so the first bounds stay valid
			var err error
			if rest, err = leastAfter(ctx, q); err != nil {
				return nil, err
			}
		}
		for i, class := range q.Work.ClassOf {
			report(i, len(q.Work.Steps))
			ways := x.departures(i)
			lit, dark := make([]*moment, len(q.Pool)), make([][]*moment, len(q.Pool))
			for j, c := range q.Pool {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if !q.allows(i, j) {
					continue
				}
				cost, _, err := q.Work.Cost(ctx, c, class)
				if err != nil {
					return nil, err
				}
				if x.latest = limit - rest[i]; !math.IsInf(cost, 1) {
					lit[j], dark[j] = x.arrive(i, j, cost, ways)
				}
			}
			x.lit, x.dark = lit, dark
		}
		return x.finish()
	}
}

// LimitTolerance is the relative margin of a limit: more than the difference between sums of the
// same terms in different orders.
const LimitTolerance = 1e-9

// carrier is the table of the pass: what is known after a step.
type carrier struct {
	work  *pricing.Workload
	pool  []*pricing.Candidate
	delay *delays
	lit   []*moment   // by candidate: the best with everything up, or nil
	dark  [][]*moment // by candidate: the states with a change under way
	// latest is the time at which the current step must end on the current candidate if the
	// schedule is to end within the limit.
	latest float64
}

// moment is one way to end a step on a candidate.
type moment struct {
	pricing.State
	candidate int
	over      float64 // when the change to candidate is over
	from      int     // the candidate before the change, or atStart
	bounded   bool    // the time is a lower bound: the step has no routes yet
	before    *moment
}

// atStart stands for the circuits that are up at the start.
const atStart = -1

// departure is the earliest time at which a change from a candidate can be commanded.
type departure struct {
	command float64
	changes int
	from    int
	before  *moment
}

// departures lists the candidates from which circuits can change before step i, the earliest
// change first.
func (x *carrier) departures(i int) []departure {
	sync := x.work.Sync()
	if i == 0 {
		if x.delay.initial == nil {
			return nil
		}
		return []departure{{command: sync, from: atStart}}
	}
	var ways []departure
	for k := range x.pool {
		best := pricing.State{Total: math.Inf(1)}
		var before *moment
		for _, m := range append(x.dark[k][:len(x.dark[k]):len(x.dark[k])], x.lit[k]) {
			if m == nil {
				continue
			}
			if s := (pricing.State{Total: max(m.Total+sync, m.over), Changes: m.Changes}); s.Better(best) {
				best, before = s, m
			}
		}
		if before != nil {
			ways = append(ways, departure{best.Total, best.Changes, k, before})
		}
	}
	slices.SortStableFunc(ways, func(a, b departure) int { return cmp.Compare(a.command, b.command) })
	return ways
}

// arrive finds the ways to end step i on candidate j, on which the step takes the given time.
func (x *carrier) arrive(i, j int, cost float64, ways []departure) (lit *moment, dark []*moment) {
	class := x.work.ClassOf[i]
	best := moment{State: pricing.State{Total: math.Inf(1)}}
	keep := func(m moment) {
		switch {
		case m.Total > x.latest:
		case m.over > m.Total:
			dark = append(dark, &m)
		case m.Better(best.State):
			best = m
		}
	}
	if x.startsOn(i, j) {
		keep(moment{State: pricing.State{Total: cost}, candidate: j})
	}
	if m := x.lit[j]; m != nil {
		keep(moment{State: pricing.State{Total: m.Total + cost, Changes: m.Changes}, candidate: j, before: m})
	}
	for _, m := range x.dark[j] {
		wait, bounded := x.wait(m.from, j, class, m.over-m.Total, cost)
		keep(moment{pricing.State{Total: m.Total + wait + cost, Changes: m.Changes}, j, m.over, m.from, bounded, m})
	}
	for _, d := range ways {
		if d.command+cost > min(best.Total*(1+pricing.TieTolerance), x.latest) {
			break // later departures are too late as well
		}
		if d.from == j || i == 0 && x.startsOn(i, j) {
			continue
		}
		over := d.command + x.delay.between(d.from, j) - x.work.Sync()
		wait, bounded := x.wait(d.from, j, class, over-d.command, cost)
		keep(moment{pricing.State{Total: d.command + wait + cost, Changes: d.changes + 1}, j, over, d.from, bounded, d.before})
	}
	if !math.IsInf(best.Total, 1) {
		lit = &best
	}
	return lit, undominated(lit, dark)
}

// startsOn reports whether candidate j is up before step i without a change.
func (x *carrier) startsOn(i, j int) bool {
	return i == 0 && (x.delay.initial == nil || x.delay.up.Same(x.pool[j]))
}

// undominated removes states that end no sooner than another and are dark for no less time. A
// state with everything up is dark for the least time. A state whose change is over at some time
// is as good as a state with everything up from then on, whatever was up before.
func undominated(lit *moment, dark []*moment) []*moment {
	slices.SortStableFunc(dark, func(a, b *moment) int {
		return cmp.Or(cmp.Compare(a.Total, b.Total), cmp.Compare(a.over, b.over), cmp.Compare(a.Changes, b.Changes))
	})
	up := pricing.State{Total: math.Inf(1)}
	if lit != nil {
		up = lit.State
	}
	var kept []*moment
	shortest := map[int][]*moment{} // the kept states, by what was up before
	for _, m := range dark {
		if !m.Better(up) || slices.ContainsFunc(shortest[m.from], func(k *moment) bool {
			return k.over <= m.over && k.Changes <= m.Changes
		}) {
			continue
		}
		kept = append(kept, m)
		shortest[m.from] = append(shortest[m.from], m)
		if over := (pricing.State{Total: m.over, Changes: m.Changes}); over.Better(up) {
			up = over
		}
	}
	return kept
}

// wait returns how much longer than cost a step of the class takes on candidate j if the change
// from another candidate is over only dark ns after the step begins, and whether that is only a
// lower bound.
func (x *carrier) wait(from, j, class int, dark, cost float64) (wait float64, bounded bool) {
	if dark <= 0 {
		return 0, false
	}
	if !x.delay.shares(from, j) {
		return dark, false
	}
	step := x.delay.carriedOf(from, j, class)
	if step.mixed == nil {
		if step.mixed = x.delay.mixed(from, j, class); step.mixed == nil {
			if step.late == nil {
				step.late = x.delay.lateOf(from, j, class)
			}
			return max(0, step.late.least(x.work, dark)-cost), true
		}
	}
	if step.dark != dark { // most often dark is the whole delay
		step.dark, step.wait = dark, float64(step.mixed.Wait(units.Time(dark)))
	}
	return step.wait, false
}

// maxOthers is the number of other schedules that finish reconstructs: settleWork is often used
// up by then.
const maxOthers = 64

// finish reconstructs the best schedule, and the best schedules that end on some other
// candidates.
func (x *carrier) finish() (*Schedule, error) {
	var best *Schedule
	var ends []*moment
	for j := range x.pool {
		var end *moment
		for _, m := range append(x.dark[j][:len(x.dark[j]):len(x.dark[j])], x.lit[j]) {
			if m != nil && (end == nil || m.Better(end.State)) {
				end = m
			}
		}
		if end == nil {
			continue
		}
		ends = append(ends, end)
		if best == nil || end.Better(ends[0].State) {
			ends[0], ends[len(ends)-1] = end, ends[0]
			best = x.back(end)
		}
	}
	if best == nil {
		return nil, errUnconnected
	}
	slices.SortStableFunc(ends[1:], func(a, b *moment) int { return cmp.Compare(a.Total, b.Total) })
	for _, m := range ends[1:min(len(ends), 1+maxOthers)] {
		best.others = append(best.others, x.back(m))
	}
	return best, nil
}

// back reconstructs the schedule that ends with a moment.
func (x *carrier) back(end *moment) *Schedule {
	s := &Schedule{Work: x.work, Choice: make([]*pricing.Candidate, len(x.work.Steps)), Total: end.Total}
	i := len(s.Choice) - 1
	for m := end; m != nil; m = m.before {
		s.Choice[i] = x.pool[m.candidate]
		if m.bounded {
			s.unrouted = append(s.unrouted, i)
		}
		i--
	}
	return s
}
