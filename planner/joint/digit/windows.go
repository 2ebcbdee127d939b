package digit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/planner/joint/sides"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has exchanges by windows of partial sums, for any number of points, on circulants. A
// pane is a step. windows_search.go finds the best panes, and windows_bases.go circuits with
// several jumps.
//
// A point's value is always the sum of a window: its own vector and those of the W-1 points
// behind it. A step extends the window with values of points further behind, tile by tile: each
// tile begins where the one before ends. If the point s behind is the first one that is still
// missing, a tile is one of
//
//	whole      the value of the point s behind: its window begins there, and has W vectors
//	received   what the point s-1 behind has received, without its own: W-1 vectors
//	own        the own vector of the point s behind, alone
//
// So t tiles lead from W to any window from (t+1)W-t to (t+1)W, and with W = ceil(n/(t+1)) every
// n is reached in as many steps as its next power needs. 7 points with one port take windows of
// 1, 2, 4 and 7, with a received tile in the last step, where products alone would need a ring of
// 7. With only whole tiles, windows do what digits do.
//
// If there are enough ports, every tile has its own circuits and comes over one hop. Otherwise
// all circuits lead from x to x+o, and a tile from the point p behind takes p/o hops. Whole tiles
// are at p = W, 2W, .., so o may be any divisor of W, and an own tile may follow them. Received
// tiles are at W-1, 2(W-1), .. On circuits of o = 1 all tiles are possible.
//
// The last step may go round. Its t tiles and the window itself, whole or received in any order,
// cover all n points if the points that they come from are W or W-1 apart. This holds for the
// multiples 0, o, 2o, .. up to t times the o with -o(t+1) = 1 modulo n: they are the fractions
// k/(t+1) of the circle, rounded, from the end, and W-1 comes as often as (t+1)W is more than n.
// So the last tiles take 1, 2, .. t hops even if whole and received ones have to be mixed, as
// long as n and t+1 have no common divisor. 11 points on circuits of o = 7, from windows of 4,
// get the value of the point 7 behind over one hop, and what the point 14-11 = 3 behind has
// received over two.
//
// What a point contributes itself is apart from its value only as long as nothing else was added
// up before. So windows must come first, with the whole vector, or after a scatter (afterScatter).

// pane is a step of such an exchange.
type pane struct {
	from, to int // the windows before it and after it
	tiles    int
	received int    // received tiles
	own      int    // own tiles: 0 or 1
	offset   int    // o of the circuits; 0: every tile has its own circuits
	width    int    // circuits of each kind
	basis    *basis // the multiples of the offset that circuits have; nil: only the offset itself
	round    bool   // the step goes round: tiles are at the first multiples of the offset
}

// tile says where a tile comes from, and which part of the value there it is.
type tile struct {
	behind int
	times  int // as a multiple of the offset, if it has no circuits of its own
	part   collective.Part
}

// list returns the tiles. If circuits lead to the next point, the own tile is first, because all
// tiles after it are then nearer by W-1. On other circuits it can only be the last.
func (p pane) list() []tile {
	all := make([]tile, 0, p.tiles)
	start := p.from
	if p.round {
		for k := 1; k <= p.tiles; k++ {
			all = append(all, tile{behind: k * p.offset % p.to, times: k})
		}
		slices.SortFunc(all, func(a, b tile) int { return a.behind - b.behind })
		for i := range all {
			if all[i].behind < start {
				all[i].part = collective.ReceivedPart
			}
			start = all[i].behind + p.from
		}
		return all
	}
	add := func(behind int, part collective.Part, length int) {
		all = append(all, tile{behind, behind / max(1, p.offset), part})
		start += length
	}
	own := func() {
		if p.own > 0 {
			add(start, collective.OwnPart, 1)
		}
	}
	if p.offset == 1 {
		own()
	}
	for range p.received {
		add(start-1, collective.ReceivedPart, p.from-1)
	}
	for range p.tiles - p.received - p.own {
		add(start, collective.WholePart, p.from)
	}
	if p.offset != 1 {
		own()
	}
	return all
}

