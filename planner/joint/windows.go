package joint

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Exchanges by windows of partial sums, for any number of points, on circulants.
//
// A point's value is at any time the sum of a window: its own vector and those of the W-1
// points behind it. In a step the window grows by what points further behind have, tile by
// tile, each where the one before has ended. With s the first point behind that is still
// missing, a tile is one of
//
//	whole      the value of the point s behind: its window begins there, and has W vectors
//	received   what the point s-1 behind has received, without its own: W-1 vectors
//	own        the own vector of the point s behind, alone
//
// So t tiles lead from W to any window from (t+1)W-t to (t+1)W, and with W = ceil(n/(t+1))
// every n is reached in as many steps as its next power needs: 7 points at one port by
// 1, 2, 4, 7, with what was received in the last step, where products alone would need a
// ring of 7. With whole tiles alone this is what digits do.
//
// Tiles come over circuits of their own, one hop each, if there are as many ports. Or all
// circuits lead from x to x+o, and a tile from the point p behind takes p/o hops. Whole tiles
// are at p = W, 2W, .., so that o may be any divisor of W; so may an own tile be after them.
// Tiles of what was received are at W-1, 2(W-1), ..; on circuits of o = 1 all are.
//
// The last step may go round. Its t tiles and the window itself are whole or received ones in
// any order, which cover all n points, if the points they come from are W or W-1 apart. The
// multiples 0, o, .. to of the o with -o(t+1) = 1 modulo n are: they are the fractions k/(t+1)
// of the circle, rounded, from the end, and W-1 comes as often as (t+1)W is more than n. So
// the last tiles take 1, 2, .. t hops even where whole and received ones have to be mixed, as
// long as n and t+1 have no common divisor: 11 points on circuits of o = 7, from windows of 4, get
// the value of the point 7 behind over one hop, and what the point 14-11 = 3 behind
// has received over two.
//
// What a point contributes itself is apart from its value only as long as nothing else was
// added up before: windows are the first that is done with the whole vector.

// pane is a step of such an exchange.
type pane struct {
	from, to int // the windows before it and after it
	tiles    int
	received int  // tiles of what was received
	own      int  // tiles of what a point contributes itself: 0 or 1
	offset   int  // o of the circuits; 0: every tile has its own
	width    int  // circuits of each kind
	round    bool // circuits of the offset go round: tiles are at its first multiples
}

// tile is where a tile comes from, and what of it.
type tile struct {
	behind int
	part   collective.Part
}

// list returns the tiles. Where circuits lead to the next point the own one is first,
// because all after it are nearer by W-1 then; on others it has no place but the last.
func (p pane) list() []tile {
	all := make([]tile, 0, p.tiles)
	start := p.from
	if p.round {
		var at []int
		for k := range p.tiles {
			at = append(at, (k+1)*p.offset%p.to)
		}
		slices.Sort(at)
		for _, behind := range at {
			part := collective.WholePart
			if behind < start {
				part = collective.ReceivedPart
			}
			all = append(all, tile{behind, part})
			start = behind + p.from
		}
		return all
	}
	own := func() {
		if p.own > 0 {
			all = append(all, tile{start, collective.OwnPart})
			start++
		}
	}
	if p.offset == 1 {
		own()
	}
	for range p.received {
		all = append(all, tile{start - 1, collective.ReceivedPart})
		start += p.from - 1
	}
	for range p.tiles - p.received - p.own {
		all = append(all, tile{start, collective.WholePart})
		start += p.from
	}
	if p.offset != 1 {
		own()
	}
	return all
}

