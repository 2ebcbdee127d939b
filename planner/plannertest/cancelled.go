package plannertest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/plan"
)

// mostQuestions is how often a planner may ask again after it was told to stop, while it leaves
// what it is in the middle of.
const mostQuestions = 100

// cancelled tells the subject to stop at several of the points at which it asks.
func cancelled(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	if made == nil {
		return nil
	}
	whole := countdown.New(ctx, math.MaxInt)
	if _, err := s.Plan(whole, c); err != nil {
		return err
	}
	questions := whole.Asked()
	if questions == 0 {
		return errors.New("it never asks whether it is to stop")
	}
	for _, after := range []int{0, questions / 4, questions / 2, questions - 1} {
		stop := countdown.New(ctx, after)
		_, err := s.Plan(stop, c)
		if err == nil && stop.After() == 0 {
			continue // in parallel it may ask less often than before, and so was not told
		}
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("told to stop at question %d of %d: %v", after+1, questions, err)
		}
		if stop.After() > mostQuestions {
			return fmt.Errorf("told to stop at question %d of %d, it asks %d times more", after+1, questions, stop.After())
		}
	}
	return nil
}
