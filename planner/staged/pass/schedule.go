package pass

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
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// errUnconnected says that no topology of the pool serves some step.
var errUnconnected = fmt.Errorf("%w: no topology connects the pairs of every step", planner.ErrInfeasible)

// Problem is what a search chooses from: a topology of the pool for every step.
type Problem struct {
	Work    *pricing.Workload
	Pool    []*pricing.Candidate
	Allowed func(step, candidate int) bool // which candidates a step may use; nil: all

	delay *delays // between candidates
}

func (q *Problem) allows(step, candidate int) bool {
	return q.Allowed == nil || q.Allowed(step, candidate)
}

// Schedule is the choice of a topology for every step.
type Schedule struct {
	Work   *pricing.Workload
	Choice []*pricing.Candidate // per step
	Total  float64              // ns
	// unrouted lists the steps whose wait for circuits is only a bound, because they have no
	// routes.
	unrouted []int
	others   []*Schedule // schedules that may prove to be the best, the best first

	Synthesis *plan.Synthesis // how topologies were searched for; nil if they were not
}

// Search finds the best sequence of topologies: HARVEST's Algorithm 1 without its loop over the
// number of reconfigurations. The delay is additive, so the state is only the topology that is
// up, and one pass over steps and candidates suffices: O(steps*pool) with a constant delay,
// O(steps*pool^2) where the delay depends on what changes, instead of O(steps^4) solutions of the
// inner problem. Both are exact for the pool.
//
// If the time of a step on a candidate takes a linear program, the pass uses a lower bound. Then
// the times on the best sequence are computed and the pass is repeated, until all times on the
// best sequence are known. No other sequence can beat it, and few programs are solved (lazy
// evaluation, as in Dellin and Srinivasa, ICAPS 2016).
//
// If package flow only approximates a program, "known" is the time of the routes it found, and
// the best sequence is the best for those routes.
//
// Search gives up if no sequence is within the request's limit.
func Search(ctx context.Context, r *planner.Request, q Problem) (*Schedule, error) {
	return searchBy(ctx, r, q, passWithin(q.Work.Limit(r)))
}

// searchBy is Search with a given pass, which is used if changes and steps do not overlap.
func searchBy(ctx context.Context, r *planner.Request, q Problem, run passer) (*Schedule, error) {
	delay, err := newDelays(ctx, q.Work, q.Pool)
	if err != nil {
		return nil, err
	}
	q.delay = delay
	limit := q.Work.Limit(r)
	switch q.Work.Fabric.Overlap.Kind {
	case fabric.OverlapPorts:
		return repeated(ctx, r.Report, limit, intervalPass, &q)
	case fabric.OverlapCircuits:
		// The best schedule without overlap takes no longer with it.
		without, err := repeated(ctx, func(int, int) {}, math.Inf(1), plain, &q)
		if err != nil {
			return nil, err
		}
		return repeated(ctx, r.Report, limit, carriedWithin(min(without.Total, q.Work.Within())*(1+LimitTolerance)), &q)
	}
	return repeated(ctx, r.Report, limit, run, &q)
}

// passer is a pass over steps and candidates: the best sequence under the times and bounds
// known so far.
type passer func(ctx context.Context, report func(done, total int), q *Problem) (*Schedule, error)

// repeated runs a pass until all times on its best sequence are known, or until their lower bound
// exceeds a limit in ns.
func repeated(ctx context.Context, progress func(done, total int), limit float64, run passer, q *Problem) (*Schedule, error) {
	report := progress // the first pass takes longest
	for settled := 0; ; report = func(int, int) {} {
		s, err := run(ctx, report, q)
		if err != nil {
			return nil, err
		}
		// The schedule's time is a lower bound so far.
		if s.Total > limit*(1+LimitTolerance) {
			return nil, &planner.Beyond{Least: units.Time(s.Total)}
		}
		open, closer, err := s.open(ctx)
		if err != nil || len(open) == 0 && !closer {
			return s, err
		}
		if len(open) == 0 {
			continue // repeat the pass with the better bounds
		}
		progress(settled, settled+len(open))
		if !math.IsInf(limit, 1) {
			s.smallFirst(open) // they may rule out the others
		}
		open = open[:min(SettleBatch, len(open))]
		settled += len(open)
		if err := s.settle(ctx, open, limit); err != nil {
			return nil, err
		}
		if err := s.settleOthers(ctx); err != nil {
			return nil, err
		}
	}
}

