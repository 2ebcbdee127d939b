package strategy

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Search shows the candidates of the problem's strategy one after the other. Before it makes
// one, it asks worth whether that many stages with at least that many slots can be useful, and
// skips it if not. R and T affect only the order of the candidates, not the set of candidates.
// So if the price falls with R, a smaller R never makes the best candidate more expensive.
func Search(ctx context.Context, p Problem, worth func(stages, slots int) bool, visit func(c *Candidate) error) error {
	list, err := p.solvers()
	if err != nil {
		return err
	}
	for i, s := range list {
		err := p.search(ctx, s, worth, visit, func(done, total int) {
			if p.Progress != nil {
				p.Progress(i*total+done, len(list)*total)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// search shows the candidates of one solver. Numbers of stages are tried in ascending order
// of a bound on their cost.
func (p *Problem) search(ctx context.Context, s solver, worth func(stages, slots int) bool, visit visitor, progress func(done, total int)) error {
	order := p.order(s)
	for i, d := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress(i, len(order))
		if !worth(d, s.floor(d)) {
			continue
		}
		if err := s.candidates(ctx, d, func(slots int) bool { return worth(d, slots) }, visit); err != nil {
			return err
		}
	}
	return nil
}

// order returns the numbers of stages to try.
func (p *Problem) order(s solver) []int {
	if p.Stages > 0 {
		if p.Stages > s.limit() {
			return nil
		}
		return []int{p.Stages}
	}
	type bounded struct {
		stages int
		cost   float64
	}
	var list []bounded
	for _, d := range s.worth() {
		list = append(list, bounded{stages: d, cost: model.Cost(d, s.floor(d), p.R, p.T)})
	}
	slices.SortStableFunc(list, func(a, b bounded) int { return cmp.Compare(a.cost, b.cost) })
	stages := make([]int, len(list))
	for i, b := range list {
		stages[i] = b.stages
	}
	return stages
}

// best returns the cheapest candidate, the one with the fewest stages among equals, or nil
// if there is none.
func (p *Problem) best(ctx context.Context) (*Candidate, error) {
	var best *Candidate
	cheaper := func(stages, slots int) bool {
		if best == nil {
			return true
		}
		a, b := model.Cost(stages, slots, p.R, p.T), model.Cost(best.Stages, best.Slots, p.R, p.T)
		return a < b || a == b && stages < best.Stages
	}
	err := Search(ctx, *p, cheaper, func(c *Candidate) error {
		if cheaper(c.Stages, c.Slots) {
			best = c
		}
		return nil
	})
	return best, err
}

// Point is what a strategy needs with some number of topologies.
type Point struct {
	Stages, Slots int
	Strategy      string
}

// Curve returns the fewest slots that the strategy of the problem finds for every number of
// topologies up to the given one, or up to the largest that helps if that is 0. Numbers for
// which it has no schedule are left out. R, T and Stages do not matter.
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
		point := Point{Stages: d, Slots: math.MaxInt}
		for _, s := range list {
			err := p.search(ctx, s, func(_, slots int) bool { return slots < point.Slots }, func(c *Candidate) error {
				if c.Slots < point.Slots {
					point.Slots, point.Strategy = c.Slots, c.Strategy
				}
				return nil
			}, func(int, int) {})
			if err != nil {
				return nil, err
			}
		}
		if point.Slots < math.MaxInt {
			points = append(points, point)
		}
	}
	return points, nil
}
