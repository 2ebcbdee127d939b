package sides

import "math"

// floors are lower bounds on the time from a window on: the exact time if every part of a window
// could be sent, so that only its points matter.
type floors struct {
	*Question
	on  [][]float64 // by points, and the offset of the circuits that are up
	any []float64   // by points: on new circuits, with the wait for them
}

func newFloors(q *Question) *floors {
	f := &floors{Question: q, on: make([][]float64, q.Points+1), any: make([]float64, q.Points+1)}
	offsets := 1
	if q.Changes > 0 {
		offsets = q.Points / 2
	}
	f.on[q.Points] = make([]float64, offsets+1)
	for points := q.Points - 1; points > 0; points-- {
		f.on[points], f.any[points] = make([]float64, offsets+1), math.Inf(1)
		for offset := 1; offset <= offsets; offset++ {
			f.on[points][offset] = f.best(points, offset)
			if q.Changes > 0 {
				f.any[points] = min(f.any[points], q.Wait+f.on[points][offset])
			}
		}
	}
	return f
}

// best returns the least time from a window of some points on, if the next step is on circuits of
// an offset.
func (f *floors) best(points, offset int) float64 {
	best := math.Inf(1)
	for more := 1; points+more <= f.Points; more++ {
		if step := f.step(points, more, offset); step < best {
			best = min(best, step+f.from(points+more, offset))
		}
	}
	return best
}

// from returns the least time from a window of some points on, with circuits of an offset up.
func (f *floors) from(points, offset int) float64 { return min(f.on[points][offset], f.any[points]) }

// step returns the least time of a step that makes a window of some points longer by some more.
func (f *floors) step(points, more, offset int) float64 {
	hops, up, ok := least(points, (more+1)/2, offset)
	_, down, also := least(points, more/2, offset)
	if !ok || !also {
		return math.Inf(1)
	}
	return f.Alpha + f.Delta*float64(hops) + f.Vector/2*float64(up+down)
}
