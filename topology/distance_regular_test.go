package topology

import (
	"fmt"
	"slices"
	"testing"
)

// distancesOf returns the distance between every two nodes.
func distancesOf(g *Graph) [][]int32 {
	n := g.Nodes()
	all, queue := make([][]int32, n), make([]int32, 0, n)
	for u := range all {
		all[u] = make([]int32, n)
		g.Distances(u, all[u], queue)
	}
	return all
}

// intersectionArray returns b_0 .. b_(D-1); c_1 .. c_D: of the neighbours of y, a node at
// distance i from x, b_i are farther from x and c_i nearer. It fails unless that is so for all
// x and y, that is, unless g is distance-regular.
func intersectionArray(g *Graph) (string, error) {
	dist := distancesOf(g)
	diameter, _ := g.Diameter()
	further, nearer := slices.Repeat([]int{-1}, diameter+1), slices.Repeat([]int{-1}, diameter+1)
	for x := range dist {
		for y, i := range dist[x] {
			b, c := 0, 0
			to, _ := g.Row(y)
			for _, z := range to {
				switch dist[x][z] {
				case i + 1:
					b++
				case i - 1:
					c++
				}
			}
			if further[i] < 0 {
				further[i], nearer[i] = b, c
			}
			if further[i] != b || nearer[i] != c {
				return "", fmt.Errorf("at distance %d from %d, node %d has %d further and %d nearer neighbours, not %d and %d",
					i, x, y, b, c, further[i], nearer[i])
			}
		}
	}
	return fmt.Sprint(further[:diameter], nearer[1:]), nil
}

// Zhao et al., Table 7, and others: nodes and diameter; the arrays are those of Brouwer, Cohen and
// Neumaier, Distance-Regular Graphs, and of its tables of cubic and tetravalent graphs.
func TestDistanceRegularGraphs(t *testing.T) {
	rows := []struct {
		name            string
		nodes, diameter int
		array           string
	}{
		{"Octahedron", 6, 2, "[4 1] [1 4]"},
		{"Paley9", 9, 2, "[4 2] [1 2]"},
		{"K55minusI", 10, 3, "[4 3 1] [1 3 4]"},
		{"Heawood3", 14, 3, "[4 3 2] [1 2 4]"},
		{"LinePetersen", 15, 3, "[4 2 1] [1 1 4]"},
		{"Q4", 16, 4, "[4 3 2 1] [1 2 3 4]"},
		{"LineHeawood", 21, 3, "[4 2 2] [1 1 2]"},
		{"PG23", 26, 3, "[4 3 3] [1 1 4]"},
		{"AG24", 32, 4, "[4 3 3 1] [1 1 3 4]"},
		{"O4", 35, 3, "[4 3 3] [1 1 2]"},
		{"LineTutte8", 45, 4, "[4 2 2 2] [1 1 1 2]"},
		{"DoubledO4", 70, 7, "[4 3 3 2 2 1 1] [1 1 2 2 3 3 4]"},
		{"GQ33", 80, 4, "[4 3 3 3] [1 1 1 4]"},
		{"LineTutte12", 189, 6, "[4 2 2 2 2 2] [1 1 1 1 1 2]"},
		{"GH33", 728, 6, "[4 3 3 3 3 3] [1 1 1 1 1 4]"},
		{"Petersen", 10, 2, "[3 2] [1 1]"},
		{"Heawood", 14, 3, "[3 2 2] [1 1 3]"},
		{"Tutte8", 30, 4, "[3 2 2 2] [1 1 1 3]"},
		{"Tutte12", 126, 6, "[3 2 2 2 2 2] [1 1 1 1 1 3]"},
		{"Pappus", 18, 4, "[3 2 2 1] [1 1 2 3]"},
		{"Desargues", 20, 5, "[3 2 2 1 1] [1 1 2 2 3]"},
		{"Dodecahedron", 20, 5, "[3 2 1 1 1] [1 1 1 2 3]"},
		{"Coxeter", 28, 4, "[3 2 2 1] [1 1 1 2]"},
		{"Foster", 90, 8, "[3 2 2 2 2 1 1 1] [1 1 1 1 2 2 2 3]"},
		{"BiggsSmith", 102, 7, "[3 2 2 2 1 1 1] [1 1 1 1 1 1 3]"},
		{"Icosahedron", 12, 3, "[5 2 1] [1 2 5]"},
		{"Sylvester", 36, 3, "[5 4 2] [1 1 4]"},
		{"Shrikhande", 16, 2, "[6 3] [1 2]"},
		{"Perkel", 57, 3, "[6 5 2] [1 1 3]"},
		{"Klein", 24, 3, "[7 4 1] [1 2 7]"},
		{"HoffmanSingleton", 50, 2, "[7 6] [1 1]"},
		{"Gewirtz", 56, 2, "[10 9] [1 2]"},
		{"M22", 77, 2, "[16 15] [1 4]"},
		{"HigmanSims", 100, 2, "[22 21] [1 6]"},
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.name)
		g := mustParse(t, "DistReg("+row.name+")")
		checkInvariant(t, g)
		var degree int
		if _, err := fmt.Sscanf(row.array, "[%d", &degree); err != nil {
			t.Fatal(err)
		}
		if d, _ := g.Diameter(); d != row.diameter || g.Nodes() != row.nodes || g.Degree() != degree ||
			g.Bundles() != degree*row.nodes || !g.Bidirectional() {
			t.Errorf("%s: %d nodes, degree %d, diameter %d", g.Name(), g.Nodes(), g.Degree(), d)
		}
		if array, err := intersectionArray(g); err != nil || array != row.array {
			t.Errorf("%s: %s, want %s; %v", g.Name(), array, row.array, err)
		}
	}
	if !slices.Equal(names, DistanceRegularNames()) {
		t.Errorf("the names are %v", DistanceRegularNames())
	}
}

