package finder_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
)

// sizes are numbers of nodes: some are primes, some powers and some products.
var sizes = []int{128, 2, 3, 4, 5, 8, 9, 16, 25, 27, 32, 36, 40, 49, 64, 81, 97, 100}

// fewTries is enough if it does not matter how small diameters are.
const fewTries = 20

// result is a frontier or an error.
type result struct {
	nodes, degree int
	opts          finder.Options
	points        []finder.Point
	err           error
}

// results makes several searches, once for all tests.
var results = sync.OnceValue(func() (all []result) {
	for _, degree := range []int{1, 2, 3, 4, 8} {
		for _, opts := range []finder.Options{
			{Op: bfb.ReduceScatter}, {Op: bfb.AllReduce}, {Op: bfb.AllReduce, Bidirectional: true}, {Op: bfb.AllGather, Bidirectional: true},
		} {
			opts.Tries = fewTries
			f := finder.New(degree, opts)
			for _, n := range samples.Few(10, sizes) {
				points, err := f.Frontier(context.Background(), n)
				all = append(all, result{n, degree, opts, points, err})
			}
		}
	}
	return all
})

// searches calls do with the frontiers of several searches.
func searches(t *testing.T, do func(t *testing.T, n, degree int, opts finder.Options, points []finder.Point)) {
	t.Helper()
	for _, r := range results() {
		impossible := r.opts.Bidirectional && r.degree == 1 && r.nodes > 2
		if impossible != errors.Is(r.err, finder.ErrNone) {
			t.Errorf("%d nodes, degree %d, %+v: %v", r.nodes, r.degree, r.opts, r.err)
		}
		if r.err == nil {
			do(t, r.nodes, r.degree, r.opts, r.points)
		}
	}
}

func TestPointsAreTopologiesOfTheirSizeAndDegree(t *testing.T) {
	searches(t, func(t *testing.T, n, degree int, opts finder.Options, points []finder.Point) {
		for _, p := range points {
			g, err := p.Expr.Build()
			if err != nil {
				t.Fatal(err)
			}
			if g.Nodes() != n || p.Expr.Nodes() != n || g.Degree() != degree || !g.Regular() {
				t.Errorf("%v has %d nodes of degree %d, want %d and %d", p.Expr, g.Nodes(), g.Degree(), n, degree)
			}
			if opts.Bidirectional && !g.Bidirectional() {
				t.Errorf("%v is not two-way", p.Expr)
			}
		}
	})
}

func TestFrontiersTradeStepsForBandwidthAboveTheBound(t *testing.T) {
	searches(t, func(t *testing.T, n, degree int, opts finder.Options, points []finder.Point) {
		bound, err := finder.Bound(n, degree, opts)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range points {
			if p.Steps < bound.Steps || p.Bandwidth.Cmp(bound.Bandwidth) < 0 {
				t.Errorf("%d nodes, degree %d: %v takes %d steps and %v, below the bound %v", n, degree, p.Expr, p.Steps, p.Bandwidth, bound)
			}
			if i > 0 && (points[i-1].Steps >= p.Steps || points[i-1].Bandwidth.Cmp(p.Bandwidth) <= 0) {
				t.Errorf("%d nodes, degree %d: %v does not follow %v", n, degree, p, points[i-1])
			}
		}
		// Some topology of least bandwidth exists for all sizes, a ring if no other.
		if last := points[len(points)-1]; last.Bandwidth.Cmp(bound.Bandwidth) != 0 && degree%2 == 0 {
			t.Errorf("%d nodes, degree %d: the least bandwidth is %v, want %v", n, degree, last.Bandwidth, bound.Bandwidth)
		}
	})
}

