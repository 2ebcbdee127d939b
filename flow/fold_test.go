package flow

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// everybody lists all pairs.
func everybody(n int, amount float64) []Demand {
	var demands []Demand
	for u := range n {
		for v := range n {
			if u != v {
				demands = append(demands, Demand{Src: u, Dst: v, Amount: amount})
			}
		}
	}
	return demands
}

// The program of the orbits has the same peak as the whole program, within any number of hops,
// and its routes, spread over all pairs, have that peak, too.
func TestOrbitsHaveThePeakOfTheWholeStep(t *testing.T) {
	for _, g := range []*topology.Graph{
		topology.GenKautz(2, 8), topology.GenKautz(2, 12), topology.GenKautz(3, 9), topology.GenKautz(3, 12),
		topology.GenKautz(4, 16), topology.GenKautz(3, 14), topology.LineGraph(topology.Complete(4), 1),
		topology.GenKautz(4, 8), // has twins, which change places alone
	} {
		moves, err := g.Automorphisms(t.Context())
		if err != nil || len(moves) == 0 {
			t.Fatalf("%s: %d automorphisms, %v", g.Name(), len(moves), err)
		}
		whole := Problem{Graph: g, Demands: everybody(g.Nodes(), 3)}
		f := newFold(g, 3, moves)
		l := &ladder{p: Problem{Graph: g, Demands: f.reps, Exact: true}, cl: f.cl, fold: f, detected: true}
		full, err := newLadder(whole)
		if err != nil {
			t.Fatal(err)
		}
		short, err := full.shortest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		few, err := l.shortest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(short.Bound-few.Bound) > 1e-9*short.Bound {
			t.Errorf("%s: the orbits' counting bound is %v, want %v", g.Name(), few.Bound, short.Bound)
		}
		for _, hops := range []int{0, short.Load.Hops, short.Load.Hops + 1} {
			whole.MaxHops = hops
			want, err := Solve(t.Context(), whole, Optimal)
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.solve(t.Context(), Optimal, hops, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Load.Peak-want.Load.Peak) > 1e-6*want.Load.Peak {
				t.Errorf("%s within %d hops: peak %v of the orbits, want %v", g.Name(), hops, got.Load.Peak, want.Load.Peak)
			}
			spread, err := full.unfold(t.Context(), f, got)
			if err != nil {
				t.Fatal(err)
			}
			load, err := LoadOf(g, topology.Translations{}, whole.Demands, spread.Routes)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(load.Peak-got.Load.Peak) > 1e-9*load.Peak || hops > 0 && load.Hops > hops {
				t.Errorf("%s within %d hops: all routes have %+v, those of the orbits %+v", g.Name(), hops, load, got.Load)
			}
		}
	}
}

// Instead of approximating a large uniform step, Solve solves the program of its orbits. The
// answer has routes for every demand.
func TestLargeUniformStepsAreSolvedByTheirOrbits(t *testing.T) {
	time := func(l Load) float64 { return l.Peak + float64(l.Hops) }
	g := topology.GenKautz(4, 128) // 32 automorphisms; 512 bundles
	p := Problem{Graph: g, Demands: everybody(128, 1)}
	r, err := Fastest(t.Context(), p, Optimal, time)
	if err != nil {
		t.Fatal(err)
	}
	if r.Symmetry < 16 {
		t.Errorf("solved by symmetry %d", r.Symmetry)
	}
	load, err := LoadOf(g, p.Group, p.Demands, r.Routes)
	if err != nil || load != r.Load || load.Peak < r.Bound*(1-1e-9) {
		t.Errorf("load %+v, said %+v with bound %v; %v", load, r.Load, r.Bound, err)
	}
	if gap := load.Peak/r.Bound - 1; gap > foldedGap {
		t.Errorf("gap %v, want %v at most", gap, foldedGap)
	}
	// For a torus a few rotations are given, and all translations are found.
	torus := topology.Torus(4, 8, 8)
	part := Problem{Graph: torus, Group: topology.Rotations(256, 64)}
	for _, d := range everybody(256, 1) {
		if k, _ := part.Group.Locate(d.Src); k == 0 {
			part.Demands = append(part.Demands, d)
		}
	}
	r, err = Fastest(t.Context(), part, Optimal, time)
	if err != nil {
		t.Fatal(err)
	}
	load, err = LoadOf(torus, part.Group, part.Demands, r.Routes)
	if err != nil || math.Abs(load.Peak-r.Load.Peak) > 1e-9*load.Peak || r.Symmetry != 256 {
		t.Errorf("load %+v, said %+v by symmetry %d; %v", load, r.Load, r.Symmetry, err)
	}
	// Over a ring of 8 a pair has 2 hops on average: 256 x 256 x 2 on 2 x 256 circuits.
	if want := 256.0; math.Abs(load.Peak-want) > 1e-9*want {
		t.Errorf("peak %v, want %v", load.Peak, want)
	}
}

