package pairing

import "math/bits"

// Call is a call between two points: the piece that each gives to the other, or None.
type Call struct{ A, B, FromA, FromB int }

// Calls are a round of calls. They stay if all are between points that circuits connect since an
// earlier round.
type Calls struct {
	Of   []Call
	Stay bool
}

// None is no piece.
const None = -1

// Least is the smallest number of points that Cast knows rounds for.
const Least = 4

// Cast returns the rounds of calls in which point 0 gives pieces to all other points. Everyone
// gets every piece once. For an even number of points n, K pieces take K-1+ceil(log2 n) rounds,
// the fewest: one piece leaves point 0 in a round, and the last has to reach everyone.
//
// Let 2s < n <= 4s, with s a power of two. A piece leaves point 0 in the round of its number, and
// the points that know it double until there are s of them. Those who know a younger piece are
// callers, and so is point 0: there are s callers. The other n-s points listen. The oldest two
// pieces under way are x and, one round younger, y. Between rounds all listeners know x or y:
//
//	both x and y   2s - n/2
//	only x         n - 2s
//	only y         n/2 - s         so x has n/2 listeners and y has s
//
// In a round every caller gives its piece to a listener who knows x, and gets x. The listeners
// who are left know only x or only y, as many of one as of the other, and swap. Now everyone has
// x, and y is the next x. Those who knew the youngest of the callers' pieces, and those who have
// just got it, are s points: they listen from now on, and that piece is the next y. The next
// round needs b = 2s - n/2 points among them who know both, so b of them have to know y by now,
// and no others but listeners who swapped. For that, each listener who knows both is called by
// someone who becomes a listener, now or later: some callers know x already, because they got it
// as y. Such a caller calls a listener who knows both, and gets y in place of x. With e callers
// of an age who know x, and f others who call a listener who knows both, 2e+f of the next age
// know the next x. The binary digits of b are the f of the ages, the first digit that of point 0.
//
// The rounds begin and end like all others: pieces before the first do not exist, and those after
// the last are copies of the last. So the last piece is complete a round earlier than others.
//
// If n is odd, a point is left out of every round, and the n-1 others are as above: see stand. It
// costs a point a piece. At the end come rounds in which those who lack a piece call each other;
// only then may calls stay.
func Cast(points, pieces int) []Calls {
	c := newCasting(points, pieces)
	for t := range pieces - 1 + c.ages {
		c.round(t)
	}
	for c.repair() {
	}
	return c.rounds
}

// CastRounds returns the number of rounds of Cast, and how many of these do not stay.
func CastRounds(points, pieces int) (rounds, circuits int) {
	if points%2 == 0 {
		rounds = pieces - 1 + bits.Len(uint(points-1))
		return rounds, rounds
	}
	for _, round := range Cast(points, pieces) {
		rounds++
		if !round.Stay {
			circuits++
		}
	}
	return rounds, circuits
}

// casting is the state between two rounds.
type casting struct {
	pieces   int
	ages     int        // rounds that a piece is under way, less one: log2 of 4s
	both     int        // b
	knows    [][]uint64 // by point, a bit for every piece
	lost     []int      // by point: pieces that it has missed
	callers  []aged     // by the age of their piece
	xy, x, y []int      // the listeners who know both, only x, and only y
	left     int        // who is left out, or None
	rounds   []Calls
	calls    []Call // of this round
	to       []int  // by point: who its circuit leads to, or None
}

// aged are callers whose pieces have the same age.
type aged struct{ x, others []int } // who know x, and who do not

func newCasting(points, pieces int) *casting {
	core := points &^ 1
	c := &casting{pieces: pieces, ages: bits.Len(uint(core - 1)), left: None}
	c.lost, c.to, c.knows = make([]int, points), make([]int, points), make([][]uint64, points)
	for v := range c.knows {
		c.knows[v] = make([]uint64, (pieces+63)/64)
	}
	for p := range pieces {
		c.learn(0, p)
	}
	s := 1 << (c.ages - 2)
	c.both = 2*s - core/2
	next := 1
	take := func(count int) []int {
		all := make([]int, count)
		for i := range all {
			all[i], next = next, next+1
		}
		return all
	}
	for a := range c.ages - 2 {
		e := c.both >> (c.ages - 2 - a)
		c.callers = append(c.callers, aged{take(e), take(1<<a - e)})
	}
	c.xy, c.y, c.x = take(c.both), take(core/2-s), take(core-2*s)
	if points > core {
		c.left = points - 1
	}
	return c
}

func (c *casting) has(v, piece int) bool { return c.knows[v][piece/64]>>(piece%64)&1 == 1 }
func (c *casting) learn(v, piece int)    { c.knows[v][piece/64] |= 1 << (piece % 64) }

