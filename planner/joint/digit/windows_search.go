package digit

import (
	"fmt"
	"math"
	"math/bits"
	"sort"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
)

// windowSearch finds the best such exchange for the given bytes, by a dynamic program over the
// window to be reached: by any last step, or by one on circuits of the same offset as the step
// after it.
type windowSearch struct {
	*Machine
	memory *planner.Memory
	points int
	bytes  float64
	most   float64 // ways that take as long cannot win
	known  map[windowKey]windowChoice
	floors map[int]float64 // by window: see least

	stopped func() bool // nobody wants the result any more
}

// windowKey is a window, the offset of the last step's circuits (0 for any), and the
// reconfigurations left.
type windowKey struct{ to, offset, changes int }

type windowChoice struct {
	time float64
	pane pane
}

func newWindowSearch(m *Machine, memory *planner.Memory, points int, bytes, most float64) *windowSearch {
	return &windowSearch{Machine: m, memory: memory, points: points, bytes: bytes, most: most, stopped: never,
		known: map[windowKey]windowChoice{}, floors: map[int]float64{}}
}

// program returns the best exchange of this family with at most the given number of
// reconfigurations. It returns nil if none is useful, or if digits do the same, as they do for a
// single step.
func (s *windowSearch) program(changes int) *program {
	points := s.points
	var panes []pane
	takes := Shape{}
	more := false // than digits on rings and complete graphs
	for to, next := points, 0; to > 1; {
		found, changed := s.before(to, next, changes)
		if found.pane.tiles == 0 {
			return nil
		}
		p := found.pane
		if changed {
			takes.Changes++
			changes = Spend(changes, 1)
		}
		takes = takes.plus(s.takes(p))
		panes = append([]pane{p}, panes...)
		more = more || p.received+p.own > 0 || p.basis != nil
		to, next = p.from, p.circuits()
	}
	if !more || len(panes) == 1 {
		return nil
	}
	names := each.Of(panes, func(p pane) string { return fmt.Sprint(p.to) })
	return &program{
		Shape: takes, points: points, kind: exchange, scattered: 1, parts: 1,
		about: "sums of windows of " + strings.Join(names, ", "),
		Lay:   func() []stage { return layPanes(points, panes) },
		has:   Uses{Exchange: true, Windows: true},
	}
}

// ownCircuits stands for the circuits of a step that do not all have one offset: no other step
// has the same circuits.
const ownCircuits = -1

// circuits identifies the circuits of a step.
func (p pane) circuits() int {
	if p.offset == 0 || p.basis != nil {
		return ownCircuits
	}
	return p.offset
}

// before returns the best way to a window before a step on circuits of the offset next (0 if
// there is no such step), and whether circuits change in between.
func (s *windowSearch) before(to, next, changes int) (c windowChoice, changed bool) {
	if next == 0 || to == 1 {
		return s.best(to, 0, changes), false
	}
	c = windowChoice{time: math.Inf(1)}
	if left := Spend(changes, 1); left >= 0 {
		c = s.best(to, 0, left)
		c.time += s.Wait
	}
	if next > 0 {
		if stays := s.best(to, next, changes); stays.pane.tiles > 0 && stays.time <= c.time {
			return stays, false
		}
	}
	return c, true
}

// best returns the last step of the best way to a window, and the time of the whole way. With an
// offset, the way ends on circuits of that offset, unless a reconfiguration from others is
// better.
func (s *windowSearch) best(to, offset, changes int) windowChoice {
	if to == 1 {
		return windowChoice{}
	}
	key := windowKey{to, offset, changes}
	if c, ok := s.known[key]; ok {
		return c
	}
	best := windowChoice{time: s.most}
	if left := Spend(changes, 1); offset > 0 && left >= 0 {
		// A schedule that takes just as long counts as better.
		best.time = min(s.most, math.Nextafter(s.best(to, 0, left).time+s.Wait, math.Inf(1)))
	}
	hopeless := func(p pane) bool { return s.some(p.tiles, offset > 0)+s.least(p.from) >= best.time }
	try := func(p pane) {
		time := s.Time(s.takes(p), s.bytes)
		if time+s.least(p.from) >= best.time {
			return
		}
		rest, _ := s.before(p.from, p.circuits(), changes)
		if time += rest.time; time < best.time {
			best = windowChoice{time, p}
		}
	}
	for tiles := 1; tiles < to; tiles++ {
		if s.some(tiles, offset > 0) >= best.time {
			break // and more tiles take longer
		}
		if s.stopped() {
			break
		}
		p := pane{from: (to + tiles) / (tiles + 1), to: to, tiles: tiles}
		if p.received = (tiles+1)*p.from - to; p.received <= tiles && !hopeless(p) {
			s.over(p, offset, changes, try)
		}
		if p.received = 0; (to-1)%tiles == 0 {
			if p.from, p.own = (to-1)/tiles, 1; p.from > 1 && !hopeless(p) {
				s.over(p, offset, changes, try)
			}
		}
	}
	s.known[key] = best // without a pane, if there is none
	return best
}

