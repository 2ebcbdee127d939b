package iterating

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/online"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// even is the skew of the plan with which a trace begins.
const even = "uniform"

// mostTried is the number of pairs of a plan and a step up to which every plan is tried in every
// step, and mostMembers is the largest size of groups for which that is done.
const (
	mostTried   = 2500
	mostMembers = 16
)

// follow decides, step by step of a trace, what to keep and when to reconfigure. The answer is
// the plan of the last step.
func follow(ctx context.Context, r *IterateRequest, w *workload.Workload, plans *groups) (*iteration.Document, error) {
	_, members, err := w.Skewed(even)
	if err != nil {
		return nil, field.In("demand_trace", err)
	}
	trace, err := r.DemandTrace.Of(members)
	if err != nil {
		return nil, field.In("demand_trace", err)
	}
	g, err := newGame(ctx, r, w, &groups{e: plans.e}) // without progress reports
	if err != nil {
		return nil, err
	}
	for _, d := range trace {
		if err := g.add(ctx, d.Spec()); err != nil {
			return nil, err
		}
	}
	exact := members <= mostMembers && 2*len(g.demands)*len(trace) <= mostTried
	report := plans.report
	if report != nil && exact { // the plan in hindsight takes the same time again
		report = func(done, total int) { plans.report(done, 2*total) }
	}
	played, err := online.Follow(ctx, g, report)
	if err != nil {
		return nil, err
	}
	answer := &iteration.Online{Total: played.Total, Rewired: played.Rewired, Plans: played.States, Static: played.Home, Newest: played.Newest}
	for t, s := range played.Steps {
		last, err := g.run(ctx, s.State, t)
		if err != nil {
			return nil, err
		}
		step := iteration.OnlineStep{Step: t, Plan: s.State, Own: g.demand[s.State] == g.of[t], Rewired: s.Rewired, Time: s.Time, Static: s.Home, Newest: s.Newest, Bound: last.Bound}
		answer.Steps, answer.Bound = append(answer.Steps, step), answer.Bound+step.Bound
	}
	answer.Ratio = answer.Total.Over(answer.Bound)
	if exact {
		if report != nil {
			report = func(done, total int) { plans.report(total+done, 2*total) }
		}
		best, err := online.Hindsight(ctx, g, played.States, report)
		if err != nil {
			return nil, err
		}
		answer.Hindsight, answer.Fixed, answer.Ratio = best.Total, best.Fixed, answer.Total.Over(best.Total)
	}
	d, err := g.prove(ctx, played)
	if err != nil {
		return nil, err
	}
	d.Online = answer
	return d, nil
}

// demand is a workload whose all-to-alls have one demand of a trace, or even demand.
type demand struct {
	skew    string
	graph   *workload.Graph
	program *iteration.Program
}

// game is the steps of a trace as an online.Game.
type game struct {
	request  *IterateRequest
	plans    *groups
	workload *workload.Workload
	demands  map[int]*demand           // distinct demands, by number; even demand is 0
	last     int                       // number of a demand
	of       map[int]int               // demands, by step
	steps    int                       // number of steps added
	states   map[int]*iteration.Run    // planned states, by number
	newest   int                       // number of a state
	early    *iteration.Run            // home, if all-to-alls took no time
	demand   map[int]int               // for which each state was planned
	planned  map[int][]int             // states, by demand
	runs     map[[2]int]*iteration.Run // by state and demand; nil if impossible
}

// newGame begins a game with home, the plan for even demand.
func newGame(ctx context.Context, r *IterateRequest, w *workload.Workload, plans *groups) (*game, error) {
	g := &game{request: r, plans: plans, workload: w, demands: map[int]*demand{}, of: map[int]int{}, states: map[int]*iteration.Run{},
		demand: map[int]int{}, planned: map[int][]int{}, runs: map[[2]int]*iteration.Run{}}
	made, err := g.make(ctx, even)
	if err != nil {
		return nil, err
	}
	g.demands[0] = made
	return g, g.home(ctx)
}

// add adds a step with a skew.
func (g *game) add(ctx context.Context, skew string) error {
	number, err := g.number(ctx, skew)
	if err == nil {
		g.of[g.steps] = number
		g.steps++
	}
	return err
}

// number returns the number of the demand with a skew.
func (g *game) number(ctx context.Context, skew string) (int, error) {
	for i, d := range g.demands {
		if i > 0 && d.skew == skew {
			return i, nil
		}
	}
	made, err := g.make(ctx, skew)
	if err != nil {
		return 0, err
	}
	g.last++
	g.demands[g.last] = made
	return g.last, nil
}

