package portfolio

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// Candidate makes a plan of the steps of an algorithm. If lost returns an error for these steps,
// they are useless and Candidate returns that error. A planner that makes its own steps does not
// call lost.
type Candidate func(ctx context.Context, lost func(laid collective.Sized) error) (*plan.Plan, error)

// Candidates lists what auto chooses from: every planner with every algorithm if there is one
// operation, also with ports unused. If there are several operations, each planner takes its
// fastest algorithms.
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
			continue // the planner does not support this operation or algorithm
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
		if len(laid.Steps) > 0 { // otherwise the planner makes its own
			if err := lost(laid); err != nil {
				return nil, err
			}
		}
		return w.Planner.Plan(ctx, planner.Request{Fabric: r.Fabric, Collective: laid.Collective, Size: laid.Size})
	}
}
