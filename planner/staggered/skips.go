package staggered

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staggered/planes"
	"github.com/lightpath-net/lightpath/units"
)

// Skip is a run of steps that some planes do not serve, all for the same reason.
type Skip struct {
	Planes      []int // from 1
	First, Last int   // steps, from 1
	// From and To are the circuits before and after; "" if the plane has none.
	From, To string
	// Saved is the time that skipping saves: how much longer the plan would take, with the best
	// shares, if these planes served each of the steps over its best circuits.
	Saved units.Time
}

// Skips returns which planes of a plan skip which steps, and what that saves. The plan must have
// the steps of its algorithm and circuits that match them.
func Skips(ctx context.Context, p *plan.Plan) ([]Skip, error) {
	laid := p.Laid(ctx)
	r := planner.Request{Fabric: p.Fabric, Collective: laid.Collective, Size: laid.Size}
	t, err := newTask(ctx, &r)
	if err != nil {
		return nil, err
	}
	patterns, err := t.patternsOf(p)
	if err != nil {
		return nil, err
	}
	now := t.Time(patterns)
	if now == nil {
		return nil, fmt.Errorf("a step is served by no plane")
	}
	var skips []Skip
	seen := map[string]int{}
	for k, pattern := range patterns {
		for i := 0; i < len(pattern); i++ {
			if pattern[i] != planes.Skip {
				continue
			}
			first := i
			for i+1 < len(pattern) && pattern[i+1] == planes.Skip {
				i++
			}
			key := fmt.Sprint(pattern, first)
			if at, ok := seen[key]; ok {
				skips[at].Planes = append(skips[at].Planes, k+1)
				continue
			}
			seen[key] = len(skips)
			skips = append(skips, t.skip(patterns, k, first, i, now.Total))
		}
	}
	return skips, ctx.Err()
}

// skip describes the skip of steps first..last by all planes with the pattern of plane k.
func (t *task) skip(patterns []planes.Pattern, k, first, last int, total units.Time) Skip {
	s := Skip{Planes: []int{k + 1}, First: first + 1, Last: last + 1}
	pattern := patterns[k]
	for i := first - 1; i >= 0 && s.From == ""; i-- {
		if pattern[i] != planes.Skip {
			s.From = t.circuits[pattern[i]].Name()
		}
	}
	if last+1 < len(pattern) {
		s.To = t.circuits[pattern[last+1]].Name()
	}
	served := slices.Clone(pattern)
	for i := first; i <= last; i++ {
		served[i] = t.Direct(i)
	}
	others := slices.Clone(patterns)
	for other := range others {
		if slices.Equal(others[other], pattern) {
			others[other] = served
		}
	}
	if timing := t.Time(others); timing != nil {
		s.Saved = max(0, timing.Total-total)
	}
	return s
}

// patternsOf returns the patterns of a plan: it finds the circuits of the plan's lanes among
// those that match its steps.
func (t *task) patternsOf(p *plan.Plan) ([]planes.Pattern, error) {
	if len(p.Stages) != len(t.Services) {
		return nil, fmt.Errorf("the plan has %d steps, its algorithm %d", len(p.Stages), len(t.Services))
	}
	patterns := make([]planes.Pattern, t.Planes)
	for i := range p.Stages {
		for k, lane := range p.Stages[i].Lanes {
			c := planes.Skip
			if lane.Circuits != nil {
				for j, g := range t.circuits {
					if g.Equal(lane.Circuits) {
						c = j
					}
				}
				if c == planes.Skip {
					return nil, fmt.Errorf("step %d: the circuits of plane %d match none of the steps", i+1, k+1)
				}
			}
			patterns[k] = append(patterns[k], c)
		}
	}
	return patterns, nil
}