// lacks returns the first piece that v lacks and u has, or None.
func (c *casting) lacks(v, u int) int {
	for i, has := range c.knows[u] {
		if word := has &^ c.knows[v][i]; word != 0 {
			return i*64 + bits.TrailingZeros64(word)
		}
	}
	return None
}

// call lets a and b give each other these pieces, or others where there is no use for these.
func (c *casting) call(a, b, fromA, fromB int) {
	useful := func(from, to, piece int) int {
		if piece = min(piece, c.pieces-1); piece < 0 || c.has(to, piece) {
			return c.lacks(to, from)
		}
		return piece
	}
	made := Call{a, b, useful(a, b, fromA), useful(b, a, fromB)}
	if made.FromA != None {
		c.learn(b, made.FromA)
	}
	if made.FromB != None {
		c.learn(a, made.FromB)
	}
	if made.FromA != None || made.FromB != None {
		c.calls = append(c.calls, made)
	}
}

// end ends a round.
func (c *casting) end() {
	stay := len(c.rounds) > 0
	for _, call := range c.calls {
		stay = stay && c.to[call.A] == call.B
	}
	if !stay {
		for v := range c.to {
			c.to[v] = None
		}
		for _, call := range c.calls {
			c.to[call.A], c.to[call.B] = call.B, call.A
		}
	}
	c.rounds, c.calls = append(c.rounds, Calls{c.calls, stay}), nil
}

// round makes the calls of round t.
func (c *casting) round(t int) {
	x, y := t-c.ages, t-c.ages+1
	first, instead := c.stand(x, y)
	if first == None {
		first = pop(&c.x)
	}
	c.call(0, first, t, x)
	next := make([]aged, c.ages-1)
	next[0].others = []int{first}
	for a, from := range c.callers {
		to, piece := &next[a+1], t-1-a
		for _, v := range from.x {
			u := pop(&c.xy)
			c.call(v, u, piece, y)
			to.x = append(to.x, v, u)
		}
		f := c.both >> (c.ages - 3 - a) & 1
		for i, v := range from.others {
			u := instead
			switch {
			case i >= f:
				u = pop(&c.x)
				to.others = append(to.others, v, u)
			case u == None:
				u = pop(&c.xy)
				fallthrough
			default:
				instead = None
				to.x, to.others = append(to.x, u), append(to.others, v)
			}
			c.call(v, u, piece, x)
		}
	}
	var swapped []int
	for i, v := range c.x {
		c.call(v, c.y[i], x, y)
		swapped = append(swapped, v, c.y[i])
	}
	last := next[c.ages-2]
	c.callers, c.xy, c.x, c.y = next[:c.ages-2], last.x, swapped, last.others
	c.end()
}

// stand has someone stand in for whoever is left out of a round, if the number of points is odd.
// Someone who knows both x and y is left out next, and knows the next x in the round after: so
// whoever has been left out listens again as one who knows x. But one listener too many knows
// only x then, and has to be called instead of the other, as if it knew y as well. It misses y.
//
// If nobody knows both, then one who knows only x is left out next. In the round after, point 0
// calls it, which needs nothing in return, and it misses x.
func (c *casting) stand(x, y int) (first, instead int) {
	switch {
	case c.left == None:
		return None, None
	case c.both == 0:
		first, c.left = c.left, c.fewest(&c.x)
		if x >= 0 {
			c.lost[first]++
		}
		return first, None
	}
	c.x = append(c.x, c.left)
	instead, c.left = c.fewest(&c.x), c.fewest(&c.xy)
	if y >= 0 {
		c.lost[instead]++
	}
	return None, instead
}

// repair makes a round of calls for those who lack pieces. It returns false if nobody does. No
// two points lack the same piece, so two of them can help each other.
func (c *casting) repair() bool {
	var lack []int
	for v := range c.knows {
		if c.lacks(v, 0) != None {
			lack = append(lack, v)
		}
	}
	if len(lack) == 0 {
		return false
	}
	if len(lack)%2 == 1 {
		lack = append(lack, 0)
	}
	for i := 0; i < len(lack); i += 2 {
		c.call(lack[i], lack[i+1], None, None)
	}
	c.end()
	return true
}

// fewest takes the point that has missed the fewest pieces out of a list.
func (c *casting) fewest(list *[]int) int {
	all, at := *list, 0
	for i, v := range all {
		if c.lost[v] < c.lost[all[at]] {
			at = i
		}
	}
	last := len(all) - 1
	all[at], all[last] = all[last], all[at]
	return pop(list)
}

// pop takes the last point out of a list.
func pop(list *[]int) int {
	last := len(*list) - 1
	v := (*list)[last]
	*list = (*list)[:last]
	return v
}
