package jumpset

import (
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// WordSearch looks for generators of d stages with k ports in a group, such that the
// words over them are short: a word has letters of the first stage, then of the second,
// and so on, and reaches the product of its letters. The sum over all nodes of the
// length of the shortest word is what the chunks of a source make in hops.
type WordSearch struct {
	group      model.Group
	units      []Unit // of every stage
	generators [][]int
	next       [][][]int32 // where the circuits of each stage and port lead
	words      []layer     // over the first 0, 1, .. stages
	after      []layer     // the same with the generator under test
	trial      [2][]int32  // where its circuits lead, and those of its inverse
	queue      []int32
	Visits     int // circuits looked at
}

// Unit is what is chosen at once: the generator of a port or, where circuits are two-way, of
// a port and with it its inverse for the next port.
type Unit struct {
	port, width int
	candidates  []int
}

// UnitsOf divides k ports into units. Where circuits are two-way, a port that is left over
// needs a generator that is its own inverse; it returns false if there is none among the
// candidates.
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

// layer holds how long the shortest words over some stages are.
type layer struct {
	length []int32 // of the word to each node, or far
	order  []int32 // nodes that have one, in ascending order of length
}

func NewWordSearch(g model.Group, units []Unit, d int) *WordSearch {
	n := g.Nodes()
	last := units[len(units)-1]
	k := last.port + last.width
	s := &WordSearch{group: g, units: units, trial: [2][]int32{make([]int32, n), make([]int32, n)}}
	for range d {
		s.generators = append(s.generators, make([]int, k))
		next := make([][]int32, k)
		for p := range next {
			next[p] = make([]int32, n)
		}
		s.next = append(s.next, next)
	}
	for range d + 1 {
		s.words = append(s.words, layer{length: make([]int32, n)})
		s.after = append(s.after, layer{length: make([]int32, n)})
	}
	for x := 1; x < n; x++ {
		s.words[0].length[x] = Far
	}
	s.words[0].order = []int32{0}
	return s
}

// set makes v the generator of a stage and unit. Words are found by update.
func (s *WordSearch) set(stage int, u Unit, v int) {
	for i := range u.width {
		s.generators[stage][u.port+i] = v
		s.group.Step(v, s.next[stage][u.port+i])
		v = s.group.Inverse(v)
	}
}

// update finds the shortest words from a stage on and returns the sum of lengths.
func (s *WordSearch) update(stage int) int {
	total := 0
	for i := stage; i < len(s.next); i++ {
		total = s.spread(&s.words[i], &s.words[i+1], s.next[i])
	}
	return total
}

// spread sets to the words that from has after a stage with the given circuits, and
// returns the sum of lengths. It is a breadth-first search from many nodes, each with the
// word that it has already: they are in order, and so are those that get a shorter one,
// so that it takes O(nodes x circuits).
func (s *WordSearch) spread(from, to *layer, next [][]int32) int {
	length := to.length
	copy(length, from.length)
	order, queue, old := to.order[:0], s.queue[:0], from.order
	total, head := 0, 0
	for head < len(queue) || len(old) > 0 {
		var x int32
		if head < len(queue) && (len(old) == 0 || length[queue[head]] <= from.length[old[0]]) {
			x = queue[head]
			head++
		} else {
			x = old[0]
			if old = old[1:]; length[x] < from.length[x] {
				continue
			}
		}
		order = append(order, x)
		h := length[x]
		total += int(h)
		for _, circuits := range next {
			if y := circuits[x]; length[y] > h+1 {
				length[y] = h + 1
				queue = append(queue, y)
			}
		}
	}
	s.Visits += len(order) * len(next)
	to.order, s.queue = order, queue
	return total + (len(length)-len(order))*Far
}

// improve sets the generator of a stage and unit to the best of its candidates, given all
// others, if the sum of lengths is below the given one. It returns the sum. Of the stage only
// the first ports count, and only stages up to the last one given.
func (s *WordSearch) improve(stage int, u Unit, ports, last, total int) int {
	next := slices.Clone(s.next[stage][:ports])
	copy(next[u.port:u.port+u.width], s.trial[:])
	best := 0
	for _, v := range u.candidates {
		s.group.Step(v, s.trial[0])
		if u.width == 2 {
			s.group.Step(s.group.Inverse(v), s.trial[1])
		}
		t := s.spread(&s.words[stage], &s.after[stage+1], next)
		for i := stage + 1; i <= last; i++ {
			t = s.spread(&s.after[i], &s.after[i+1], s.next[i])
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
