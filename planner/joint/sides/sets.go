package sides

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
)

// sets are the side sums of a way: each is a set of tiles, without the point's own vector.
type sets struct {
	steps []laid
	list  [][]arrival
}

// sets lists the side sums that the steps need. It returns ok = false if these are too many.
func (s *search) sets() (*sets, bool) {
	all := &sets{steps: s.steps}
	for k, l := range s.steps {
		for _, t := range l.tiles {
			if set, _ := set(t.reads); len(set) > 0 && len(set) < all.before(k) && all.find(set) < 0 {
				all.list = append(all.list, set)
			}
		}
	}
	return all, len(all.list) <= collective.MostSides
}

// set returns the tiles that a sum consists of, and whether the own vector is in it.
func set(reads []block) (set []arrival, own bool) {
	for _, b := range reads {
		if b.by.step < 0 {
			own = true
		} else {
			set = append(set, b.by)
		}
	}
	slices.SortFunc(set, func(a, b arrival) int {
		if a.step != b.step {
			return a.step - b.step
		}
		return a.tile - b.tile
	})
	return set, own
}

// before returns the number of tiles that a point has received before a step.
func (s *sets) before(step int) int {
	return each.Sum(s.steps[:step], func(l laid) int { return len(l.tiles) })
}

func (s *sets) find(set []arrival) int {
	return slices.IndexFunc(s.list, func(known []arrival) bool { return slices.Equal(known, set) })
}

// part returns the part of a sender's value that a sum is, in a step.
func (s *sets) part(step int, reads []block) collective.Part {
	set, own := set(reads)
	switch whole := len(set) == s.before(step); {
	case whole && own:
		return collective.WholePart
	case len(set) == 0:
		return collective.OwnPart
	case whole:
		return collective.ReceivedPart
	}
	return collective.SidePart(s.find(set)+1, own)
}

// sides returns the side sums to which a tile belongs.
func (s *sets) sides(tile arrival) collective.Sides {
	var all collective.Sides
	for i, set := range s.list {
		if slices.Contains(set, tile) {
			all |= collective.SidesOf(i + 1)
		}
	}
	return all
}
