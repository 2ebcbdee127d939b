package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// rootedProblem returns a step in which node 0 sends to some others, or receives from them.
func rootedProblem(rng *rand.Rand, g *topology.Graph, inwards, even bool) Problem {
	p := Problem{Graph: g}
	for v := 1; v < g.Nodes(); v++ {
		d := Demand{Src: 0, Dst: v, Amount: 1024}
		if !even {
			if rng.IntN(4) == 0 {
				continue
			}
			d.Amount = 1 + 5000*rng.Float64()
		}
		if inwards {
			d.Src, d.Dst = d.Dst, d.Src
		}
		p.Demands = append(p.Demands, d)
	}
	return p
}

// randomCircuits returns a graph with the same number of circuits out of every node, some of them
// parallel.
func randomCircuits(rng *rand.Rand, n, ports int) *topology.Graph {
	var edges []topology.Edge
	for u := range n {
		edges = append(edges, topology.Edge{From: u, To: (u + 1) % n, Count: 1})
		for range ports - 1 {
			if v := rng.IntN(n); v != u {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1 + rng.IntN(2)})
			}
		}
	}
	return topology.New(n, "random", edges)
}

// Maximum flows find routes as fast as linear programs over paths, one for every limit on hops.
func TestOneRootTakesAsLongAsTheLinearProgram(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(14, 1))
	tried, found := 0, 0
	for round := range samples.Draws(30, 60) {
		n := 6 + rng.IntN(18)
		graphs := []*topology.Graph{randomCircuits(rng, n, 2+rng.IntN(3)), topology.GenKautz(2+round%3, n), topology.DirectedCirculant(n, 1, 2+rng.IntN(n-2))}
		if n%3 == 0 {
			graphs = append(graphs, topology.Torus(3, n/3))
		}
		for k, g := range graphs {
			p := rootedProblem(rng, g, round%2 == 1, round%3 == 0)
			if len(p.Demands) < 2 {
				continue
			}
			hop := []float64{0, 10, 300, 5000}[rng.IntN(4)]
			time := func(l Load) float64 { return hop*float64(l.Hops) + l.Peak }
			l, err := newLadder(p)
			if err != nil {
				t.Fatal(err)
			}
			r, ok := newOneRoot(&p)
			if !ok {
				t.Fatalf("%s: not a step of one root", g.Name())
			}
			got, err := r.fastest(ctx, &p, l.cl, time)
			if err != nil {
				t.Fatal(err)
			}
			tried++
			if got == nil {
				continue
			}
			found++
			want, err := Fastest(ctx, p, Optimal, time)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("round %d, graph %d: %s of %d nodes, %d demands, a hop %v", round, k, g.Name(), n, len(p.Demands), hop)
			if a, b := time(got.Load), time(want.Load); math.Abs(a-b) > 1e-7*b {
				t.Errorf("%s: %v, the program %v", name, a, b)
			}
			if load, err := LoadOf(g, p.Group, p.Demands, got.Routes); err != nil || load != got.Load {
				t.Errorf("%s: the routes have %+v (%v), not %+v", name, load, err, got.Load)
			}
			if got.Bound > got.Load.Peak || got.open > got.Bound*(1+roundingRoom) || !meets(got.Load.Peak, got.Bound) {
				t.Errorf("%s: peak %v, bound %v, of all %v", name, got.Load.Peak, got.Bound, got.open)
			}
		}
	}
	if 100*found < 95*tried {
		t.Errorf("found for %d of %d", found, tried)
	}
}

// The peak returned for a limit on hops is a lower bound.
func TestOneRootBoundsWithinHopsHold(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(14, 2))
	for round := range samples.Draws(20, 40) {
		n := 6 + rng.IntN(10)
		g := randomCircuits(rng, n, 2+rng.IntN(2))
		p := rootedProblem(rng, g, round%2 == 1, round%3 == 0)
		if len(p.Demands) < 2 {
			continue
		}
		r, ok := newOneRoot(&p)
		if !ok {
			t.Fatal("not a step of one root")
		}
		open, err := r.leastPeak(ctx, r.countingBound())
		if err != nil {
			t.Fatal(err)
		}
		for hops := r.hops; hops < r.hops+3; hops++ {
			bound, err := r.leastWithin(ctx, hops, open)
			if err != nil {
				t.Fatal(err)
			}
			p.MaxHops = hops
			best, err := Solve(ctx, p, Optimal)
			if err != nil {
				t.Fatal(err)
			}
			if bound*r.unit > best.Load.Peak*(1+1e-9) {
				t.Errorf("round %d: %v is said to be the least within %d hops, and %v is reached", round, bound*r.unit, hops, best.Load.Peak)
			}
		}
		p.MaxHops = 0
		best, err := Solve(ctx, p, Optimal)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(open*r.unit-best.Load.Peak) > 1e-7*best.Load.Peak {
			t.Errorf("round %d: the least peak %v, the program's %v", round, open*r.unit, best.Load.Peak)
		}
	}
}

// The search finds the fastest routes on the circuits of scatters and gathers of a thousand
// nodes, for which linear programs would be approximated.
func TestOneRootIsFoundOnLargeCircuits(t *testing.T) {
	ctx := context.Background()
	time := func(l Load) float64 { return 500*float64(l.Hops) + l.Peak/100 }
	for _, g := range []*topology.Graph{
		topology.GenKautz(3, 1024), topology.GenKautz(4, 1024), topology.GenKautz(6, 1000), topology.GenKautz(8, 512),
		topology.Torus(32, 32), topology.DirectedCirculant(600, 1, 25, 77),
	} {
		for _, inwards := range []bool{false, true} {
			p := rootedProblem(nil, g, inwards, true)
			r, err := Fastest(ctx, p, Optimal, time)
			if err != nil {
				t.Fatal(err)
			}
			if r.Method != MethodMaxFlow {
				t.Errorf("%s: by %s", g.Name(), r.Method)
			}
			if _, err := FastestWithin(ctx, p, Optimal, time, 0.99*time(r.Load)); err == nil {
				t.Errorf("%s: routes within less than the fastest", g.Name())
			}
		}
	}
}

// A single search gives a step with one root the same bound as a search for every destination,
// and its tree is a routing over shortest paths.
func TestRootFloorIsThatOfTheSearches(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(14, 4))
	for round := range samples.Draws(30, 60) {
		n := 4 + rng.IntN(40)
		g := randomCircuits(rng, n, 2+rng.IntN(3))
		p := rootedProblem(rng, g, round%2 == 1, round%3 == 0)
		if len(p.Demands) < 2 {
			continue
		}
		floor, shortest, ok := RootFloor(p)
		if !ok {
			t.Fatal("not a step of one root")
		}
		want, _, err := Floor(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if floor.Hops != want.Hops || math.Abs(floor.Peak-want.Peak) > 1e-9*want.Peak && !meets(want.Peak, floor.Peak) {
			t.Errorf("round %d: %+v, by searches %+v", round, floor, want)
		}
		best, err := Solve(ctx, p, Optimal)
		if err != nil {
			t.Fatal(err)
		}
		if shortest.Hops != want.Hops || shortest.Peak < best.Load.Peak*(1-1e-9) || floor.Peak > best.Load.Peak*(1+1e-9) {
			t.Errorf("round %d: a tree of %+v, the best %+v, no less than %+v", round, shortest, best.Load, floor)
		}
	}
	if _, _, ok := RootFloor(Problem{Graph: topology.GenKautz(2, 6), Demands: []Demand{{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}}); ok {
		t.Error("a step with three roots")
	}
}
