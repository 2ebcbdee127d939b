package staged

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/synthesis"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// synthesise looks for topologies that are not in the pool (HARVEST Eq. 5 and 6), for intervals
// of steps, adds them to the pool and searches the pool again. Its answer is never worse than
// that of the original pool.
//
// Only counted work limits it. The order of the intervals does not depend on the limit, and every
// topology that was the best of its search at some time enters the pool. So with more effort the
// pool is larger and the answer is never worse.
func synthesise(ctx context.Context, r *planner.Request, v *variants, o HarvestOptions) (*pass.Schedule, error) {
	unlimited := *r
	unlimited.Limit = 0 // the pool's best may exceed a limit that a found topology meets
	r = &unlimited
	left := o.effort()
	best, err := v.each(ctx, func(w *pricing.Workload) (*pass.Schedule, error) {
		w.Known = 0 // the search depends on the pool, not on the other variant
		p, err := v.tailored(ctx, r, w)
		if err != nil {
			return nil, err
		}
		s, err := pass.Search(ctx, r, pass.Problem{Work: w, Pool: p.Candidates})
		if err != nil && !isInfeasible(err) {
			return nil, err
		}
		x := &synthesiser{
			request: r, work: w, circuits: w.Fabric, pool: p, best: s, left: left,
			report: plan.Synthesis{Mode: string(o.Synthesis)}, found: pool.NewFound(w),
		}
		err = x.improve(ctx)
		if err == nil && o.Synthesis == SynthesisExact {
			// There are many intervals, and the effort may run out before the long ones. By then
			// the pool has what the local search found.
			x.circuits, x.found = w.Fabric.Ideal(), pool.NewFound(w)
			err = x.everyInterval(ctx)
		}
		if err != nil {
			return nil, err
		}
		if x.best == nil {
			return nil, fmt.Errorf("%w: no topology was found that connects the pairs of every step", planner.ErrInfeasible)
		}
		left = x.left
		x.best.Synthesis = &x.report
		return x.best, nil
	})
	if parts, _ := v.split(ctx); err == nil && (parts != nil || r.Fabric.Overlap.Kind == fabric.OverlapPlanes) {
		// A proof for the given steps does not hold for split steps, and a proof for circuits that
		// all change together does not hold for independent planes.
		best.Synthesis.Proven, best.Synthesis.Bound = false, 0
	}
	return best, err
}

// synthesiser is a run of synthesise on one workload.
type synthesiser struct {
	request *planner.Request
	work    *pricing.Workload
	// circuits is a fabric of equal circuits for which intervals are searched: the request's or,
	// if circuits differ and bounds must hold, one in which all are as good as the best. The
	// result is priced on the actual circuits.
	circuits *fabric.Fabric
	pool     *pool.Pool
	best     *pass.Schedule // nil: none yet
	left     int64          // effort left
	report   plan.Synthesis
	found    *pool.Found
}

// spent reports whether the effort is used up, and records this in the report.
func (x *synthesiser) spent() bool {
	x.report.Spent = x.report.Spent || x.left <= 0
	return x.left <= 0
}

// improve searches topologies for the stages of the best schedule and for intervals around them.
// It starts again whenever it finds a better schedule, and ends when no interval is new or the
// effort is spent.
func (x *synthesiser) improve(ctx context.Context) error {
	for {
		better := false
		for _, iv := range x.around() {
			if x.found.Looked[x.found.Kind(iv)] {
				continue
			}
			if x.spent() {
				return ctx.Err()
			}
			if err := x.look(ctx, iv, synthesis.Search); err != nil {
				return err
			}
			was := x.best
			if err := x.again(ctx); err != nil {
				return err
			}
			if better = x.best != was; better {
				break
			}
		}
		if !better {
			return ctx.Err()
		}
	}
}

// around lists the stages of the best schedule, then each stage joined with the next one and each
// stage with a step more or less at either end.
func (x *synthesiser) around() []pool.Span {
	last := len(x.work.Steps) - 1
	if x.best == nil {
		return []pool.Span{{First: 0, Last: last}}
	}
	var stages []pool.Span
	for i, c := range x.best.Choice {
		if i > 0 && c.Same(x.best.Choice[i-1]) {
			stages[len(stages)-1].Last = i
			continue
		}
		stages = append(stages, pool.Span{First: i, Last: i})
	}
	all := slices.Clone(stages)
	for k, s := range stages {
		if k+1 < len(stages) {
			all = append(all, pool.Span{First: s.First, Last: stages[k+1].Last})
		}
		for _, near := range []pool.Span{{First: s.First - 1, Last: s.Last}, {First: s.First, Last: s.Last + 1}, {First: s.First + 1, Last: s.Last}, {First: s.First, Last: s.Last - 1}} {
			if near.First >= 0 && near.Last <= last && near.First <= near.Last {
				all = append(all, near)
			}
		}
	}
	return all
}