// SettleBatch is the number of step times computed between passes. It is small, because these few
// may already rule the sequence out, but more than one, because they run in parallel. It does not
// depend on the machine, so the answer does not either.
const SettleBatch = 4

// settle computes the times of the given steps on their candidates, or bounds that prove that no
// sequence with that step on that candidate is within the limit. The schedule's time is a lower
// bound on all schedules; if one of its steps takes longer than assumed, every schedule with that
// step on that candidate takes longer by at least the difference. This does not hold if changes
// and steps overlap.
func (s *Schedule) settle(ctx context.Context, steps []int, limit float64) error {
	if o := s.Work.Fabric.Overlap.Kind; o == fabric.OverlapPorts || o == fabric.OverlapCircuits {
		limit = math.Inf(1)
	}
	slack := limit*(1+LimitTolerance) - s.Total
	within := make([]float64, len(steps))
	for k, i := range steps {
		s.Work.Share(s.Choice[i], &s.Work.Classes[s.Work.ClassOf[i]])
		known, _, err := s.Work.Cost(ctx, s.Choice[i], s.Work.ClassOf[i])
		if err != nil {
			return err
		}
		within[k] = s.Work.Until(s.Choice[i], s.Work.ClassOf[i], known+slack)
	}
	found := make([]*pricing.Routed, len(steps))
	errs := make([]error, len(steps))
	threads.Each(ctx, len(steps), func(k int) {
		i := steps[k]
		found[k], errs[k] = s.Work.Route(ctx, s.Choice[i], &s.Work.Classes[s.Work.ClassOf[i]], within[k])
	})
	for k, i := range steps {
		var slower *flow.Slower
		if errors.As(errs[k], &slower) {
			s.Work.AtLeast(s.Choice[i], s.Work.ClassOf[i], within[k], slower.Least)
			continue
		}
		if errs[k] != nil {
			return errs[k]
		}
		s.Work.Settle(s.Choice[i], s.Work.ClassOf[i], found[k])
	}
	return nil
}

// settleWork is the work done for other sequences between passes, in demands times bundles. If
// routes are cheap, as for steps and circuits that look the same from every node, a pass takes
// longer than the routes it asks for.
const settleWork = 1 << 13

