package exchange

import "slices"

// wordSearch looks for generators of d stages with k ports in a group, such that the
// words over them are short: a word has letters of the first stage, then of the second,
// and so on, and reaches the product of its letters. The sum over all nodes of the
// length of the shortest word is what the chunks of a source make in hops.
type wordSearch struct {
	group      Group
	units      []unit // of every stage
	generators [][]int
	next       [][][]int32 // where the circuits of each stage and port lead
	words      []layer     // over the first 0, 1, .. stages
	after      []layer     // the same with the generator under test
	trial      [2][]int32  // where its circuits lead, and those of its inverse
	queue      []int32
	visits     int // circuits looked at
}

// unit is what is chosen at once: the generator of a port or, where circuits are two-way, of
// a port and with it its inverse for the next port.
type unit struct {
	port, width int
	candidates  []int
}

// unitsOf divides k ports into units. Where circuits are two-way, a port that is left over
// needs a generator that is its own inverse; it returns false if there is none among the
// candidates.
func unitsOf(g Group, k int, duplex bool, candidates []int) ([]unit, bool) {
	width := 1
	if duplex {
		width = 2
	}
	var units []unit
	for p := 0; p+width <= k; p += width {
		units = append(units, unit{p, width, candidates})
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
	return append(units, unit{k - 1, 1, own}), len(own) > 0
}

// layer holds how long the shortest words over some stages are.
type layer struct {
	length []int32 // of the word to each node, or far
	order  []int32 // nodes that have one, in ascending order of length
}

func newWordSearch(g Group, units []unit, d int) *wordSearch {
	n := g.Nodes()
	last := units[len(units)-1]
	k := last.port + last.width
	s := &wordSearch{group: g, units: units, trial: [2][]int32{make([]int32, n), make([]int32, n)}}
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
		s.words[0].length[x] = far
	}
	s.words[0].order = []int32{0}
	return s
}

// set makes v the generator of a stage and unit. Words are found by update.
func (s *wordSearch) set(stage int, u unit, v int) {
	for i := range u.width {
		s.generators[stage][u.port+i] = v
		s.group.step(v, s.next[stage][u.port+i])
		v = s.group.Inverse(v)
	}
}

// update finds the shortest words from a stage on and returns the sum of lengths.
func (s *wordSearch) update(stage int) int {
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
func (s *wordSearch) spread(from, to *layer, next [][]int32) int {
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
	s.visits += len(order) * len(next)
	to.order, s.queue = order, queue
	return total + (len(length)-len(order))*far
}

// improve sets the generator of a stage and unit to the best of its candidates, given all
// others, if the sum of lengths is below the given one. It returns the sum. Of the stage only
// the first ports count, and only stages up to the last one given.
func (s *wordSearch) improve(stage int, u unit, ports, last, total int) int {
	next := slices.Clone(s.next[stage][:ports])
	copy(next[u.port:u.port+u.width], s.trial[:])
	best := 0
	for _, v := range u.candidates {
		s.group.step(v, s.trial[0])
		if u.width == 2 {
			s.group.step(s.group.Inverse(v), s.trial[1])
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
