package pieces

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// The search for the best number of pieces.
//
// Bounds come first: every number has a lower bound in closed form, and only numbers whose bound
// is below the best time so far are ever asked for. So a number that takes no longer than the
// least of all bounds is the best, and if few numbers are left, all of them are asked for.
// Otherwise the powers of two are asked for, and then the neighbourhood of those that are better
// than their neighbours. Times have the form p + q*P + r/P as long as the circuits stay the same,
// so three numbers give the minimum; the numbers next to it are asked for in growing strides. If
// several trees take turns, a number that is not a multiple of theirs takes a round for a part of
// it, so each remainder has its own curve.
const (
	// fewLeft is the most numbers left for which all of them are asked for.
	fewLeft = 24
	// sameTime is the relative difference of times that are the same except for rounding.
	sameTime = 1e-9
	// enough is how many doublings in a row may be worse than an earlier one.
	enough = 2
	// valley is how much slower than the best a number may be for the search to look around it.
	valley = 1.5
	// near is how much slower than a limit a number may be for the search to look around it while
	// no number is within the limit: of p + q*P + r/P some double is at most 1.0607 times the
	// minimum.
	near = 1.08
	// manyAsked is how many numbers are asked for before the search looks around the best one
	// only. If remainders other than those of the trees have their own curves, every second
	// number is better than its neighbours, and of millions of pieces most are not much slower
	// than the best.
	manyAsked = 128
	// strides is how many strides from a minimum, 1, 2, 4, .., are tried.
	strides = 2
)

// search is a search in progress.
type search struct {
	least, most int
	turns       int // pieces of a round of all trees
	// bounds returns a lower bound on the time of a number, in ns, and one that also holds for
	// every larger number.
	bounds func(pieces int) (bound, rising float64)
	// ask finds the time of a number, in ns. It need not find a time above within.
	ask      func(ctx context.Context, pieces int, within float64) (units.Time, error)
	limit    float64 // in ns: a longer time cannot win; 0: none
	charge   charge  // part of all bounds
	sketched bool    // large numbers take no longer to ask for than small ones
	first    bool    // the number with the lowest bound is likely to be the best
	free     bool    // steps cost nothing but their bytes

	known map[int]float64 // times by number; beyond the limit, what is known of them
	best  int
	time  float64 // of the best
	given error   // why the first number has no plan, or none within the limit
	found bool    // the best is within the limit
}

// run finds the best number of pieces.
func (s *search) run(ctx context.Context) error {
	first, lowest := s.lowest()
	return s.from(ctx, first, lowest)
}

// from is run, given the number that has the lowest bound.
func (s *search) from(ctx context.Context, first int, lowest float64) error {
	s.known, s.time = map[int]float64{}, math.Inf(1)
	if s.sketched || s.first {
		// The fewest pieces take the fewest steps. Other numbers are soon known to exceed their
		// time.
		if s.sketched && s.limit == 0 {
			if err := s.at(ctx, s.least); err != nil {
				return err
			}
		}
		if err := s.at(ctx, first); err != nil {
			return err
		}
		if s.time <= lowest*(1+sameTime) {
			return nil
		}
	}
	for _, start := range s.starts() {
		// Numbers that are left out say nothing of larger ones: the bound falls as numbers grow.
		before, worse := math.Inf(1), 0
		for p := start; p <= s.most && s.rising(p) < s.cut() && (worse < enough || p < 2*first); p *= 2 {
			if err := s.at(ctx, p); err != nil {
				return err
			}
			if time, asked := s.known[p]; asked {
				if worse++; time < before {
					worse = 0
				}
				before = min(before, time)
			}
		}
	}
	if err := s.at(ctx, first); err != nil {
		return err
	}
	if s.free { // the more pieces the better, by less and less: see freePieces
		return s.at(ctx, s.most-s.most%s.turns)
	}
	if done, err := s.fewLeft(ctx); done || err != nil {
		return err
	}
	return s.descend(ctx)
}

// starts returns the numbers whose doubles are asked for: the least, and one round of all trees.
func (s *search) starts() []int {
	if s.turns <= s.least {
		return []int{s.least}
	}
	return []int{s.least, s.turns}
}

// lowest returns the number with the lowest bound.
func (s *search) lowest() (pieces int, bound float64) {
	pieces, bound = s.least, math.Inf(1)
	for p := s.least; p <= s.most; p++ {
		b, rising := s.bounds(p)
		if b < bound {
			pieces, bound = p, b
		}
		if rising >= bound {
			break
		}
	}
	return pieces, bound
}

func (s *search) bound(pieces int) float64 {
	bound, _ := s.bounds(pieces)
	return bound
}

func (s *search) rising(pieces int) float64 {
	_, rising := s.bounds(pieces)
	return rising
}

// at asks for a number, unless it cannot be better.
func (s *search) at(ctx context.Context, pieces int) error {
	if pieces < s.least || pieces > s.most {
		return nil
	}
	if _, ok := s.known[pieces]; ok || s.floor(pieces) >= s.cut()*(1-sameTime) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	time, err := s.ask(ctx, pieces, s.within())
	var beyond *planner.Beyond
	switch {
	case errors.As(err, &beyond):
		time = beyond.Least
		if s.given == nil || errors.Is(s.given, planner.ErrInfeasible) {
			s.given = err
		}
	case errors.Is(err, planner.ErrInfeasible), errors.Is(err, planner.ErrBeyond):
		time = units.Time(math.Inf(1))
		s.given = cmp.Or(s.given, err)
	case err != nil:
		return err
	}
	s.known[pieces] = float64(time)
	within := err == nil && (s.limit == 0 || float64(time) <= s.limit*(1+2*sameTime))
	if err == nil && !within && s.given == nil {
		s.given = &planner.Beyond{Least: time}
	}
	if within && !s.found || within == s.found && (float64(time) < s.time || float64(time) == s.time && pieces < s.best) {
		s.best, s.time, s.found = pieces, float64(time), within
	}
	return nil
}

