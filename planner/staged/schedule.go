package staged

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// schedule is the choice of a topology for every step.
type schedule struct {
	work   *workload
	choice []*candidate // per step
	total  float64      // ns
	// unrouted are steps whose wait for circuits is only a bound, for want of routes.
	unrouted []int
	others   []*schedule // that could be the best once more is known, the best first

	synthesis *plan.Synthesis // where topologies were looked for
}

// search finds the best sequence of topologies: HARVEST's Algorithm 1 without its
// loop over the number of reconfigurations. As the delay is additive, the state need
// only be the topology that is up, so one pass over steps and candidates suffices:
// O(steps*pool) with a constant delay, O(steps*pool^2) where the delay depends on
// what changes, instead of O(steps^4) solutions of the inner problem. Both are exact
// for the pool.
//
// Where the time of a step on a candidate takes a linear program, the pass uses a
// lower bound, and the times on the best sequence are then computed and the pass
// repeated, until all times on the best sequence are known: no other can beat it, and
// few programs are solved (lazy evaluation, as in Dellin and Srinivasa, ICAPS 2016).
//
// Where flow only approximates a program, "known" is the time of the routes it found,
// and the best sequence is the best for those routes.
//
// It gives up where no sequence takes as little as the request's limit.
//
// allowed says which candidates a step may use.
func search(ctx context.Context, r *planner.Request, w *workload, pool []*candidate, allowed func(step, candidate int) bool) (*schedule, error) {
	return searchBy(ctx, r, w, pool, allowed, passWithin(w.limit(r)))
}

// searchBy is search with a pass where changes and steps do not overlap.
func searchBy(ctx context.Context, r *planner.Request, w *workload, pool []*candidate, allowed func(step, candidate int) bool, run passer) (*schedule, error) {
	delay, err := newDelays(ctx, w, pool)
	if err != nil {
		return nil, err
	}
	limit := w.limit(r)
	switch w.fabric.Overlap.Kind {
	case fabric.OverlapPorts:
		return repeated(ctx, r.Report, limit, intervalPass, w, pool, delay, allowed)
	case fabric.OverlapCircuits:
		// The best schedule without overlap takes no longer with it.
		without, err := repeated(ctx, func(int, int) {}, math.Inf(1), pass, w, pool, delay, allowed)
		if err != nil {
			return nil, err
		}
		return repeated(ctx, r.Report, limit, carriedWithin(min(without.total, w.within())*(1+limitTolerance)), w, pool, delay, allowed)
	}
	return repeated(ctx, r.Report, limit, run, w, pool, delay, allowed)
}

// passer is a pass over steps and candidates: the best sequence under the times and bounds
// known so far.
type passer func(ctx context.Context, report func(done, total int), w *workload, pool []*candidate, delay *delays, allowed func(step, candidate int) bool) (*schedule, error)

// repeated runs a pass until all times on its best sequence are known, or until what is
// known of them is beyond a limit, in ns.
func repeated(ctx context.Context, progress func(done, total int), limit float64, run passer, w *workload, pool []*candidate, delay *delays, allowed func(step, candidate int) bool) (*schedule, error) {
	report := progress // the first pass is the long one
	for settled := 0; ; report = func(int, int) {} {
		s, err := run(ctx, report, w, pool, delay, allowed)
		if err != nil {
			return nil, err
		}
		// What is known so far bounds the time from below.
		if s.total > limit*(1+limitTolerance) {
			return nil, &planner.Beyond{Least: units.Time(s.total)}
		}
		open, closer, err := s.open(ctx)
		if err != nil || len(open) == 0 && !closer {
			return s, err
		}
		if len(open) == 0 {
			continue // with what a closer look has shown
		}
		progress(settled, settled+len(open))
		if !math.IsInf(limit, 1) {
			s.smallFirst(open) // which may rule the others out
		}
		open = open[:min(settleBatch, len(open))]
		settled += len(open)
		if err := s.settle(ctx, open, limit); err != nil {
			return nil, err
		}
		if err := s.settleOthers(ctx); err != nil {
			return nil, err
		}
	}
}