// some returns a lower bound on the time of a step with the given number of tiles, on circuits of
// one offset or of any.
func (s *windowSearch) some(tiles int, one bool) float64 {
	t := float64(tiles)
	if one || s.Ports == 1 || tiles > max(s.Ports, mostOnBases) {
		return s.Alpha + s.Delta*t + s.PerByte*s.bytes*t*(t+1)/2/float64(s.Ports)
	}
	// See least: at most C(h+d, d) - 1 tiles are within h hops, and C(h-1+d, d) - 1 nearer.
	hops, sums, passed := 0, 1, 0
	for sums <= tiles {
		hops++
		next := sums * (s.Ports + hops) / hops
		passed += hops * (min(next, tiles+1) - sums)
		sums = next
	}
	return s.Alpha + s.Delta*float64(hops) + s.PerByte*s.bytes*float64(passed)/float64(s.Ports)
}

// least returns a lower bound on the time to reach a window. On circuits that stay there are
// C(h+d, d) sums of at most h of d jumps, including the empty one, so a window grows at most by
// that factor. Its logarithm is concave in h: with k sets of circuits, the window grows most if
// all sets have the same number of hops. The vectors that are added up are at least log2 of the
// window, rounded down.
func (s *windowSearch) least(to int) float64 {
	if to == 1 {
		return 0
	}
	if time, ok := s.floors[to]; ok {
		return time
	}
	want := math.Log(float64(to)) - slack
	best := math.Inf(1)
	for k := 1; ; k++ {
		time := float64(k)*s.Alpha + float64(k-1)*s.Wait
		if time+s.Delta*float64(k) >= best {
			break
		}
		hops := sort.Search(to, func(h int) bool { return float64(k)*s.grows(float64(h)/float64(k)) >= want })
		best = min(best, time+s.Delta*float64(max(hops, k)))
		if hops <= k {
			break
		}
	}
	best += s.PerByte * s.bytes * float64(bits.Len(uint(to))-1) / float64(s.Ports)
	s.floors[to] = best
	return best
}

// grows returns the logarithm of C(h+d, d).
func (s *windowSearch) grows(hops float64) float64 {
	product := 1.0
	for i := 1; i <= s.Ports; i++ {
		product *= (hops + float64(i)) / float64(i)
	}
	return math.Log(product)
}

// over tries a step on all circuits that serve it, or only on those of the given offset if they
// do.
func (s *windowSearch) over(p pane, offset, changes int, try func(pane)) {
	if p.tiles > 1 && p.tiles <= s.Ports && offset == 0 { // one tile has circuits of one offset
		p.width = s.Ports / p.tiles
		try(p)
	}
	p.width = s.Ports
	of := p.from // tiles are multiples of it
	switch {
	case p.received > 0 && p.received == p.tiles:
		of--
	case p.received > 0:
		of = 1
	}
	if offset > 0 {
		if p.offset = offset; of%offset == 0 {
			try(p)
		}
		return
	}
	mixed := p.received > 0 && p.received < p.tiles
	if mixed && p.to == s.points {
		if inverse := inverse(p.tiles+1, p.to); inverse > 0 {
			round := p
			round.offset, round.round = p.to-inverse, true
			try(round)
			s.onBases(round, try)
		}
	}
	if !mixed {
		p.offset = of
		s.onBases(p, try)
	}
	p.offset = of
	try(p)
	// More hops than necessary pay off only if circuits stay: that saves the changes before and
	// after the step.
	fewest := s.takes(p)
	most := s.Time(fewest, s.bytes) + 2*s.Wait
	if changes < AnyChanges {
		most = math.Inf(1)
	}
	for times := 2; times <= of && p.from > 1; times++ {
		if s.Delta*float64(fewest.Hops*times)+s.PerByte*s.bytes*fewest.Load*float64(times) > most {
			return
		}
		if of%times == 0 {
			p.offset = of / times
			try(p)
		}
	}
}

// onBases tries a step on circuits of several multiples of its offset.
func (s *windowSearch) onBases(p pane, try func(pane)) {
	if p.tiles > mostOnBases {
		return
	}
	list := s.bases(s.memory, p.tiles)
	for i := range list {
		p.basis = &list[i]
		try(p)
	}
}

// mostOnBases is the largest number of tiles for which bases are tried. More vectors in one step
// than in two steps that reach as far take longer than a start-up if a vector takes a few ns.
const mostOnBases = 40
