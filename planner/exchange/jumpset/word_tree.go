package jumpset

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// WordTree holds one shortest word for every node and stage. Each word without its last letter
// is the word of another node, so words form a tree. Moving a node with its subtree shifts load
// from one port to another.
type WordTree struct {
	*WordSearch
	n      int
	length [][]int32 // of the word of a node over the first 0, 1, .. stages
	letter [][]int32 // last letter of the word of a node over the first stages: a port, or stay
	weight [][]int   // chunks whose way leads through the node in the stage
	load   [][]int   // hops over each generator
	most   []int     // the largest load of each stage
	below  [][]int32 // the last stage up to this one in which the word of a node has a letter, or -1
	back   [][][]int32

	touched []int // stages whose loads a trial changed
	before  []int // their largest loads before it
	mark    []int // the trial that touched a stage last
	trials  int
}

// stay says that a word has no letter of the stage.
const stay = -1

// NewWordTree gives every word the first of its possible last letters.
func NewWordTree(s *WordSearch) *WordTree {
	n, d := s.group.Nodes(), len(s.moves)
	t := &WordTree{WordSearch: s, n: n}
	for i := range d + 1 {
		t.length = append(t.length, s.lengths(i))
	}
	next := make([]int32, n)
	for i := range d {
		t.letter = append(t.letter, make([]int32, n))
		t.weight = append(t.weight, make([]int, n))
		t.load = append(t.load, make([]int, len(s.moves[i])))
		back := make([][]int32, len(s.moves[i]))
		for p, v := range s.generators[i] {
			s.group.Step(v, next)
			back[p] = make([]int32, n)
			for x, y := range next {
				back[p][y] = int32(x)
			}
		}
		t.back = append(t.back, back)
		for x := range n {
			t.letter[i][x] = t.firstLetter(i, x)
		}
	}
	for o := 1; o < n; o++ {
		t.shift(d-1, o, 1)
	}
	t.most, t.mark, t.below = make([]int, d), make([]int, d), make([][]int32, d)
	for i := range d {
		t.most[i] = slices.Max(t.load[i])
		t.below[i] = make([]int32, n)
		for x := range n {
			t.below[i][x] = t.lastLetter(i, x)
		}
	}
	return t
}

// lastLetter returns the entry of below for a stage and node, given the entries of the stage
// before.
func (t *WordTree) lastLetter(i, x int) int32 {
	switch {
	case t.letter[i][x] != stay:
		return int32(i)
	case i == 0:
		return -1
	}
	return t.below[i-1][x]
}

// fits reports whether a shortest word of a node over stages up to i can end with a
// letter.
func (t *WordTree) fits(i, x int, letter int32) bool {
	length := t.length[i+1][x]
	if letter == stay {
		return t.length[i][x] == length
	}
	return length > 0 && t.length[i+1][t.back[i][letter][x]] == length-1
}

func (t *WordTree) firstLetter(i, x int) int32 {
	letter := int32(stay)
	for !t.fits(i, x, letter) {
		letter++
	}
	return letter
}

// shift adds a weight to a node, to all nodes on its word, and to the loads of its letters.
func (t *WordTree) shift(i, x, weight int) {
	for {
		t.weight[i][x] += weight
		if letter := t.letter[i][x]; letter == stay {
			if i--; i < 0 {
				return
			}
		} else {
			t.load[i][letter] += weight
			x = int(t.back[i][letter][x])
		}
	}
}

// carry is shift without the weights of nodes, so that it can skip the stages without a letter in
// a word. It returns by how much the sum of squares of loads grows.
func (t *WordTree) carry(i, x, weight int) (squares int) {
	for {
		letter := t.letter[i][x]
		if letter == stay {
			if i == 0 {
				return squares
			}
			if i = int(t.below[i-1][x]); i < 0 {
				return squares
			}
			letter = t.letter[i][x]
		}
		if t.mark[i] != t.trials {
			t.mark[i] = t.trials
			t.touched, t.before = append(t.touched, i), append(t.before, t.most[i])
		}
		l := t.load[i][letter]
		t.load[i][letter] = l + weight
		squares += (2*l + weight) * weight
		x = int(t.back[i][letter][x])
	}
}

// slots returns the sum over stages of the largest load, and the sum of squares of all loads,
// which tells even loads from uneven ones if the largest loads are equal.
func (t *WordTree) slots() (slots, squares int) {
	for _, load := range t.load {
		most := 0
		for _, l := range load {
			most = max(most, l)
			squares += l * l
		}
		slots += most
	}
	return slots, squares
}

// Balance moves nodes in the tree as long as that lowers the slots, or evens out loads at the
// same slots. A pass over all nodes takes O(n*d*k*h) for words of h letters, and O(d) more for
// every node that it moves.
func (t *WordTree) Balance(ctx context.Context) error {
	slots, squares := t.slots()
	for changed := true; changed; {
		changed = false
		for i := range t.letter {
			if err := ctx.Err(); err != nil {
				return err
			}
			for x := range t.n {
				if t.weight[i][x] == 0 || t.length[i+1][x] == 0 {
					continue
				}
				for letter := range int32(len(t.moves[i])) + 1 {
					if s, q, better := t.hang(i, x, letter-1, slots, squares); better {
						slots, squares, changed = s, q, true
					}
				}
			}
		}
	}
	return nil
}

// hang gives a node another last letter if that is better.
func (t *WordTree) hang(i, x int, letter int32, slots, squares int) (int, int, bool) {
	old, weight := t.letter[i][x], t.weight[i][x]
	if letter == old || !t.fits(i, x, letter) {
		return 0, 0, false
	}
	t.trials++
	t.touched, t.before = t.touched[:0], t.before[:0]
	q := squares + t.carry(i, x, -weight)
	t.letter[i][x] = letter
	q += t.carry(i, x, weight)
	s := slots
	for k, stage := range t.touched {
		t.most[stage] = slices.Max(t.load[stage])
		s += t.most[stage] - t.before[k]
	}
	// Restore the loads in either case: shift changes them together with the weights.
	t.carry(i, x, -weight)
	t.letter[i][x] = old
	t.carry(i, x, weight)
	if s < slots || s == slots && q < squares {
		t.shift(i, x, -weight)
		t.letter[i][x] = letter
		t.shift(i, x, weight)
		for j := i; j < len(t.letter) && (j == i || t.letter[j][x] == stay); j++ {
			t.below[j][x] = t.lastLetter(j, x)
		}
		return s, q, true
	}
	for k, stage := range t.touched {
		t.most[stage] = t.before[k]
	}
	return 0, 0, false
}

// Ways returns the routing along the words.
func (t *WordTree) Ways() *routing.Ways {
	d := len(t.letter)
	r := &routing.Ways{Group: t.group, Ports: len(t.moves[0]), Legs: make([][]model.Leg, t.n)}
	for _, generators := range t.generators {
		r.Generators = append(r.Generators, append([]int(nil), generators...))
	}
	for o := 1; o < t.n; o++ {
		r.Legs[o] = t.word(d-1, o)
	}
	return r
}

// word returns the word of a node as legs.
func (t *WordTree) word(i, x int) []model.Leg {
	var legs []model.Leg
	for i >= 0 {
		letter := t.letter[i][x]
		if letter == stay {
			i--
			continue
		}
		if last := len(legs) - 1; last >= 0 && int(legs[last].Stage) == i && legs[last].Port == letter {
			legs[last].Hops++
		} else {
			legs = append(legs, model.Leg{Stage: int32(i), Port: letter, Hops: 1})
		}
		x = int(t.back[i][letter][x])
	}
	slices.Reverse(legs)
	return legs
}
