package online

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Ratio is how much longer than the best in hindsight Follow wants to take at most.
const Ratio = 1.2

// Evidence is how many delays staying at home has to be behind the best until then, for Follow to
// risk two.
const Evidence = 5

// Game is what steps cost.
type Game interface {
	Steps() int
	// Plan returns the states that are planned for the demand of a step, the fastest for it first.
	// States are numbered in the order in which they are planned, from 1 on. Steps with the same
	// demand have the same states.
	Plan(ctx context.Context, step int) (states []int, err error)
	// Cost is the time of a step in a state; infinite if it cannot be carried out there.
	Cost(ctx context.Context, state, step int) (units.Time, error)
	// Move is how much longer a step takes in a state if the one before was in another, or in the
	// same with its own demand. The first step comes from home.
	Move(ctx context.Context, from, to, step int) (units.Time, error)
	// Back is the longest that a move from a state home takes, whatever the step; Delay is the
	// longest of all.
	Back(state int) units.Time
	Delay() units.Time
}

// Step is what was decided for a step.
type Step struct {
	State   int
	Rewired bool       // the step before was in another state
	Time    units.Time // with the move
	Home    units.Time // if home had never been left
	Newest  units.Time // if every step was in the first state that is planned for it
}

// Result is how a game went.
type Result struct {
	Steps               []Step
	Total, Home, Newest units.Time
	Rewired             int // steps
	States              int // that were planned, home included
}

// mostStates is the number of states that are kept in mind.
const mostStates = 8

// follower is a game that is being played.
type follower struct {
	Game
	known []int              // states in mind; home is the first
	work  map[int]units.Time // the least time for all steps up to now that ends in a state
	at    int
	total units.Time
	home  units.Time
}

// Follow plays a game. Progress, if it is not nil, hears of every step.
func Follow(ctx context.Context, g Game, progress func(done, total int)) (*Result, error) {
	f := &follower{Game: g, known: []int{0}, work: map[int]units.Time{0: 0}}
	r := &Result{States: 1}
	newest := 0
	for t := range g.Steps() {
		if progress != nil {
			progress(t, g.Steps())
		}
		planned, err := g.Plan(ctx, t)
		if err != nil {
			return nil, err
		}
		r.States = max(r.States, slices.Max(planned)+1)
		step, err := f.step(ctx, t, planned)
		if err != nil {
			return nil, err
		}
		if step.Newest, err = price(ctx, g, newest, planned[0], t); err != nil {
			return nil, err
		}
		newest = planned[0]
		if step.Rewired {
			r.Rewired++
		}
		r.Newest += step.Newest
		r.Steps = append(r.Steps, *step)
	}
	r.Total, r.Home = f.total, f.home
	return r, nil
}

// price is the time of a step with the move.
func price(ctx context.Context, g Game, from, to, step int) (units.Time, error) {
	cost, err := g.Cost(ctx, to, step)
	if err != nil || math.IsInf(float64(cost), 1) {
		return cost, err
	}
	move, err := g.Move(ctx, from, to, step)
	return cost + move, err
}

// step decides a step, for which states are planned.
func (f *follower) step(ctx context.Context, t int, planned []int) (*Step, error) {
	known := slices.Clone(f.known)
	for _, s := range planned {
		if !slices.Contains(known, s) {
			known = append(known, s)
		}
	}
	work, here := map[int]units.Time{}, map[int]units.Time{} // here: from where we are
	for _, to := range known {
		work[to] = units.Time(math.Inf(1))
		for _, from := range f.known {
			time, err := price(ctx, f, from, to, t)
			if err != nil {
				return nil, err
			}
			work[to] = min(work[to], f.work[from]+time)
			if from == f.at {
				here[to] = time
			}
		}
	}
	stays, err := price(ctx, f, 0, 0, t)
	if err != nil {
		return nil, err
	}
	f.home += stays
	best := units.Time(math.Inf(1)) // with hindsight
	for _, w := range work {
		best = min(best, w)
	}
	next := f.choose(known, work, here, 0)
	if f.total+here[next] > Ratio*best || f.home-best >= Evidence*f.Delay() {
		next = f.choose(known, work, here, 2*f.Delay())
	}
	out := &Step{State: next, Rewired: next != f.at, Time: here[next], Home: stays}
	f.total, f.at, f.work = f.total+here[next], next, work
	f.forget(known, planned)
	return out, nil
}

// choose picks the state of a step: by the work function, of those after which we are behind home
// by a debt at most, the way back included.
func (f *follower) choose(known []int, work, here map[int]units.Time, debt units.Time) int {
	next, least := 0, units.Time(math.Inf(1))
	for _, to := range known {
		if to != 0 && f.total+here[to]+f.Back(to) > f.home+debt {
			continue
		}
		if w := work[to] + here[to]; w < least || w == least && to == f.at {
			next, least = to, w
		}
	}
	return next
}

// forget keeps few of the known states in mind: home, where we are, the newest, and those that
// would have been best.
func (f *follower) forget(known, newest []int) {
	for len(known) > mostStates {
		worst := -1
		for i, s := range known {
			if s != 0 && s != f.at && !slices.Contains(newest, s) && (worst < 0 || f.work[s] > f.work[known[worst]]) {
				worst = i
			}
		}
		known = slices.Delete(known, worst, worst+1)
	}
	f.known = known
}
