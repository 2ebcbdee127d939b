package pieces

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

// If every second number is better than its neighbours, the search still ends soon, and near the
// best.
func TestAJaggedCurveIsNotFollowedNumberByNumber(t *testing.T) {
	time := func(pieces int) float64 {
		p := float64(pieces)
		return 1e11 + 3000*p + 1e11/p + 2e4*float64(pieces/2%2)
	}
	asked, best := 0, math.Inf(1)
	s := &search{
		least: 2, most: 1 << 19, turns: 2, sketched: true,
		bounds: func(pieces int) (bound, rising float64) {
			rising = 1000 * float64(pieces)
			return 1e11 + rising, rising
		},
		ask: func(_ context.Context, pieces int, _ float64) (units.Time, error) {
			asked++
			return units.Time(time(pieces)), nil
		},
	}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for p := s.least; p <= 1<<16; p++ {
		best = min(best, time(p))
	}
	if asked > 2*manyAsked || s.time > best*(1+1e-6) {
		t.Errorf("%d numbers were asked for, for a time of %v; the best is %v", asked, s.time, best)
	}
}

// If steps are free, more pieces are always better, and few numbers are asked for.
func TestFewNumbersAreAskedForIfStepsAreFree(t *testing.T) {
	asked := 0
	s := &search{
		least: 1, most: freePieces, turns: 3, free: true,
		bounds: func(int) (bound, rising float64) { return 1e6, 1e6 },
		ask: func(_ context.Context, pieces int, _ float64) (units.Time, error) {
			asked++
			return units.Time(1e7 + 1e7/float64(pieces)), nil
		},
	}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked > 40 || s.time > 1e7*(1+2.0/freePieces) {
		t.Errorf("%d numbers were asked for, the best takes %v", asked, s.time)
	}
}

// The numbers left to ask for are those that the floors of all numbers imply, whatever is known
// so far.
func TestNumbersAreLeftWhoseFloorIsBelowTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 11))
	many := 0
	for range 2000 {
		s := &search{least: 1 + r.IntN(3), most: 10 + r.IntN(3000), known: map[int]float64{}, time: math.Inf(1)}
		fixed, step, bytes := 1e4*r.Float64(), 10*r.Float64(), 1e5*r.Float64()
		s.bounds = func(pieces int) (bound, rising float64) {
			rising = fixed + step*float64(pieces)
			return rising + bytes/float64(1+pieces%4), rising
		}
		for range r.IntN(8) {
			p := s.least + r.IntN(s.most)
			bound, _ := s.bounds(p)
			s.known[p] = bound * (1 + r.Float64())
			if s.time = min(s.time, s.known[p]); r.IntN(20) == 0 {
				s.known[p] = math.Inf(1)
			}
		}
		if r.IntN(3) == 0 {
			s.limit = 2e4 * r.Float64()
		}
		s.found = s.limit == 0
		var want []int
		for p := s.least; p <= s.most; p++ {
			if _, ok := s.known[p]; !ok && s.floor(p) < s.cut()*(1-sameTime) {
				want = append(want, p)
			}
		}
		left, few := s.left()
		if few != (len(want) <= fewLeft) || few && !slices.Equal(left, want) {
			t.Fatalf("%v of %v, few %v; by their floors %v", left, s.known, few, want)
		}
		if few && len(want) > 0 {
			many++
		}
	}
	if many < 50 {
		t.Errorf("only %d searches have few left", many)
	}
}

// If one piece has no plan, more pieces have none either, and their bounds are not looked at.
func TestNumbersAboveOneWithoutAPlanAreNotLookedAt(t *testing.T) {
	looked := 0
	s := &search{
		least: 1, most: 1 << 22, turns: 1, limit: 1e12, known: map[int]float64{1: math.Inf(1)}, time: math.Inf(1),
		bounds: func(int) (bound, rising float64) { looked++; return 0, 0 },
	}
	if left, few := s.left(); len(left) > 0 || !few || looked > 1 {
		t.Errorf("%d numbers were looked at, and %v are left", looked, left)
	}
	// The same holds for numbers beyond the limit, judging by what is known of smaller numbers.
	s.known, looked = map[int]float64{1: 1e15}, 0
	if left, few := s.left(); few || looked > 1+fewLeft+2 {
		t.Errorf("%d numbers were looked at, and %v are left", looked, left)
	}
}
