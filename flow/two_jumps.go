package flow

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// solveTwoJumps is the closed form for circulants with two jumps a and b (including two-way
// rings) if every node u sends the same amounts to u+k for one k or several.
//
// By symmetry a routing of an offset k is a mixture of ways (x, y): x jumps of a and y of b,
// with x*a + y*b = k (mod n), and all circuits of a jump carry the same load. The peak is the
// larger of X/count(a) and Y/count(b), where X is the sum over offsets of amount x E[x], and Y
// that of y. The possible (X, Y) are the sum of the convex hulls of the offsets' ways. Its
// lower left hull has the edges of theirs in the order of their slopes (Minkowski). The optimum
// is where it meets the ray on which both are equal, so one offset has two ways and all others
// have one. It is the only point of the hull with the smallest peak, and no routing with that
// peak has fewer bytes x hops. For each y the least x follows from a congruence, so an offset
// has at most n ways to consider: O(n) each, O(1) if the jumps are opposite, as on a ring. A
// way on the hull never visits a node twice, because leaving out a loop would give one with
// fewer of both jumps.
//
// It reports false for other problems.
func solveTwoJumps(p Problem, cl *classes) (*Result, bool) {
	n := p.Graph.Nodes()
	if len(cl.circuits) != 2 || !isRotations(p.Group, n) {
		return nil, false
	}
	var jump [2]int
	to, _ := p.Graph.Row(0)
	for i, v := range to {
		if c := cl.of[i]; c != selfLoop {
			jump[c] = int(v)
		}
	}
	opposite := jump[0]+jump[1] == n
	if !opposite && len(p.Demands) > mostWayLists {
		return nil, false
	}
	hulls := make([][]way, len(p.Demands))
	for i, d := range p.Demands {
		offset := residue(d.Dst-d.Src, n)
		var ways []way
		if opposite {
			ways = oppositeWays(n, jump[0], offset, p.MaxHops)
		} else {
			ways = paretoWays(n, jump, offset, p.MaxHops)
		}
		if len(ways) == 0 {
			return nil, false
		}
		hulls[i] = lowerHull(ways)
	}
	mixes := mix(hulls, p.Demands, cl.circuits)
	res := &Result{Method: MethodClosed, Routes: make([][]Route, len(p.Demands))}
	for i, d := range p.Demands {
		m := mixes[i]
		res.Routes[i] = []Route{{Path: wayPath(n, d.Src, jump, m.one), Share: m.share}}
		if m.share < 1 {
			res.Routes[i] = append(res.Routes[i], Route{Path: wayPath(n, d.Src, jump, m.two), Share: 1 - m.share})
		}
	}
	load, err := loadOf(p.Graph, cl, p.Demands, res.Routes)
	if err != nil {
		return nil, false
	}
	res.Load, res.Bound = load, load.Peak
	return res, true
}

// mostWayLists is the number of offsets up to which all their ways are listed, n each; with
// more offsets a linear program has fewer to consider.
const mostWayLists = 64

func isRotations(t topology.Translations, n int) bool {
	return len(t.Dims) == 1 && t.Dims[0] == n && t.Stride[0] == 1
}

// way is a number of jumps of each kind.
type way struct{ x, y int }

// paretoWays lists the ways to an offset for which no other has fewer of both jumps, in
// ascending order of y and descending order of x.
func paretoWays(n int, jump [2]int, offset, maxHops int) []way {
	var ways []way
	least := math.MaxInt
	for y := range n {
		rest := residue(offset-y*jump[1], n)
		x := 0
		if rest != 0 {
			hops, ok := CirculantHops(n, jump[0], rest)
			if !ok {
				continue
			}
			x = hops
		}
		if x < least && (maxHops <= 0 || x+y <= maxHops) {
			ways = append(ways, way{x, y})
			least = x
		}
		if x == 0 {
			break
		}
	}
	return ways
}

// oppositeWays is paretoWays for opposite jumps: one way round the cycle, or the other.
func oppositeWays(n, jump, offset, maxHops int) []way {
	on, ok := CirculantHops(n, jump, offset)
	if !ok {
		return nil
	}
	round, _ := CirculantHops(n, jump, 0)
	var ways []way
	for _, w := range [...]way{{x: on}, {y: round - on}} {
		if maxHops <= 0 || w.x+w.y <= maxHops {
			ways = append(ways, w)
		}
	}
	return ways
}

// mixture is two ways and the share of the first, 1 if it is the only one.
type mixture struct {
	one, two way
	share    float64
}

// mix returns the mixtures whose sum has the smallest peak. It begins with the fewest second
// jumps, and trades them for fewer first jumps along the edges of the hulls, at the best rate
// first, until both are equally busy.
func mix(hulls [][]way, demands []Demand, circuits []float64) []mixture {
	type edge struct{ demand, at int } // from way at to the next of a hull
	var edges []edge
	out := make([]mixture, len(hulls))
	over := 0.0 // time of the first jump beyond that of the second, per amount of the first demand
	unlike := func(i int, w way) float64 {
		return demands[i].Amount / demands[0].Amount * (float64(w.x)/circuits[0] - float64(w.y)/circuits[1])
	}
	for i, hull := range hulls {
		out[i] = mixture{one: hull[0], two: hull[0], share: 1}
		over += unlike(i, hull[0])
		for k := range len(hull) - 1 {
			edges = append(edges, edge{i, k})
		}
	}
	// Trade first jumps for second ones: dx/dy, compared in integers. Edges of one hull come in
	// order, because it is convex.
	slices.SortStableFunc(edges, func(e, f edge) int {
		a, b := hulls[e.demand][e.at:], hulls[f.demand][f.at:]
		return cmp.Compare((b[0].x-b[1].x)*(a[1].y-a[0].y), (a[0].x-a[1].x)*(b[1].y-b[0].y))
	})
	for _, e := range edges {
		if over <= 0 {
			break
		}
		from, to := hulls[e.demand][e.at], hulls[e.demand][e.at+1]
		after := over - unlike(e.demand, from) + unlike(e.demand, to)
		if after < 0 {
			out[e.demand] = mixture{one: from, two: to, share: -after / (over - after)}
			break
		}
		out[e.demand], over = mixture{one: to, two: to, share: 1}, after
	}
	return out
}

// lowerHull keeps the ways on the lower left convex hull (Andrew 1979).
func lowerHull(ways []way) []way {
	var hull []way
	for _, w := range ways {
		for len(hull) >= 2 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if (b.x-a.x)*(w.y-a.y)-(b.y-a.y)*(w.x-a.x) < 0 {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, w)
	}
	return hull
}

// wayPath walks a way from a node: first one jump, then the other.
func wayPath(n, src int, jump [2]int, w way) []int32 {
	path := make([]int32, 0, w.x+w.y+1)
	u := src
	path = append(path, int32(u))
	for i := range w.x + w.y {
		step := jump[0]
		if i >= w.x {
			step = jump[1]
		}
		u = (u + step) % n
		path = append(path, int32(u))
	}
	return path
}