// takes returns the shape of a step.
func (m *Machine) takes(p pane) Shape {
	if p.basis != nil {
		return Shape{Steps: 1, Hops: p.basis.takes.Hops, Load: m.Load(p.basis.takes)}
	}
	w := float64(p.width)
	if p.offset == 0 {
		return Shape{Steps: 1, Hops: 1, Load: m.Load(network.Tally{Hops: 1, Peak: 1 / w, Dilation: 1 / w, Pair: 1})}
	}
	// The sum and the last term of an arithmetic sequence or, for tiles of several kinds, of two.
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
	return Shape{Steps: 1, Hops: last, Load: m.Load(network.Tally{Hops: last, Peak: float64(sum) / w, Dilation: float64(last) / w, Pair: 1})}
}

// inverse returns the number below n whose product with a leaves 1 modulo n; 0 if there is none.
func inverse(a, n int) int {
	// Euclid's algorithm: x times a is r modulo n, and next times a is rest.
	x, next, r, rest := 0, 1, n, a%n
	for rest != 0 {
		q := r / rest
		x, next = next, x-q*next
		r, rest = rest, r-q*rest
	}
	if r != 1 {
		return 0
	}
	return arithmetic.Mod(x, n)
}

// layPanes lays out the steps.
func layPanes(points int, panes []pane) []stage {
	var all []stage
	for _, p := range panes {
		tiles := p.list()
		jumps, mult := []int{p.offset}, []int{p.width}
		switch {
		case p.basis != nil:
			jumps, mult = nil, nil
			for _, j := range p.basis.jumps {
				jumps, mult = append(jumps, j*p.offset%points), append(mult, p.basis.width)
			}
		case p.offset == 0:
			jumps, mult = nil, nil
			for _, t := range tiles {
				jumps, mult = append(jumps, t.behind), append(mult, p.width)
			}
		}
		g := topology.DirectedCirculant(points, Repeat(jumps, mult)...)
		if k := len(all); k == 0 || !all[k-1].Net.Graph.Equal(g) {
			all = append(all, stage{Net: network.New(g, topology.Rotations(points, 1)), kind: exchange})
		}
		step := make([]network.Way, len(tiles))
		for i, t := range tiles {
			path := []int32{0, int32(t.behind)}
			switch {
			case p.basis != nil:
				path = path[:0]
				for _, times := range p.basis.paths[t.times-1] {
					path = append(path, int32(int(times)*p.offset%points))
				}
			case p.offset > 0:
				path = path[:1]
				for k := 1; k <= t.times; k++ {
					path = append(path, int32(k*p.offset%points))
				}
			}
			step[i] = network.Way{Modulus: 1, Path: path, Of: t.part}
		}
		at := &all[len(all)-1]
		at.steps = append(at.steps, step)
	}
	return all
}

// onSides tries sums of windows that grow on both sides (package sides). As above, digits before
// them must scatter.
func (s *Search) onSides(b *Board, t Task, points int) {
	if !s.apart(t) || s.Ports < 2 {
		return
	}
	_, _, least := s.rests(b, t, points, 1)
	bytes := s.Bytes / float64(t.Scale)
	for of := range chainChanges(t.Changes, 1) {
		if p := s.twoSided(points, bytes, of, b.limit()-least, s.Stopped); p != nil && !s.cutsBytes(p.parts) {
			s.offerWindows(b, t, p, bytes)
		}
	}
}

// twoSided returns the best exchange by windows that grow on both sides, with at most the given
// number of reconfigurations; nil if none takes less than most.
func (m *Machine) twoSided(points int, bytes float64, changes int, most float64, stopped func() bool) *program {
	width := m.Ports / 2
	found := sides.Best(sides.Question{
		Points: points, Alpha: m.Alpha, Delta: m.Delta, Vector: m.PerByte * bytes / float64(width), Wait: m.Wait,
		Changes: changes, Most: most, Stopped: stopped,
	})
	if found == nil {
		return nil
	}
	takes := Shape{Steps: len(found.Steps), Changes: found.Changes()}
	reached, names := 1, make([]string, len(found.Steps))
	for i, step := range found.Steps {
		takes.Hops += step.Hops
		takes.Load += m.Load(step.Tally(points, found.Halves, width))
		reached += step.Gains
		names[i] = fmt.Sprint(reached)
	}
	return &program{
		Shape: takes, points: points, kind: exchange, scattered: 1, parts: found.Halves,
		about: "sums of windows on both sides of " + strings.Join(names, ", "),
		Lay:   func() []stage { return laySides(points, width, found) },
		has:   Uses{Exchange: true, Windows: true},
	}
}