// cut returns the time that a number of pieces must stay below.
func (s *search) cut() float64 {
	if s.found || s.limit == 0 {
		return s.time
	}
	return s.limit * (1 + 2*sameTime)
}

// within returns the time up to which times are asked for: numbers that are not much slower than
// the best say where to look next.
func (s *search) within() float64 {
	within := s.time * valley
	if s.limit > 0 {
		within = min(within, s.limit*near)
	}
	return within
}

// worthLooking reports whether a number near one with the given time may be the best.
func (s *search) worthLooking(time float64) bool {
	if !s.found && s.limit > 0 {
		return time <= s.limit*near
	}
	return time <= s.cut()*valley
}

// floor returns a lower bound on the time of a number. The first k of P pieces do what k pieces
// do, with k/P of the bytes in a step. So P pieces take at least k/P of the time that k pieces
// take, on the same topologies.
func (s *search) floor(pieces int) float64 {
	floor := s.bound(pieces)
	for p, time := range s.known {
		if p < pieces {
			floor = max(floor, time*float64(p)/float64(pieces))
		}
	}
	return floor
}

// fewLeft asks for all numbers that may be better, if they are few.
func (s *search) fewLeft(ctx context.Context) (done bool, err error) {
	left, few := s.left()
	if !few {
		return false, nil
	}
	for _, p := range left {
		if err := s.at(ctx, p); err != nil {
			return false, err
		}
	}
	return true, nil
}

// left lists the numbers that may be better, if they are few: those whose floor is below the best
// time. If k pieces take long, or have no plan, the floors of many numbers above k exceed the
// best time at once: of all numbers up to k times the time of k, divided by the best time.
func (s *search) left() (left []int, few bool) {
	below := s.cut() * (1 - sameTime)
	asked := slices.Sorted(maps.Keys(s.known))
	most := 0.0 // k times the time of k, the most of all k below p
	for p := s.least; p <= s.most; p++ {
		for len(asked) > 0 && asked[0] < p {
			most = max(most, s.known[asked[0]]*float64(asked[0]))
			asked = asked[1:]
		}
		if math.IsInf(most, 1) {
			break
		}
		if most/float64(p) >= below {
			// One less than the last of them, because the quotient is rounded.
			p = max(p, int(min(most/below, float64(s.most)))-1)
			continue
		}
		bound, rising := s.bounds(p)
		if _, ok := s.known[p]; !ok && bound < below {
			if left = append(left, p); len(left) > fewLeft {
				return nil, false
			}
		}
		if rising >= s.cut() {
			break
		}
	}
	return left, true
}

// descend looks around every known number that is better than the known numbers next to it of the
// same remainder.
func (s *search) descend(ctx context.Context) error {
	looked := map[int]bool{}
	for again := true; again; {
		again = false
		classes := make([][]int, s.turns)
		for _, p := range slices.Sorted(maps.Keys(s.known)) {
			classes[p%s.turns] = append(classes[p%s.turns], p)
		}
		for _, numbers := range classes {
			for i, p := range numbers {
				low, high := p, p
				if i > 0 {
					low = numbers[i-1]
				}
				if i+1 < len(numbers) {
					high = numbers[i+1]
				}
				time := s.known[p]
				if len(s.known) > manyAsked && p != s.best {
					continue
				}
				if looked[p] || !s.worthLooking(time) || time > s.known[low] || time > s.known[high] {
					continue
				}
				looked[p], again = true, true
				if err := s.around(ctx, low, p, high); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// around asks for the minimum of the curve through three numbers of the same remainder, and for
// the numbers next to the middle one.
func (s *search) around(ctx context.Context, low, middle, high int) error {
	var ask []int
	if low < middle && middle < high {
		at := curveMinimum([3]float64{float64(low), float64(middle), float64(high)}, [3]float64{s.known[low], s.known[middle], s.known[high]})
		if at > float64(low) && at < float64(high) {
			same := int(at) - (int(at)-low)%s.turns
			ask = append(ask, same, same+s.turns)
		}
	}
	for k := range strides {
		ask = append(ask, middle-s.turns<<k, middle+s.turns<<k)
	}
	if middle == s.best { // other remainders may do better
		for k := 1; k < s.turns; k++ {
			ask = append(ask, middle-k, middle+k)
		}
	}
	return each.Try(ask, func(p int) error { return s.at(ctx, p) })
}

// curveMinimum returns where the curve p + q*x + r/x through three points is least; NaN if it is
// least nowhere.
func curveMinimum(x, y [3]float64) float64 {
	// Differences: y1-y0 = (x1-x0)*(q - r/(x0*x1)), and so on.
	a := (y[1] - y[0]) / (x[1] - x[0])
	b := (y[2] - y[1]) / (x[2] - x[1])
	r := (b - a) / (1/(x[0]*x[1]) - 1/(x[1]*x[2]))
	q := a + r/(x[0]*x[1])
	return math.Sqrt(r / q)
}
