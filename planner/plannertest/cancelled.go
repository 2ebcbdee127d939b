package plannertest

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/plan"
)

// countdown is a context that is done once it has been asked often enough. Clocks say
// nothing of a planner on a machine that is busy; how often it asks does.
type countdown struct {
	context.Context
	left  int // questions until it is done
	after int // questions since
	done  chan struct{}
}

func newCountdown(ctx context.Context, left int) *countdown {
	return &countdown{Context: ctx, left: left, done: make(chan struct{})}
}

// Err implements context.Context.
func (c *countdown) Err() error {
	if c.left > 0 {
		c.left--
		return nil
	}
	if c.after == 0 {
		close(c.done)
	}
	c.after++
	return context.Canceled
}

// Done implements context.Context.
func (c *countdown) Done() <-chan struct{} { return c.done }

// mostQuestions is how often a planner may ask again after it was told to stop: on its way
// out of what it is in the middle of.
const mostQuestions = 100

// cancelled tells the subject to stop at several of the times at which it asks.
func cancelled(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	if made == nil {
		return nil
	}
	const plenty = 1 << 40
	whole := newCountdown(ctx, plenty)
	if _, err := s.Plan(whole, c); err != nil {
		return err
	}
	questions := plenty - whole.left
	if questions == 0 {
		return errors.New("it never asks whether it is to stop")
	}
	for _, after := range []int{0, questions / 4, questions / 2, questions - 1} {
		stop := newCountdown(ctx, after)
		if _, err := s.Plan(stop, c); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("told to stop at question %d of %d: %v", after+1, questions, err)
		}
		if stop.after > mostQuestions {
			return fmt.Errorf("told to stop at question %d of %d, it asks %d times more", after+1, questions, stop.after)
		}
	}
	return nil
}