// settleBatch is how many times are computed between passes: few, because they may
// already rule the sequence out; more than one, because they run side by side. It does
// not depend on the machine, so that the answer does not either.
const settleBatch = 4

// settle computes the times of the given steps on their candidates, or bounds that say that
// no sequence with that step on that candidate is within the limit: the schedule is the best
// there may be, so that one with that step takes at least as much longer as the step does.
// Where changes and steps overlap that is not so.
func (s *schedule) settle(ctx context.Context, steps []int, limit float64) error {
	if o := s.work.fabric.Overlap.Kind; o == fabric.OverlapPorts || o == fabric.OverlapCircuits {
		limit = math.Inf(1)
	}
	slack := limit*(1+limitTolerance) - s.total
	within := make([]float64, len(steps))
	for k, i := range steps {
		s.work.share(s.choice[i], &s.work.classes[s.work.classOf[i]])
		known, _, err := s.work.cost(ctx, s.choice[i], s.work.classOf[i])
		if err != nil {
			return err
		}
		within[k] = s.work.until(s.choice[i], s.work.classOf[i], known+slack)
	}
	found := make([]*routed, len(steps))
	errs := make([]error, len(steps))
	threads.Each(ctx, len(steps), func(k int) {
		i := steps[k]
		found[k], errs[k] = s.work.route(ctx, s.choice[i], &s.work.classes[s.work.classOf[i]], within[k])
	})
	for k, i := range steps {
		var slower *flow.Slower
		if errors.As(errs[k], &slower) {
			s.work.atLeast(s.choice[i], s.work.classOf[i], within[k], slower.Least)
			continue
		}
		if errs[k] != nil {
			return errs[k]
		}
		s.work.settle(s.choice[i], s.work.classOf[i], found[k])
	}
	return nil
}

// settleWork is how much is computed for other sequences between passes, in demands times
// bundles: where that is little, as with steps and circuits that look the same from every
// node, a pass takes longer than the routes it asks for.
const settleWork = 1 << 13

