package pass

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// passWithin returns a pass with a limit in ns. The pass skips a step on a candidate if the cost
// so far, a lower bound on the step, and lower bounds on all later steps on any circuits
// (LeastFrom) add up to more than the limit. No schedule within the limit is lost, so the answer
// is the same as without a limit; if there is none, the error is a *planner.Beyond.
//
// At 1024 GPUs a pool has a ring for every jump, and the pairs of a tree's step are far apart on
// nearly all of them: checking a few pairs is enough to exclude a ring.
func passWithin(limit float64) passer {
	p := prune{limit: limit * (1 + LimitTolerance)}
	return p.pass
}

// prune skips states that cannot be part of a schedule within a limit.
type prune struct {
	limit float64   // ns, with its tolerance
	rest  []float64 // LeastFrom, if there is a limit
	least float64   // the least bound of all skipped states
}

// begin resets the bound on pruned states and computes the bounds that a limit needs.
func (p *prune) begin(w *pricing.Workload) {
	p.least = math.Inf(1)
	if p.rest == nil && !math.IsInf(p.limit, 1) {
		p.rest = w.LeastFrom()
	}
}

// manyCandidates is the pool size from which the pass first prices one schedule as a limit for
// all others: that costs little compared with what it saves.
const manyCandidates = 1 << 13

// limitByBase lowers the limit to the time of all steps on the first candidate of a large pool,
// the base, if that time is known without routes. The best schedule takes no longer.
func (p *prune) limitByBase(ctx context.Context, q *Problem) error {
	if p.rest != nil || len(q.Pool) < manyCandidates {
		return nil
	}
	total := q.delay.first(0).Total
	for i, class := range q.Work.ClassOf {
		cost, exact, err := q.Work.Cost(ctx, q.Pool[0], class)
		if err != nil {
			return err
		}
		if !exact || !q.allows(i, 0) {
			return nil
		}
		total += cost
	}
	p.limit = min(p.limit, total*(1+LimitTolerance))
	return nil
}

// out reports whether no schedule within the limit has a step on a candidate that is reached at
// time arrival.
func (p *prune) out(w *pricing.Workload, c *pricing.Candidate, step int, arrival float64) bool {
	if p.rest == nil || math.IsInf(arrival, 1) {
		return false
	}
	least := arrival + p.rest[step]
	if least <= p.limit && step == 0 {
		least = p.whole(w, c, arrival)
	}
	if least <= p.limit {
		later := arrival + p.rest[step+1]
		if least = later + w.LeastOn(c, w.ClassOf[step], p.limit-later); least <= p.limit {
			return false
		}
	}
	p.least = min(p.least, least)
	return true
}

// whole returns a lower bound on schedules that begin on a candidate, reached at time arrival. If
// a single change exceeds the limit, the schedule must run all steps on this candidate.
func (p *prune) whole(w *pricing.Workload, c *pricing.Candidate, arrival float64) float64 {
	changed := arrival + float64(w.Fabric.LeastBarrier()) + p.rest[0]
	if changed <= p.limit {
		return arrival + p.rest[0]
	}
	for _, class := range w.ClassOf {
		if arrival += w.LeastOn(c, class, p.limit-arrival); arrival > p.limit {
			break
		}
	}
	return min(arrival, changed)
}
