package pass

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// fewLooks is the number of classes up to which their shortest paths are looked at for the
// time that a schedule does not exceed: with more it takes as long as it may save.
const fewLooks = 64

// Most is a time that the schedule does not exceed, once its steps are routed; +Inf where
// that is not known.
func (s *Schedule) Most(ctx context.Context) (float64, error) {
	if len(s.Work.Classes) > fewLooks {
		return math.Inf(1), nil
	}
	most := s.Total
	seen := map[*pricing.Judgement]float64{}
	for i, c := range s.Choice {
		if j := s.judged(i); j != nil && seen[j] == 0 {
			seen[j] = j.Cost // which the total is made of
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

// judged is what is known of a step on its candidate; nil where that has a closed form.
func (s *Schedule) judged(step int) *pricing.Judgement {
	if known := s.Choice[step].Known; known != nil && known[s.Work.ClassOf[step]].Looked {
		return &known[s.Work.ClassOf[step]]
	}
	return nil
}
