package apart

import (
	"cmp"
	"slices"
)

// Turn is a part of a matching on a plane.
type Turn struct {
	Match int
	Share float64 // of what the matching sends, above 0; the shares of all its turns add up to 1
}

// evenTolerance is the difference of two ends, relative to the later one, below which they
// count as even. The rounding error of a sum with one float64 term per turn is far smaller.
const evenTolerance = 1e-9

// Spread divides matchings among planes such that the planes end early. sends is the sending
// time of each matching, and every turn costs charge besides. First each matching, the longest
// first, goes to the plane that ends first. Then parts move from the plane that ends last to
// the one that ends first, as long as that is worth the charge of another turn. No plane has
// two turns of the same matching. It takes O(m log m + m p^2) for m matchings on p planes.
func Spread(sends []float64, planes int, charge float64) [][]Turn {
	order := make([]int, len(sends))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sends[b], sends[a]) })
	s := &spreading{
		sends: sends, charge: charge, turns: make([][]Turn, planes), ends: make([]float64, planes), has: make([][]bool, planes),
	}
	for k := range s.has {
		s.has[k] = make([]bool, len(sends))
	}
	for _, i := range order {
		k := s.earliest()
		s.has[k][i] = true
		s.turns[k] = append(s.turns[k], Turn{Match: i, Share: 1})
		s.ends[k] += charge + sends[i]
	}
	// Each move evens out two planes, after which others may be the last and the first. A few
	// rounds over all pairs of planes leave only negligible differences.
	for range 4 * planes * planes {
		if !s.even() {
			break
		}
	}
	return s.turns
}

// spreading is a division in progress.
type spreading struct {
	sends  []float64
	charge float64
	turns  [][]Turn
	ends   []float64 // of planes
	has    [][]bool  // whether a plane has a turn of a matching
}

func (s *spreading) earliest() int {
	first := 0
	for k, end := range s.ends {
		if end < s.ends[first] {
			first = k
		}
	}
	return first
}

func (s *spreading) latest() int {
	last := 0
	for k, end := range s.ends {
		if end > s.ends[last] {
			last = k
		}
	}
	return last
}

// even moves something from the plane that ends last to the one that ends first, and reports
// whether that has made the later of their ends earlier.
func (s *spreading) even() bool {
	from, to := s.latest(), s.earliest()
	gap := s.ends[from] - s.ends[to]
	best, least := -1, s.ends[from]*(1-evenTolerance)
	for i, t := range s.turns[from] {
		if later := s.moved(t, from, to, gap); later < least {
			best, least = i, later
		}
	}
	if best < 0 {
		return false
	}
	t := &s.turns[from][best]
	send := t.Share * s.sends[t.Match]
	there, charge := s.has[to][t.Match], s.charge
	if there {
		charge = 0
	}
	part, whole := (gap-charge)/2, false
	if part >= send*(1-evenTolerance) {
		part, whole = send, true
	}
	share := part / s.sends[t.Match]
	if whole {
		share = t.Share
		s.ends[from] -= s.charge
	}
	s.ends[from] -= part
	s.ends[to] += charge + part
	if there {
		s.turns[to][s.at(to, t.Match)].Share += share
	} else {
		s.turns[to] = append(s.turns[to], Turn{Match: t.Match, Share: share})
		s.has[to][t.Match] = true
	}
	if whole {
		s.has[from][t.Match] = false
		s.turns[from] = slices.Delete(s.turns[from], best, best+1)
	} else {
		t.Share -= share
	}
	return true
}

// moved returns the later of the ends of two planes when the best part of a turn, or all of
// it, is moved from one to the other.
func (s *spreading) moved(t Turn, from, to int, gap float64) float64 {
	send := t.Share * s.sends[t.Match]
	charge := s.charge
	if s.has[to][t.Match] {
		charge = 0
	}
	part := (gap - charge) / 2
	switch {
	case part <= 0 || send == 0:
		return s.ends[from]
	case part >= send*(1-evenTolerance):
		return max(s.ends[from]-s.charge-send, s.ends[to]+charge+send)
	}
	return s.ends[from] - part
}

// at returns the index of a plane's turn of a matching, or -1.
func (s *spreading) at(plane, match int) int {
	return slices.IndexFunc(s.turns[plane], func(t Turn) bool { return t.Match == match })
}
