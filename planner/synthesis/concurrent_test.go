package synthesis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// capacities lists the circuits of the ordered pairs of nodes of g.
func capacities(g *topology.Graph) []float64 {
	var list []float64
	for u := range g.Nodes() {
		for v := range g.Nodes() {
			if u != v {
				list = append(list, float64(g.Count(u, v)))
			}
		}
	}
	return list
}

// On its own topology, a cut proves the load that flow finds, with any limit on hops. On every
// other topology, it proves no more than that load.
func TestCutsAreTightAndValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, ports = 6, 2
	a := arcsUnder(n, nil)
	for range 12 {
		step := randomStep(rng, n)
		if len(step.Demands) == 0 {
			continue
		}
		demands := merged(step.Demands)
		others := make([]*topology.Graph, 8)
		for i := range others {
			others[i] = randomGraph(rng, n, ports)
		}
		for _, hops := range []int{2, 3, n - 1} {
			solver := newConcurrent(a, a.commodities(demands), hops)
			for _, g := range others[:2] {
				peak, tight, ok := solver.solve(capacities(g))
				if want := peakOf(t, g, demands, hops); ok != !math.IsInf(want, 1) || ok && math.Abs(peak-want) > 1e-8*want {
					t.Fatalf("%d hops: %v (%v), flow finds %v", hops, peak, ok, want)
				}
				if ok {
					checkCut(t, tight, others, demands, hops)
				}
			}
		}
	}
}

func checkCut(t *testing.T, c cut, graphs []*topology.Graph, demands []flow.Demand, hops int) {
	t.Helper()
	for _, g := range graphs {
		room := 0.0
		for o, x := range capacities(g) {
			room += x * c.length[o]
		}
		if real := peakOf(t, g, demands, hops); 1/room > real*(1+1e-8) {
			t.Fatalf("%d hops: a cut says %v, flow finds %v", hops, 1/room, real)
		}
	}
}

// peakOf returns the smallest peak with a limit on hops, or +Inf if there is no routing.
func peakOf(t *testing.T, g *topology.Graph, demands []flow.Demand, hops int) float64 {
	r, err := flow.Solve(t.Context(), flow.Problem{Graph: g, Demands: demands, MaxHops: hops}, flow.Optimal)
	if err != nil {
		return inf
	}
	return r.Load.Peak
}

// Symmetry makes the program smaller, not different.
func TestConcurrentFlowUnderSymmetry(t *testing.T) {
	const n = 8
	for _, perms := range [][][]int{nil, generators(topology.Rotations(n, 2), n), generators(topology.Rotations(n, 1), n)} {
		a := arcsUnder(n, perms)
		capacity := make([]float64, len(a.size))
		for o, e := range a.first {
			capacity[o] = 0.1 + 0.2*float64((e%n-e/n+n)%n%3) // by jump
		}
		for offset := 1; offset < n; offset++ {
			var demands []flow.Demand
			for u := range n {
				demands = append(demands, flow.Demand{Src: u, Dst: (u + offset) % n, Amount: 3})
			}
			list := a.commodities(demands)
			whole := arcsUnder(n, nil)
			each := make([]float64, len(whole.size))
			for o, e := range whole.first {
				each[o] = capacity[a.class[e]]
			}
			got, _, _ := newConcurrent(a, list, n-1).solve(capacity)
			want, _, _ := newConcurrent(whole, whole.commodities(demands), n-1).solve(each)
			if math.Abs(got-want) > 1e-8*want {
				t.Errorf("offset %d with %d classes: %v, want %v", offset, len(a.size), got, want)
			}
		}
	}
}