// takes counts a step.
func (m *machine) takes(p pane) shape {
	w := float64(p.width)
	if p.offset == 0 {
		return shape{steps: 1, hops: 1, load: m.load(tally{hops: 1, peak: 1 / w, dilation: 1 / w, pair: 1})}
	}
	// The sum and the last of an arithmetic sequence or, of tiles of several kinds, of two.
	sum, last, start := 0, 0, p.from
	add := func(first, by, count int) {
		if count > 0 {
			sum += count*first + by*count*(count-1)/2
			last = max(last, first+by*(count-1))
			start += by * count
		}
	}
	whole := p.tiles - p.received - p.own
	if p.offset == 1 {
		add(start, 1, p.own)
	}
	add(start-1, p.from-1, p.received)
	add(start, p.from, whole)
	if p.offset != 1 {
		add(start, 1, p.own)
	}
	sum, last = sum/p.offset, last/p.offset
	if p.round {
		sum, last = p.tiles*(p.tiles+1)/2, p.tiles
	}
	return shape{steps: 1, hops: last, load: m.load(tally{hops: last, peak: float64(sum) / w, dilation: float64(last) / w, pair: 1})}
}

// windowSearch finds the best such exchange for given bytes by a dynamic program over the
// window that is to be reached: by any last step, or by one on circuits of an offset, which
// are those of the step after it.
type windowSearch struct {
	*machine
	points int
	bytes  float64
	known  map[windowKey]windowChoice
}

// windowKey is a window, the offset of the last step's circuits, 0 for any, and the changes
// that are left.
type windowKey struct{ to, offset, changes int }

type windowChoice struct {
	time float64
	pane pane
}

// windows returns the best exchange of this family that changes circuits at most so often;
// nil where one step or digits do the same.
func (m *machine) windows(points int, bytes float64, changes int) *program {
	s := &windowSearch{machine: m, points: points, bytes: bytes, known: map[windowKey]windowChoice{}}
	var panes []pane
	takes := shape{}
	parts := false
	for to, next := points, 0; to > 1; {
		found, changed := s.before(to, next, changes)
		if math.IsInf(found.time, 1) {
			return nil
		}
		p := found.pane
		if changed {
			takes.changes++
			changes = spend(changes, 1)
		}
		takes = takes.plus(m.takes(p))
		panes = append([]pane{p}, panes...)
		parts = parts || p.received+p.own > 0
		to, next = p.from, p.offset
		if next == 0 {
			next = ownCircuits
		}
	}
	if !parts {
		return nil
	}
	names := make([]string, len(panes))
	for i, p := range panes {
		names[i] = fmt.Sprint(p.to)
	}
	return &program{
		shape: takes, points: points, kind: exchange, scattered: 1, parts: 1,
		about: "sums of windows of " + strings.Join(names, ", "),
		lay:   func() []stage { return layPanes(points, panes) },
		has:   uses{exchange: true, windows: true},
	}
}

// ownCircuits stands for the circuits of a step in which every tile has its own: those of no
// other step are the same.
const ownCircuits = -1

// before returns the best way to a window before a step on circuits of an offset, 0 where there
// is none, and whether circuits change after it.
func (s *windowSearch) before(to, next, changes int) (c windowChoice, changed bool) {
	if next == 0 || to == 1 {
		return s.best(to, 0, changes), false
	}
	c = windowChoice{time: math.Inf(1)}
	if left := spend(changes, 1); left >= 0 {
		c = s.best(to, 0, left)
		c.time += s.wait
	}
	if next > 0 {
		if stays := s.best(to, next, changes); stays.pane.tiles > 0 && stays.time <= c.time {
			return stays, false
		}
	}
	return c, true
}

// best returns the last step of the best way to a window, and the time of all of it; with an
// offset the best of those that end on such circuits, where a change from others is not better.
func (s *windowSearch) best(to, offset, changes int) windowChoice {
	if to == 1 {
		return windowChoice{}
	}
	key := windowKey{to, offset, changes}
	if c, ok := s.known[key]; ok {
		return c
	}
	best := windowChoice{time: math.Inf(1)}
	if left := spend(changes, 1); offset > 0 && left >= 0 {
		best.time = math.Nextafter(s.best(to, 0, left).time+s.wait, math.Inf(1)) // as long is better
	}
	try := func(p pane) {
		time := s.time(s.takes(p), s.bytes)
		if time+s.least(p.from) >= best.time {
			return
		}
		next := p.offset
		if next == 0 {
			next = ownCircuits
		}
		rest, _ := s.before(p.from, next, changes)
		if time += rest.time; time < best.time {
			best = windowChoice{time, p}
		}
	}
	for tiles := 1; tiles < to; tiles++ {
		if (tiles > s.ports || offset > 0) && s.onOne(tiles) >= best.time {
			break // and more tiles take longer
		}
		p := pane{from: (to + tiles) / (tiles + 1), to: to, tiles: tiles}
		if p.received = (tiles+1)*p.from - to; p.received <= tiles {
			s.over(p, offset, try)
		}
		if from := (to - 1) / tiles; from*tiles == to-1 && from > 1 {
			s.over(pane{from: from, to: to, tiles: tiles, own: 1}, offset, try)
		}
	}
	s.known[key] = best // without a pane, if there is none
	return best
}