// offered returns the costs at which theorems and breadth-first broadcasts offer a
// topology, applied to every operand as often as it has operators.
func offered(t *testing.T, e topology.Expr, op bfb.Op) []finder.Cost {
	t.Helper()
	g, err := e.Build()
	if err != nil {
		t.Fatal(err)
	}
	steps, bandwidth, err := bfb.Cost(context.Background(), g, op)
	if err != nil {
		t.Fatal(err)
	}
	costs := []finder.Cost{{Steps: steps, Bandwidth: bandwidth}}
	halves := 1
	if op == bfb.AllReduce {
		halves = 2
	}
	switch e.Family {
	case "Kautz":
		if e.Numbers[1] > 0 {
			e = topology.Expr{Family: "Line", Graphs: []topology.Expr{{Family: "Kautz", Numbers: []int{e.Numbers[0], 0}}}, Numbers: e.Numbers[1:]}
			costs = append(costs, offeredLine(t, e, op, halves)...)
		}
	case "Line":
		costs = append(costs, offeredLine(t, e, op, halves)...)
	case "Degree":
		k := e.Numbers[0]
		for _, c := range offered(t, e.Graphs[0], op) {
			costs = append(costs, finder.Cost{Steps: c.Steps + halves, Bandwidth: sum(c.Bandwidth, big.NewRat(int64(halves*(k-1)), int64(g.Nodes())))})
		}
	case "Power":
		k, n := e.Numbers[0], g.Nodes()
		for _, c := range offered(t, e.Graphs[0], op) {
			m := 2
			for intPower(m, k) < n {
				m++
			}
			scale := big.NewRat(int64(m*(n-1)), int64((m-1)*n))
			costs = append(costs, finder.Cost{Steps: c.Steps * k, Bandwidth: scale.Mul(scale, c.Bandwidth)})
		}
	case "Bidirect":
		costs = append(costs, offeredTwoWay(t, e.Graphs[0], op, halves)...)
	}
	return costs
}

func offeredLine(t *testing.T, e topology.Expr, op bfb.Op, halves int) []finder.Cost {
	t.Helper()
	g := e.Graphs[0]
	if k := e.Numbers[0]; k > 1 {
		g = topology.Expr{Family: "Line", Graphs: e.Graphs, Numbers: []int{k - 1}}
	}
	built, err := g.Build()
	if err != nil {
		t.Fatal(err)
	}
	var costs []finder.Cost
	for _, c := range offered(t, g, op) {
		costs = append(costs, finder.Cost{Steps: c.Steps + halves, Bandwidth: sum(c.Bandwidth, big.NewRat(int64(halves), int64(built.Nodes())))})
	}
	return costs
}