// Zhao et al., Definition 17, word by word.
func TestDistanceRegularByDefinition17(t *testing.T) {
	for _, g := range distanceRegularGraphs {
		if g.nodes > 50 {
			continue
		}
		dist := distancesOf(g.build())
		type triple [3]int32
		known := map[triple]int{}
		for x := range dist {
			for y := range dist {
				counts := map[triple]int{}
				for z := range dist {
					counts[triple{dist[x][y], dist[x][z], dist[y][z]}]++
				}
				for i := range int32(8) {
					for j := range int32(8) {
						key := triple{dist[x][y], i, j}
						if n, ok := known[key]; ok && n != counts[key] {
							t.Fatalf("%s: %d or %d nodes for %v", g.name, n, counts[key], key)
						}
						known[key] = counts[key]
					}
				}
			}
		}
	}
}

// The geometries behind the table, for other orders than it needs.
func TestIncidenceGraphsOfOtherOrders(t *testing.T) {
	check := func(what string, q int, g *Graph, nodes int, further, nearer []int) {
		want := fmt.Sprint(further, nearer)
		if array, err := intersectionArray(g); err != nil || array != want || g.Nodes() != nodes {
			t.Errorf("%s of order %d: %d nodes, %s, want %d, %s; %v", what, q, g.Nodes(), array, nodes, want, err)
		}
	}
	for _, q := range []int{2, 3, 4, 5, 8} {
		check("projective plane", q, projectivePlane(q), 2*(q*q+q+1), []int{q + 1, q, q}, []int{1, 1, q + 1})
		check("affine plane", q, affinePlane(q), 2*q*q, []int{q, q - 1, q - 1, 1}, []int{1, 1, q - 1, q})
		if q <= 4 {
			check("quadrangle", q, generalizedQuadrangle(q), 2*(q+1)*(q*q+1), []int{q + 1, q, q, q}, []int{1, 1, 1, q + 1})
		}
	}
}

