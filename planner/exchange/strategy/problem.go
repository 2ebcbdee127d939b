package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// ErrInfeasible says that a strategy has no schedule for a problem, such as one with
// another number of topologies than it uses.
var ErrInfeasible = errors.New("exchange: no schedule")

// Problem is what to plan.
type Problem struct {
	Demand model.Demand
	Ports  int // of every node, >= 1
	// Duplex says that circuits are two-way: a circuit from u to v takes a port of both
	// and is one from v to u as well.
	Duplex bool
	// R is the time to set up a topology, T the time of a slot: one chunk over one hop.
	// Only their ratio matters. R >= 0, T > 0.
	R, T float64
	// Stages is the number of topologies, or 0 for the best.
	Stages int
	// Strategy is one of Names, or "" for Auto.
	Strategy string
	// Progress, if not nil, is called now and then from the planning goroutine.
	Progress func(done, total int)
}

// validate reports what makes the problem meaningless.
func (p *Problem) validate() error {
	switch {
	case p.Demand.Nodes() == 0:
		return fmt.Errorf("%w: none is given; use Uniform or Counts", model.ErrDemand)
	case p.Ports < 1:
		return fmt.Errorf("exchange: ports: %d, want 1 or more", p.Ports)
	case !(p.R >= 0) || math.IsInf(p.R, 1):
		return fmt.Errorf("exchange: time of a reconfiguration: %v, want 0 or more", p.R)
	case !(p.T > 0) || math.IsInf(p.T, 1):
		return fmt.Errorf("exchange: time of a slot: %v, want more than 0", p.T)
	case p.Stages < 0:
		return fmt.Errorf("exchange: stages: %d, want 1 or more, or 0 for the best", p.Stages)
	}
	return nil
}

// ports returns the ports that can be of use: more than there are peers are not.
func (p *Problem) ports() int { return min(p.Ports, p.Demand.Nodes()-1) }

// Solve plans the exchange with the strategy of the problem. The schedule has exactly
// the number of stages that is asked for, or the best number. Schedules hold what Check
// checks; Solve does not check them again.
func Solve(ctx context.Context, p Problem) (*model.Schedule, error) {
	list, err := p.solvers()
	if err != nil {
		return nil, err
	}
	var best *draft
	for i, s := range list {
		if p.Progress != nil {
			p.Progress(i, len(list))
		}
		if best, err = p.better(ctx, s, best); err != nil {
			return nil, err
		}
	}
	if best == nil {
		return nil, p.infeasible()
	}
	out, err := best.build(ctx)
	if err == nil {
		out.Duplex = p.Duplex
	}
	return out, err
}

// infeasible explains why there is no schedule.
func (p *Problem) infeasible() error {
	stages := "any number of topologies"
	if p.Stages > 0 {
		stages = plural(p.Stages, "topology", "topologies")
	}
	ports := plural(p.Ports, "port", "ports")
	if p.Duplex {
		ports = plural(p.Ports, "two-way port", "two-way ports")
	}
	return fmt.Errorf("%w: strategy %s has none for this demand of %d nodes with %s and %s",
		ErrInfeasible, p.strategy(), p.Demand.Nodes(), ports, stages)
}

func plural(count int, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", count, many)
}

// strategy returns the name of the strategy.
func (p *Problem) strategy() string {
	if p.Strategy == "" {
		return Auto
	}
	return p.Strategy
}

// solvers returns what the strategy of the problem tries, in order.
func (p *Problem) solvers() ([]solver, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	var list []solver
	known := p.strategy() == Auto
	for _, st := range strategies {
		if p.strategy() != Auto && p.strategy() != st.name {
			continue
		}
		known = true
		if p.Duplex && !st.duplex {
			continue
		}
		if s := st.solver(p); s != nil {
			list = append(list, s)
		}
	}
	if !known {
		return nil, fmt.Errorf("exchange: strategy: %q, want %s", p.Strategy, strings.Join(Names(), ", "))
	}
	return list, nil
}

// better returns the cheapest schedule of a solver, the one with the fewest stages among
// equals, or best if that is not worse. Numbers of stages are tried in ascending order of a
// bound on their cost, until that exceeds what is known.
func (p *Problem) better(ctx context.Context, s solver, best *draft) (*draft, error) {
	for _, d := range p.order(s) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if best != nil && !p.cheaper(d, s.floor(d), best) {
			break
		}
		found, err := s.draft(ctx, d, p.below(best, d))
		if err != nil {
			return nil, err
		}
		if found != nil && (best == nil || p.cheaper(d, found.slots, best)) {
			best = found
		}
	}
	return best, nil
}

// cheaper reports whether d stages with so many slots are better than what is known.
func (p *Problem) cheaper(d, slots int, best *draft) bool {
	a, b := model.Cost(d, slots, p.R, p.T), model.Cost(best.stages, best.slots, p.R, p.T)
	return a < b || a == b && d < best.stages
}

// below returns a number of slots with which d stages are no better than what is known.
func (p *Problem) below(best *draft, d int) int {
	if best == nil {
		return math.MaxInt
	}
	slots := math.Ceil((model.Cost(best.stages, best.slots, p.R, p.T) - model.Cost(d, 0, p.R, p.T)) / p.T)
	return int(min(slots+1, math.MaxInt32)) // one more, for ties and for what rounding takes away
}

// order returns the numbers of stages to try.
func (p *Problem) order(s solver) []int {
	if p.Stages > 0 {
		if p.Stages > s.limit() {
			return nil
		}
		return []int{p.Stages}
	}
	stages := s.worth()
	floor := make(map[int]float64, len(stages))
	for _, d := range stages {
		floor[d] = model.Cost(d, s.floor(d), p.R, p.T)
	}
	slices.SortStableFunc(stages, func(a, b int) int { return cmp.Compare(floor[a], floor[b]) })
	return stages
}

// Point is what a strategy needs with some number of topologies.
type Point struct {
	Stages, Slots int
	Strategy      string
}

// Curve returns the fewest slots that the strategy of the problem finds for every
// number of topologies up to the given one, or up to the largest that helps if that is
// 0. Numbers with which it has no schedule are left out. R, T and Stages do not matter.
func Curve(ctx context.Context, p Problem, most int) ([]Point, error) {
	p.R, p.T, p.Stages = 0, 1, 0
	list, err := p.solvers()
	if err != nil {
		return nil, err
	}
	limit := 0
	for _, s := range list {
		limit = max(limit, s.limit())
	}
	if most > 0 {
		limit = min(limit, most)
	}
	var points []Point
	for d := 1; d <= limit; d++ {
		if p.Progress != nil {
			p.Progress(d-1, limit)
		}
		p.Stages = d
		var best *draft
		for _, s := range list {
			if best, err = p.better(ctx, s, best); err != nil {
				return nil, err
			}
		}
		if best != nil {
			points = append(points, Point{Stages: d, Slots: best.slots, Strategy: best.strategy})
		}
	}
	return points, nil
}
