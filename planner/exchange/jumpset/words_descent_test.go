package jumpset

import (
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// descendSlowly is Descend that finds all words of every generator.
func descendSlowly(s *WordSearch, floor, visits int) int {
	total := s.update(0)
	all := len(s.units) * len(s.moves)
	for quiet, c := 0, 0; quiet < all && total > floor && s.Visits < visits; c = (c + 1) % all {
		stage, u := c/len(s.units), s.units[c%len(s.units)]
		old, best := s.generators[stage][u.port], 0
		least := total
		for _, v := range u.candidates {
			s.set(stage, u, v)
			if t := s.update(stage); t < least {
				best, least = v, t
			}
		}
		quiet++
		if best == 0 {
			s.set(stage, u, old)
			s.updateFree(stage)
			continue
		}
		s.set(stage, u, best)
		quiet, total = 0, s.update(stage)
	}
	return total
}

// updateFree is update that counts no visits.
func (s *WordSearch) updateFree(stage int) {
	before := s.Visits
	s.update(stage)
	s.Visits = before
}

// A search that drops generators early ends with the same generators after the same number of
// visits as one that finds all their words, wherever it is cut off.
func TestDroppingGeneratorsEarlyChangesNoSearch(t *testing.T) {
	for _, c := range []struct {
		g    model.Group
		k, d int
	}{{model.Group{M: 6, Q: 2, R: 5}, 2, 3}, {model.Group{M: 8, Q: 4, R: 3}, 2, 2}, {model.Group{M: 7, Q: 3, R: 2}, 1, 4}, {model.Rotations(30), 3, 1}} {
		for seed := range uint64(3) {
			for _, visits := range []int{5000, 1 << 40} {
				units, _ := UnitsOf(c.g, c.k, false, UpTo(c.g.Nodes()-1))
				fast, slow := NewWordSearch(c.g, units, c.d), NewWordSearch(c.g, units, c.d)
				fast.Scatter(seed)
				slow.Scatter(seed)
				got, err := fast.Descend(t.Context(), 0, visits)
				if err != nil {
					t.Fatal(err)
				}
				want := descendSlowly(slow, 0, visits)
				if got != want || fast.Visits != slow.Visits || !reflect.DeepEqual(fast.generators, slow.generators) {
					t.Errorf("%v, %d ports, %d stages, %d visits: %d by %v after %d, slowly %d by %v after %d", c.g, c.k, c.d, visits, got, fast.generators, fast.Visits, want, slow.generators, slow.Visits)
				}
			}
		}
	}
}

// A search begins the same whether its first stages are known or not, and whether these were
// grown for fewer stages or for more.
func TestSearchesBeginTheSameWithKnownStages(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		g := model.Group{M: 8, Q: 4, R: 3}
		units, ok := UnitsOf(g, 3, duplex, UpTo(g.Nodes()-1))
		if !ok {
			t.Fatal("no units")
		}
		begun := func(d int, known [][]int) *WordSearch {
			s := NewWordSearch(g, units, d)
			if err := s.Begin(t.Context(), 0, known); err != nil {
				t.Fatal(err)
			}
			return s
		}
		for d := 1; d <= 4; d++ {
			want := begun(d, nil)
			for known := 0; known <= d; known++ {
				got := begun(d, begun(4, nil).Generators()[:known])
				if !reflect.DeepEqual(got.Generators(), want.Generators()) || !reflect.DeepEqual(got.lengths(d), want.lengths(d)) {
					t.Errorf("%d stages, %d known: %v, without %v", d, known, got.Generators(), want.Generators())
				}
			}
		}
	}
}
