package online

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Ratio is the largest ratio to the best in hindsight that Follow aims for.
const Ratio = 1.2

// Evidence is how many delays staying at home must be behind the best so far before Follow
// risks two delays.
const Evidence = 5

// Game has the costs of steps.
type Game interface {
	Steps() int
	// Plan returns the states that are planned for the demand of a step, the fastest for it first.
	// States are numbered in the order in which they are planned, from 1. Steps with the same
	// demand have the same states.
	Plan(ctx context.Context, step int) (states []int, err error)
	// Cost returns the time of a step in a state; infinite if it cannot be carried out there.
	Cost(ctx context.Context, state, step int) (units.Time, error)
	// Move returns how much longer a step takes in a state if the previous step was in another, or
	// in the same one with its own demand. The first step comes from home.
	Move(ctx context.Context, from, to, step int) (units.Time, error)
	// Back returns the longest time of a move from a state to home, in any step; Delay returns the
	// longest of all moves.
	Back(state int) units.Time
	Delay() units.Time
}

// Step is what was decided for a step.
type Step struct {
	State   int
	Rewired bool       // the previous step was in another state
	Time    units.Time // including the move
	Home    units.Time // if home had never been left
	Newest  units.Time // if every step were in the first state planned for it
}

// Result says how a game went.
type Result struct {
	Steps               []Step
	Total, Home, Newest units.Time
	Rewired             int // number of steps that moved
	States              int // number planned, including home
}

// Follow plays a game. Progress, if not nil, is called after every step.
func Follow(ctx context.Context, g Game, progress func(done, total int)) (*Result, error) {
	p := NewPlayer(g)
	r := &Result{States: 1}
	newest := 0
	for t := range g.Steps() {
		if progress != nil {
			progress(t, g.Steps())
		}
		d, err := p.Decide(ctx, t)
		if err != nil {
			return nil, err
		}
		p.Take(d)
		r.States = max(r.States, slices.Max(d.planned)+1)
		if d.Newest, err = price(ctx, g, newest, d.planned[0], t); err != nil {
			return nil, err
		}
		newest = d.planned[0]
		if d.Rewired {
			r.Rewired++
		}
		r.Newest += d.Newest
		r.Steps = append(r.Steps, d.Step)
	}
	r.Total, r.Home = p.total, p.home
	return r, nil
}

// price returns the time of a step including the move.
func price(ctx context.Context, g Game, from, to, step int) (units.Time, error) {
	cost, err := g.Cost(ctx, to, step)
	if err != nil || math.IsInf(float64(cost), 1) {
		return cost, err
	}
	move, err := g.Move(ctx, from, to, step)
	return cost + move, err
}
