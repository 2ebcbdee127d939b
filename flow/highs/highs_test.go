package highs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

const (
	// agreement is how far the two optima may be apart, relative to each other:
	// ten times the absolute tolerance of HiGHS, whose amounts are scaled to 1.
	agreement = 1e-6
	// certificate is how far our own peak may be above our own bound.
	certificate = 1e-6
	// rounding is for sums of the same numbers in another order.
	rounding = 1e-12
)

func apart(a, b float64) float64 { return math.Abs(a-b) / max(math.Abs(a), math.Abs(b)) }

// optimum solves the problem with package flow and checks the result without HiGHS: the routes
// carry the demands with the claimed load, and the bound proves that it is optimal.
func optimum(t *testing.T, p flow.Problem) *flow.Result {
	t.Helper()
	res, err := flow.Solve(context.Background(), p, flow.Optimal)
	if err != nil {
		t.Fatal(err)
	}
	load, err := flow.LoadOf(p.Graph, p.Group, p.Demands, res.Routes)
	if err != nil {
		t.Fatal(err)
	}
	if apart(load.Peak, res.Load.Peak) > rounding || load.Hops != res.Load.Hops || apart(load.Dilation, res.Load.Dilation) > rounding {
		t.Errorf("load %+v, but the routes have %+v", res.Load, load)
	}
	if gap := res.Load.Peak/res.Bound - 1; !(gap <= certificate) {
		t.Errorf("peak %.12g is %.3g above the bound %.12g by %s", res.Load.Peak, gap, res.Bound, res.Method)
	}
	return res
}

// agree solves the problem with both solvers, and returns the result of package flow and the
// difference between the peaks.
func agree(t *testing.T, p flow.Problem, method Method) (*flow.Result, float64) {
	t.Helper()
	res := optimum(t, p)
	want, err := Solve(p, method)
	if err != nil {
		t.Fatal(err)
	}
	difference := apart(res.Load.Peak, want)
	if !(difference <= agreement) {
		t.Errorf("peak %.12g by %s, HiGHS (%s) says %.12g", res.Load.Peak, res.Method, method, want)
	}
	return res, difference
}

func TestAgreesWithHiGHS(t *testing.T) {
	const cases = 200
	kinds := []string{"permutation", "uneven permutation", "partial", "all-to-all", "uneven all-to-all"}
	one := func() float64 { return 1 }
	columns, worst := 0, 0.0
	for i := range cases {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		n, degree, kind := 4+rng.IntN(37), 1+i%6, kinds[i%len(kinds)]
		if i%len(kinds) >= 3 { // all-to-all
			n = 4 + rng.IntN(25)
		}
		p := flow.Problem{Graph: connected(rng, n, degree)}
		uneven := func() float64 { return 1e6 * (0.1 + rng.ExpFloat64()) }
		switch kind {
		case "permutation":
			p.Demands = permutation(rng, n, one)
		case "uneven permutation":
			p.Demands = permutation(rng, n, uneven)
		case "partial":
			p.Demands = permutation(rng, n, uneven)
			p.Demands = p.Demands[:(len(p.Demands)+1)/2]
		case "all-to-all":
			p.Demands = allToAll(n, one)
		default:
			p.Demands = allToAll(n, uneven)
		}
		t.Run(fmt.Sprintf("%d/%s/n=%d/degree=%d", i, kind, n, degree), func(t *testing.T) {
			res, difference := agree(t, p, InteriorPoint)
			worst = max(worst, difference)
			if res.Method == flow.MethodColumns || res.Method == flow.MethodInterior {
				columns++
			}
		})
	}
	t.Logf("largest relative difference %.2g; %d of %d cases came to the linear program", worst, columns, cases)
	if columns < cases/2 {
		t.Errorf("only %d of %d cases came to the linear program", columns, cases)
	}
}