// everyInterval finds the best topology of every interval of steps, the short ones first. If all
// are proven and every reconfiguration takes the same time, the best schedule over them is the
// best there is; otherwise prove enumerates all topologies.
func (x *synthesiser) everyInterval(ctx context.Context) error {
	steps := len(x.work.Steps)
	for length := 1; length <= steps; length++ {
		for first := 0; first+length <= steps; first++ {
			iv := pool.Span{First: first, Last: first + length - 1}
			if x.found.Looked[x.found.Kind(iv)] || x.spent() {
				continue
			}
			x.request.Report((length-1)*steps+first, steps*steps)
			exact := func(ctx context.Context, p synthesis.Problem, starts []*topology.Graph, o synthesis.Options) (*synthesis.Result, error) {
				return synthesis.Exact(ctx, p, o)
			}
			if err := x.look(ctx, iv, exact); err != nil {
				return err
			}
		}
	}
	if err := x.again(ctx); err != nil {
		return err
	}
	if err := x.prove(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

type synthesiseFunc func(context.Context, synthesis.Problem, []*topology.Graph, synthesis.Options) (*synthesis.Result, error)

// look finds a topology for an interval and adds it to the pool, together with all that were the
// best earlier in the search.
func (x *synthesiser) look(ctx context.Context, iv pool.Span, find synthesiseFunc) error {
	kind := x.found.Kind(iv)
	x.found.Looked[kind] = true
	starts, err := x.starts(ctx, iv)
	if err != nil {
		return err
	}
	o := synthesis.Options{Effort: pool.SearchEffort, Work: x.left, Progress: func(p synthesis.Progress) {
		x.request.Say("steps %d-%d: %v, at least %v, gap %.1f%%, %d topologies",
			iv.First+1, iv.Last+1, p.Cost, p.Bound, 100*max(0, float64(p.Cost/p.Bound)-1), p.Evaluations)
	}}
	r, err := find(ctx, pool.IntervalProblem(x.work, x.circuits, iv), starts, o)
	switch {
	case errors.Is(err, synthesis.ErrInfeasible):
		return ctx.Err()
	case errors.Is(err, synthesis.ErrSpent):
		x.left, x.report.Spent = 0, true
		return ctx.Err()
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err() // a partial result depends on when the context ended
	}
	x.left -= r.Work
	x.report.Evaluations += r.Evaluations
	x.report.Effort += r.Work
	x.report.Spent = x.report.Spent || r.Spent
	x.found.Results[kind] = r
	x.pool.AddFound(iv, r)
	return nil
}

// again searches the pool and keeps a better schedule.
func (x *synthesiser) again(ctx context.Context) error {
	s, err := pass.Search(ctx, x.request, pass.Problem{Work: x.work, Pool: x.pool.Candidates})
	if isInfeasible(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if x.best == nil || s.Total < x.best.Total*(1-pricing.TieTolerance) {
		x.best = s
		x.request.Say("%v", units.Time(s.Total))
	}
	return nil
}

// maxStarts is the number of topologies of the pool that a search starts from.
const maxStarts = 8

// starts returns the topologies of the pool that are best for an interval under the costs known.
func (x *synthesiser) starts(ctx context.Context, iv pool.Span) ([]*topology.Graph, error) {
	type scored struct {
		c    *pricing.Candidate
		cost float64
	}
	var all []scored
	for _, c := range x.pool.Candidates {
		sum := 0.0
		for i := iv.First; i <= iv.Last && !math.IsInf(sum, 1); i++ {
			cost, _, err := x.work.Cost(ctx, c, x.work.ClassOf[i])
			if err != nil {
				return nil, err
			}
			sum += cost
		}
		if !math.IsInf(sum, 1) {
			all = append(all, scored{c, sum})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.cost, b.cost) })
	var graphs []*topology.Graph
	for _, s := range all[:min(maxStarts, len(all))] {
		graphs = append(graphs, s.c.Topology())
	}
	return graphs, nil
}
