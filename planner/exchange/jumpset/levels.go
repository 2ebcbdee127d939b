package jumpset

import (
	"math"
	"math/bits"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// levels holds growing sets of nodes of a group: the nodes that words reach with no letter,
// with at most one letter, with at most two, and so on. The last set has all nodes that words
// reach at all. A set has a bit for every node, so that a letter moves 64 nodes at once. The
// nodes (a, b) with the same b are a block of machine words, and a generator (c, e) moves a
// block to another one, rotated.
type levels struct {
	sets  [][]uint64
	count []int // of nodes in each set
	spare [][]uint64
}

// clear removes all sets.
func (l *levels) clear() {
	l.spare = append(l.spare, l.sets...)
	l.sets, l.count = l.sets[:0], l.count[:0]
}

// add adds a set of the given number of words, with arbitrary content, and returns it.
func (l *levels) add(words int) []uint64 {
	var set []uint64
	if last := len(l.spare) - 1; last >= 0 {
		set, l.spare = l.spare[last], l.spare[:last]
	} else {
		set = make([]uint64, words)
	}
	l.sets = append(l.sets, set)
	return set
}

// drop removes the last set.
func (l *levels) drop() {
	last := len(l.sets) - 1
	l.spare = append(l.spare, l.sets[last])
	l.sets = l.sets[:last]
}

// at returns the set of nodes within the given number of letters.
func (l *levels) at(letters int) []uint64 { return l.sets[min(letters, len(l.sets)-1)] }

// grown returns how many more nodes are within the given number of letters than within one
// letter less.
func (l *levels) grown(letters int) int {
	if letters >= len(l.count) {
		return 0
	}
	return l.count[letters] - l.count[letters-1]
}

// move is what a generator does to blocks: block b becomes block to[b], rotated by by[b].
type move struct{ to, by []int32 }

// nodeSets makes levels of a group.
type nodeSets struct {
	group model.Group
	width int    // words of a block
	top   uint64 // bits of the last of them that are nodes
	twist []int  // R^b mod M
	front []uint64
	nodes []node // of front, if these are few
}

func newNodeSets(g model.Group) *nodeSets {
	s := &nodeSets{group: g, width: arithmetic.CeilDiv(g.M, 64), top: math.MaxUint64 >> (63 - (g.M-1)%64), twist: make([]int, g.Q)}
	power := 1 % g.M
	for b := range s.twist {
		s.twist[b] = power
		power = power * g.R % g.M
	}
	s.front = make([]uint64, s.words())
	return s
}

func (s *nodeSets) words() int { return s.width * s.group.Q }

func (s *nodeSets) newMove() move {
	return move{to: make([]int32, s.group.Q), by: make([]int32, s.group.Q)}
}

// set makes m the move of generator v.
func (s *nodeSets) set(m *move, v int) {
	c, to := v%s.group.M, v/s.group.M
	for b, twist := range s.twist {
		m.to[b], m.by[b] = int32(to), int32(twist*c%s.group.M)
		if to++; to == s.group.Q {
			to = 0
		}
	}
}

// of fills levels from the distances of all nodes, in order of node number. Nodes at distance
// Far are in no set.
func (s *nodeSets) of(distances []int32, l *levels) {
	most := int32(0)
	for _, h := range distances {
		if h < Far {
			most = max(most, h)
		}
	}
	l.clear()
	for range most + 1 {
		clear(l.add(s.words()))
	}
	for x, h := range distances {
		if h < Far {
			a, b := x%s.group.M, x/s.group.M
			l.sets[h][b*s.width+a/64] |= 1 << (a % 64)
		}
	}
	sum := 0
	for h, set := range l.sets {
		for i := range set {
			if h > 0 {
				set[i] |= l.sets[h-1][i]
			}
		}
		sum = ones(set)
		l.count = append(l.count, sum)
	}
}

// lengths returns the number of letters in the shortest word to every node, or Far if there is
// none.
func (s *nodeSets) lengths(l *levels) []int32 {
	list := make([]int32, s.group.Nodes())
	for x := range list {
		list[x] = Far
	}
	for h := len(l.sets) - 1; h >= 0; h-- {
		for i, word := range l.sets[h] {
			for ; word != 0; word &= word - 1 {
				list[i/s.width*s.group.M+i%s.width*64+bits.TrailingZeros64(word)] = int32(h)
			}
		}
	}
	return list
}

// spread stores in to the levels of from after a stage whose circuits make the given moves: a
// node is within h+1 letters if it was so before, or if a move leads to it from a node within h
// letters. It returns the sum, over all nodes, of the letters of their shortest words; a node
// without a word counts as Far. Once the sum is known to be at least limit, spread returns some
// number that is at least limit, and to is meaningless.
//
// A letter takes O(moves x words) or, if few nodes are new, O(moves x new nodes + words).
func (s *nodeSets) spread(from, to *levels, moves []move, limit int) int {
	n := s.group.Nodes()
	to.clear()
	set := to.add(s.words())
	copy(set, from.sets[0])
	copy(s.front, set)
	fresh := ones(set) // in front
	to.count = append(to.count, fresh)
	sum := 0
	for h := 0; ; h++ {
		count := to.count[h]
		if count == n {
			return sum
		}
		sum += n - count
		if limit < MaxTotal && sum+s.least(from, h, count, fresh, len(moves), limit-sum) >= limit {
			return limit
		}
		next := to.add(len(set))
		for i, word := range from.at(h + 1) {
			next[i] = word | set[i]
		}
		s.moveFront(next, moves, fresh)
		fresh = 0
		for i, word := range next {
			s.front[i] = word &^ set[i]
			fresh += bits.OnesCount64(s.front[i])
		}
		if fresh == 0 && h+1 >= len(from.sets) {
			to.drop()
			return sum + (n-count)*(Far-h-1)
		}
		to.count = append(to.count, count+fresh)
		set = next
	}
}

// least returns a lower bound on the letters that nodes beyond h+1 letters need in addition to
// these. count nodes are within h letters, and fresh of them are not within h-1: every move
// leads from each new node to at most one new node. It stops once the bound is enough.
func (s *nodeSets) least(from *levels, h, count, fresh, moves, enough int) int {
	sum := 0
	for h++; sum < enough; h++ {
		fresh = from.grown(h) + min(fresh*moves, s.group.Nodes())
		if fresh == 0 && h >= len(from.sets) {
			return enough // nodes are never reached
		}
		if count += fresh; count >= s.group.Nodes() {
			break
		}
		sum += s.group.Nodes() - count
	}
	return sum
}

// Costs of moving a front, in about nanoseconds: per block, per word of a block, and per node.
const blockCost, wordCost, nodeCost = 3, 2, 3

// moveFront adds to a set the nodes to which moves lead from the front, which has fresh nodes.
func (s *nodeSets) moveFront(set []uint64, moves []move, fresh int) {
	switch {
	case fresh*nodeCost < s.group.Q*(blockCost+s.width*wordCost):
		s.listFront()
		for _, m := range moves {
			s.moveNodes(set, m)
		}
	case s.width == 1:
		for _, m := range moves {
			s.moveWords(set, m)
		}
	default:
		for _, m := range moves {
			for b, to := range m.to {
				s.rotate(set[int(to)*s.width:(int(to)+1)*s.width], s.front[b*s.width:(b+1)*s.width], uint(m.by[b]))
			}
		}
	}
}

// node is the node (a, b), in block b.
type node struct{ a, b uint32 }

// listFront lists the nodes of the front. Most blocks of a front of few nodes have none.
func (s *nodeSets) listFront() {
	s.nodes = s.nodes[:0]
	for i, word := range s.front {
		for ; word != 0; word &= word - 1 {
			s.nodes = append(s.nodes, node{uint32(i%s.width*64 + bits.TrailingZeros64(word)), uint32(i / s.width)})
		}
	}
}

// moveNodes adds to a set the nodes to which a move leads from the listed nodes.
func (s *nodeSets) moveNodes(set []uint64, m move) {
	order, width := uint32(s.group.M), s.width
	for _, x := range s.nodes {
		a := x.a + uint32(m.by[x.b])
		if a >= order {
			a -= order
		}
		set[int(m.to[x.b])*width+int(a/64)] |= 1 << (a % 64)
	}
}

// moveWords adds to a set the nodes to which a move leads from the front, if a block is one
// word.
func (s *nodeSets) moveWords(set []uint64, m move) {
	order, top := uint(s.group.M), s.top
	to, by := m.to[:len(s.front)], m.by[:len(s.front)]
	for b, word := range s.front {
		// With 64 nodes and no rotation both shifts are by 0 and give word itself.
		up := uint(by[b])
		set[to[b]] |= (word<<(up%64) | word>>((order-up)%64)) & top
	}
}

// rotate adds a block of several words, rotated, to a block.
func (s *nodeSets) rotate(to, front []uint64, by uint) {
	// Nodes that stay below M.
	skip, shift := int(by/64), by%64
	to[skip] |= front[0] << shift
	for i := skip + 1; i < len(to); i++ {
		to[i] |= front[i-skip]<<shift | front[i-skip-1]>>(64-shift)
	}
	if by == 0 {
		return
	}
	to[len(to)-1] &= s.top
	// Nodes that wrap around.
	skip, shift = int((uint(s.group.M)-by)/64), (uint(s.group.M)-by)%64
	last := len(front) - 1
	for i := skip; i < last; i++ {
		to[i-skip] |= front[i]>>shift | front[i+1]<<(64-shift)
	}
	to[last-skip] |= front[last] >> shift
}

// joinRotated stores in to the union of two sets of a group of rotations, other being rotated
// by by, 0 < by < M. It returns the number of nodes in to. other has no bits beyond M.
func (s *nodeSets) joinRotated(to, one, other []uint64, by uint) int {
	last := len(to) - 1
	skip, shift := int(by/64), by%64                                     // of nodes below M
	round, back := int((uint(s.group.M)-by)/64), (uint(s.group.M)-by)%64 // of the others
	sum := 0
	// Words below skip-1 get only nodes that wrap around, those above skip+1 only nodes that do
	// not.
	if skip > 1 {
		low, next, from := to[:skip-1], other[round+1:], one[:skip-1]
		word := other[round]
		for i := range low {
			above := next[i]
			low[i] = from[i] | word>>back | above<<(64-back)
			sum += bits.OnesCount64(low[i])
			word = above
		}
	}
	for i := max(0, skip-1); i <= min(last, skip+1); i++ {
		word := one[i]
		if k := i - skip; k >= 0 {
			word |= other[k] << shift
			if k > 0 {
				word |= other[k-1] >> (64 - shift)
			}
		}
		if k := i + round; k <= last {
			word |= other[k] >> back
			if k < last {
				word |= other[k+1] << (64 - back)
			}
		}
		if i == last {
			word &= s.top
		}
		to[i] = word
		sum += bits.OnesCount64(word)
	}
	if skip+2 > last {
		return sum
	}
	high, next, from := to[skip+2:], other[2:], one[skip+2:]
	word := other[1]
	for i := range high {
		above := next[i]
		high[i] = from[i] | above<<shift | word>>(64-shift)
		sum += bits.OnesCount64(high[i])
		word = above
	}
	sum -= bits.OnesCount64(to[last] &^ s.top)
	to[last] &= s.top
	return sum
}

func ones(set []uint64) int {
	sum := 0
	for _, word := range set {
		sum += bits.OnesCount64(word)
	}
	return sum
}
