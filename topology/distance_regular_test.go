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
// distance i from x, b_i are further from x and c_i nearer. It fails unless that is so
// for all x and y, which is to say unless g is distance-regular.
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

// Zhao et al., Table 7: nodes and diameter; the arrays are those of Brouwer, Cohen and
// Neumaier, Distance-Regular Graphs, and of its tables of cubic and tetravalent graphs.
func TestDistanceRegularGraphsOfTable7(t *testing.T) {
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
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.name)
		g := mustParse(t, "DistReg("+row.name+")")
		checkInvariant(t, g)
		degree := int(row.array[1] - '0')
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

func BenchmarkDistanceRegular(b *testing.B) {
	for b.Loop() {
		mustParse(b, "DistReg(GH33)")
	}
}