func TestTwoWayRingShiftThetaIsNOverKTimesNMinusK(t *testing.T) {
	for _, n := range []int{3, 4, 7, 12, 16, 31} {
		for k := 1; k < n; k += 1 + n/6 {
			p := flow.Problem{Graph: topology.Circulant(n, 1), Demands: shift(n, k, 1)}
			want := float64(n) / float64(k*(n-k))
			res, _ := agree(t, p, InteriorPoint)
			if theta := 1 / res.Load.Peak; apart(theta, want) > agreement {
				t.Errorf("ring of %d, shift %d: theta %.12g, want %.12g", n, k, theta, want)
			}
		}
	}
}

func TestOneWayRingShiftPeakIsK(t *testing.T) {
	for k := 1; k < 12; k++ {
		p := flow.Problem{Graph: topology.DirectedCirculant(12, 1), Demands: shift(12, k, 3)}
		if res, _ := agree(t, p, Simplex); apart(res.Load.Peak, float64(3*k)) > agreement {
			t.Errorf("shift %d of 3: peak %.12g", k, res.Load.Peak)
		}
	}
}

// Every demand takes as many hops as a node has circuits, so all circuits are fully loaded.
func TestHypercubeAntipodesPeakIsOne(t *testing.T) {
	for dims := 2; dims <= 5; dims++ {
		p := flow.Problem{Graph: topology.Hypercube(dims)}
		for u := range 1 << dims {
			p.Demands = append(p.Demands, flow.Demand{Src: u, Dst: u ^ (1<<dims - 1), Amount: 1})
		}
		if res, _ := agree(t, p, InteriorPoint); apart(res.Load.Peak, 1) > agreement {
			t.Errorf("hypercube of %d dimensions: peak %.12g", dims, res.Load.Peak)
		}
	}
}

// Four ways lead to the same number: either solver, with the group or with all demands written
// out.
func TestAgreesWithAndWithoutGroup(t *testing.T) {
	xor := func(dims int) topology.Translations {
		sides := make([]int, dims)
		for i := range sides {
			sides[i] = 2
		}
		return topology.Translation(sides...)
	}
	systems := []struct {
		graph *topology.Graph
		group topology.Translations
	}{
		{topology.Torus(4, 4), topology.Translation(4, 4)},
		{topology.Torus(3, 5), topology.Translation(3, 5)},
		{topology.Torus(2, 3, 4), topology.Translation(2, 3, 4)},
		{topology.Torus(4, 6), topology.Translations{Dims: []int{4, 6}, Stride: []int{2, 3}}},
		{topology.Hypercube(3), xor(3)},
		{topology.Hypercube(4), xor(4)},
		{topology.Circulant(16, 1, 6), topology.Rotations(16, 1)},
		{topology.Circulant(24, 1, 5, 5), topology.Rotations(24, 1)},
		{topology.Circulant(20, 3, 4), topology.Rotations(20, 4)},
		{topology.DirectedCirculant(18, 2, 3), topology.Rotations(18, 1)},
		{topology.DirectedCirculant(21, 1, 4, 4, 16), topology.Rotations(21, 3)},
	}
	for i, s := range systems {
		rng := rand.New(rand.NewPCG(2, uint64(i)))
		n := s.graph.Nodes()
		for demands := range 4 {
			p := flow.Problem{Graph: s.graph, Group: s.group}
			for range 1 + demands {
				d := flow.Demand{Src: rng.IntN(n), Amount: 1}
				d.Dst = (d.Src + 1 + rng.IntN(n-1)) % n
				if demands > 0 {
					d.Amount = 1e3 * (0.1 + rng.Float64())
				}
				p.Demands = append(p.Demands, d)
			}
			t.Run(fmt.Sprintf("%s/%d", s.graph.Name(), demands), func(t *testing.T) {
				folded, _ := agree(t, p, Simplex)
				full, _ := agree(t, Unfold(p), InteriorPoint)
				if apart(folded.Load.Peak, full.Load.Peak) > agreement {
					t.Errorf("peak %.12g with the group, %.12g without", folded.Load.Peak, full.Load.Peak)
				}
			})
		}
	}
}

