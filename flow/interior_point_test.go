package flow

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// someStep returns a strongly connected graph with bundles of several circuits and demands
// between most pairs of its nodes, equal or not.
func someStep(seed uint64) Problem {
	r := rand.New(rand.NewPCG(seed, 3))
	n := 6 + r.IntN(18)
	var edges []topology.Edge
	for u := range n {
		edges = append(edges, topology.Edge{From: u, To: (u + 1) % n, Count: 1})
	}
	for range 1 + r.IntN(4) {
		for u, v := range r.Perm(n) {
			if r.IntN(6) > 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1 + r.IntN(3)})
			}
		}
	}
	p := Problem{Graph: topology.New(n, "some", edges)}
	for u := range n {
		for v := range n {
			if u == v || r.IntN(8) == 0 {
				continue
			}
			amount := 1.0
			switch seed % 3 {
			case 1:
				amount = float64(1+r.IntN(1000)) * 1e6
			case 2:
				amount = math.Pow(1+float64(r.IntN(n*n)), -1.2)
			}
			p.Demands = append(p.Demands, Demand{u, v, amount})
		}
	}
	return p
}

// bothMethods solves a problem by the interior point method and over paths.
func bothMethods(t *testing.T, p Problem, within float64) (point, paths *Result, ok bool, err error) {
	t.Helper()
	ctx := context.Background()
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
	if paths, err = solveColumns(ctx, p, l.cl, short, split, math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	point, ok, err = solveInterior(ctx, p, l.cl, short, split, within*paths.Load.Peak)
	return point, paths, ok, err
}

// The interior point method finds the peak of the program over paths. The two share no
// arithmetic: one pivots among paths, the other follows a curve through the flows of each
// source.
func TestInteriorPointHasThePeakOfTheProgramOverPaths(t *testing.T) {
	given := 0
	for seed := range uint64(48) {
		p := someStep(seed)
		point, paths, ok, err := bothMethods(t, p, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			given++
			continue
		}
		load, err := LoadOf(p.Graph, p.Group, p.Demands, point.Routes)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !meets(load.Peak, point.Bound) || !meets(load.Peak, paths.Load.Peak*(1+optimalityGap)) || !meets(paths.Load.Peak, load.Peak*(1+optimalityGap)) {
			t.Errorf("seed %d: peak %v, bound %v; over paths %v", seed, load.Peak, point.Bound, paths.Load.Peak)
		}
		if a, b := bytesTimesHops(p, point), bytesTimesHops(p, paths); a > b*1.01 {
			t.Errorf("seed %d: %v bytes x hops, %v over paths", seed, a, b)
		}
	}
	if given > 2 {
		t.Errorf("%d of 48 given up", given)
	}
}

// bytesTimesHops is the total of bytes x hops of routes.
func bytesTimesHops(p Problem, r *Result) float64 {
	sum := 0.0
	for i, routes := range r.Routes {
		for _, route := range routes {
			sum += p.Demands[i].Amount * route.Share * float64(len(route.Path)-1)
		}
	}
	return sum
}

func TestInteriorPointStopsOnceThePeakIsOutOfReach(t *testing.T) {
	for seed := range uint64(6) {
		_, paths, _, err := bothMethods(t, someStep(seed), 0.99)
		var over *beyond
		if !errors.As(err, &over) {
			t.Fatalf("seed %d: error %v", seed, err)
		}
		if over.bound <= 0.99*paths.Load.Peak || over.bound > paths.Load.Peak*(1+optimalityGap) {
			t.Errorf("seed %d: bound %v of a peak of %v", seed, over.bound, paths.Load.Peak)
		}
	}
}

func TestAllToAllOnKautzIsSolvedByTheInteriorPoint(t *testing.T) {
	var demands []Demand
	const n = 48
	for u := range n {
		for v := range n {
			if u != v {
				demands = append(demands, Demand{u, v, 1})
			}
		}
	}
	res, err := Solve(context.Background(), Problem{Graph: topology.GenKautz(4, n), Demands: demands}, Optimal)
	if err != nil {
		t.Fatal(err)
	}
	if res.Method != MethodInterior || !meets(res.Load.Peak, res.Bound) {
		t.Errorf("method %s, peak %v, bound %v", res.Method, res.Load.Peak, res.Bound)
	}
}
