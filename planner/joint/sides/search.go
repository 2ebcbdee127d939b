package sides

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// Question is what an allreduce costs, in ns, and how it may be done.
type Question struct {
	Points       int
	Alpha, Delta float64
	Vector       float64 // a vector over the circuits from a point to a neighbour
	Wait         float64 // for a reconfiguration
	Changes      int     // the most reconfigurations
	Most         float64 // ways that take as long are of no use
	Stopped      func() bool
}

// Answer is a way to sum up.
type Answer struct {
	Steps []Step
	// Halves is 2 if the windows are not symmetric: then the other half of every vector is summed
	// up in the mirror image, so that the circuits of both directions carry the same. Else it is 1.
	Halves int
	Time   float64
}

// Step is what every point gets between two barriers. Circuits lead from each point to those an
// offset before and after it.
type Step struct {
	Offset int
	Hops   int
	Load   float64 // vectors on the circuits of either direction
	Gains  int     // points by which windows grow
	Tiles  []Tile  // for the first half
}

// Tile is a sum that a point gets from the point that is At further on; that is negative on the
// other side. It comes over circuits of the step's offset.
type Tile struct {
	At, Hops int
	Part     collective.Part  // of the sender's value
	Sides    collective.Sides // of the receiver, to which it also belongs
}

// Tally returns the cost of a step on bundles of some circuits in either direction.
func (s *Step) Tally(points, halves, width int) network.Tally {
	pairs := map[int]float64{} // by distance, in one direction: vectors
	t := network.Tally{Hops: s.Hops, Peak: s.Load / float64(width), Dilation: float64(s.Hops) / float64(halves*width)}
	for half := range halves {
		for _, tile := range s.Tiles {
			at := (tile.At*(1-2*half) + points) % points
			pairs[at] += 1 / float64(halves)
			t.Pair = max(t.Pair, pairs[at])
		}
	}
	return t
}

// Changes returns how often circuits change.
func (a *Answer) Changes() int {
	count := 0
	for i := range a.Steps[1:] {
		if a.Steps[i+1].Offset != a.Steps[i].Offset {
			count++
		}
	}
	return count
}

// search finds the fastest sequence of windows: depth first, over the points that each step adds,
// as evenly as possible on both sides. What tiles pass grows ever faster with the points that they
// add, so even is best.
//
// The rest of a way is bounded as if every part of a window could be sent (floors). That is so as
// long as all blocks are single points: in the first two steps, which are the best of all. Where
// blocks are longer, the tiles found pass the fewest circuits for the blocks that earlier steps
// have left. These need not be the best blocks.
type search struct {
	Question
	floors *floors
	steps  []laid
	tried  int
	best   *Answer
}

// laid is a step of the search.
type laid struct {
	offset, hops, passed int
	tiles                []tile
}

const (
	// mostSteps limits the steps. Each step of a good way at least doubles the window.
	mostSteps = 8
	// mostTried limits how often tiles are looked for. After each step, at most a fewer-th of that
	// may be spent before another step is tried in its place.
	mostTried = 12000
	fewer     = 4
	// MostPoints is the largest number of points for which circuits may change, and MostStaying
	// that for circuits that stay.
	MostPoints, MostStaying = 64, 256
)

// Best returns the fastest way; nil if none takes less than the limit, if there are too many
// points, or if a single step is the fastest: that sends no part of a sum.
func Best(q Question) *Answer {
	if q.Points > MostPoints {
		q.Changes = 0
	}
	if q.Points < 3 || q.Points > MostStaying {
		return nil
	}
	s := &search{Question: q}
	s.floors = newFloors(&s.Question)
	s.from(window{{0, 0, arrival{-1, 0}}}, 0, q.Changes, mostTried)
	return s.best
}

// next is a step to try.
type next struct {
	more, offset int
	floor        float64 // of the whole way
	start        float64
	changes      int
}

// from tries the ways to go on from a window that took some time, the most promising first, until
// tiles have been looked for a number of times.
func (s *search) from(w window, time float64, changes, quota int) {
	until := s.tried + quota
	if len(s.steps) == mostSteps || quota == 0 {
		return
	}
	points, before := w.points(), 1
	if n := len(s.steps); n > 0 {
		before = s.steps[n-1].offset
	}
	var all []next
	add := func(more, offset int, start float64, changes int) {
		rest := s.floors.on[points+more][offset]
		if changes > 0 {
			rest = s.floors.from(points+more, offset)
		}
		if floor := start + s.floors.step(points, more, offset) + rest; floor < s.limit() {
			all = append(all, next{more, offset, floor, start, changes})
		}
	}
	for more := 1; points+more <= s.Points; more++ {
		add(more, before, time, changes)
		if len(s.steps) == 0 || changes < 1 {
			continue
		}
		for offset := 1; offset <= min(points, s.Points/2); offset++ {
			if offset != before {
				add(more, offset, time+s.Wait, changes-1)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b next) int { return cmp.Compare(a.floor, b.floor) })
	for _, n := range all {
		if n.floor >= s.limit() || s.tried >= until || s.Stopped() {
			return
		}
		s.on(w, n, quota/fewer)
	}
}

func (s *search) limit() float64 {
	if s.best != nil {
		return s.best.Time
	}
	return s.Most
}

// on tries a step, and what may follow within a quota.
func (s *search) on(w window, n next, quota int) {
	s.tried++
	up, down := (n.more+1)/2, n.more/2
	hops, first, _ := least(w.points(), up, n.offset)
	_, second, _ := least(w.points(), down, n.offset)
	tiles, high := w.grown(up, n.offset, hops)
	other, low := w.mirrored().grown(down, n.offset, hops)
	if tiles == nil || other == nil && down > 0 {
		return
	}
	more := s.Vector / 2 * float64(high+low-first-second) // than the floor counts
	if n.floor+more >= s.limit() {
		return
	}
	for _, t := range other {
		tiles = append(tiles, t.turned())
	}
	s.steps = append(s.steps, laid{n.offset, hops, high + low, tiles})
	then := n.start + s.floors.step(w.points(), n.more, n.offset) + more
	if w.points()+n.more == s.Points {
		s.end(then)
	} else {
		s.from(w.with(len(s.steps)-1, tiles), then, n.changes, quota)
	}
	s.steps = s.steps[:len(s.steps)-1]
}

// end keeps a finished way, unless it needs too many side sums.
func (s *search) end(time float64) {
	a := &Answer{Time: time, Halves: 1}
	sets, ok := s.sets()
	if !ok || len(s.steps) == 1 {
		return
	}
	for k, l := range s.steps {
		step := Step{Offset: l.offset, Hops: l.hops, Load: float64(l.passed) / 2}
		sum := 0
		for i, t := range l.tiles {
			step.Gains, sum = step.Gains+t.high-t.low+1, sum+t.at
			step.Tiles = append(step.Tiles, Tile{
				At: t.at, Hops: max(t.at, -t.at) / l.offset, Part: sets.part(k, t.reads), Sides: sets.sides(arrival{k, i}),
			})
		}
		if sum != 0 {
			a.Halves = 2
		}
		a.Steps = append(a.Steps, step)
	}
	s.best = a
}
