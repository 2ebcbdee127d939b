package lower

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
)

// move is consecutive units that take one route in a step.
type move struct {
	path     []int32 // ranks
	first    int32   // unit
	count    int32
	reduce   bool
	replace  bool // what the receiver has is not part of the sum
	part     collective.Part
	sides    collective.Sides
	hazard   bool // conflicts with another move of the step
	circuits int32
	run      int32 // first unit before the move was split over parallel circuits
}

func (m *move) src() int   { return int(m.path[0]) }
func (m *move) dst() int   { return int(m.path[len(m.path)-1]) }
func (m *move) end() int32 { return m.first + m.count }

// dealer divides the transfers of a step among their routes in whole units: each route gets its
// share, rounded such that the units add up.
type dealer struct {
	stage *plan.Stage
	loads map[[2]int32]float64 // units per circuit between two nodes
}

// newDealer counts the whole units that every route of a step gets before rounding up, if any
// share is rounded.
func (g *geometry) newDealer(p *plan.Plan, stage *plan.Stage, step *plan.Step) *dealer {
	d := &dealer{stage, map[[2]int32]float64{}}
	if g.rounded > 0 {
		for t := range step.All(p.Collective.Space) {
			counts, _, _ := floors(t.Routes, t.Chunks.Len()*g.parts)
			for r, count := range counts {
				d.load(t.Routes[r].Path, float64(count))
			}
		}
	}
	return d
}

// load adds units to the circuits of a path.
func (d *dealer) load(path []int32, units float64) {
	for h := range len(path) - 1 {
		u, v := path[h], path[h+1]
		d.loads[[2]int32{u, v}] += units / float64(d.stage.Topology.Count(int(u), int(v)))
	}
}

// fullest returns the largest number of units per circuit on a path.
func (d *dealer) fullest(path []int32) float64 {
	most := 0.0
	for h := range len(path) - 1 {
		most = max(most, d.loads[[2]int32{path[h], path[h+1]}])
	}
	return most
}

// floors returns the units of every route, rounded down, what that takes from it, and how many
// units are left.
func floors(routes []flow.Route, units int) (counts []int, rest []float64, left int) {
	counts, rest, left = make([]int, len(routes)), make([]float64, len(routes)), units
	for r := range routes {
		want := routes[r].Share * float64(units)
		counts[r] = int(math.Floor(want + shareTolerance))
		rest[r] = want - float64(counts[r])
		left -= counts[r]
	}
	return counts, rest, left
}

// deal returns how many of the units each route gets. Of the routes whose share was rounded down,
// those whose fullest circuits have the least to carry get what is left, and of equal ones those
// that lost the most.
func (d *dealer) deal(routes []flow.Route, units int) []int {
	counts, rest, left := floors(routes, units)
	for ; left > 0; left-- {
		best, least := -1, 0.0
		for r := range routes {
			if rest[r] <= shareTolerance {
				continue
			}
			if full := d.fullest(routes[r].Path); best < 0 || full < least-shareTolerance ||
				full <= least+shareTolerance && rest[r] > rest[best]+shareTolerance {
				best, least = r, full
			}
		}
		if best < 0 { // shares that do not add up to 1 within the tolerance
			best = left % len(routes)
		}
		counts[best]++
		rest[best] = 0
		d.load(routes[best].Path, 1)
	}
	for r := 0; left < 0; r = (r + 1) % len(counts) {
		if counts[r] > 0 {
			counts[r]--
			left++
		}
	}
	return counts
}

// movesOf lists the moves of a step.
func (g *geometry) movesOf(p *plan.Plan, stage *plan.Stage, step *plan.Step) ([]move, error) {
	var moves []move
	dealer := g.newDealer(p, stage, step)
	for t := range step.All(p.Collective.Space) {
		counts := dealer.deal(t.Routes, t.Chunks.Len()*g.parts)
		route := 0
		path, circuits, err := g.along(stage, t.Routes[0].Path, step)
		if err != nil {
			return nil, err
		}
		for _, run := range t.Chunks {
			first, count := run.First*g.parts, g.parts
			times := run.Count
			if run.Stride == 1 {
				count, times = count*run.Count, 1
			}
			for i := range times {
				at := first + i*run.Stride*g.parts
				for left := count; left > 0; {
					for counts[route] == 0 {
						route++
						if path, circuits, err = g.along(stage, t.Routes[route].Path, step); err != nil {
							return nil, err
						}
					}
					take := min(left, counts[route])
					moves = append(moves, move{
						path: path, first: int32(at), count: int32(take), circuits: circuits,
						reduce: t.Action == collective.Reduce, replace: t.Action == collective.Replace, part: t.Part, sides: t.Sides,
					})
					counts[route] -= take
					left -= take
					at += take
				}
			}
		}
	}
	return moves, nil
}

// along returns a path in ranks, and the largest number of parallel circuits on a hop of it.
func (g *geometry) along(stage *plan.Stage, path []int32, step *plan.Step) ([]int32, int32, error) {
	ranks := make([]int32, len(path))
	circuits := 1
	for h, u := range path {
		if g.ranks[u] < 0 {
			return nil, 0, Refuse("step %d: GPU %d takes no part in the collective but forwards; the runtime's ranks are those that take part", step.Index, u)
		}
		ranks[h] = int32(g.ranks[u])
		if h > 0 {
			circuits = max(circuits, stage.Topology.Count(int(path[h-1]), int(u)))
		}
	}
	return ranks, int32(circuits), nil
}
