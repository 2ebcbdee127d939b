package pairing

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Stretch is a part of a gather among any number of points. Before it, every point knows the
// shards of From consecutive points, which begin at the same offset from every point; after it,
// it knows those of To. In between, every point talks to Reach points on either side. With two
// ports for each distance a stretch is one round. With one port and an odd number of points, one
// point is left out in every round, so a stretch takes one round more than a point has circuits
// (Vizing 1964). A stretch that begins with one shard and reaches all other points is the
// tournament in which everyone meets everyone once: it sends no more than necessary.
type Stretch struct {
	Points, From, To, Reach int
}

// Rounds returns how many rounds the stretch takes with one port.
func (s Stretch) Rounds() int { return 2*s.Reach + 1 }

// Tile returns the number of shards in the largest message.
func (s Stretch) Tile() int { return arithmetic.CeilDiv(s.To-s.From, 2*s.Reach) }

// Grown returns consecutive stretches with From and To set to what points really know before and
// after each. Tiles are rounded up, so a stretch may bring more shards than it has to.
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

// Start returns the offset, relative to a point, of the first shard that the point knows after
// the given stretches.
func Start(before []Stretch) int {
	at := 0
	for _, s := range before {
		at -= s.Reach * s.Tile()
	}
	return at
}

// Circle returns the rounds of grown stretches that lead from one shard to all.
func Circle(all []Stretch) []Round {
	var rounds []Round
	for i, s := range all {
		rounds = append(rounds, s.rounds(Start(all[:i]))...)
	}
	return rounds
}

// rounds returns the rounds of a stretch before which points know the shards from offset low on.
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

// Calls returns what point 0 gets from each point that it talks to: for each distance, first from
// the point that far ahead, then from the point that far behind. Points know the shards from
// offset low on. With a port for each call this is one round, and rotations give the messages of
// all points.
func (s Stretch) Calls(low int) Round {
	n, tile := s.Points, s.Tile()
	mod := func(x int) int { return arithmetic.Mod(x, n) }
	known := make([]bool, n)
	for v := range s.From {
		known[mod(low+v)] = true
	}
	take := func(first int) (gets []int) { // the shards of a tile that point 0 does not know yet
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

// Distances lists how far ahead the points are that a point talks to: for each distance, the
// point ahead and then the point behind.
func (s Stretch) Distances() []int {
	var all []int
	for j := range s.Reach {
		all = append(all, s.distance(j)%s.Points, s.Points-s.distance(j)%s.Points)
	}
	return all
}

// distance returns how far away the j-th points are that a point talks to on either side. Their
// shards follow those that the point knows by then: ahead, their first shard; behind, their last.
func (s Stretch) distance(j int) int { return s.From + j*s.Tile() }

// Apart reports whether all circuits of a point lead to different points.
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
	return each.Of(shards, func(x int) int { return (x + by) % n })
}