// If the time depends on the dilation, orbits are not used, because their routes carry only
// parts.
func TestDilationIsNotAskedOfOrbits(t *testing.T) {
	if !dilates(func(l Load) float64 { return l.Peak + l.Dilation }) || dilates(func(l Load) float64 { return l.Peak }) {
		t.Error("dilation is not told apart")
	}
}

// Sums down trees equal those of one shortest path per demand.
func TestFloorSumsShortestRoutes(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 4))
	for range samples.Draws(30, 60) {
		n := 6 + rng.IntN(20)
		g := topology.GenKautz(2+rng.IntN(3), n)
		group := topology.Translations{}
		if rng.IntN(2) == 0 {
			g = topology.DirectedCirculant(n, 1, 1, 2+rng.IntN(2))
			group = topology.Rotations(n, 1)
		}
		var demands []Demand
		for range 1 + rng.IntN(30) {
			if d := (Demand{rng.IntN(n), rng.IntN(n), 1 + rng.Float64()}); d.Src != d.Dst {
				demands = append(demands, d)
			}
		}
		if len(demands) == 0 {
			continue
		}
		routes, err := shortestRoutes(t.Context(), g, demands)
		if err != nil {
			t.Fatal(err)
		}
		want, err := LoadOf(g, group, demands, routes)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := Floor(t.Context(), Problem{Graph: g, Demands: demands, Group: group})
		if err != nil {
			t.Fatal(err)
		}
		const close = 1e-12
		if got.Hops != want.Hops || math.Abs(got.Peak-want.Peak) > close*want.Peak || math.Abs(got.Dilation-want.Dilation) > close*want.Dilation {
			t.Errorf("%s: %+v, want %+v", g.Name(), got, want)
		}
	}
}

