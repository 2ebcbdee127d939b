package sides

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

func never() bool { return false }

func question(points int, vector, wait float64, changes int) Question {
	return Question{Points: points, Alpha: 500, Delta: 500, Vector: vector, Wait: wait, Changes: changes, Most: math.Inf(1), Stopped: never}
}

// follow carries an answer out with sets of points, seen from point 0 of a half. It returns what
// point 0 has in the end, or an error if something is counted twice or is not there.
func follow(a *Answer, points int, mirrored bool) (uint64, error) {
	rotate := func(set uint64, by int) uint64 {
		by = (by%points + points) % points
		return (set<<by | set>>(points-by)) & (1<<points - 1)
	}
	value, received := uint64(1), uint64(0)
	var aside [collective.MostSides + 1]uint64
	for _, s := range a.Steps {
		next, arrived, more := value, received, aside
		for _, t := range s.Tiles {
			at := t.At
			if mirrored {
				at = -at
			}
			sum := value
			side, own := t.Part.Side()
			switch {
			case side > 0:
				sum = aside[side]
				if own {
					sum |= 1
				}
			case t.Part == collective.OwnPart:
				sum = 1
			case t.Part == collective.ReceivedPart:
				sum = received
			}
			if sum = rotate(sum, at); sum == 0 || sum&next != 0 {
				return 0, fmt.Errorf("from %d comes %b to %b", at, sum, next)
			}
			if t.Hops*s.Offset != max(at, -at) {
				return 0, fmt.Errorf("%d hops of %d to %d", t.Hops, s.Offset, at)
			}
			next |= sum
			arrived |= sum
			for side := range t.Sides.All() {
				more[side] |= sum
			}
		}
		value, received, aside = next, arrived, more
	}
	return value, nil
}

// Every answer gives every point the sum of all, each once, in the time that its steps take.
func TestAnswersAreSumsOfAll(t *testing.T) {
	for points := 3; points <= 63; points += 1 + points/24 {
		for _, wait := range []float64{0, 200, 1000, 1e5} {
			for _, vector := range []float64{10, 160, 640} {
				for _, changes := range []int{0, 1, math.MaxInt32} {
					a := Best(question(points, vector, wait, changes))
					if a == nil {
						continue
					}
					time := wait * float64(a.Changes())
					for _, s := range a.Steps {
						passed := 0
						for _, tile := range s.Tiles {
							passed += tile.Hops
							if tile.Hops > s.Hops {
								t.Fatalf("%d points: %d hops of %d", points, tile.Hops, s.Hops)
							}
						}
						if s.Load != float64(passed)/2 {
							t.Fatalf("%d points: load %v, counted %d", points, s.Load, passed)
						}
						time += 500 + 500*float64(s.Hops) + vector*s.Load
					}
					if math.Abs(time-a.Time) > 1e-6 || a.Changes() > changes {
						t.Errorf("%d points: %v with %d changes, counted %v", points, a.Time, a.Changes(), time)
					}
					for half := range a.Halves {
						if all, err := follow(a, points, half > 0); err != nil || all != 1<<points-1 {
							t.Fatalf("%d points, wait %v, vector %v, half %d: %b, %v", points, wait, vector, half, all, err)
						}
					}
				}
			}
		}
	}
}

// twoSteps is the least time of two steps by enumeration: any set of points whose vectors a point
// gets first, over a ring, and any set of points that send sums of any of those then, over circuits
// of any offset. Together they must lead everywhere.
func twoSteps(q Question) float64 {
	n := q.Points
	type cost struct{ hops, passed int }
	price := func(set, offset int) (c cost, ok bool) {
		for at := 1; at < n; at++ {
			if set>>at&1 == 0 {
				continue
			}
			hops := 0
			for k := 1; k < n && hops == 0; k++ {
				if k*offset%n == at || (n-k*offset%n)%n == at {
					hops = k
				}
			}
			if hops == 0 {
				return c, false
			}
			c = cost{max(c.hops, hops), c.passed + hops}
		}
		return c, true
	}
	time := func(c cost) float64 { return q.Alpha + q.Delta*float64(c.hops) + q.Vector/2*float64(c.passed) }
	best := math.Inf(1)
	for first := 1; first < 1<<n; first += 2 {
		if bits.OnesCount(uint(first))*bits.OnesCount(uint(first)) == 1 {
			continue
		}
		begin, _ := price(first, 1)
		for second := 1; second < 1<<n; second += 2 {
			if bits.OnesCount(uint(first))*bits.OnesCount(uint(second)) < n || time(begin) >= best {
				continue
			}
			reached := 0
			for at := range n {
				if second>>at&1 != 0 {
					reached |= (first<<at | first>>(n-at)) & (1<<n - 1)
				}
			}
			if reached != 1<<n-1 {
				continue
			}
			for offset := 1; 2*offset <= n && (offset == 1 || q.Changes > 0); offset++ {
				if c, ok := price(second, offset); ok {
					wait := 0.0
					if offset > 1 {
						wait = q.Wait
					}
					best = min(best, time(begin)+wait+time(c))
				}
			}
		}
	}
	return best
}

// Two steps are the best of all sets of points, and more steps are taken only if they are better.
// (Four points are best as two digits: both circuits of a point lead to the opposite one.)
func TestTwoStepsEqualEnumeration(t *testing.T) {
	for points := 5; points <= 8; points++ {
		for _, wait := range []float64{0, 300, 1000, 1e5} {
			for _, vector := range []float64{10, 160, 640} {
				for _, changes := range []int{0, math.MaxInt32} {
					q := question(points, vector, wait, changes)
					want, got := twoSteps(q), Best(q)
					if got == nil || got.Time > want+1e-6 || len(got.Steps) == 2 && got.Time < want-1e-6 {
						t.Errorf("%d points, wait %v, vector %v, changes %v: %+v, by enumeration %v", points, wait, vector, changes, got, want)
					}
				}
			}
		}
	}
}

// A shorter delay, or more reconfigurations, never lead to a slower answer, and a limit that lies
// above the best answer does not change its time.
func TestMoreChoiceIsNeverWorse(t *testing.T) {
	time := func(q Question) float64 {
		if a := Best(q); a != nil {
			return a.Time
		}
		return math.Inf(1)
	}
	for _, points := range []int{5, 8, 13, 22, 37} {
		for _, vector := range []float64{10, 160, 640} {
			last := 0.0
			for _, wait := range []float64{0, 100, 400, 1000, 4000, 1e5} {
				fewer := math.Inf(1)
				for _, changes := range []int{0, 1, 2, math.MaxInt32} {
					q := question(points, vector, wait, changes)
					now := time(q)
					if now > fewer+1e-6 {
						t.Errorf("%d points, wait %v, vector %v: %v with %d changes, %v with fewer", points, wait, vector, now, changes, fewer)
					}
					q.Most = now + 1
					if within := time(q); math.Abs(within-now) > 1e-6 && !math.IsInf(now, 1) {
						t.Errorf("%d points, wait %v, vector %v: %v, within a limit %v", points, wait, vector, now, within)
					}
					fewer = now
				}
				if fewer < last-1e-6 {
					t.Errorf("%d points, vector %v: %v with a wait of %v, %v with a shorter one", points, vector, fewer, wait, last)
				}
				last = fewer
			}
		}
	}
}