// smallFirst orders steps by roughly how long they take to route.
func (s *Schedule) smallFirst(steps []int) {
	size := make(map[int]int, len(steps))
	for _, i := range steps {
		g := s.Choice[i].Topology()
		size[i] = s.size(i) * g.Bundles()
	}
	slices.SortStableFunc(steps, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
}

// size is the number of demands of a step that are to be routed.
func (s *Schedule) size(step int) int {
	class := &s.Work.Classes[s.Work.ClassOf[step]]
	group := class.On(s.Choice[step].Topology())
	return len(class.Demands) * (class.Step.Group.Order() / group.Order())
}

// settleOthers computes step times on the next best sequences, as far as settleWork allows.
func (s *Schedule) settleOthers(ctx context.Context) error {
	left := settleWork
	for _, o := range s.others {
		open, _, err := o.open(ctx)
		if err != nil {
			return err
		}
		for _, i := range open {
			g := o.Choice[i].Topology()
			if left -= len(o.Work.Problem(g, &o.Work.Classes[o.Work.ClassOf[i]]).Demands) * g.Bundles(); left < 0 {
				return nil
			}
			if err := o.settle(ctx, []int{i}, math.Inf(1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// open lists the steps whose time on their candidate, or whose wait for circuits, is only a
// bound; each pair of class and candidate appears once. It also reports whether a closer look has
// raised the bound of some step above the schedule's.
func (s *Schedule) open(ctx context.Context) (steps []int, closer bool, err error) {
	type pair struct {
		c     *pricing.Candidate
		class int
	}
	seen := map[pair]bool{}
	for i, c := range s.Choice {
		p := pair{c, s.Work.ClassOf[i]}
		before, _, err := s.Work.Cost(ctx, c, p.class)
		if err != nil {
			return nil, false, err
		}
		cost, exact, err := s.Work.Closely(ctx, c, p.class)
		if err != nil {
			return nil, false, err
		}
		closer = closer || cost > before*(1+pricing.TieTolerance)
		if (!exact || slices.Contains(s.unrouted, i)) && !seen[p] {
			seen[p] = true
			steps = append(steps, i)
		}
	}
	return steps, closer, nil
}

// plain finds the best sequence under the times and bounds known so far.
func plain(ctx context.Context, report func(done, total int), q *Problem) (*Schedule, error) {
	return passWithin(math.Inf(1))(ctx, report, q)
}

// pass is the dynamic program, without states that cannot lead to a schedule within the limit.
func (p *prune) pass(ctx context.Context, report func(done, total int), q *Problem) (*Schedule, error) {
	if err := p.limitByBase(ctx, q); err != nil {
		return nil, err
	}
	p.begin(q.Work)
	if p.stays(q.delay) {
		after, err := p.stayed(ctx, report, q)
		if err != nil {
			return nil, err
		}
		return p.finish(q, after, func(_, end int) int { return end })
	}
	now := make([]pricing.State, len(q.Pool))
	next := make([]pricing.State, len(q.Pool))
	for j := range q.Pool {
		if now[j] = (pricing.State{Total: math.Inf(1)}); q.allows(0, j) {
			now[j] = q.delay.first(j)
		}
	}
	trails := make([]trail, len(q.Work.Steps))
	for i := range q.Work.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report(i, len(q.Work.Steps))
		q.delay.begin(now)
		trails[i] = q.delay.newTrail(len(q.Pool))
		for j, c := range q.Pool {
			next[j] = pricing.State{Total: math.Inf(1)}
			if !q.allows(i, j) {
				continue
			}
			if j%256 == 255 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			best, origin := now[j], j
			if i > 0 {
				best, origin = q.delay.arrive(now, j)
			}
			if math.IsInf(best.Total, 1) || p.out(q.Work, c, i, best.Total) {
				continue
			}
			cost, _, err := q.Work.Cost(ctx, c, q.Work.ClassOf[i])
			if err != nil {
				return nil, err
			}
			if math.IsInf(cost, 1) {
				continue
			}
			next[j] = pricing.State{Total: best.Total + cost, Changes: best.Changes}
			trails[i].record(j, origin)
		}
		now, next = next, now
	}
	return p.finish(q, now, func(step, end int) int { return trails[step].origin(end) })
}

// finish returns the best of the schedules that end on each candidate. before(step, on) returns
// the candidate of the previous step for a schedule that is on candidate on after step.
func (p *prune) finish(q *Problem, now []pricing.State, before func(step, on int) int) (*Schedule, error) {
	end := 0
	for j := range now {
		if now[j].Better(now[end]) {
			end = j
		}
	}
	if len(q.Pool) > 0 && math.IsInf(now[end].Total, 1) && !math.IsInf(p.least, 1) {
		return nil, &planner.Beyond{Least: units.Time(p.least)}
	}
	if len(q.Pool) == 0 || math.IsInf(now[end].Total, 1) {
		return nil, errUnconnected
	}
	s := &Schedule{Work: q.Work, Choice: make([]*pricing.Candidate, len(q.Work.Steps)), Total: now[end].Total}
	for i := len(q.Work.Steps) - 1; i >= 0; i-- {
		s.Choice[i] = q.Pool[end]
		end = before(i, end)
	}
	return s, nil
}

// trail records where the best way to each candidate came from. With a uniform delay every state
// stayed or came from the leader, so one bit each is enough.
type trail struct {
	leader int
	moved  []uint64
	from   []int32 // if the delay is not uniform
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

// Charged counts the changes of a schedule that are charged.
func (s *Schedule) Charged() (int, error) {
	up, err := s.Work.Fabric.InitialTopology()
	if err != nil {
		return 0, err
	}
	base, err := s.Work.Fabric.Resting()
	if err != nil {
		return 0, err
	}
	// paid reports whether steps on a candidate are charged even after others on the same one.
	paid := func(*pricing.Candidate) bool { return false }
	if base != nil {
		resting := pricing.GraphCandidate(base)
		paid = func(c *pricing.Candidate) bool { return !resting.Same(c) }
	}
	count := 0
	if up != nil && (!pricing.GraphCandidate(up).Same(s.Choice[0]) || paid(s.Choice[0])) {
		count++
	}
	for i := 1; i < len(s.Choice); i++ {
		if !s.Choice[i].Same(s.Choice[i-1]) || paid(s.Choice[i]) {
			count++
		}
	}
	return count, nil
}