func TestAgreesOnShifts(t *testing.T) {
	for _, g := range []*topology.Graph{
		topology.GenKautz(2, 12), topology.GenKautz(3, 20), topology.GenKautz(4, 32), topology.GenKautz(2, 31),
		topology.Torus(5, 6), topology.Torus(3, 3, 3), topology.Hypercube(5),
		topology.Circulant(32, 1, 7), topology.DirectedCirculant(30, 1, 5, 12),
	} {
		n := g.Nodes()
		for k := 1; k < n; k += 1 + n/4 {
			t.Run(fmt.Sprintf("%s/%d", g.Name(), k), func(t *testing.T) {
				agree(t, flow.Problem{Graph: g, Demands: shift(n, k, 1)}, InteriorPoint)
			})
		}
	}
}

func TestUnreachableDemandIsAnErrorInBoth(t *testing.T) {
	chain := []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}, {From: 3, To: 3, Count: 1}}
	fork := append([]topology.Edge{{From: 0, To: 2, Count: 1}}, chain...)
	for _, edges := range [][]topology.Edge{chain, fork} {
		for _, d := range []flow.Demand{{Src: 2, Dst: 0, Amount: 1}, {Src: 0, Dst: 3, Amount: 5}, {Src: 3, Dst: 1, Amount: 1e-3}} {
			p := flow.Problem{Graph: topology.New(4, "", edges), Demands: []flow.Demand{{Src: 0, Dst: 2, Amount: 1}, d}}
			if _, err := flow.Solve(context.Background(), p, flow.Optimal); !errors.Is(err, flow.ErrUnreachable) {
				t.Errorf("%d -> %d: %v", d.Src, d.Dst, err)
			}
			for _, method := range []Method{InteriorPoint, Simplex} {
				if _, err := Solve(p, method); !errors.Is(err, flow.ErrUnreachable) {
					t.Errorf("%d -> %d, HiGHS (%s): %v", d.Src, d.Dst, method, err)
				}
			}
		}
	}
}

func TestBadProblemsAreTheSameErrorInBoth(t *testing.T) {
	ring := topology.Circulant(6, 1)
	lame := topology.New(6, "", append([]topology.Edge{{From: 0, To: 3, Count: 1}}, ringEdges(6)...))
	good := []flow.Demand{{Src: 0, Dst: 1, Amount: 1}}
	for _, c := range []struct {
		p    flow.Problem
		want error
	}{
		{flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 0, Dst: 6, Amount: 1}}}, flow.ErrDemand},
		{flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: -1, Dst: 2, Amount: 1}}}, flow.ErrDemand},
		{flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 2, Dst: 2, Amount: 1}}}, flow.ErrDemand},
		{flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 0, Dst: 1, Amount: 0}}}, flow.ErrDemand},
		{flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 0, Dst: 1, Amount: math.NaN()}}}, flow.ErrDemand},
		{flow.Problem{Graph: lame, Demands: good, Group: topology.Rotations(6, 1)}, flow.ErrNotInvariant},
		{flow.Problem{Graph: ring, Demands: good, Group: topology.Rotations(5, 1)}, flow.ErrNotInvariant},
		{flow.Problem{Graph: ring}, nil},
	} {
		if _, err := flow.Solve(context.Background(), c.p, flow.Optimal); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.p, err, c.want)
		}
		if peak, err := Solve(c.p, InteriorPoint); !errors.Is(err, c.want) || peak != 0 {
			t.Errorf("%v: HiGHS: %v and %v, want %v", c.p, peak, err, c.want)
		}
	}
	if _, err := Solve(flow.Problem{Graph: ring, Demands: good}, "guess"); err == nil {
		t.Error("a method that does not exist is accepted")
	}
}

func ringEdges(n int) []topology.Edge {
	var edges []topology.Edge
	for u := range n {
		edges = append(edges, topology.Edge{From: u, To: (u + 1) % n, Count: 1})
	}
	return edges
}
