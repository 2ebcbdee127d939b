package column

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// Families lists the ways to carry out the one operation of a request, as families of plans with
// the delay left open: a column with a cell for every delay. Delays must add up.
func Families(ctx context.Context, r *portfolio.Request, p planner.Planner, s *portfolio.Search) ([]frontier.Way, error) {
	ways, err := r.Ways(ctx, p, s)
	if err != nil {
		return nil, err
	}
	quiet := s.Quiet().Unseen()
	if !r.OnlyContest(s) {
		return []frontier.Way{planned(r, p, quiet)}, nil
	}
	var families []frontier.Way
	for _, w := range ways {
		laid, err := w.Lay(ctx)
		if err != nil {
			return nil, err
		}
		f := r.Fabric
		if w.Less != nil {
			f = w.Less.On(f) // plans take the same time there
		}
		asked := quiet.Ask(f)
		asked.Collective, asked.Size = laid.Collective, laid.Size
		choices := portfolio.Expand(w.By, s.Planners(), &f)
		if w.Open != nil { // the planner that chooses the layout
			choices = []planner.Planner{w.Open.Plan(w.By)}
		}
		for _, p := range choices {
			families = append(families, family(p, asked))
		}
	}
	return families, nil
}

// planned returns the plans that the search finds, whatever it tries.
func planned(r *portfolio.Request, p planner.Planner, s *portfolio.Search) frontier.Way {
	return frontier.Way{Best: func(ctx context.Context, wait float64, limit units.Time) (frontier.Point, error) {
		asked := s.Ask(r.Fabric)
		asked, wait = waiting(asked, wait)
		at := *r
		at.Fabric = asked.Fabric
		made, err := at.Fastest(ctx, p, s.Sharing(s, limit))
		if err != nil {
			return frontier.Point{}, err
		}
		return pointOf(made, wait), nil
	}}
}

// pointOf returns the point of a plan whose changes each wait the given time, in ns.
func pointOf(made *plan.Plan, wait float64) frontier.Point {
	return frontier.Point{
		Algorithm: made.Collective.Algorithm, Planner: made.Planner, Reconfigurations: made.Reconfigurations,
		CommunicationNs: made.Cost.Total() - units.Time(float64(made.Reconfigurations)*wait),
	}
}

// waiting sets the delay of a request such that a change waits the given time beyond its barrier,
// in ns. It returns that wait rounded to the picosecond.
func waiting(r planner.Request, wait float64) (planner.Request, float64) {
	ps := math.Round(wait * 1000)
	r.Fabric.Reconfig.Base = r.Fabric.Overlap.Compute + units.Duration(ps)
	return r, ps / 1000
}

// family returns the plans of a planner for a request whose delay is left open.
func family(p planner.Planner, r planner.Request) frontier.Way {
	w := frontier.Way{Best: fastestFor(p, r)}
	if len(r.Collective.Steps) == 0 { // the planner makes its own steps
		if within := planner.TraitsOf(p).Bound; within != nil {
			w.Bound = func(wait float64) float64 {
				set, _ := waiting(r, wait)
				least, _, err := within(context.Background(), set)
				if err != nil {
					return 0
				}
				return float64(least)
			}
		}
		return w
	}
	w.Bound = func(wait float64) float64 {
		set, _ := waiting(r, wait)
		return float64(bound.PerStep(&set.Fabric, set.Collective, set.Size))
	}
	w.Closer = func(wait float64) float64 {
		set, _ := waiting(r, wait)
		return float64(bound.OfAlgorithm(&set.Fabric, set.Collective, set.Size).Schedule)
	}
	return w
}

// fastestFor returns a function that finds the fastest plan for a wait.
func fastestFor(p planner.Planner, r planner.Request) func(ctx context.Context, wait float64, limit units.Time) (frontier.Point, error) {
	anyDelay := planner.TraitsOf(p).AnyDelay
	if len(r.Collective.Steps) == 0 || anyDelay == nil {
		return func(ctx context.Context, wait float64, limit units.Time) (frontier.Point, error) {
			set, wait := waiting(r, wait)
			set.Limit = limit
			made, err := p.Plan(ctx, set)
			if err != nil {
				return frontier.Point{}, err
			}
			return pointOf(made, wait), nil
		}
	}
	var bestAt planner.BestAt // made when needed: a bound may decide first
	return func(ctx context.Context, wait float64, limit units.Time) (frontier.Point, error) {
		if bestAt == nil {
			bestAt = anyDelay(r)
		}
		l, err := bestAt(ctx, wait, limit)
		return frontier.Point{
			Algorithm: r.Collective.Algorithm, Planner: p.Name(), Reconfigurations: int(l.Slope), CommunicationNs: units.Time(l.Fixed),
		}, err
	}
}
