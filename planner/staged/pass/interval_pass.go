package pass

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// intervalPass is a pass for a fabric on which circuits can be set up on free ports while the
// previous stage is sending (fabric.OverlapPorts). A change then takes what is left of its delay
// after that stage, max(0, delay - time of the stage). This is not additive over steps, so the
// state is the start of a stage: the best way to have candidate c up before step i. From there
// the pass tries every end of the stage.
//
// After a stage of time T that starts at cost V, the next one starts at V + T + delay, or at V +
// max(T, delay) on circuits that find free ports. So of two stages on the same circuits with the
// same end, one that neither starts nor ends at a higher cost is always at least as good, and few
// remain: O(steps^2*pool) stages are examined, and O(steps*pool^2) moves if few remain. Both
// costs grow with T, so lower bounds on the times of steps give a lower bound on the whole, and
// the search stays lazy.
func intervalPass(ctx context.Context, report func(done, total int), q *Problem) (*Schedule, error) {
	x := &intervals{work: q.Work, pool: q.Pool, delay: q.delay, allowed: q.allows, steps: len(q.Work.Steps)}
	if err := x.prepare(ctx); err != nil {
		return nil, err
	}
	for i := range x.steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report(i, x.steps)
		ended := x.ended(i)
		for c := range q.Pool {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x.arrive(i, c, ended)
		}
		for c := range q.Pool {
			x.extend(i, c)
		}
	}
	return x.finish()
}

// intervals is the table of intervalPass.
type intervals struct {
	work    *pricing.Workload
	pool    []*pricing.Candidate
	delay   *delays
	allowed func(step, candidate int) bool
	steps   int

	cost  [][]float64 // of a step on a candidate
	start [][]start   // by step and candidate: the best start of a stage there
	ends  [][][]stage // by last step and candidate: the stages that end there
}

// start is the best way to start a stage.
type start struct {
	pricing.State
	from, nth int // candidate and index within ends of the step before; -1 at the beginning
}

// stage is a run of steps, from first on, with one candidate up.
type stage struct {
	first int
	begin pricing.State
	time  float64
}

func (x *intervals) prepare(ctx context.Context) error {
	x.cost = make([][]float64, x.steps)
	x.start = make([][]start, x.steps)
	x.ends = make([][][]stage, x.steps)
	for i := range x.steps {
		x.cost[i] = make([]float64, len(x.pool))
		x.start[i] = make([]start, len(x.pool))
		x.ends[i] = make([][]stage, len(x.pool))
		for c, candidate := range x.pool {
			x.cost[i][c] = math.Inf(1)
			if !x.allowed(i, c) {
				continue
			}
			var err error
			if x.cost[i][c], _, err = x.work.Cost(ctx, candidate, x.work.ClassOf[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ending is a stage that ends with a step, by candidate and index within ends.
type ending struct {
	total    float64
	old, nth int
}

// ended lists the stages that end with the step before i, the earliest first.
func (x *intervals) ended(i int) []ending {
	if i == 0 {
		return nil
	}
	var all []ending
	for old, stages := range x.ends[i-1] {
		for e, s := range stages {
			all = append(all, ending{s.begin.Total + s.time, old, e})
		}
	}
	slices.SortStableFunc(all, func(a, b ending) int { return cmp.Compare(a.total, b.total) })
	return all
}

// arrive finds the best way to have candidate c up before step i, after one of the stages that
// end with the step before.
func (x *intervals) arrive(i, c int, ended []ending) {
	best := start{pricing.State{Total: math.Inf(1)}, -1, -1}
	if i == 0 {
		best.State = x.delay.first(c)
		x.start[i][c] = best
		return
	}
	if math.IsInf(x.cost[i][c], 1) {
		x.start[i][c] = best
		return
	}
	sync := x.work.Sync()
	for _, e := range ended {
		if e.total+sync > best.Total*(1+pricing.TieTolerance) {
			break // later ones are too late as well
		}
		if e.old == c {
			continue
		}
		s, wait := &x.ends[i-1][e.old][e.nth], x.delay.between(e.old, c)
		moved := pricing.State{Total: s.begin.Total + max(s.time, wait-sync) + sync, Changes: s.begin.Changes + 1}
		if !moved.Better(best.State) {
			continue // not even if there are ports for both
		}
		if !x.delay.spare(e.old, c) {
			moved.Total = e.total + wait
		}
		if moved.Better(best.State) {
			best = start{moved, e.old, e.nth}
		}
	}
	x.start[i][c] = best
}

// extend lists the stages that begin with candidate c at step i.
func (x *intervals) extend(i, c int) {
	begin := x.start[i][c].State
	if math.IsInf(begin.Total, 1) {
		return
	}
	time := 0.0
	for j := i; j < x.steps; j++ {
		time += x.cost[j][c]
		if math.IsInf(time, 1) {
			return
		}
		x.keep(j, c, stage{i, begin, time})
	}
}

// keep adds a stage to those that end at step j, unless another stage on the same candidate
// begins and ends at no higher cost. The other is then as good whatever follows, with or without
// free ports.
func (x *intervals) keep(j, c int, s stage) {
	for _, known := range x.ends[j][c] {
		if !s.begin.Better(known.begin) &&
			!(pricing.State{Total: s.begin.Total + s.time, Changes: s.begin.Changes}).Better(pricing.State{Total: known.begin.Total + known.time, Changes: known.begin.Changes}) {
			return
		}
	}
	x.ends[j][c] = append(x.ends[j][c], s)
}

// finish reconstructs the schedule from the best stage that ends with the last step.
func (x *intervals) finish() (*Schedule, error) {
	best := start{pricing.State{Total: math.Inf(1)}, -1, -1}
	for c, stages := range x.ends[x.steps-1] {
		for e, s := range stages {
			if total := (pricing.State{Total: s.begin.Total + s.time, Changes: s.begin.Changes}); total.Better(best.State) {
				best = start{total, c, e}
			}
		}
	}
	if best.from < 0 {
		return nil, errUnconnected
	}
	s := &Schedule{Work: x.work, Choice: make([]*pricing.Candidate, x.steps), Total: best.Total}
	at := best
	for end := x.steps - 1; end >= 0; {
		stage := x.ends[end][at.from][at.nth]
		for i := stage.first; i <= end; i++ {
			s.Choice[i] = x.pool[at.from]
		}
		at = x.start[stage.first][at.from]
		end = stage.first - 1
	}
	return s, nil
}
