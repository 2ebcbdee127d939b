package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// starts returns the two routings that the approximation and the linear program
// start from, as Solve makes them.
func starts(t testing.TB, p Problem) (cl *classes, short, split *Result) {
	t.Helper()
	ctx := context.Background()
	cl, err := newClasses(p.Graph, p.Group)
	if err != nil {
		t.Fatal(err)
	}
	short, split = &Result{Method: MethodShortest}, &Result{Method: MethodSplit}
	if short.Routes, err = shortestRoutes(ctx, p.Graph, p.Demands); err != nil {
		t.Fatal(err)
	}
	if split.Routes, err = splitRoutes(ctx, p.Graph, p.Demands); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Result{short, split} {
		if r.Load, err = loadOf(p.Graph, cl, p.Demands, r.Routes); err != nil {
			t.Fatal(err)
		}
		r.Bound = min(countingBound(p, cl, workOf(p.Demands, short.Routes)), r.Load.Peak)
	}
	return cl, short, split
}

// checkApproximate solves the problem both ways and compares.
func checkApproximate(t *testing.T, what string, p Problem) {
	t.Helper()
	ctx := context.Background()
	cl, short, split := starts(t, p)
	exact, err := solveColumns(ctx, p, cl, short, split, math.Inf(1))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	res, err := approximate(ctx, p, cl, beginning{lower(short, split), short.Bound, nil, false}, approximateGap, math.Inf(1))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	load, err := LoadOf(p.Graph, p.Group, p.Demands, res.Routes)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if load != res.Load {
		t.Errorf("%s: load %+v, but the routes have %+v", what, res.Load, load)
	}
	const rounding = 1e-9
	optimum := exact.Load.Peak
	if res.Bound > optimum*(1+rounding) || optimum > res.Load.Peak*(1+rounding) || res.Bound > res.Load.Peak {
		t.Errorf("%s: bound %v, optimum %v, peak %v", what, res.Bound, optimum, res.Load.Peak)
	}
	if res.Load.Peak > res.Bound*(1+approximateGap) {
		t.Errorf("%s: peak %v is more than a hundredth above the bound %v", what, res.Load.Peak, res.Bound)
	}
	again, err := approximate(ctx, p, cl, beginning{lower(short, split), short.Bound, nil, false}, approximateGap, math.Inf(1))
	if err != nil || !reflect.DeepEqual(res, again) {
		t.Errorf("%s: another result the second time (%v)", what, err)
	}
}

// randomDigraph is strongly connected: a Hamiltonian cycle and more, with parallel
// circuits and self-loops.
func randomDigraph(rng *rand.Rand, n, degree int) *topology.Graph {
	var edges []topology.Edge
	order := rng.Perm(n)
	for i, u := range order {
		edges = append(edges, topology.Edge{From: u, To: order[(i+1)%n], Count: 1})
		for range degree - 1 {
			edges = append(edges, topology.Edge{From: u, To: rng.IntN(n), Count: 1 + rng.IntN(4)/3*2})
		}
	}
	return topology.New(n, "random", edges)
}

// randomDemands are a permutation, a part of one, or all pairs, of random amounts.
func randomDemands(rng *rand.Rand, n, kind int) []Demand {
	var demands []Demand
	add := func(u, v int) {
		if u != v {
			demands = append(demands, Demand{Src: u, Dst: v, Amount: (0.5 + rng.Float64()) * 1e6})
		}
	}
	for u, v := range rng.Perm(n) {
		switch {
		case kind == 2:
			for w := range n {
				add(u, w)
			}
		case kind == 0 || u < 1+n/4:
			add(u, v)
		}
	}
	if len(demands) == 0 {
		add(0, 1)
	}
	return demands
}

func TestApproximationEnclosesTheOptimum(t *testing.T) {
	kinds := []string{"permutation", "partial", "all-to-all"}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		kind := int(seed) % len(kinds)
		n, degree := 8+rng.IntN(33), 2+rng.IntN(4)
		if testing.Short() {
			n = 8 + rng.IntN(9)
		}
		p := Problem{Graph: randomDigraph(rng, n, degree), Demands: randomDemands(rng, n, kind)}
		checkApproximate(t, fmt.Sprintf("seed %d: %s, n=%d, degree %d", seed, kinds[kind], n, degree), p)
	}
}

func TestApproximationEnclosesTheOptimumUnderGroups(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 4 * (3 + rng.IntN(8))
		group := topology.Rotations(n, []int{1, 2, 4}[rng.IntN(3)])
		stride := group.Stride[0]
		var edges []topology.Edge
		for r := range stride { // a ring and random circuits, all rotated
			jumps := []int{1, 1 + rng.IntN(n-1), 1 + rng.IntN(n-1)}
			for u := r; u < n; u += stride {
				for i, j := range jumps {
					edges = append(edges, topology.Edge{From: u, To: (u + j) % n, Count: 1 + i})
				}
			}
		}
		p := Problem{Graph: topology.New(n, "rotated", edges), Group: group}
		for r := range stride {
			for range 1 + rng.IntN(3) {
				p.Demands = append(p.Demands, Demand{Src: r, Dst: (r + 1 + rng.IntN(n-1)) % n, Amount: 0.5 + rng.Float64()})
			}
		}
		checkApproximate(t, fmt.Sprintf("seed %d: n=%d, group %v", seed, n, group.Stride), p)
	}
	p := Problem{Graph: topology.Torus(6, 5), Group: topology.Translation(6, 5)}
	for v := 1; v < 30; v++ {
		p.Demands = append(p.Demands, Demand{Src: 0, Dst: v, Amount: float64(v)})
	}
	checkApproximate(t, "torus", p)
}

