package lower

import (
	"math"
	"slices"

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

// deal returns how many of the units each route gets: its share, rounded such that the numbers
// add up. Routes with the largest remainders are rounded up.
func deal(routes []flow.Route, units int) []int {
	counts := make([]int, len(routes))
	order := make([]int, len(routes))
	left := units
	rest := make([]float64, len(routes))
	for r := range routes {
		want := routes[r].Share * float64(units)
		counts[r] = int(math.Floor(want + shareTolerance))
		rest[r] = want - float64(counts[r])
		left -= counts[r]
		order[r] = r
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case rest[a] > rest[b]:
			return -1
		case rest[a] < rest[b]:
			return 1
		}
		return 0
	})
	for i := 0; left > 0; i = (i + 1) % len(order) {
		counts[order[i]]++
		left--
	}
	for i := len(order) - 1; left < 0; i = (i + len(order) - 1) % len(order) {
		if counts[order[i]] > 0 {
			counts[order[i]]--
			left++
		}
	}
	return counts
}

// movesOf lists the moves of a step.
func (g *geometry) movesOf(p *plan.Plan, stage *plan.Stage, step *plan.Step) ([]move, error) {
	var moves []move
	for t := range step.All(p.Collective.Space) {
		counts := deal(t.Routes, t.Chunks.Len()*g.parts)
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
