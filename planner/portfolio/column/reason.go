package column

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// reason says why no cell of a column has a plan: what planning says of a field, without the
// field. An algorithm that does not fit the operation, and a planner that does not fit the fabric,
// leave no plan; for other reasons what is asked for makes no sense.
func (s *Search) reason(ctx context.Context, c *Column, p planner.Planner, named *field.Error) error {
	traits := planner.TraitsOf(p)
	if traits.Composes != nil {
		return named.Err
	}
	if other := s.search.Planners().Composing(c.Operation.Algorithm); other != nil {
		if traits.Best {
			return named.Err
		}
		return fmt.Errorf("algorithm %s is made by planner %s, not by %s", c.Operation.Algorithm, other.Name(), p.Name())
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

// unlaid says that there is no plan as an algorithm cannot be laid out.
func unlaid(err error) error {
	if named, ok := err.(*field.Error); ok {
		return fmt.Errorf("%w: %w", planner.ErrInfeasible, named.Err)
	}
	return err
}