// The families, by their numbers: the arrays are those of Brouwer, Cohen and Neumaier, chapters 1,
// 6 and 9.
func TestFamiliesOfDistanceRegularGraphs(t *testing.T) {
	for expr, want := range map[string]string{
		"Polygon(3,4)":      "[5 4 4] [1 1 5]",
		"Polygon(3,5)":      "[6 5 5] [1 1 6]",
		"Polygon(3,7)":      "[8 7 7] [1 1 8]",
		"Polygon(4,4)":      "[5 4 4 4] [1 1 1 5]",
		"Polygon(4,5)":      "[6 5 5 5] [1 1 1 6]",
		"Polygon(6,2)":      "[3 2 2 2 2 2] [1 1 1 1 1 3]",
		"Flags(3,3)":        "[6 3 3] [1 1 2]",
		"Flags(3,4)":        "[8 4 4] [1 1 2]",
		"Flags(4,3)":        "[6 3 3 3] [1 1 1 2]",
		"Flags(6,2)":        "[4 2 2 2 2 2] [1 1 1 1 1 2]",
		"Collinear(4,2)":    "[6 4] [1 3]",
		"Collinear(4,3)":    "[12 9] [1 4]",
		"Collinear(6,2)":    "[6 4 4] [1 1 3]",
		"Biaffine(3)":       "[3 2 2 1] [1 1 2 3]",
		"Biaffine(5)":       "[5 4 4 1] [1 1 4 5]",
		"Biaffine(8)":       "[8 7 7 1] [1 1 7 8]",
		"Paley(13)":         "[6 3] [1 3]",
		"Paley(17)":         "[8 4] [1 4]",
		"Paley(25)":         "[12 6] [1 6]",
		"Odd(2)":            "[2] [1]",
		"Odd(5)":            "[5 4 4 3] [1 1 2 2]",
		"Odd(6)":            "[6 5 5 4 4] [1 1 2 2 3]",
		"DoubledOdd(3)":     "[3 2 2 1 1] [1 1 2 2 3]",
		"DoubledOdd(5)":     "[5 4 4 3 3 2 2 1 1] [1 1 2 2 3 3 4 4 5]",
		"Johnson(5,2)":      "[6 2] [1 4]",
		"Johnson(7,3)":      "[12 6 2] [1 4 9]",
		"FoldedQ(5)":        "[5 4] [1 2]",
		"FoldedQ(6)":        "[6 5 4] [1 2 6]",
		"FoldedQ(7)":        "[7 6 5] [1 2 3]",
		"HalvedQ(5)":        "[10 3] [1 6]",
		"HalvedQ(6)":        "[15 6 1] [1 6 15]",
		"Multipartite(3,3)": "[6 2] [1 6]",
		"Multipartite(4,2)": "[6 1] [1 6]",
		"Crown(6)":          "[5 4 1] [1 4 5]",
		"Crown(9)":          "[8 7 1] [1 7 8]",
	} {
		g := mustParse(t, expr)
		if array, err := intersectionArray(g); err != nil || array != want || !g.Bidirectional() || g.Bundles() != g.Circuits() {
			t.Errorf("%s: %s, want %s; %v", expr, array, want, err)
		}
	}
	for _, expr := range []string{"Polygon(5,2)", "Polygon(3,6)", "Polygon(6,7)", "Flags(3,1)", "Biaffine(6)", "Paley(8)", "Paley(15)", "Paley(1025)", "Odd(1)",
		"Odd(10)", "Johnson(5,3)", "Johnson(18,2)", "FoldedQ(2)", "FoldedQ(40)", "Multipartite(1,4)", "Crown(2)"} {
		if _, err := Parse(expr); err == nil {
			t.Errorf("%s is accepted", expr)
		}
	}
}

// Paley tournaments: of two nodes one leads to the other, and equally many nodes lead to both
// as are led to from both.
func TestPaleyTournaments(t *testing.T) {
	for _, expr := range []string{"Paley(7)", "Paley(11)", "Paley(19)", "Paley(27)"} {
		g := mustParse(t, expr)
		n := g.Nodes()
		for u := range n {
			for v := range u {
				common := 0
				for w := range n {
					common += g.Count(u, w) * g.Count(v, w)
				}
				if g.Count(u, v)+g.Count(v, u) != 1 || common != (n-3)/4 {
					t.Fatalf("%s: %d and %d have %d circuits and %d nodes in common", expr, u, v, g.Count(u, v)+g.Count(v, u), common)
				}
			}
		}
	}
}

func BenchmarkDistanceRegular(b *testing.B) {
	for b.Loop() {
		mustParse(b, "DistReg(GH33)")
	}
}