// smallFirst orders steps by what it takes to route them, about.
func (s *schedule) smallFirst(steps []int) {
	size := make(map[int]int, len(steps))
	for _, i := range steps {
		g := s.choice[i].topology()
		size[i] = s.size(i) * g.Bundles()
	}
	slices.SortStableFunc(steps, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
}

// size is the number of demands of a step that are to be routed.
func (s *schedule) size(step int) int {
	class := &s.work.classes[s.work.classOf[step]]
	group := class.on(s.choice[step].topology())
	return len(class.demands) * (class.step.Group.Order() / group.Order())
}

// settleOthers computes times on the sequences that come next, as far as settleWork goes.
func (s *schedule) settleOthers(ctx context.Context) error {
	left := settleWork
	for _, o := range s.others {
		open, _, err := o.open(ctx)
		if err != nil {
			return err
		}
		for _, i := range open {
			g := o.choice[i].topology()
			if left -= len(o.work.problem(g, &o.work.classes[o.work.classOf[i]]).Demands) * g.Bundles(); left < 0 {
				return nil
			}
			if err := o.settle(ctx, []int{i}, math.Inf(1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// open lists the steps whose time on their candidate, or wait for circuits, is only a
// bound, each pair of class and candidate once. It reports whether a closer look has shown
// that some step takes longer than the schedule says.
func (s *schedule) open(ctx context.Context) (steps []int, closer bool, err error) {
	type pair struct {
		c     *candidate
		class int
	}
	seen := map[pair]bool{}
	for i, c := range s.choice {
		p := pair{c, s.work.classOf[i]}
		before, _, err := s.work.cost(ctx, c, p.class)
		if err != nil {
			return nil, false, err
		}
		cost, exact, err := s.work.closely(ctx, c, p.class)
		if err != nil {
			return nil, false, err
		}
		closer = closer || cost > before*(1+tieTolerance)
		if (!exact || slices.Contains(s.unrouted, i)) && !seen[p] {
			seen[p] = true
			steps = append(steps, i)
		}
	}
	return steps, closer, nil
}

// pass finds the best sequence under the times and bounds known so far.
func pass(ctx context.Context, report func(done, total int), w *workload, pool []*candidate, delay *delays, allowed func(step, candidate int) bool) (*schedule, error) {
	return passWithin(math.Inf(1))(ctx, report, w, pool, delay, allowed)
}

// pass is pass without what is of no use.
func (p *prune) pass(ctx context.Context, report func(done, total int), w *workload, pool []*candidate, delay *delays, allowed func(step, candidate int) bool) (*schedule, error) {
	p.begin(w)
	if p.stays(delay) {
		after, err := p.stayed(ctx, report, w, pool, delay, allowed)
		if err != nil {
			return nil, err
		}
		return p.finish(w, pool, after, func(_, end int) int { return end })
	}
	if err := p.lookBack(ctx, w, pool, delay, allowed); err != nil {
		return nil, err
	}
	now := make([]state, len(pool))
	next := make([]state, len(pool))
	for j := range pool {
		if now[j] = (state{total: math.Inf(1)}); allowed(0, j) {
			now[j] = delay.first(j)
		}
	}
	trails := make([]trail, len(w.steps))
	for i := range w.steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report(i, len(w.steps))
		delay.begin(now)
		trails[i] = delay.newTrail(len(pool))
		for j, c := range pool {
			next[j] = state{total: math.Inf(1)}
			if !allowed(i, j) {
				continue
			}
			if j%256 == 255 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			best, origin := now[j], j
			if i > 0 {
				best, origin = delay.arrive(now, j)
			}
			if math.IsInf(best.total, 1) || p.out(w, c, i, best.total) {
				continue
			}
			cost, _, err := w.cost(ctx, c, w.classOf[i])
			if err != nil {
				return nil, err
			}
			if math.IsInf(cost, 1) {
				continue
			}
			next[j] = state{best.total + cost, best.changes}
			trails[i].record(j, origin)
		}
		now, next = next, now
	}
	return p.finish(w, pool, now, func(step, end int) int { return trails[step].origin(end) })
}

// finish returns the best of the schedules that end on each candidate. before says on which
// candidate a schedule is before the step after which it is on another.
func (p *prune) finish(w *workload, pool []*candidate, now []state, before func(step, on int) int) (*schedule, error) {
	end := 0
	for j := range now {
		if now[j].better(now[end]) {
			end = j
		}
	}
	if len(pool) > 0 && math.IsInf(now[end].total, 1) && !math.IsInf(p.least, 1) {
		return nil, &planner.Beyond{Least: units.Time(p.least)}
	}
	if len(pool) == 0 || math.IsInf(now[end].total, 1) {
		return nil, fmt.Errorf("%w: no topology connects the pairs of every step", planner.ErrInfeasible)
	}
	s := &schedule{work: w, choice: make([]*candidate, len(w.steps)), total: now[end].total}
	for i := len(w.steps) - 1; i >= 0; i-- {
		s.choice[i] = pool[end]
		end = before(i, end)
	}
	return s, nil
}

// trail remembers where the best way to each candidate came from. With a uniform
// delay everybody stayed or came from the leader: a bit each.
type trail struct {
	leader int
	moved  []uint64
	from   []int32 // where the delay is not uniform
}

func (d *delays) newTrail(pool int) trail {
	if d.pair != nil {
		return trail{from: make([]int32, pool)}
	}
	return trail{leader: d.leader, moved: make([]uint64, (pool+63)/64)}
}

func (t *trail) record(j, origin int) {
	switch {
	case t.from != nil:
		t.from[j] = int32(origin)
	case origin != j:
		t.moved[j/64] |= 1 << (j % 64)
	}
}

func (t *trail) origin(j int) int {
	switch {
	case t.from != nil:
		return int(t.from[j])
	case t.moved[j/64]>>(j%64)&1 == 1:
		return t.leader
	}
	return j
}

// charged counts the changes of a schedule that are charged.
func (s *schedule) charged() (int, error) {
	up, err := s.work.fabric.InitialTopology()
	if err != nil {
		return 0, err
	}
	count := 0
	if up != nil && !graphCandidate(up).same(s.choice[0]) {
		count++
	}
	for i := 1; i < len(s.choice); i++ {
		if !s.choice[i].same(s.choice[i-1]) {
			count++
		}
	}
	return count, nil
}
