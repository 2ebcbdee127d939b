package column

import (
	"math"

	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// sameTime is the relative difference of times that are the same except for rounding, as in
// planning.
const sameTime = auto.SameTime

// winners are the best answers of a column so far, and which methods they are of: of those that
// take the same time the first one's is the best, in whatever order they are tried, so that a
// column names the winners that planning names.
type winners struct {
	answers []Answer
	methods []int
	same    units.Time // the relative difference of times that are the same
}

func newWinners(cells int, same units.Time) *winners {
	w := &winners{make([]Answer, cells), make([]int, cells), same}
	for i := range w.answers {
		w.answers[i].Total, w.methods[i] = inf, math.MaxInt
	}
	return w
}

// against returns what the answers of a method must be below: a little more than those of later
// methods take, a little less than those of earlier ones.
func (w *winners) against(method int) []Answer {
	limits := make([]Answer, len(w.answers))
	for i, a := range w.answers {
		limits[i].Total = a.Total * (1 + 2*w.same)
		if w.methods[i] < method {
			limits[i].Total = a.Total * (1 - w.same)
		}
	}
	return limits
}

// take keeps the answers of a method that are better than what it was against.
func (w *winners) take(own []Answer, method int) {
	for i, a := range own {
		if a.Algorithm == "" { // it has not been improved
			continue
		}
		if best := w.answers[i].Total; a.Total < best*(1-w.same) || a.Total <= best*(1+w.same) && method < w.methods[i] {
			w.answers[i], w.methods[i] = a, method
		}
	}
}