// offeredTwoWay takes the slower direction in every step of a breadth-first broadcast, and
// any schedule if both directions look the same.
func offeredTwoWay(t *testing.T, e topology.Expr, op bfb.Op, halves int) []finder.Cost {
	t.Helper()
	g, err := e.Build()
	if err != nil {
		t.Fatal(err)
	}
	forward, err := bfb.Solve(context.Background(), g, bfb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	backward, err := bfb.Solve(context.Background(), g.Transpose(""), bfb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	total := new(big.Rat)
	for i, time := range forward.PerStep {
		if other := backward.PerStep[i]; time.Cmp(other) < 0 {
			time = other
		}
		total.Add(total, time)
	}
	total.Mul(total, big.NewRat(int64(halves*forward.Degree), int64(forward.Nodes)))
	costs := []finder.Cost{{Steps: halves * forward.Steps, Bandwidth: total}}
	if same, err := g.ReverseSymmetric(context.Background()); err == nil && same {
		costs = append(costs, offered(t, e, op)...)
	}
	return costs
}

// TestCostsAreThoseOfBroadcastsOrTheorems computes every cost again on the whole graph.
func TestCostsAreThoseOfBroadcastsOrTheorems(t *testing.T) {
	searches(t, func(t *testing.T, n, degree int, opts finder.Options, points []finder.Point) {
		for _, p := range points {
			costs := offered(t, p.Expr, opts.Op)
			if p.Method == finder.MethodBFB || p.Method == finder.MethodProduct {
				costs = costs[:1]
			}
			if !slices.ContainsFunc(costs, func(c finder.Cost) bool { return c.Steps == p.Steps && c.Bandwidth.Cmp(p.Bandwidth) == 0 }) {
				t.Errorf("%v by %s: %d steps and %v, but it is offered at %v", p.Expr, p.Method, p.Steps, p.Bandwidth, costs)
			}
		}
	})
}

func TestTwoWayTopologiesAreCoveredByOneWayOnes(t *testing.T) {
	for _, degree := range []int{2, 4} {
		one := finder.New(degree, finder.Options{Op: bfb.AllReduce, Tries: fewTries})
		two := finder.New(degree, finder.Options{Op: bfb.AllReduce, Tries: fewTries, Bidirectional: true})
		for n := 2; n <= 64; n++ {
			points := frontier(t, one, n)
			for _, p := range frontier(t, two, n) {
				if !covered(points, p.Cost) {
					t.Errorf("%d nodes, degree %d: %v takes %d steps and %v, not covered by %v", n, degree, p.Expr, p.Steps, p.Bandwidth, points)
				}
			}
		}
	}
}

func TestTransposesExchangeAllgatherAndReduceScatter(t *testing.T) {
	gather := finder.New(2, finder.Options{Op: bfb.AllGather})
	scatter := finder.New(2, finder.Options{Op: bfb.ReduceScatter})
	transposes := 0
	for n := 2; n <= 60; n++ {
		a, b := frontier(t, gather, n), frontier(t, scatter, n)
		for i := range a {
			if len(a) != len(b) || a[i].Steps != b[i].Steps || a[i].Bandwidth.Cmp(b[i].Bandwidth) != 0 {
				t.Errorf("%d nodes: allgather %v, reduce-scatter %v", n, a, b)
				break
			}
			if a[i].Expr.Family == "Transpose" || b[i].Expr.Family == "Transpose" {
				transposes++
			}
		}
	}
	if transposes == 0 {
		t.Error("no transpose is on any frontier")
	}
}

func TestResultsDoNotDependOnWhatWasAskedBefore(t *testing.T) {
	for _, opts := range []finder.Options{{Op: bfb.AllReduce, Tries: fewTries}, {Op: bfb.AllReduce, Tries: fewTries, Bidirectional: true}} {
		often := finder.New(4, opts)
		for n := 100; n >= 2; n-- {
			frontier(t, often, n)
		}
		for _, n := range []int{7, 16, 64, 72, 90, 96, 100} {
			if once := frontier(t, finder.New(4, opts), n); !reflect.DeepEqual(once, frontier(t, often, n)) {
				t.Errorf("%d nodes: %v and %v", n, once, frontier(t, often, n))
			}
		}
	}
}

func TestMoreTriesAndOtherSeeds(t *testing.T) {
	few := frontier(t, finder.New(4, finder.Options{Tries: 1}), 499)
	many := frontier(t, finder.New(4, finder.Options{Tries: 500}), 499)
	for _, p := range few {
		if !covered(many, p.Cost) {
			t.Errorf("%v takes %d steps and %v, not covered by %v", p.Expr, p.Steps, p.Bandwidth, many)
		}
	}
	other := frontier(t, finder.New(4, finder.Options{Tries: 500, Seed: 1}), 499)
	if fmt.Sprint(other) == fmt.Sprint(many) {
		t.Error("another seed looks at the same jumps")
	}
}

func TestSearchesThatCannotBeMade(t *testing.T) {
	for _, c := range []struct {
		nodes, degree int
		opts          finder.Options
		want          error
	}{
		{1, 4, finder.Options{}, finder.ErrInvalid},
		{-5, 4, finder.Options{}, finder.ErrInvalid},
		{topology.MaxNodes + 1, 1, finder.Options{}, finder.ErrInvalid},
		{8, 0, finder.Options{}, finder.ErrInvalid},
		{8, topology.MaxCircuits, finder.Options{}, finder.ErrInvalid},
		{8, 4, finder.Options{Op: 7}, finder.ErrInvalid},
		{8, 4, finder.Options{Tries: -1}, finder.ErrInvalid},
		{8, 4, finder.Options{Tries: finder.MaxTries + 1}, finder.ErrInvalid},
		{3, 1, finder.Options{Bidirectional: true}, finder.ErrNone},
	} {
		if _, err := finder.New(c.degree, c.opts).Frontier(context.Background(), c.nodes); !errors.Is(err, c.want) {
			t.Errorf("%d nodes, degree %d, %+v: %v, want %v", c.nodes, c.degree, c.opts, err, c.want)
		}
	}
}

func TestSearchesStopAndCanBeTakenUpAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opts := finder.Options{Op: bfb.AllReduce, Progress: func(expr string, done, total int) {
		if done < 1 || done > total {
			t.Errorf("%s: %d of %d nodes", expr, done, total)
		}
		cancel()
	}}
	f := finder.New(4, opts)
	if _, err := f.Frontier(ctx, 240); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the search was stopped", err)
	}
	if got, want := frontier(t, f, 240), frontier(t, finder.New(4, finder.Options{Op: bfb.AllReduce}), 240); !reflect.DeepEqual(got, want) {
		t.Errorf("%v after a stop, want %v", got, want)
	}
}
