package classic

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Graph lists the neighbours of every node. Every circuit is listed at both of its ends.
type Graph [][]int

// New joins all pairs for which joined holds.
func New(nodes int, joined func(u, v int) bool) Graph {
	g := make(Graph, nodes)
	for u := range nodes {
		for v := range u {
			if joined(u, v) {
				g[u], g[v] = append(g[u], v), append(g[v], u)
			}
		}
	}
	return g
}

func (g Graph) join(u, v int) {
	g[u], g[v] = append(g[u], v), append(g[v], u)
}

// chords returns a ring with a chord from every node; the chords have the given lengths in turn
// (Lederberg, Coxeter and Frucht's notation of cubic graphs).
func chords(nodes int, lengths ...int) Graph {
	g := make(Graph, nodes)
	for u := range nodes {
		g.join(u, (u+1)%nodes)
		if v := arithmetic.Mod(u+lengths[u%len(lengths)], nodes); u < v {
			g.join(u, v)
		}
	}
	return g
}

// Pappus is the incidence graph of Pappus' nine points and nine lines: 18 nodes of degree 3.
func Pappus() Graph { return chords(18, 5, 7, -7, 7, -7, -5) }

// Foster is Foster's graph, the threefold cover of Tutte's 8-cage: 90 nodes of degree 3.
func Foster() Graph { return chords(90, 17, -9, 37, -37, 9, -17) }

// Dodecahedron has 20 nodes of degree 3.
func Dodecahedron() Graph { return petersen(10, 2) }

// petersen is a generalized Petersen graph.
func petersen(m, k int) Graph {
	g := make(Graph, 2*m)
	for i := range m {
		g.join(i, (i+1)%m)
		g.join(i, m+i)
		g.join(m+i, m+(i+k)%m)
	}
	return g
}

// Icosahedron has 12 nodes of degree 5: two poles and two rings of five between them.
func Icosahedron() Graph {
	g := make(Graph, 12)
	for i := range 5 {
		north, south := 2+i, 7+i
		g.join(0, north)
		g.join(1, south)
		g.join(north, 2+(i+1)%5)
		g.join(south, 7+(i+1)%5)
		g.join(north, south)
		g.join(north, 7+(i+1)%5)
	}
	return g
}

// Coxeter has 28 nodes of degree 3: the triples of seven points that are not lines of the Fano
// plane, joined when they are disjoint.
func Coxeter() Graph {
	var triples []uint
	for set := range uint(1 << 7) {
		line := false
		for i := range 7 {
			line = line || set == 1<<i|1<<((i+1)%7)|1<<((i+3)%7)
		}
		if bits.OnesCount(set) == 3 && !line {
			triples = append(triples, set)
		}
	}
	return New(len(triples), func(u, v int) bool { return triples[u]&triples[v] == 0 })
}

// BiggsSmith has 102 nodes of degree 3: seventeen trees shaped like an H, whose four ends lie
// on rings with jumps of 1, 4, 2 and 8.
func BiggsSmith() Graph {
	const trees = 17
	g := make(Graph, 6*trees)
	jumps := [4]int{1, 4, 2, 8}
	for i := range trees {
		end := func(k int) int { return k*trees + i }
		left, right := 4*trees+i, 5*trees+i
		g.join(end(0), left)
		g.join(end(1), left)
		g.join(end(2), right)
		g.join(end(3), right)
		g.join(left, right)
		for k, a := range jumps {
			g.join(end(k), k*trees+(i+a)%trees)
		}
	}
	return g
}

// HoffmanSingleton has 50 nodes of degree 7 and diameter 2, the most nodes possible. It
// consists of five pentagons and five pentagrams; node j of pentagon h is joined to node hi+j
// of pentagram i (Robertson's construction).
func HoffmanSingleton() Graph {
	g := make(Graph, 50)
	for h := range 5 {
		for j := range 5 {
			g.join(5*h+j, 5*h+(j+1)%5)
			g.join(25+5*h+j, 25+5*h+(j+2)%5)
			for i := range 5 {
				g.join(5*h+j, 25+5*i+(h*i+j)%5)
			}
		}
	}
	return g
}

// Sylvester has 36 nodes of degree 5: those of the Hoffman-Singleton graph that are not joined
// to either end of one of its circuits.
func Sylvester() Graph {
	whole := HoffmanSingleton()
	near := map[int]bool{0: true, whole[0][0]: true}
	for _, end := range []int{0, whole[0][0]} {
		for _, v := range whole[end] {
			near[v] = true
		}
	}
	return whole.without(near)
}

// without returns the graph on the nodes that are not in out.
func (g Graph) without(out map[int]bool) Graph {
	number := map[int]int{}
	for u := range g {
		if !out[u] {
			number[u] = len(number)
		}
	}
	rest := make(Graph, len(number))
	for u, to := range g {
		for _, v := range to {
			if u < v && !out[u] && !out[v] {
				rest.join(number[u], number[v])
			}
		}
	}
	return rest
}

// Perkel has 57 nodes of degree 6: pairs of i modulo 3 and j modulo 19, joined to i+1 and k if
// the cube of k-j is 2^6i.
func Perkel() Graph {
	g := make(Graph, 57)
	for i := range 3 {
		power := 1
		for range 6 * i {
			power = power * 2 % 19
		}
		for j := range 19 {
			for k := range 19 {
				if x := arithmetic.Mod(k-j, 19); x*x*x%19 == power {
					g.join(19*i+j, (i+1)%3*19+k)
				}
			}
		}
	}
	return g
}

// Klein has 24 nodes of degree 7, one for each vertex of the Klein quartic's map of triangles:
// the pairs of numbers modulo 7 that are not both 0, up to sign, joined if the determinant is 1
// or -1.
func Klein() Graph {
	var pairs [][2]int
	for a := range 7 {
		for b := range 7 {
			if a > 0 && a <= 3 || a == 0 && b > 0 && b <= 3 {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return New(len(pairs), func(u, v int) bool {
		x := arithmetic.Mod(pairs[u][0]*pairs[v][1]-pairs[u][1]*pairs[v][0], 7)
		return x == 1 || x == 6
	})
}

// Shrikhande has 16 nodes of degree 6: a torus of 4 by 4 with one of the diagonals.
func Shrikhande() Graph {
	return New(16, func(u, v int) bool {
		x, y := arithmetic.Mod(u/4-v/4, 4), arithmetic.Mod(u%4-v%4, 4)
		return x == 0 && y%2 == 1 || y == 0 && x%2 == 1 || x == y && x%2 == 1
	})
}