// TestProgramsOfMoreHopsBeginWithThoseOfFewer: a program of orbits that starts from the routes
// and lengths of a program with fewer hops agrees with the exact program, and its bound holds
// for the hops that it allows itself.
func TestProgramsOfMoreHopsBeginWithThoseOfFewer(t *testing.T) {
	for _, g := range []*topology.Graph{topology.GenKautz(3, 22), topology.GenKautz(2, 17), topology.GenKautz(4, 31)} {
		whole, err := newLadder(Problem{Graph: g, Demands: everybody(g.Nodes(), 1000)})
		if err != nil {
			t.Fatal(err)
		}
		l, _, err := whole.folded(t.Context(), 1000)
		if err != nil || l == nil {
			t.Fatalf("%s: no orbits: %v", g.Name(), err)
		}
		short, err := l.shortest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		split, err := l.evenly(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for hops := short.Load.Hops; hops <= short.Load.Hops+3; hops++ {
			within := l.p
			within.MaxHops = hops
			exact, err := solveColumns(t.Context(), within, l.cl, short, split, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			begun := l.nearest(hops)
			if hops > short.Load.Hops && begun == short {
				t.Errorf("%s: what %d hops allow was not begun with what fewer do", g.Name(), hops)
			}
			got, err := approximate(t.Context(), within, l.cl, beginning{begun, short.Bound, &l.paths, true}, foldedGap, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			if !meets(exact.Load.Peak, got.Load.Peak) || !meets(got.Bound, exact.Load.Peak) || got.Load.Peak > exact.Load.Peak*(1+2*foldedGap) || got.Load.Hops > hops {
				t.Errorf("%s within %d hops: peak %v, bound %v, %d hops; exactly %v", g.Name(), hops, got.Load.Peak, got.Bound, got.Load.Hops, exact.Load.Peak)
			}
			l.last = got
		}
	}
}

// BenchmarkSpread gives all pairs of a generalised Kautz graph the routes of their orbits.
func BenchmarkSpread(b *testing.B) {
	g := topology.GenKautz(4, 256)
	moves, err := g.Automorphisms(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	f := newFold(g, 1, moves)
	routes, err := shortestRoutes(b.Context(), g, f.reps)
	if err != nil {
		b.Fatal(err)
	}
	var all []Demand
	for u := range 256 {
		for v := range 256 {
			if u != v {
				all = append(all, Demand{Src: u, Dst: v, Amount: 1})
			}
		}
	}
	for b.Loop() {
		if _, err := f.spread(b.Context(), routes, all); err != nil {
			b.Fatal(err)
		}
	}
}

// All pairs are approximated from uniformSize on, with and without automorphisms. The fastest
// routes then exceed those of the exact programs by at most the gap, and their bounds are
// valid.
func TestOrbitsAboveUniformSizeComeCloseToTheExactProgram(t *testing.T) {
	random, err := topology.Expr{Family: "Regular", Numbers: []int{54, 4, 1}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range samples.Few(2, []*topology.Graph{random, topology.GenKautz(2, 68), topology.GenKautz(3, 60)}) {
		n := g.Nodes()
		demands := everybody(n, 1e6/float64(n))
		if (g.Bundles()+1)*len(demands) <= uniformSize {
			t.Fatalf("%s is below the limit", g.Name())
		}
		time := func(l Load) float64 { return 500 + 500*float64(l.Hops) + l.Peak/100 }
		exact, err := Fastest(t.Context(), Problem{Graph: g, Demands: demands, Exact: true}, Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Fastest(t.Context(), Problem{Graph: g, Demands: demands}, Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		if got.Method != MethodApproximate || exact.Method == MethodApproximate {
			t.Fatalf("%s: found by %s and %s", g.Name(), got.Method, exact.Method)
		}
		least := time(exact.Load)
		if took := time(got.Load); took < least*(1-1e-9) || took > least*(1+fewFoldedGap) {
			t.Errorf("%s: %v, the exact programs take %v", g.Name(), took, least)
		}
		if exact.Approximate || !got.Approximate && time(got.Load) > least*(1+1e-9) {
			t.Errorf("%s: said to be approximate: %v, the exact programs: %v", g.Name(), got.Approximate, exact.Approximate)
		}
		if got.Bound > got.Load.Peak || got.Load.Hops == exact.Load.Hops && got.Bound > exact.Load.Peak*(1+1e-9) {
			t.Errorf("%s: no peak below %v is said to be possible, %v is", g.Name(), got.Bound, exact.Load.Peak)
		}
	}
}

// All pairs of a graph that looks the same from every node are solved exactly by the paths from one
// of them, even where the order of moves matters and translations map few nodes to one another.
// They take as long as the exact program under those translations says.
func TestGraphsThatLookTheSameFromEveryNodeAreSolvedExactly(t *testing.T) {
	// The elements that act as translations.
	group := topology.Translations{Dims: []int{3, 19}, Stride: []int{3, 1}}
	for _, generators := range [][]int{{1, 20, 5, 33}, {1, 2, 22, 40}, {4, 7, 29, 50}} {
		g, err := topology.Expr{Family: "Cayley", Numbers: append([]int{19, 3, 7}, generators...)}.Build()
		if err != nil {
			t.Fatal(err)
		}
		n := g.Nodes()
		all := everybody(n, 1e6/float64(n))
		if (g.Bundles()+1)*len(all) <= uniformSize {
			t.Fatalf("%s is below the limit", g.Name())
		}
		if _, ok := g.Symmetry(); ok {
			t.Fatalf("%s: translations map every node to every other", g.Name())
		}
		some := slices.DeleteFunc(slices.Clone(all), func(d Demand) bool { k, _ := group.Locate(d.Src); return k > 0 })
		time := func(l Load) float64 { return 500 + 500*float64(l.Hops) + l.Peak/100 }
		want, err := Fastest(t.Context(), Problem{Graph: g, Demands: some, Group: group, Exact: true}, Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Fastest(t.Context(), Problem{Graph: g, Demands: all}, Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		if got.Approximate || want.Approximate {
			t.Errorf("%s: found by %s and %s", g.Name(), got.Method, want.Method)
		}
		if a, b := time(got.Load), time(want.Load); math.Abs(a-b) > 1e-9*b {
			t.Errorf("%s: %v, the exact program under translations takes %v", g.Name(), a, b)
		}
	}
}

// All pairs under some of a graph's translations take as long as under all of them, which map them
// to the pairs of one node.
func TestAllTranslationsOfAllPairsAreFound(t *testing.T) {
	g := topology.Torus(4, 4, 6)
	some := topology.Translations{Dims: []int{4, 4, 6}, Stride: []int{1, 4, 6}}
	time := func(l Load) float64 { return 500 + 500*float64(l.Hops) + l.Peak/100 }
	demands := everybody(96, 1e4)
	got, err := Fastest(t.Context(), Problem{
		Graph: g, Group: some,
		Demands: slices.DeleteFunc(slices.Clone(demands), func(d Demand) bool { k, _ := some.Locate(d.Src); return k > 0 }),
	}, Optimal, time)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Fastest(t.Context(), Problem{Graph: g, Demands: demands}, Optimal, time)
	if err != nil {
		t.Fatal(err)
	}
	if got.Symmetry != 96 || math.Abs(time(got.Load)-time(want.Load)) > 1e-9*time(want.Load) {
		t.Errorf("%v under %d translations, want %v", got.Load, got.Symmetry, want.Load)
	}
}

// The routes of orbits that FastestWithin returns do not depend on the limit: either they are
// those of Fastest, or there are none.
func TestRoutesOfOrbitsDoNotDependOnTheLimit(t *testing.T) {
	limits := []float64{0.5, 0.98, 0.999, 1, 1.001, 1.1}
	if samples.Every() {
		limits = []float64{0.5, 0.9, 0.98, 0.999, 1, 1.0001, 1.001, 1.003, 1.01, 1.1, 2}
	}
	for _, g := range samples.Few(2, []*topology.Graph{topology.GenKautz(2, 76), topology.GenKautz(2, 90), topology.GenKautz(4, 96)}) {
		n := g.Nodes()
		p := Problem{Graph: g, Demands: everybody(n, 4e5/float64(n))}
		time := func(l Load) float64 { return 500 + 500*float64(l.Hops) + l.Peak/100 }
		free, err := Fastest(t.Context(), p, Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		least := time(free.Load)
		for _, by := range limits {
			got, err := FastestWithin(t.Context(), p, Optimal, time, least*by)
			var slower *Slower
			switch {
			case errors.As(err, &slower):
				if by >= 1 || slower.Least > least*(1+1e-9) {
					t.Errorf("%s: a limit of %v times %v: %v", g.Name(), by, least, err)
				}
			case err != nil:
				t.Fatal(err)
			case by < 1 || time(got.Load) != least:
				t.Errorf("%s: within %v times %v: %v", g.Name(), by, least, time(got.Load))
			}
		}
	}
}
