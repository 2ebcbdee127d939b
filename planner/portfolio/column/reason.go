package column

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// reason returns why no cell of a column has a plan: planning's error for a field, without the
// field. If the algorithm does not fit the operation or the planner does not fit the fabric,
// there is no plan; for any other reason the question makes no sense.
func (s *Search) reason(ctx context.Context, c *Column, p planner.Planner, named *field.Error) error {
	traits := planner.TraitsOf(p)
	if traits.Composes != nil {
		return named.Err
	}
	if other := s.search.Planners().Composing(c.Operation.Algorithm); other != nil {
		if traits.Best {
			return named.Err
		}
		return fmt.Errorf("planner %s cannot run algorithm %s; use planner %s", p.Name(), c.Operation.Algorithm, other.Name())
	}
	t, err := portfolio.NewTask(c.Operation, &c.Fabric, s.search)
	if err != nil {
		return named.Err
	}
	if !c.Operation.Open() {
		if _, err := t.Lay(ctx, c.Operation.Algorithm); err != nil {
			return unlaid(err)
		}
	}
	if traits.Applies != nil {
		if err := traits.Applies(&c.Fabric); err != nil {
			return fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
	}
	return named.Err
}

// unlaid turns the error of an algorithm that cannot be laid out into one that says that there is
// no plan.
func unlaid(err error) error {
	if named, ok := err.(*field.Error); ok {
		return fmt.Errorf("%w: %w", planner.ErrInfeasible, named.Err)
	}
	return err
}
