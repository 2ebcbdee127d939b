package flow_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// functional is a random graph where every node sends to at most one other.
func functional(rng *rand.Rand, n int) *topology.Graph {
	var edges []topology.Edge
	for u := range n {
		if rng.IntN(8) > 0 {
			edges = append(edges, topology.Edge{From: u, To: rng.IntN(n), Count: 1 + rng.IntN(3)})
		}
		if rng.IntN(8) == 0 {
			edges = append(edges, topology.Edge{From: u, To: u, Count: 1})
		}
	}
	return topology.New(n, "functional", edges)
}

func TestSuccessorEqualsWalkingThePaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for i := range 400 {
		n := 1 + rng.IntN(24)
		g := functional(rng, n)
		s, ok := flow.NewSuccessor(g)
		if !ok {
			t.Fatalf("case %d: not a successor graph", i)
		}
		var demands []flow.Demand
		var routes [][]flow.Route
		for u := range n {
			for v := range n {
				if u == v {
					continue
				}
				d := flow.Demand{Src: u, Dst: v, Amount: float64(1 + rng.IntN(9))}
				path := walk(g, u, v)
				if _, ok := s.Evaluate([]flow.Demand{d}); ok != (path != nil) {
					t.Fatalf("case %d: %d -> %d reachable: %v, but path %v", i, u, v, ok, path)
				}
				if path != nil && rng.IntN(2) == 0 {
					demands = append(demands, d)
					routes = append(routes, []flow.Route{{Path: path, Share: 1}})
				}
			}
		}
		want, err := flow.LoadOf(g, topology.Translations{}, demands, routes)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := s.Evaluate(demands)
		if !ok || got.Hops != want.Hops || !near(got.Peak, want.Peak, 1e-12) || !near(got.Dilation, want.Dilation, 1e-12) {
			t.Errorf("case %d: %+v, %v, want %+v", i, got, ok, want)
		}
		if len(demands) > 0 {
			p := flow.Problem{Graph: g, Demands: demands}
			checkResult(t, "functional", p, solve(t, p, flow.Optimal))
		}
	}
}

// walk follows the only path from u until it meets v or repeats a node.
func walk(g *topology.Graph, u, v int) []int32 {
	path := []int32{int32(u)}
	for at := u; len(path) <= g.Nodes(); {
		to, _ := g.Row(at)
		next := -1
		for _, w := range to {
			if int(w) != at {
				next = int(w)
			}
		}
		if next < 0 {
			return nil
		}
		at = next
		path = append(path, int32(at))
		if at == v {
			return path
		}
	}
	return nil
}

func TestSuccessorRefusesChoice(t *testing.T) {
	if _, ok := flow.NewSuccessor(twoWayRing(5)); ok {
		t.Error("two-way ring taken for a successor graph")
	}
	s, _ := flow.NewSuccessor(circulant(5, 1))
	for _, d := range []flow.Demand{{Src: 0, Dst: 0, Amount: 1}, {Src: -1, Dst: 0, Amount: 1}, {Src: 0, Dst: 5, Amount: 1}, {Src: 0, Dst: 1}} {
		if _, ok := s.Evaluate([]flow.Demand{d}); ok {
			t.Errorf("%+v accepted", d)
		}
	}
}

func TestSuccessorEvaluateAllocatesNothing(t *testing.T) {
	s, _ := flow.NewSuccessor(circulant(64, 3))
	demands := shift(64, 5, 1)
	if allocs := testing.AllocsPerRun(20, func() { s.Evaluate(demands) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestCirculantHopsEqualsWalking(t *testing.T) {
	for n := 1; n <= 24; n++ {
		for jump := -n; jump <= 2*n; jump++ {
			for offset := -n; offset <= n; offset++ {
				want, found := 0, false
				for h := 1; h <= n && !found; h++ {
					want, found = h, ((h*jump-offset)%n+n)%n == 0
				}
				if hops, ok := flow.CirculantHops(n, jump, offset); ok != found || ok && hops != want {
					t.Errorf("n=%d jump=%d offset=%d: %d, %v, want %d, %v", n, jump, offset, hops, ok, want, found)
				}
			}
		}
	}
	if _, ok := flow.CirculantHops(0, 1, 1); ok {
		t.Error("no nodes, but hops")
	}
}

func TestCirculantHopsDoesNotOverflow(t *testing.T) {
	const n = 1<<61 - 1 // prime
	hops, ok := flow.CirculantHops(n, n-1, 5)
	if !ok || hops != n-5 {
		t.Errorf("%d, %v, want %d", hops, ok, n-5)
	}
}