// One path per demand and round is slowest where every demand needs many paths.
func TestApproximationOnCompleteGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	g := topology.Complete(16)
	checkApproximate(t, "one demand", Problem{Graph: g, Demands: []Demand{{Src: 3, Dst: 5, Amount: 1}}})
	checkApproximate(t, "permutation", Problem{Graph: g, Demands: randomDemands(rng, 16, 0)})
}

func TestLargeProgramsAreApproximated(t *testing.T) {
	const n = 256
	rng := rand.New(rand.NewPCG(1, 1))
	p := Problem{Graph: topology.GenKautz(4, n), Demands: randomDemands(rng, n, 0)}
	res, err := Solve(context.Background(), p, Optimal)
	if err != nil {
		t.Fatal(err)
	}
	if res.Method != MethodApproximate || res.Load.Peak > res.Bound*(1+approximateGap) {
		t.Errorf("%s: peak %v, bound %v", res.Method, res.Load.Peak, res.Bound)
	}
	if load, err := LoadOf(p.Graph, p.Group, p.Demands, res.Routes); err != nil || load != res.Load {
		t.Errorf("load %+v, but the routes have %+v (%v)", res.Load, load, err)
	}
	routes := 0
	for _, r := range res.Routes {
		routes += len(r)
	}
	if limit := len(p.Demands) + p.Graph.Bundles(); routes > 2*limit {
		t.Errorf("%d routes, where %d are enough for the optimum", routes, limit)
	}
}

func TestApproximationStartsFromTheBetterRoutes(t *testing.T) {
	// All routes are optimal already, but the bound given does not say so.
	p := Problem{Graph: topology.Circulant(9, 1), Demands: []Demand{{Src: 0, Dst: 1, Amount: 1}}, Group: topology.Rotations(9, 1)}
	cl, short, split := starts(t, p)
	for _, better := range []*Result{short, split} {
		worse := &Result{Routes: short.Routes, Load: Load{Peak: 2 * better.Load.Peak}, Bound: better.Bound}
		pair := [2]*Result{better, worse}
		if better == split {
			pair = [2]*Result{worse, better}
		}
		res, err := approximate(context.Background(), p, cl, beginning{lower(pair[0], pair[1]), pair[0].Bound, nil, false}, approximateGap, math.Inf(1))
		if err != nil || res.Load.Peak > better.Load.Peak {
			t.Errorf("peak %v after %v (%v)", res.Load.Peak, better.Load.Peak, err)
		}
	}
}

// expiring is a context that ends after a number of checks.
type expiring struct {
	context.Context
	left int
}

func (c *expiring) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledContextEndsTheApproximation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	p := Problem{Graph: topology.GenKautz(3, 24), Demands: randomDemands(rng, 24, 0)}
	cl, short, split := starts(t, p)
	sources := len(p.Demands)
	for _, looks := range []int{0, 1, sources, sources + 1, 3*sources + 1} { // searches and sweeps
		ctx := &expiring{Context: context.Background(), left: looks}
		res, err := approximate(ctx, p, cl, beginning{lower(short, split), short.Bound, nil, false}, approximateGap, math.Inf(1))
		if res != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: result %v, error %v", looks, res, err)
		}
		if ctx.left != -1 {
			t.Errorf("after %d looks: looked %d times more", looks, -1-ctx.left)
		}
	}
}

func TestSweepsOnlyLowerThePotentialAndAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	p := Problem{Graph: randomDigraph(rng, 40, 4), Demands: randomDemands(rng, 40, 0)}
	cl, short, _ := starts(t, p)
	s := newApproximator(p, cl, beginning{short, short.Bound, nil, false})
	ctx := context.Background()
	for _, sharpness := range []float64{1, 10, 1000} {
		s.pot.Load(&s.now)
		if _, err := s.generate(ctx, sharpness); err != nil {
			t.Fatal(err)
		}
		s.pot.Load(&s.now)
		s.pot.SetLengths(sharpness)
		before := s.pot.Room()
		allocated := testing.AllocsPerRun(50, func() {
			if err := s.pot.Sweep(ctx, &s.now); err != nil {
				t.Fatal(err)
			}
			if now := s.pot.Room(); now > before*(1+1e-9) {
				t.Errorf("sharpness %v: potential rose from %v to %v", sharpness, before, now)
			} else {
				before = now
			}
		})
		if allocated != 0 {
			t.Errorf("%v allocations in a sweep", allocated)
		}
		for k, i := range s.list {
			sum := 0.0
			for path := s.now.First[k]; path < s.now.First[k+1]; path++ {
				sum += s.now.Flow[path]
			}
			if want := p.Demands[i].Amount / s.unit; sum < want*(1-1e-12) || sum > want*(1+1e-12) {
				t.Errorf("demand %d: %v of %v bytes routed", i, sum, want)
			}
		}
	}
}

func BenchmarkConcurrentFlowApproximate(b *testing.B) {
	cases := []struct {
		name    string
		n, kind int
	}{{"kautz64", 64, 0}, {"kautz128", 128, 0}, {"kautz256", 256, 0}, {"kautz512", 512, 0}, {"kautz256-all-to-all", 256, 2}}
	for _, c := range cases {
		b.Run(c.name+"-approximate", func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			p := Problem{Graph: topology.GenKautz(4, c.n), Demands: randomDemands(rng, c.n, c.kind)}
			cl, short, split := starts(b, p)
			b.ReportAllocs()
			for b.Loop() {
				res, err := approximate(context.Background(), p, cl, beginning{lower(short, split), short.Bound, nil, false}, approximateGap, math.Inf(1))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(res.Load.Peak/res.Bound-1, "gap")
			}
		})
	}
}
