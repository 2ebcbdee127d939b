package deals

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Task is a deal to be found: its nodes and circuits, its pieces, and what its steps may take.
type Task struct {
	Nodes, Degree int
	TwoWay        bool
	Pieces, Hops  int
	First         int
	Rounds        []int
	Moves         int
	Seed          uint64
}

// Load returns the load of all steps: the share of the message on their busiest circuits.
func (t *Task) Load() float64 {
	d := Deal{Pieces: t.Pieces, First: t.First, Rounds: t.Rounds}
	return d.Load()
}

// Slack returns how many pieces the nodes could hold in the end over how many they must hold, by
// several counts. Below 1 there is no such deal.
func (t *Task) Slack() float64 {
	must := float64(t.Pieces * (t.Nodes - 1))
	left := 0
	for round, most := range slices.Backward(t.Rounds) {
		left += most * t.Degree
		if left < t.Pieces && t.around(t.Degree, t.Hops+round) < t.Nodes {
			return 0 // nodes that far away get too little from this round on
		}
	}
	return min(t.carried(), t.spread()) / must
}

// carried counts what circuits carry: a piece passes each circuit once, after its node has it, and
// no more pieces pass in a round than the circuits carry.
func (t *Task) carried() float64 {
	held := float64(min(t.First*t.Degree, t.Pieces*t.around(t.Degree, t.Hops)-t.Pieces))
	passed := 0.0
	for _, most := range t.Rounds {
		over := float64(most * t.Degree)
		more := min(passed+over*float64(t.Nodes-1), held*float64(t.Degree)) - passed
		passed += more
		held += more + over
	}
	return held
}

// spread counts what the root sends: what comes from one of its copies stays near the node that
// gets this copy.
func (t *Task) spread() float64 {
	fan := t.Degree
	if t.TwoWay {
		fan-- // the other circuit leads back to the root
	}
	sum := t.First * t.Degree * min(t.Nodes-1, t.around(t.Degree, len(t.Rounds)))
	for round, most := range t.Rounds {
		sum += most * t.Degree * min(t.Nodes-1, t.around(fan, len(t.Rounds)-1-round))
	}
	return float64(sum)
}

// around returns how many nodes are within some hops of a node, itself included, if it has the
// given number of circuits.
func (t *Task) around(fan, hops int) int {
	all, level := 1, fan
	for range hops {
		if all += level; all >= t.Nodes {
			return t.Nodes
		}
		if level *= t.Degree; t.TwoWay {
			level -= level / t.Degree
		}
	}
	return all
}

// Search looks for the deal by simulated annealing, over the graph and what is dealt out. The
// cost of a state is the number of pieces that nodes lack in the end, and those that the root
// cannot deal out. It returns the last state and its cost, which is 0 if the deal has been found.
func (t *Task) Search() (d Deal, cost int) {
	rng := rand.New(rand.NewPCG(t.Seed, uint64(t.Nodes)))
	s := t.begin(rng)
	cost = s.cost(math.MaxInt)
	for move := range t.Moves {
		heat := 1 - float64(move)/float64(t.Moves)
		limit := cost - int(heat*math.Log(1-rng.Float64()))
		undo := s.move(rng)
		if undo == nil {
			continue
		}
		now := s.cost(limit)
		if now == 0 {
			if d := s.tidied(); d.delivers() {
				return d, 0
			}
			now = 1
		}
		if now > limit {
			undo()
			continue
		}
		cost = now
	}
	return s.Deal, cost
}

// delivers reports whether every node gets every piece within the loads that the deal claims.
func (d *Deal) delivers() bool {
	_, ok := d.Steps()
	return ok
}

// state is a deal that a search changes.
type state struct {
	Deal
	have, next []uint64
	in         [][]int
}

// begin returns a random state.
func (t *Task) begin(rng *rand.Rand) *state {
	s := &state{Deal: Deal{
		Nodes: t.Nodes, Degree: t.Degree, TwoWay: t.TwoWay, Pieces: t.Pieces, Hops: t.Hops, First: t.First,
		Rounds: slices.Clone(t.Rounds), To: make([]int, t.Nodes*t.Degree),
	}}
	s.have, s.next, s.in = make([]uint64, t.Nodes), make([]uint64, t.Nodes), make([][]int, t.Nodes)
	for k := range t.Degree {
		for u, v := range rng.Perm(t.Nodes) {
			s.To[u*t.Degree+k] = v
		}
	}
	if t.TwoWay {
		s.circulant()
		for range 4 * len(s.To) {
			s.swapBothWays(rng)
		}
	}
	at := rng.Perm(t.Nodes - 1)
	for i := range t.First * t.Degree {
		s.Given = append(s.Given, Given{1 + at[i%len(at)], i % t.Pieces})
	}
	return s
}

// circulant sets two-way circuits: around rings, and for an odd number of ports also in pairs.
func (s *state) circulant() {
	for u := range s.Nodes {
		to := s.To[u*s.Degree : (u+1)*s.Degree]
		for k := range s.Degree / 2 {
			to[2*k], to[2*k+1] = (u+k+1)%s.Nodes, (u+s.Nodes-(k+1)%s.Nodes)%s.Nodes
		}
		if s.Degree%2 > 0 {
			if to[s.Degree-1] = u ^ 1; u^1 >= s.Nodes {
				to[s.Degree-1] = u
			}
		}
	}
}

