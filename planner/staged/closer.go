package staged

import (
	"context"
	"math"
)

// fewLooks is the number of classes up to which their shortest paths are looked at for the
// time that a schedule does not exceed: with more it takes as long as it may save.
const fewLooks = 64

// most is a time that the schedule does not exceed, once its steps are routed; +Inf where
// that is not known.
func (s *schedule) most(ctx context.Context) (float64, error) {
	if len(s.work.classes) > fewLooks {
		return math.Inf(1), nil
	}
	most := s.total
	seen := map[*judgement]float64{}
	for i, c := range s.choice {
		if j := s.judged(i); j != nil && seen[j] == 0 {
			seen[j] = j.cost // which the total is made of
		}
		if _, _, err := s.work.closely(ctx, c, s.work.classOf[i]); err != nil {
			return 0, err
		}
		if j := s.judged(i); j != nil {
			most += j.most - seen[j]
		}
	}
	return most, nil
}

// judged is what is known of a step on its candidate; nil where that has a closed form.
func (s *schedule) judged(step int) *judgement {
	if known := s.choice[step].known; known != nil && known[s.work.classOf[step]].looked {
		return &known[s.work.classOf[step]]
	}
	return nil
}