// laySides lays out the steps. Halves of the vector have no symmetry: rotations would turn
// consecutive chunks into others.
func laySides(points, width int, found *sides.Answer) []stage {
	group, from := topology.Rotations(points, 1), 1
	if found.Halves > 1 {
		group, from = topology.Translations{}, points
	}
	var all []stage
	for i, step := range found.Steps {
		if i == 0 || step.Offset != found.Steps[i-1].Offset {
			g := twoWayRings(points, width, step.Offset)
			all = append(all, stage{Net: network.New(g, group), kind: exchange})
		}
		var ways []network.Way
		for half := range found.Halves {
			for _, t := range step.Tiles {
				by := step.Offset
				if (t.At > 0) != (half == 1) {
					by = points - by // back from a point further on
				}
				for source := range from {
					path := []int32{int32(source)}
					for h := range t.Hops {
						path = append(path, int32((int(path[h])+by)%points))
					}
					ways = append(ways, network.Way{Source: source, Modulus: 1, Part: half, Path: path, Of: t.Part, Sides: t.Sides, Alone: true})
				}
			}
		}
		at := &all[len(all)-1]
		at.steps = append(at.steps, ways)
	}
	return all
}

// twoWayRings returns the graph in which every point has width links to the points an offset
// after it and before it.
func twoWayRings(points, width, offset int) *topology.Graph {
	if offset == 1 {
		return ring(points, width, true).Graph
	}
	return topology.DirectedCirculant(points, Repeat([]int{offset, points - offset}, []int{width, width})...)
}

// Windows between a scatter and a gather. There a point starts with a sum instead of its own
// vector, and parts of its value must contain all of that sum or none of it. The sum is what came
// in the scatter, besides the own vector. So side sums take the place of parts:
//
//	own              own and a side sum of what came in the scatter
//	received         a side sum of what came since
//	own and side k   the same, and what came in the scatter belongs to side k as well
//	side k           the same; another side sum, if k is also sent with the own vector

// afterScatter returns an exchange for points that start with what a scatter has left; nil if it
// would need too many side sums. The exchange must come first otherwise.
func (p *program) afterScatter() *program {
	laid := p.Lay()
	var used []collective.Part
	most := 0 // the last side sum
	for _, st := range laid {
		for _, ways := range st.steps {
			for _, w := range ways {
				if !slices.Contains(used, w.Of) {
					used = append(used, w.Of)
				}
				side, _ := w.Of.Side()
				for most = max(most, side); w.Sides>>most != 0; most++ {
				}
			}
		}
	}
	parts := map[collective.Part]collective.Part{}
	// before is what belongs to the scatter, and every what belongs to all that comes later.
	var before, every collective.Sides
	also := map[collective.Sides]collective.Sides{} // copies of side sums
	for _, part := range used {
		side, own := part.Side()
		fresh := most + 1 // a new side sum, if there is need for one
		switch {
		case part == collective.WholePart || side > 0 && !own:
			continue
		case own && !slices.Contains(used, collective.SidePart(side, false)):
			before |= collective.SidesOf(side)
			continue
		case fresh > collective.MostSides:
			return nil
		case part == collective.ReceivedPart:
			parts[part], every = collective.SidePart(fresh, false), every|collective.SidesOf(fresh)
		default:
			parts[part], before = collective.SidePart(fresh, true), before|collective.SidesOf(fresh)
			if own {
				also[collective.SidesOf(side)] = collective.SidesOf(fresh)
			}
		}
		most = fresh
	}
	made := *p
	made.before = before
	made.about += " of sums"
	made.Lay = func() []stage {
		laid := p.Lay()
		for _, st := range laid {
			for _, ways := range st.steps {
				for i := range ways {
					w := &ways[i]
					if to, other := parts[w.Of]; other {
						w.Of = to
					}
					sides := w.Sides | every
					for side, copied := range also {
						if w.Sides&side != 0 {
							sides |= copied
						}
					}
					w.Sides = sides
				}
			}
		}
		return laid
	}
	return &made
}
