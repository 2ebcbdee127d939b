package pass

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// fewLooks is the number of classes up to which Most computes shortest paths. With more classes
// that takes as long as it may save.
const fewLooks = 64

// Most returns an upper bound on the time of the schedule once its steps are routed; +Inf if none
// is known.
func (s *Schedule) Most(ctx context.Context) (float64, error) {
	if len(s.Work.Classes) > fewLooks {
		return math.Inf(1), nil
	}
	most := s.Total
	seen := map[*pricing.Judgement]float64{}
	for i, c := range s.Choice {
		if j := s.judged(i); j != nil && seen[j] == 0 {
			seen[j] = j.Cost // its share of the total
		}
		if _, _, err := s.Work.Closely(ctx, c, s.Work.ClassOf[i]); err != nil {
			return 0, err
		}
		if j := s.judged(i); j != nil {
			most += j.Most - seen[j]
		}
	}
	return most, nil
}

// judged returns what is known of a step on its candidate; nil if the step has a closed form.
func (s *Schedule) judged(step int) *pricing.Judgement {
	if j := s.Choice[step].Known.Of(s.Work.ClassOf[step]); j != nil && j.Looked {
		return j
	}
	return nil
}