// onOne is what so many tiles take on circuits of one offset, or more.
func (s *windowSearch) onOne(tiles int) float64 {
	t := float64(tiles)
	return s.alpha + s.delta*t + s.perByte*s.bytes*t*(t+1)/2/float64(s.ports)
}

// least is less than what leads to a window.
func (s *windowSearch) least(to int) float64 {
	if to == 1 {
		return 0
	}
	return s.alpha + s.delta*s.hear(to) + s.perByte*s.bytes*float64(bits.Len(uint(to))-1)/float64(s.ports)
}

// over tries a step on all circuits that serve it, or on those of an offset if they do.
func (s *windowSearch) over(p pane, offset int, try func(pane)) {
	if p.tiles > 1 && p.tiles <= s.ports && offset == 0 { // one tile has circuits of one offset
		p.width = s.ports / p.tiles
		try(p)
	}
	p.width = s.ports
	of := p.from // what tiles are multiples of
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
	if p.received > 0 && p.received < p.tiles && p.to == s.points {
		if inverse := inverse(p.tiles+1, p.to); inverse > 0 {
			round := p
			round.offset, round.round = p.to-inverse, true
			try(round)
		}
	}
	// More hops than there must be are worth it only where circuits stay.
	for hops := 1; hops*hops <= of; hops++ {
		if of%hops == 0 {
			if p.offset = of / hops; hops == 1 || s.stays(p) {
				try(p)
			}
			if p.offset = hops; hops*hops < of && s.stays(p) {
				try(p)
			}
		}
	}
}

// stays reports whether a step on the same circuits can come before one.
func (s *windowSearch) stays(p pane) bool { return p.offset < p.from && p.from > 1 }

// inverse returns the number below n whose product with a leaves 1 modulo n; 0 if there is none.
func inverse(a, n int) int {
	// Euclid's algorithm: x times a is r modulo n, and so are the ones after them.
	x, next, r, rest := 0, 1, n, a%n
	for rest != 0 {
		q := r / rest
		x, next = next, x-q*next
		r, rest = rest, r-q*rest
	}
	if r != 1 {
		return 0
	}
	return (x%n + n) % n
}

// layPanes lists what is sent.
func layPanes(points int, panes []pane) []stage {
	var all []stage
	for _, p := range panes {
		tiles := p.list()
		jumps, mult := []int{p.offset}, []int{p.width}
		if p.offset == 0 {
			jumps, mult = nil, nil
			for _, t := range tiles {
				jumps, mult = append(jumps, t.behind), append(mult, p.width)
			}
		}
		g := topology.DirectedCirculant(points, repeat(jumps, mult)...)
		if k := len(all); k == 0 || !all[k-1].net.graph.Equal(g) {
			all = append(all, stage{net: newNetwork(g, topology.Rotations(points, 1)), kind: exchange})
		}
		step := make([]way, len(tiles))
		for i, t := range tiles {
			hop := p.offset
			if hop == 0 {
				hop = t.behind
			}
			path := []int32{0}
			for v := 0; v != t.behind; {
				v = (v + hop) % points
				path = append(path, int32(v))
			}
			step[i] = way{modulus: 1, path: path, of: t.part}
		}
		at := &all[len(all)-1]
		at.steps = append(at.steps, step)
	}
	return all
}
