package jumpset

import (
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// WordSearch looks for generators of d stages with k ports in a group, such that the words over
// them are short: a word has letters of the first stage, then of the second, and so on, and
// reaches the product of its letters. The sum over all nodes of the length of the shortest word
// is the number of hops that the chunks of a source make.
type WordSearch struct {
	group      model.Group
	units      []Unit // of every stage
	generators [][]int
	sets       *nodeSets
	moves      [][]move // along the circuits of each stage and port
	words      []levels // over the first 0, 1, .. stages
	after      []levels // the same with the generator under test
	trial      [2]move  // along its circuits, and those of its inverse
	Visits     int      // circuits looked at
}

// Unit is what is chosen at once: the generator of a port or, if circuits are two-way, a
// generator for a port and its inverse for the next port.
type Unit struct {
	port, width int
	candidates  []int
}

// UnitsOf divides k ports into units. If circuits are two-way, an odd port needs a generator
// that is its own inverse; UnitsOf returns false if no candidate is.
func UnitsOf(g model.Group, k int, duplex bool, candidates []int) ([]Unit, bool) {
	width := 1
	if duplex {
		width = 2
	}
	var units []Unit
	for p := 0; p+width <= k; p += width {
		units = append(units, Unit{port: p, width: width, candidates: candidates})
	}
	if !duplex || k%2 == 0 {
		return units, true
	}
	var own []int
	for _, v := range candidates {
		if g.Inverse(v) == v {
			own = append(own, v)
		}
	}
	return append(units, Unit{port: k - 1, width: 1, candidates: own}), len(own) > 0
}

func NewWordSearch(g model.Group, units []Unit, d int) *WordSearch {
	last := units[len(units)-1]
	k := last.port + last.width
	sets := newNodeSets(g)
	s := &WordSearch{
		group: g, units: units, sets: sets, trial: [2]move{sets.newMove(), sets.newMove()},
		words: make([]levels, d+1), after: make([]levels, d+1),
	}
	for range d {
		s.generators = append(s.generators, make([]int, k))
		moves := make([]move, k)
		for p := range moves {
			moves[p] = sets.newMove()
		}
		s.moves = append(s.moves, moves)
	}
	start := slices.Repeat([]int32{Far}, g.Nodes())
	start[0] = 0
	sets.of(start, &s.words[0])
	return s
}

// set makes v the generator of a stage and unit. It does not find words; update does.
func (s *WordSearch) set(stage int, u Unit, v int) {
	for i := range u.width {
		s.generators[stage][u.port+i] = v
		s.sets.set(&s.moves[stage][u.port+i], v)
		v = s.group.Inverse(v)
	}
}

// update finds the shortest words from a stage on and returns the sum of lengths.
func (s *WordSearch) update(stage int) int {
	total := 0
	for i := stage; i < len(s.moves); i++ {
		total = s.spread(&s.words[i], &s.words[i+1], s.moves[i])
	}
	return total
}

// spread stores in to the words of from after a stage with the given circuits, and returns the
// sum of lengths.
func (s *WordSearch) spread(from, to *levels, moves []move) int {
	return s.spreadWithin(from, to, moves, MaxTotal)
}

// spreadWithin is spread that may stop once the sum of lengths is known to be at least limit. It
// does so only if the words reached all nodes before, so that Visits counts the same in any case,
// and a search examines as many generators.
func (s *WordSearch) spreadWithin(from, to *levels, moves []move, limit int) int {
	n := s.group.Nodes()
	if from.count[len(from.count)-1] == n {
		s.Visits += n * len(moves)
		return s.sets.spread(from, to, moves, limit)
	}
	total := s.sets.spread(from, to, moves, MaxTotal)
	s.Visits += to.count[len(to.count)-1] * len(moves)
	return total
}

// lengths returns the length of the shortest word to every node over the first stages, or Far
// if it has none.
func (s *WordSearch) lengths(stages int) []int32 { return s.sets.lengths(&s.words[stages]) }

// improve sets the generator of a stage and unit to the best of its candidates, given all
// others, if that makes the sum of lengths less than total. It returns the sum. Only the first
// ports of the stage count, and only stages up to last.
func (s *WordSearch) improve(stage int, u Unit, ports, last, total int) int {
	moves := slices.Clone(s.moves[stage][:ports])
	copy(moves[u.port:u.port+u.width], s.trial[:])
	best := 0
	for _, v := range u.candidates {
		s.sets.set(&s.trial[0], v)
		if u.width == 2 {
			s.sets.set(&s.trial[1], s.group.Inverse(v))
		}
		from, t := &s.words[stage], 0
		for i := stage; i <= last; i++ {
			along, limit := s.moves[i], MaxTotal
			if i == stage {
				along = moves
			}
			if i == last { // only the words over all stages must be shorter than the best so far
				limit = total
			}
			t = s.spreadWithin(from, &s.after[i+1], along, limit)
			from = &s.after[i+1]
		}
		if t < total {
			best, total = v, t
		}
	}
	if best != 0 {
		s.set(stage, u, best)
	}
	return total
}
