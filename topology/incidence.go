package topology

import "github.com/lightpath-net/lightpath/topology/finite"

// Incidence graphs join the points of a finite geometry, which are numbered first,
// with its lines. (Godsil and Royle, Algebraic Graph Theory, chapter 5; Brouwer,
// Cohen and Neumaier, Distance-Regular Graphs, chapter 6.)

// projectivePlane is the incidence graph of PG(2,q): a line is a vector as well, and
// a point is on it if their product is 0.
func projectivePlane(q int) *Graph {
	f := finite.NewField(q)
	points := f.Points(3, func([]int) bool { return true })
	n := len(points)
	var edges []Edge
	for p, point := range points {
		for l, line := range points {
			if f.Dot(point, line) == 0 {
				edges = append(edges, Edge{p, n + l, 1}, Edge{n + l, p, 1})
			}
		}
	}
	return New(2*n, "", edges)
}

// affinePlane is the incidence graph of AG(2,q) without one class of parallel lines:
// the point (x, y) is x q + y, the line y = m x + c is q^2 + m q + c, and the
// vertical lines are left out.
func affinePlane(q int) *Graph {
	f := finite.NewField(q)
	return fromRows("", 2*q*q, q, func(u int, out []int32) []int32 {
		first := q * q // of the other kind
		if u >= first {
			u, first = u-first, 0
		}
		// A point is on the line of slope m with c = y - m x, a line has at x the point
		// with y = c + m x: both lists are the same except for the sign.
		a, b := u/q, u%q
		for other := range q {
			product := f.Times[a][other]
			if first > 0 {
				product = f.Negative[product]
			}
			out = append(out, int32(first+other*q+f.Plus[b][product]))
		}
		return out
	})
}

// generalizedQuadrangle is the incidence graph of the symplectic quadrangle W(q), a
// GQ(q,q): the points of PG(3,q) and the lines on which an alternating form vanishes.
func generalizedQuadrangle(q int) *Graph {
	f := finite.NewField(q)
	points := f.Points(4, func([]int) bool { return true })
	return lineIncidence(f, points, func(a, b []int) bool {
		return f.Plus[f.Minor(a, b, 0, 1)][f.Minor(a, b, 2, 3)] == 0
	})
}

// generalizedHexagon is the incidence graph of the split Cayley hexagon H(q), a
// GH(q,q), in the coordinates of Tits (Van Maldeghem, Generalized Polygons, 2.4.13):
// the points of the quadric x0 x4 + x1 x5 + x2 x6 = x3^2 in PG(6,q), and those lines
// on it whose Grassmann coordinates satisfy six linear equations.
func generalizedHexagon(q int) *Graph {
	f := finite.NewField(q)
	// form is the quadric's left side for a = b, and its polar form without x3 if the
	// two orders are added.
	form := func(a, b []int) int { return f.Dot(a[:3], b[4:]) }
	points := f.Points(7, func(x []int) bool { return form(x, x) == f.Times[x[3]][x[3]] })
	equations := [6][4]int{{1, 2, 3, 4}, {5, 4, 3, 2}, {2, 0, 3, 5}, {6, 5, 3, 0}, {0, 1, 3, 6}, {4, 6, 3, 1}}
	return lineIncidence(f, points, func(a, b []int) bool {
		if square := f.Times[a[3]][b[3]]; f.Plus[form(a, b)][form(b, a)] != f.Plus[square][square] {
			return false
		}
		for _, e := range equations {
			if f.Minor(a, b, e[0], e[1]) != f.Minor(a, b, e[2], e[3]) {
				return false
			}
		}
		return true
	})
}

// lineIncidence joins every point with the lines through it. There is a line through any two
// points that are joined, and then all the points on it are joined.
func lineIncidence(f *finite.Field, points [][]int, joined func(a, b []int) bool) *Graph {
	n := len(points)
	var edges []Edge
	lines := 0
	for p, a := range points {
		for r := p + 1; r < n; r++ {
			if !joined(a, points[r]) {
				continue
			}
			line := f.Line(points, p, r)
			if line[0] != p || line[1] != r {
				continue // it has been found from its first two points
			}
			for _, point := range line {
				edges = append(edges, Edge{point, n + lines, 1}, Edge{n + lines, point, 1})
			}
			lines++
		}
	}
	return New(n+lines, "", edges)
}
