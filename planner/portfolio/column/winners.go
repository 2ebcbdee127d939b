package column

import (
	"math"

	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// sameTime is the relative difference up to which times count as equal, as in planning.
const sameTime = auto.SameTime

// winners are the best answers of a column so far, and the methods that gave them. Of answers
// with equal times the first method's wins, in whatever order methods are tried, so that a column
// names the same winners as planning.
type winners struct {
	answers []Answer
	methods []int
	same    units.Time // the relative difference up to which times are equal
}

func newWinners(cells int, same units.Time) *winners {
	w := &winners{make([]Answer, cells), make([]int, cells), same}
	for i := range w.answers {
		w.answers[i].Total, w.methods[i] = inf, math.MaxInt
	}
	return w
}

// against returns the limits that a method's answers must beat: a little above the times of later
// methods, and a little below those of earlier ones.
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

// take keeps the answers of a method that beat the winners.
func (w *winners) take(own []Answer, method int) {
	for i, a := range own {
		if a.Algorithm == "" { // not improved
			continue
		}
		if best := w.answers[i].Total; a.Total < best*(1-w.same) || a.Total <= best*(1+w.same) && method < w.methods[i] {
			w.answers[i], w.methods[i] = a, method
		}
	}
}