// tidied returns the deal, with every piece dealt out to a node once.
func (s *state) tidied() Deal {
	d := s.Deal
	d.To, d.Given = slices.Clone(d.To), slices.Clone(d.Given)
	slices.SortFunc(d.Given, func(g, h Given) int { return cmp.Or(g.Node-h.Node, g.Piece-h.Piece) })
	d.Given = slices.Compact(d.Given)
	return d
}

// move changes the state and returns how to undo that; nil if nothing has changed.
func (s *state) move(rng *rand.Rand) (undo func()) {
	g := &s.Given[rng.IntN(len(s.Given))]
	was := *g
	switch kind := rng.IntN(10); {
	case kind < 6 && s.TwoWay:
		return s.swapBothWays(rng)
	case kind < 6:
		a, b := rng.IntN(len(s.To)), rng.IntN(len(s.To))
		if s.To[a] == s.To[b] {
			return nil
		}
		s.To[a], s.To[b] = s.To[b], s.To[a]
		return func() { s.To[a], s.To[b] = s.To[b], s.To[a] }
	case kind < 7:
		g.Node = 1 + rng.IntN(s.Nodes-1)
	case kind < 8:
		g.Piece = rng.IntN(s.Pieces)
	default:
		h := &s.Given[rng.IntN(len(s.Given))]
		g.Node, h.Node = h.Node, g.Node
		undo = func() { g.Node, h.Node = h.Node, g.Node }
	}
	if *g == was {
		return nil
	}
	if undo == nil {
		undo = func() { *g = was }
	}
	return undo
}

// swapBothWays replaces two-way circuits u-v and x-y by u-y and x-v.
func (s *state) swapBothWays(rng *rand.Rand) (undo func()) {
	a, b := rng.IntN(len(s.To)), rng.IntN(len(s.To))
	u, v, x, y := a/s.Degree, s.To[a], b/s.Degree, s.To[b]
	if u == v || x == y || u == x || v == y || u == y || x == v {
		return nil
	}
	back := func(from, to int) int { return from*s.Degree + slices.Index(s.To[from*s.Degree:(from+1)*s.Degree], to) }
	c, d := back(v, u), back(y, x)
	s.To[a], s.To[b], s.To[c], s.To[d] = y, v, x, u
	return func() { s.To[a], s.To[b], s.To[c], s.To[d] = v, y, u, x }
}

// cost returns the cost of the state, or something above the limit.
func (s *state) cost(limit int) int {
	cost := s.stuck()
	for v := range s.in {
		s.in[v] = s.in[v][:0]
	}
	for a, v := range s.To {
		if u := a / s.Degree; u != v {
			s.in[v] = append(s.in[v], u)
		}
	}
	clear(s.have)
	s.have[0] = 1<<s.Pieces - 1
	for _, g := range s.Given {
		s.have[g.Node] |= 1 << g.Piece
	}
	var offered [maxDegree]uint64
	for round, most := range s.Rounds {
		s.next[0] = s.have[0]
		for v := 1; v < s.Nodes; v++ {
			for i, u := range s.in[v] {
				offered[i] = s.have[u] &^ s.have[v]
			}
			list := offered[:len(s.in[v])]
			if round == len(s.Rounds)-1 {
				cost += bits.OnesCount64(s.have[0]&^s.have[v]) - matched(list, most)
				if cost > limit {
					return cost
				}
				continue
			}
			s.next[v] = s.have[v]
			for _, pieces := range match(list, most) {
				s.next[v] |= pieces
			}
		}
		s.have, s.next = s.next, s.have
	}
	return cost
}

// matched returns how many pieces match would choose: by König's theorem, the least over all sets
// of circuits of the pieces that these offer, and of what the others carry.
func matched(offered []uint64, most int) int {
	least := math.MaxInt
	for set := range 1 << len(offered) {
		pieces, carried := uint64(0), 0
		for i, o := range offered {
			if set>>i&1 == 1 {
				pieces |= o
			} else {
				carried += most
			}
		}
		least = min(least, bits.OnesCount64(pieces)+carried)
	}
	return least
}

// stuck returns how many pieces of the deal the root's circuits cannot carry, twice those for
// nodes that are too far away, by Hall's theorem.
func (s *state) stuck() int {
	var reach [MaxNodes]int // sets of the root's circuits
	for k := range s.Degree {
		seen := uint64(1)
		now := uint64(1) << s.To[k] &^ seen
		for hop := 1; now != 0; hop++ {
			seen |= now
			next := uint64(0)
			for ; now != 0; now &= now - 1 {
				u := bits.TrailingZeros64(now)
				reach[u] |= 1 << k
				if hop < s.Hops {
					for _, v := range s.To[u*s.Degree : (u+1)*s.Degree] {
						next |= 1 << v
					}
				}
			}
			now = next &^ seen
		}
	}
	var count [1 << maxDegree]int
	cost := 0
	for _, g := range s.Given {
		if reach[g.Node] == 0 {
			cost += 2
		}
		count[reach[g.Node]]++
	}
	most := 0
	for set := 1; set < 1<<s.Degree; set++ {
		over := -s.First * bits.OnesCount(uint(set))
		for part := set; part > 0; part = (part - 1) & set {
			over += count[part]
		}
		most = max(most, over)
	}
	return cost + most
}
