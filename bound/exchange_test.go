package bound_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/lp"
	"github.com/lightpath-net/lightpath/units"
)

// circuitsOf lists all circuits that four GPUs with the given ports can have to which none can
// be added.
func circuitsOf(ports [4]int, twoWay bool) [][4][4]int {
	var pairs [][2]int
	for u := range 4 {
		for v := range 4 {
			if u < v || u > v && !twoWay {
				pairs = append(pairs, [2]int{u, v})
			}
		}
	}
	var list [][4][4]int
	var g [4][4]int
	out, in := ports, ports // left
	var place func(i int)
	place = func(i int) {
		if i < len(pairs) {
			u, v := pairs[i][0], pairs[i][1]
			most := min(out[u], in[v])
			if twoWay {
				most = min(most, out[v])
			}
			for count := range most + 1 {
				g[u][v], out[u], in[v] = count, out[u]-count, in[v]-count
				if twoWay {
					g[v][u], out[v], in[u] = count, out[v]-count, in[u]-count
				}
				place(i + 1)
				out[u], in[v] = out[u]+count, in[v]+count
				if twoWay {
					out[v], in[u] = out[v]+count, in[u]+count
				}
			}
			return
		}
		for _, p := range pairs {
			if min(out[p[0]], in[p[1]]) > 0 {
				return
			}
		}
		list = append(list, g)
	}
	place(0)
	return list
}

// leastLoad returns the least load of the busiest circuit over all ways to route a demand, +Inf
// if there is none.
func leastLoad(g *[4][4]int, demand collective.Demand, members []int) float64 {
	var capacity, amounts []float64
	row := map[[2]int]int{}
	for u := range 4 {
		for v := range 4 {
			if g[u][v] > 0 {
				row[[2]int{u, v}] = len(capacity)
				capacity = append(capacity, float64(g[u][v]))
			}
		}
	}
	var first, others []lp.Column
	for i, u := range members {
		for j, v := range members {
			if i == j || demand[i][j] == 0 {
				continue
			}
			found := false
			var walk func(at int, seen uint, c lp.Column)
			walk = func(at int, seen uint, c lp.Column) {
				if at == v {
					if found {
						others = append(others, c)
					} else {
						first = append(first, c)
					}
					found = true
					return
				}
				for next := range 4 {
					if g[at][next] > 0 && seen>>next&1 == 0 {
						longer := lp.Column{Number: c.Number}
						longer.Rows, longer.Values = append(longer.Rows, c.Rows...), append(longer.Values, c.Values...)
						longer.Add(row[[2]int{at, next}], 1)
						walk(next, seen|1<<next, longer)
					}
				}
			}
			walk(u, 1<<u, lp.Column{Number: len(amounts)})
			if !found {
				return math.Inf(1)
			}
			amounts = append(amounts, float64(demand[i][j]))
		}
	}
	program := lp.NewBalance(capacity, amounts, first)
	for _, c := range others {
		program.Add(c)
	}
	if _, err := program.Optimise(context.Background(), 10000); err != nil {
		panic(err)
	}
	return program.CleanPeak()
}

// TestExchangeBoundHoldsForAllCircuitsOfFourGPUs: on fixed circuits no all-to-all takes less,
// whatever its demand and routes, with two-way circuits, lost ports and GPUs that only forward.
func TestExchangeBoundHoldsForAllCircuitsOfFourGPUs(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 18))
	exact := 0
	for _, c := range []struct {
		ports   int
		twoWay  bool
		lost    string
		members []int
	}{
		{1, false, "none", nil}, {2, false, "none", nil}, {2, false, "port:1", nil}, {2, false, "port:1,port:2", []int{3, 0, 2}},
		{2, true, "none", nil}, {3, true, "none", nil}, {3, true, "port:0", nil}, {2, true, "none", []int{1, 3, 0}}, {3, true, "port:3,port:3", nil},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex, f.Alpha, f.Delta = 4, c.ports, c.twoWay, 0, 0
		f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: units.Second}
		var err error
		if f.Avoid, err = fabric.ParseFailures(c.lost); err != nil {
			t.Fatal(err)
		}
		ports := [4]int{c.ports, c.ports, c.ports, c.ports}
		for u, left := range f.Surviving() {
			ports[u] = left
		}
		members := c.members
		if members == nil {
			members = []int{0, 1, 2, 3}
		}
		graphs := circuitsOf(ports, c.twoWay)
		for i := range 4 {
			space := collective.SpaceOf(collective.AllToAll, len(members), 1)
			space.Nodes, space.Members = 4, c.members
			demand := make(collective.Demand, len(members))
			for u := range demand {
				demand[u] = make([]int64, len(members))
				for v := range demand[u] {
					demand[u][v] = 1 << 20
					if i > 0 && (u > 0 || v != 1) {
						demand[u][v] = int64(1<<20*math.Pow(r.Float64(), 3)) * int64(r.IntN(3))
					}
				}
			}
			section := &collective.Section{Op: collective.AllToAll, Size: units.Bytes(len(members)) << 20, Space: space}
			if i > 0 {
				section.Space.Sizes = demand
			}
			least := math.Inf(1)
			for g := range graphs {
				least = min(least, leastLoad(&graphs[g], demand, members))
			}
			got, want := bound.OfOperation(&f, section).Total(), f.Bandwidth.Transmit(least)
			if got > want*(1+1e-9) {
				t.Errorf("%+v, %v: the bound is %v, fixed circuits take %v", c, demand, got, want)
			}
			if got > want*(1-1e-9) {
				exact++
			}
		}
	}
	if exact < 10 {
		t.Errorf("only %d bounds are exact", exact)
	}
	t.Logf("%d of 36 are exact", exact)
}
