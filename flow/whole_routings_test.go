package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// TestWholeRoutingsLeadToTheOptimum compares programs that start from whole routings with
// programs that start from shortest paths: on random circulants and tori, with and without a
// limit on hops, for demands of one size and of many.
func TestWholeRoutingsLeadToTheOptimum(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for round := range samples.Draws(20, 40) {
		n := 24 + random.IntN(60)
		g := topology.Torus(3+random.IntN(4), 5+random.IntN(5))
		if round%4 > 0 {
			jumps := []int{1}
			for range 1 + random.IntN(4) {
				jumps = append(jumps, 2+random.IntN(n-2))
			}
			g = topology.DirectedCirculant(n, jumps...)
		}
		group, ok := g.Symmetry()
		if !ok {
			t.Fatalf("%s does not look the same from every node", g.Name())
		}
		p := Problem{Graph: g, Group: group}
		for v := 1; v < g.Nodes(); v++ {
			amount := 1000.0
			if round%2 > 0 {
				amount = 1 + 1000*random.Float64()
			}
			p.Demands = append(p.Demands, Demand{Src: 0, Dst: v, Amount: amount})
		}
		t.Run(fmt.Sprintf("%d %s", round, g.Name()), func(t *testing.T) { compareBeginnings(t, p) })
	}
}

func compareBeginnings(t *testing.T, p Problem) {
	ctx := t.Context()
	l, err := newLadder(p)
	if err != nil {
		t.Fatal(err)
	}
	short, err := l.shortest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	split, err := l.evenly(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p.MaxHops = range []int{0, short.Load.Hops, short.Load.Hops + 1} {
		want, err := solveColumns(ctx, p, l.cl, short, split, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		got, err := solveColumns(ctx, p, l.cl, short, nil, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		if !meets(got.Load.Peak, want.Load.Peak) || !meets(want.Load.Peak, got.Load.Peak) || !meets(got.Load.Peak, got.Bound) {
			t.Errorf("within %d hops: peak %v, bound %v; from shortest paths %v", p.MaxHops, got.Load.Peak, got.Bound, want.Load.Peak)
		}
		if p.MaxHops > 0 && got.Load.Hops > p.MaxHops {
			t.Errorf("%d hops; want at most %d", got.Load.Hops, p.MaxHops)
		}
		if before, after := bytesTimesHops(p, want), bytesTimesHops(p, got); after > before*(1+1e-5) {
			t.Errorf("within %d hops: bytes x hops %v; from shortest paths %v", p.MaxHops, after, before)
		}
		routes := 0
		for _, r := range got.Routes {
			routes += len(r)
		}
		if most := len(p.Demands) + len(l.cl.circuits); routes > most {
			t.Errorf("%d routes; want at most %d, as a basis has", routes, most)
		}
		if bound := want.Bound * 0.99; bound > short.Bound {
			if _, err := solveColumns(ctx, p, l.cl, short, nil, bound); err == nil {
				t.Errorf("a peak below %v was not given up", bound)
			}
		}
	}
}

func TestTheSplitPeakIsThatOfItsPaths(t *testing.T) {
	for _, g := range []*topology.Graph{topology.DirectedCirculant(60, 1, 5, 17), topology.Torus(4, 6), topology.GenKautz(3, 40)} {
		p := Problem{Graph: g}
		for u := range g.Nodes() {
			for v := range g.Nodes() {
				if u != v {
					p.Demands = append(p.Demands, Demand{Src: u, Dst: v, Amount: float64(1 + (u*7+v*3)%5)})
				}
			}
		}
		l, err := newLadder(p)
		if err != nil {
			t.Fatal(err)
		}
		split, err := l.evenly(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		peak, ways, err := splitPeak(t.Context(), g, l.cl, p.Demands)
		if err != nil || !meets(peak, split.Load.Peak) || !meets(split.Load.Peak, peak) {
			t.Errorf("%s: peak %v, %v; its paths have %v", g.Name(), peak, err, split.Load.Peak)
		}
		listed := 0
		for _, routes := range split.Routes {
			listed += len(routes)
		}
		if ways < listed {
			t.Errorf("%s: %d paths, at most %d were expected", g.Name(), listed, ways)
		}
	}
}

// TestDistancesAreTurned compares the distances that one search gives to all nodes of a circulant,
// or of a large graph with other translations, with those of a search for each.
func TestDistancesAreTurned(t *testing.T) {
	for _, g := range []*topology.Graph{topology.DirectedCirculant(30, 1, 7, 12), topology.Circulant(17, 1, 4), topology.DirectedCirculant(12, 4, 6), topology.GenKautz(2, 14),
		topology.Torus(8, 9), topology.Torus(4, 5, 6), topology.GenKautz(2, 70)} {
		var all []Demand
		for u := range g.Nodes() {
			all = append(all, Demand{Src: u})
		}
		to, each := distancesTo(g, all), search.NewDistances(g)
		sources := make([]int, g.Nodes())
		for u := range sources {
			sources[u] = u
		}
		for dst := range g.Nodes() {
			each.Search(dst)
			got := to(dst, sources)
			for u, want := range each.Hops {
				if got[u] != want {
					t.Fatalf("%s: %d hops from %d to %d; want %d", g.Name(), got[u], u, dst, want)
				}
			}
		}
	}
}