// make makes the workload with a skew. If a model says what experts compute, popular experts
// take longer.
func (g *game) make(ctx context.Context, skew string) (*demand, error) {
	w, _, err := g.workload.Skewed(skew)
	if g.request.Model != nil {
		config := g.request.Config
		config.Skew = skew
		w, err = parallel.Make(g.request.Model, config)
	}
	if err != nil {
		return nil, err
	}
	graph, err := graphOf(ctx, w)
	if err != nil {
		return nil, err
	}
	return &demand{skew, graph, iteration.NewProgram(graph)}, nil
}

// Steps implements online.Game.
func (g *game) Steps() int { return g.steps }

// Back implements online.Game. Experts compute no less than with even demand.
func (g *game) Back(state int) units.Time {
	if g.early == nil {
		g.early = g.states[0].Early()
	}
	return g.early.Enter(g.states[state])
}

// Delay implements online.Game.
func (g *game) Delay() units.Time { return g.states[0].Repertoire.Delay }

// home plans for even demand.
func (g *game) home(ctx context.Context) error {
	runs, err := g.plan(ctx, 0)
	if err != nil {
		return err
	}
	last := runs[len(runs)-1]
	if !last.Carries() {
		return field.Errorf("demand_trace", "%w: a trace is followed from circuits that stay up and carry every demand out, and with %s there are none; want more",
			planner.ErrInfeasible, units.Count(g.request.Fabric.Ports, "port"))
	}
	g.states[0], g.demand[0] = last, 0
	return nil
}

// plan plans for a demand. If the fastest plan serves only this demand, because it reconfigures
// within an all-to-all, plan also returns the fastest plan that keeps circuits during
// all-to-alls, if there is one.
func (g *game) plan(ctx context.Context, d int) ([]*iteration.Run, error) {
	run, err := g.request.fastest(ctx, g.demands[d].program, g.plans)
	if err != nil || run.Carries() {
		return []*iteration.Run{run}, err
	}
	standing := run.Repertoire.Standing()
	if standing == nil {
		return []*iteration.Run{run}, nil
	}
	made, err := iteration.Fastest(ctx, run.Program, standing, g.request.Policy)
	if err != nil || made.Course == nil {
		return []*iteration.Run{run}, err
	}
	return []*iteration.Run{run, iteration.NewRun(run.Program, standing, made)}, nil
}

// Plan implements online.Game.
func (g *game) Plan(ctx context.Context, step int) ([]int, error) {
	d := g.of[step]
	if g.planned[d] == nil {
		runs, err := g.plan(ctx, d)
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			g.newest++
			g.planned[d] = append(g.planned[d], g.newest)
			g.states[g.newest], g.demand[g.newest] = run, d
		}
	}
	return g.planned[d], nil
}

// run returns how a state performs a step; nil if it cannot.
func (g *game) run(ctx context.Context, state, step int) (*iteration.Run, error) {
	d := g.of[step]
	if d == g.demand[state] {
		return g.states[state], nil
	}
	run, ok := g.runs[[2]int{state, d}]
	if !ok {
		var err error
		if run, err = g.states[state].Carry(ctx, g.demands[d].program); err != nil {
			return nil, err
		}
		g.runs[[2]int{state, d}] = run
	}
	return run, nil
}

// Cost implements online.Game.
func (g *game) Cost(ctx context.Context, state, step int) (units.Time, error) {
	run, err := g.run(ctx, state, step)
	if run == nil || err != nil {
		return units.Time(math.Inf(1)), err
	}
	return run.Iteration, nil
}

// Move implements online.Game.
func (g *game) Move(ctx context.Context, from, to, step int) (units.Time, error) {
	next, err := g.run(ctx, to, step)
	if err != nil {
		return 0, err
	}
	before := g.states[from]
	if step > 0 {
		if before, err = g.run(ctx, from, step-1); err != nil {
			return 0, err
		}
	}
	switch {
	case before == nil, next == nil:
		return units.Time(math.Inf(1)), nil
	case from == to:
		return max(0, before.Again(next)-before.Iteration), nil
	}
	return next.Enter(before), nil
}

// prove proves the plan of every step and returns the plan of the last.
func (g *game) prove(ctx context.Context, played *online.Result) (*iteration.Document, error) {
	done := map[[2]int]*iteration.Document{}
	var last *iteration.Document
	for t, s := range played.Steps {
		key := [2]int{s.State, g.of[t]}
		if done[key] == nil {
			run, err := g.run(ctx, s.State, t)
			if err != nil {
				return nil, err
			}
			if done[key], err = proven(ctx, g.demands[g.of[t]].graph, &g.request.Fabric, run); err != nil {
				return nil, err
			}
		}
		last = done[key]
	}
	return last, nil
}
