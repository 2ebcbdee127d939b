package pairing

import "slices"

// Stretch is a part of a gather among any number of points: everybody knows the shards of as many
// points in a row, From, from some place on that is the same for all, and gets to know To of them
// by talking to Reach points on either side. With two ports for each distance that is one round.
// With one port and an odd number of points, one is left out in every round, so that it takes one
// round more than there are circuits at a point (Vizing 1964). A stretch of one shard that
// reaches all others is the tournament in which everyone meets everyone once: it sends no more
// than necessary.
type Stretch struct {
	Points, From, To, Reach int
}

// Rounds returns how many rounds it takes with one port.
func (s Stretch) Rounds() int { return 2*s.Reach + 1 }

// Tile returns the shards of the largest message.
func (s Stretch) Tile() int { return (s.To - s.From + 2*s.Reach - 1) / (2 * s.Reach) }

// Grown returns stretches that follow one another with what points really know before and after
// each: tiles are rounded up, so that a stretch may bring more than it is to.
func Grown(all []Stretch) []Stretch {
	made, known := make([]Stretch, len(all)), 1
	for i, s := range all {
		s.From = known
		known = min(s.Points, known+2*s.Reach*s.Tile())
		s.To = known
		made[i] = s
	}
	return made
}

// Start returns where the shards begin that a point knows after some stretches, relative to it.
func Start(before []Stretch) int {
	at := 0
	for _, s := range before {
		at -= s.Reach * s.Tile()
	}
	return at
}

// Circle returns the rounds of grown stretches, from one shard to all.
func Circle(all []Stretch) []Round {
	var rounds []Round
	for i, s := range all {
		rounds = append(rounds, s.rounds(Start(all[:i]))...)
	}
	return rounds
}

// rounds is the rounds of a stretch whose points know the shards from low on.
func (s Stretch) rounds(low int) []Round {
	n := s.Points
	calls := s.Calls(low)
	var pairs [][2]int
	for j := range s.Reach {
		for v := range n {
			pairs = append(pairs, [2]int{v, (v + s.distance(j)) % n})
		}
	}
	rounds := make([]Round, s.Rounds())
	for i, colour := range Colours(n, pairs, s.Rounds()) {
		j, v, w := i/n, pairs[i][0], pairs[i][1]
		for _, m := range []Message{{w, v, moved(calls[2*j].Shards, v, n)}, {v, w, moved(calls[2*j+1].Shards, w, n)}} {
			if len(m.Shards) > 0 {
				rounds[colour] = append(rounds[colour], m)
			}
		}
	}
	return slices.DeleteFunc(rounds, func(r Round) bool { return len(r) == 0 })
}

// Calls returns what point 0 gets from each of those whom it talks to, by distance, from the one
// that far on and from the one that far back, when points know the shards from low on. With as many
// ports that is one round: rotations take it to what all get.
func (s Stretch) Calls(low int) Round {
	n, tile := s.Points, s.Tile()
	mod := func(x int) int { return (x%n + n) % n }
	known := make([]bool, n)
	for v := range s.From {
		known[mod(low+v)] = true
	}
	take := func(first int) (gets []int) { // what point 0 does not know of a tile
		for x := first; x < first+tile; x++ {
			if !known[mod(x)] {
				known[mod(x)] = true
				gets = append(gets, mod(x))
			}
		}
		return gets
	}
	var r Round
	for j := range s.Reach {
		far := s.distance(j)
		r = append(r, Message{mod(far), 0, take(low + far)}, Message{mod(-far), 0, take(low - (j+1)*tile)})
	}
	return r
}

// Distances lists how far away those are whom a point talks to, one way and the other.
func (s Stretch) Distances() []int {
	var all []int
	for j := range s.Reach {
		all = append(all, s.distance(j)%s.Points, s.Points-s.distance(j)%s.Points)
	}
	return all
}

// distance is how far away those are whom a point talks to: the shards that they know first, or
// last, follow what it knows then.
func (s Stretch) distance(j int) int { return s.From + j*s.Tile() }

// Apart reports whether no two of the circuits of a point lead to the same.
func (s Stretch) Apart() bool {
	seen := map[int]bool{0: true}
	for j := range s.Reach {
		far := s.distance(j) % s.Points
		if seen[far] || seen[s.Points-far] {
			return false
		}
		seen[far], seen[s.Points-far] = true, true
	}
	return true
}

func moved(shards []int, by, n int) []int {
	all := make([]int, len(shards))
	for i, x := range shards {
		all[i] = (x + by) % n
	}
	return all
}
