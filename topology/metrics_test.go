package topology

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// floydWarshall is the naive twin of the searches: -1 for no path.
func floydWarshall(g *Graph) [][]int {
	n := g.Nodes()
	dist := make([][]int, n)
	for u := range n {
		dist[u] = make([]int, n)
		for v := range n {
			switch {
			case u == v:
			case g.Count(u, v) > 0:
				dist[u][v] = 1
			default:
				dist[u][v] = -1
			}
		}
	}
	for w := range n {
		for u := range n {
			for v := range n {
				if a, b := dist[u][w], dist[w][v]; a >= 0 && b >= 0 && (dist[u][v] < 0 || a+b < dist[u][v]) {
					dist[u][v] = a + b
				}
			}
		}
	}
	return dist
}

func checkDistances(t *testing.T, g *Graph) {
	t.Helper()
	n := g.Nodes()
	want := floydWarshall(g)
	dist, queue := make([]int32, n), make([]int32, n)
	connected, diameter, total := true, 0, int64(0)
	for u := range n {
		reached := g.Distances(u, dist, queue)
		for v := range n {
			if int(dist[v]) != want[u][v] {
				t.Fatalf("%s: distance from %d to %d is %d, want %d", g.Name(), u, v, dist[v], want[u][v])
			}
			connected = connected && want[u][v] >= 0
			diameter = max(diameter, want[u][v])
			total += int64(want[u][v])
		}
		for i := 1; i < len(reached); i++ {
			if dist[reached[i-1]] > dist[reached[i]] {
				t.Fatalf("%s: nodes reached out of order", g.Name())
			}
		}
	}
	d, ok := g.Diameter()
	average, averageOK := g.AverageDistance()
	if ok != connected || averageOK != connected {
		t.Fatalf("%s: connected %v, want %v", g.Name(), ok, connected)
	}
	for u := range n { // nodes that reach one another, and one more
		var mutual []int
		for v := range n {
			if want[u][v] >= 0 && want[v][u] >= 0 {
				mutual = append(mutual, v)
			}
		}
		if !g.Joins(mutual...) {
			t.Errorf("%s: nodes %v are not joined", g.Name(), mutual)
		}
		for v := range n {
			if slices.Contains(mutual, v) != g.Joins(append(slices.Clone(mutual), v)...) {
				t.Errorf("%s: nodes %v and %d: joined is %v", g.Name(), mutual, v, !slices.Contains(mutual, v))
			}
		}
	}
	if g.Joins() != connected {
		t.Errorf("%s: joined is %v, want %v", g.Name(), !connected, connected)
	}
	if !connected {
		return
	}
	if d != diameter || average.Cmp(big.NewRat(total, max(1, int64(n*(n-1))))) != 0 {
		t.Errorf("%s: diameter %d, average %v; want %d, total %d", g.Name(), d, average, diameter, total)
	}
}

func TestDistancesAgreeWithFloydWarshall(t *testing.T) {
	for _, row := range published {
		if row.nodes <= 128 {
			checkDistances(t, mustParse(t, row.expr))
		}
	}
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		checkDistances(t, randomGraph(r, 1+r.IntN(12), r.IntN(50)))
	}
}

func TestDistancesAllocatesNothing(t *testing.T) {
	g := GenKautz(4, 200)
	dist, queue := make([]int32, 200), make([]int32, 0, 200)
	if a := testing.AllocsPerRun(10, func() { g.Distances(7, dist, queue) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

// Zhao et al., Table 7, the columns for directed and bidirectional Moore optimality at
// degree 4.
func TestMooreDiametersOfTable7(t *testing.T) {
	for _, row := range []struct{ n, directed, bidirectional int }{
		{6, 2, 2}, {9, 2, 2}, {10, 2, 2}, {14, 2, 2}, {15, 2, 2}, {16, 2, 2}, {21, 2, 3}, {26, 3, 3}, {32, 3, 3},
		{35, 3, 3}, {45, 3, 3}, {70, 3, 4}, {80, 3, 4}, {189, 4, 5}, {728, 5, 6},
	} {
		if k, ok := MooreDiameter(row.n, 4, false); !ok || k != row.directed {
			t.Errorf("%d nodes, directed: %d, want %d", row.n, k, row.directed)
		}
		if k, ok := MooreDiameter(row.n, 4, true); !ok || k != row.bidirectional {
			t.Errorf("%d nodes, bidirectional: %d, want %d", row.n, k, row.bidirectional)
		}
	}
}

func TestMooreDiameterAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		n, d          int
		bidirectional bool
		k             int
		ok            bool
	}{
		{1, 0, false, 0, true}, {2, 0, false, 0, false}, {5, 1, false, 4, true}, {2, 1, true, 1, true}, {3, 1, true, 0, false},
		{9, 2, true, 4, true}, {9, 3, true, 3, true}, {10, 3, true, 2, true}, {1 << 62, 1 << 40, false, 2, true}, {1 << 62, 3, true, 61, true},
	} {
		if k, ok := MooreDiameter(c.n, c.d, c.bidirectional); k != c.k || ok != c.ok {
			t.Errorf("%+v: %d %v", c, k, ok)
		}
	}
}

func TestMeasureReportsTheContractNames(t *testing.T) {
	m, err := Torus(4, 4).Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(m)
	const want = `{"expr":"Torus(4,4)","nodes":16,"degree":4,"circuits":64,"regular":true,"connected":true,` +
		`"bidirectional":true,"diameter":4,"average_distance":2.1333333333333333,"moore_diameter":2,"reverse_symmetric":true}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestMeasureOfADisconnectedGraphHasNoDistances(t *testing.T) {
	m, err := DirectedCirculant(8, 4).Measure(context.Background())
	if err != nil || m.Connected || m.Diameter != nil || m.AverageDistance != nil || *m.MooreDiameter != 7 {
		t.Errorf("%+v, %v", m, err)
	}
	text, _ := json.Marshal(m)
	if !strings.Contains(string(text), `"diameter":null,"average_distance":null`) {
		t.Error(string(text))
	}
	// Node 0 reaches all, but nothing reaches node 0.
	oneWay := New(3, "", []Edge{{0, 1, 1}, {1, 2, 1}, {2, 1, 1}})
	if _, ok := oneWay.Diameter(); ok || oneWay.Regular() {
		t.Error("connected or regular")
	}
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, g := range []*Graph{GenKautz(4, 100), Torus(4, 4)} {
		if _, err := g.Measure(ctx); err != context.Canceled {
			t.Errorf("%s: %v", g.Name(), err)
		}
	}
}
