package sweep

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Choice is what is best at a size: its name, and its time as a line in the size.
type Choice struct {
	Name       string
	At0, Slope float64 // ns, and ns per byte
}

// At is the time at a size.
func (c Choice) At(size units.Bytes) float64 { return c.At0 + c.Slope*float64(size) }

// Switch is a size from which on a choice is the best.
type Switch struct {
	From units.Bytes
	Choice
}

// switchTolerance is the relative rounding of a total.
const switchTolerance = 1e-9

// SwitchOvers returns from which size on which choice is the best, from one size to
// another, both included. Best says what is best at a size.
//
// The best time is the least of lines, hence concave: where the lines of two sizes meet,
// either nothing is better, and this is where one takes over from the other, or a third
// line is, and the search goes on at both sides (Eisner and Severance 1976). So sizes are
// exact to the byte, and best is asked about three times for every line. Where times are not
// lines, as with chunks of a size of their own, the meeting point is not on either line:
// then the search halves the range between two names until they are neighbours.
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
	out := []Switch{{from, first}}
	for _, f := range s.found {
		if f.Name != out[len(out)-1].Name {
			out = append(out, f)
		}
	}
	return out, nil
}

type switches struct {
	best  func(units.Bytes) (Choice, error)
	found []Switch
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
	least := b.At(high)
	if a.At(high) <= least+switchTolerance*least { // the line of low goes on to here
		if a.Name != b.Name {
			s.found = append(s.found, Switch{high, b})
		}
		return nil
	}
	if high-low <= 1 {
		s.found = append(s.found, Switch{high, b})
		return nil
	}
	meet := math.NaN()
	if a.Slope > b.Slope {
		meet = (b.At0 - a.At0) / (a.Slope - b.Slope)
	}
	mid := units.Bytes(math.Sqrt(float64(low) * float64(high))) // of what is not lines
	if meet >= float64(low) && meet <= float64(high) {
		mid = units.Bytes(math.Floor(meet))
	}
	mid = min(max(mid, low+1), high-1)
	m, err := s.ask(mid)
	if err != nil {
		return err
	}
	if !math.IsNaN(meet) {
		next, err := s.ask(mid + 1)
		if err != nil {
			return err
		}
		if on(a, m, mid) && on(b, next, mid+1) { // from the first whole size beyond the meeting point on, b is faster
			s.found = append(s.found, Switch{mid + 1, b})
			return nil
		}
	}
	if lower := min(a.At(mid), b.At(mid)); m.At(mid) > lower+switchTolerance*lower && a.Name == b.Name && a.Name == m.Name {
		return nil // not lines, and nothing else
	}
	if err := s.between(low, a, mid, m); err != nil {
		return err
	}
	return s.between(mid, m, high, b)
}

// on reports whether what is best at a size lies on a line.
func on(line, best Choice, size units.Bytes) bool {
	return math.Abs(line.At(size)-best.At(size)) <= switchTolerance*best.At(size)
}
