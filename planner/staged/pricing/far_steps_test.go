package pricing

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// The bound by distances is that of distances found in another way, and no step takes less.
func TestDistancesBoundTheStepsOfADemandDividedIntoMatchings(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 8))
	bounded, tight, broken := 0, 0, 0
	for trial := range 120 {
		n, ports := 8+random.IntN(5), 2+trial%2
		demand, err := collective.GenerateDemand("moe:3", n, units.MiB, uint64(trial))
		if err != nil {
			t.Fatal(err)
		}
		laid, err := algorithms.NewExchange(t.Context(), "bvn", demand, ports)
		if err != nil {
			t.Fatal(err)
		}
		f := fabric.Default()
		f.Nodes, f.Ports, f.CapTheta = n, ports, trial%4 == 0
		r := planner.Request{Fabric: f, Collective: laid.Collective, Size: laid.Size}
		w := NewWorkload(&r, laid.Steps)
		g := randomCircuits(random, n, ports, false)
		if trial%5 == 0 { // not all pairs are connected
			var edges []topology.Edge
			for e := range g.Edges() {
				if (e.From < n/2) == (e.To < n/2) {
					edges = append(edges, e)
				}
			}
			g = topology.New(n, "parts", edges)
		}
		c := GraphCandidate(g)
		if !w.searched(c) {
			continue
		}
		bounded++
		hops, room := everyDistance(g), 0.0
		for e := range g.Edges() {
			if e.From != e.To {
				room += float64(e.Count)
			}
		}
		for i := range w.Classes {
			load := flow.Load{}
			for _, d := range w.Classes[i].All() {
				load.Hops = max(load.Hops, hops[d.Src][d.Dst])
				load.Peak += d.Amount * float64(hops[d.Src][d.Dst]) / room
			}
			want := math.Inf(1)
			if load.Hops < far {
				want = w.price(load, &w.Classes[i])
			} else {
				broken++
			}
			least := w.leastByDistance(c, i)
			if least != want && math.Abs(least-want) > 1e-9*want {
				t.Fatalf("trial %d, class %d: at least %v, by other distances %v", trial, i, least, want)
			}
			cost, _, err := w.Cost(t.Context(), GraphCandidate(g), i)
			if err != nil || least > cost {
				t.Fatalf("trial %d, class %d: takes %v, at least %v: %v", trial, i, cost, least, err)
			}
			if least > cost*(1-1e-9) && least > w.LeastOf(i) {
				tight++
			}
		}
	}
	if bounded < 10 || tight == 0 || broken == 0 {
		t.Errorf("bounded %d times, %d steps tight, %d not connected", bounded, tight, broken)
	}
}

// far is more than any distance.
const far = 1 << 20

// everyDistance returns the hops between all nodes, far if there is no path (Floyd 1962).
func everyDistance(g *topology.Graph) [][]int {
	n := g.Nodes()
	hops := make([][]int, n)
	for u := range hops {
		hops[u] = make([]int, n)
		for v := range hops[u] {
			if hops[u][v] = far; u == v {
				hops[u][v] = 0
			} else if g.Count(u, v) > 0 {
				hops[u][v] = 1
			}
		}
	}
	for k := range n {
		for u := range n {
			for v := range n {
				hops[u][v] = min(hops[u][v], hops[u][k]+hops[k][v])
			}
		}
	}
	return hops
}
