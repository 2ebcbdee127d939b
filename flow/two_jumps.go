package flow

import (
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// solveTwoJumps is the closed form for circulants with two jumps a and b (two-way
// rings among them) when every node u sends the same amount to u+k.
//
// By symmetry a routing is a mixture of ways (x, y): x jumps of a and y of b, with
// x*a + y*b = k (mod n), and all circuits of a jump carry the same. The peak is the
// larger of E[x]/count(a) and E[y]/count(b), so the best mixture is where the lower
// left hull of the ways meets the ray on which both are equal: one way or two. For
// each y the least x follows from a congruence, so there are at most n ways to look
// at: O(n). A way on the hull never visits a node twice, since leaving out a loop
// would give one with fewer of both jumps.
//
// It reports false where the problem is of another kind.
func solveTwoJumps(p Problem, cl *classes) (*Result, bool) {
	n := p.Graph.Nodes()
	if len(cl.circuits) != 2 || len(p.Demands) != 1 || !isRotations(p.Group, n) {
		return nil, false
	}
	var jump [2]int
	to, _ := p.Graph.Row(0)
	for i, v := range to {
		if c := cl.of[i]; c != selfLoop {
			jump[c] = int(v)
		}
	}
	d := p.Demands[0]
	offset := residue(d.Dst-d.Src, n)
	ways := paretoWays(n, jump, offset, p.MaxHops)
	if len(ways) == 0 {
		return nil, false
	}
	one, two, share := mix(ways, cl.circuits)
	res := &Result{Method: MethodClosed}
	routes := []Route{{Path: wayPath(n, d.Src, jump, one), Share: share}}
	if share < 1 {
		routes = append(routes, Route{Path: wayPath(n, d.Src, jump, two), Share: 1 - share})
	}
	res.Routes = [][]Route{routes}
	load, err := loadOf(p.Graph, cl, p.Demands, res.Routes)
	if err != nil {
		return nil, false
	}
	res.Load, res.Bound = load, load.Peak
	return res, true
}

func isRotations(t topology.Translations, n int) bool {
	return len(t.Dims) == 1 && t.Dims[0] == n && t.Stride[0] == 1
}

// way is a number of jumps of each kind.
type way struct{ x, y int }

// paretoWays lists the ways to an offset of which no other has fewer of both jumps,
// in ascending order of y and descending order of x.
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

// mix returns the two ways, and the share of the first, whose mixture has the
// smallest peak; the share is 1 where one way is best. Among mixtures of the same
// peak it takes the one with fewest hops.
func mix(ways []way, circuits []float64) (one, two way, share float64) {
	// Coordinates in time: jumps of a kind over the circuits that share them.
	at := func(w way) (float64, float64) { return float64(w.x) / circuits[0], float64(w.y) / circuits[1] }
	best, hops := math.Inf(1), math.Inf(1)
	try := func(a, b way, s float64) {
		ax, ay := at(a)
		bx, by := at(b)
		peak := max(s*ax+(1-s)*bx, s*ay+(1-s)*by)
		total := s*float64(a.x+a.y) + (1-s)*float64(b.x+b.y)
		if peak < best*(1-optimalityGap) || peak <= best*(1+optimalityGap) && total < hops {
			best, hops = min(best, peak), total
			one, two, share = a, b, s
		}
	}
	hull := lowerHull(ways)
	for i, w := range hull {
		try(w, w, 1)
		if i == 0 {
			continue
		}
		// Where the edge from the way before crosses the ray of equal coordinates.
		ax, ay := at(hull[i-1])
		bx, by := at(w)
		if da, db := ax-ay, bx-by; da > 0 && db < 0 {
			try(hull[i-1], w, -db/(da-db))
		}
	}
	return one, two, share
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

// wayPath walks a way from a node: first the one jump, then the other.
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
