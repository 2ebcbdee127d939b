package frontier

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Choice is the best choice at a size: its name, and its time as a line in the size.
type Choice struct {
	Name       string
	At0, Slope float64 // ns, and ns per byte
	// Bent says that the time of this choice need not be a line in the size. Even then, adjacent
	// sizes with the same name count as one choice.
	Bent bool
}

// At is the time at a size.
func (c Choice) At(size units.Bytes) float64 { return c.At0 + c.Slope*float64(size) }

// Switch is a size from which a choice is the best.
type Switch struct {
	From units.Bytes
	Choice
	// Straight says that the choice's line is the best time up to the next switch. It is false
	// for a bent choice whose times are not on one line: only its name is known to be the best.
	Straight bool
}

// switchTolerance is the relative rounding of a total.
const switchTolerance = 1e-9

// bentRange is the largest ratio of two sizes between which a bent choice counts as not linear if
// its time in the middle is not on the lines of the two ends. Two lines with the same name are
// further apart than that.
const bentRange = 1.5

// SwitchOvers returns the sizes at which one choice overtakes another, within a range that
// includes both ends. best returns the best choice at a size.
//
// The best time is a minimum of lines, hence concave. At the size at which the lines of two sizes
// meet, either nothing is better, and one choice overtakes the other; or a third line is better,
// and the search continues on both sides (Eisner and Severance 1976). So sizes are exact to the
// byte, and best is called about three times for every line. Times are not concave if chunks have
// a fixed size, or if a planner misses something at one size that it finds at another. Then the
// meeting point is on neither line, and the search bisects the range until neighbours differ.
func SwitchOvers(from, to units.Bytes, best func(units.Bytes) (Choice, error)) ([]Switch, error) {
	s := &switches{best: best}
	first, err := s.ask(from)
	if err != nil {
		return nil, err
	}
	if from < to {
		last, err := s.ask(to)
		if err != nil {
			return nil, err
		}
		if err := s.between(from, first, to, last); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.found, func(a, b Switch) int { return cmp.Compare(a.From, b.From) })
	out := []Switch{{From: from, Choice: first, Straight: true}}
	for _, f := range s.found {
		if last := out[len(out)-1]; f.Name != last.Name || !oneLine(f.Choice, last.Choice, f.From, to) {
			out = append(out, f)
		}
	}
	for _, low := range s.bends {
		i := len(out) - 1
		for out[i].From > low {
			i--
		}
		out[i].Straight = false
	}
	return out, nil
}

type switches struct {
	best  func(units.Bytes) (Choice, error)
	found []Switch
	bends []units.Bytes // the lower ends of ranges in which a bent choice is not linear
	asked map[units.Bytes]Choice
}

func (s *switches) ask(size units.Bytes) (Choice, error) {
	if c, ok := s.asked[size]; ok {
		return c, nil
	}
	c, err := s.best(size)
	if err == nil {
		if s.asked == nil {
			s.asked = map[units.Bytes]Choice{}
		}
		s.asked[size] = c
	}
	return c, err
}

// between finds the switches after low and up to high.
func (s *switches) between(low units.Bytes, a Choice, high units.Bytes, b Choice) error {
	if on(a, b, high) { // the line of low continues up to high
		return nil
	}
	if high-low <= 1 {
		s.found = append(s.found, Switch{From: high, Choice: b, Straight: true})
		return nil
	}
	mid := units.Bytes(math.Sqrt(float64(low) * float64(high))) // if times are not linear
	meets := false
	if a.Slope > b.Slope {
		meet := (b.At0 - a.At0) / (a.Slope - b.Slope)
		if meets = meet >= float64(low) && meet <= float64(high); meets {
			mid = units.Bytes(math.Floor(meet))
		}
	}
	mid = min(max(mid, low+1), high-1)
	m, err := s.ask(mid)
	if err != nil {
		return err
	}
	if meets && on(a, m, mid) {
		next, err := s.ask(mid + 1)
		if err != nil {
			return err
		}
		// From the first whole size beyond the meeting point on, b is faster.
		if oneLine(next, b, mid+1, high) {
			s.found = append(s.found, Switch{From: mid + 1, Choice: next, Straight: true})
			return nil
		}
	}
	if m.Bent && a.Name == b.Name && a.Name == m.Name && float64(high) <= bentRange*float64(low) {
		s.bends = append(s.bends, low)
		return nil
	}
	if err := s.between(low, a, mid, m); err != nil {
		return err
	}
	return s.between(mid, m, high, b)
}

// on reports whether the best time at a size lies on a line.
func on(line, best Choice, size units.Bytes) bool {
	return math.Abs(line.At(size)-best.At(size)) <= switchTolerance*best.At(size)
}

// oneLine reports whether two lines coincide between two sizes.
func oneLine(a, b Choice, low, high units.Bytes) bool { return on(a, b, low) && on(a, b, high) }
