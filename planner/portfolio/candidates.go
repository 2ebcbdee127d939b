package portfolio

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// Candidate makes a plan of the steps of an algorithm, unless lost says of them that they are of
// no use: its error is then that of lost. A planner that makes its own steps does not ask.
type Candidate func(ctx context.Context, lost func(laid collective.Sized) error) (*plan.Plan, error)

// Candidates lists what auto chooses from: the planners, each with every algorithm if there
// is one operation, also with ports unused. Where there are several, each takes its fastest
// algorithms.
func (r *Request) Candidates(ctx context.Context, p planner.Planner, s *Search) ([]Candidate, error) {
	chosen := planner.Registry{p}
	if planner.TraitsOf(p).Best {
		chosen = s.Planners()
	}
	silent := s.Silent()
	var all []Candidate
	for _, one := range chosen {
		traits := planner.TraitsOf(one)
		if traits.Best || traits.Composes != nil && (r.Pattern != nil || len(r.Operations) > 1) {
			continue
		}
		if r.Pattern != nil || len(r.Operations) > 1 {
			all = append(all, func(ctx context.Context, _ func(collective.Sized) error) (*plan.Plan, error) {
				return r.Fastest(ctx, one, silent)
			})
			continue
		}
		ways, err := r.Ways(ctx, one, s)
		if err != nil {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			continue // it is not for this operation or algorithm
		}
		for _, w := range ways {
			all = append(all, r.candidate(w))
		}
	}
	return all, nil
}

func (r *Request) candidate(w Way) Candidate {
	return func(ctx context.Context, lost func(collective.Sized) error) (*plan.Plan, error) {
		laid, err := w.Lay(ctx)
		if err != nil {
			return nil, r.blame(0, err)
		}
		if len(laid.Steps) > 0 { // else the planner makes its own
			if err := lost(laid); err != nil {
				return nil, err
			}
		}
		return w.Planner.Plan(ctx, planner.Request{Fabric: r.Fabric, Collective: laid.Collective, Size: laid.Size})
	}
}
