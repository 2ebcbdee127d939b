package expand_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

var ctx = context.Background()

// expansions returns the schedules that are constructed from a broadcast and have at most the
// given number of nodes.
func expansions(t testing.TB, g *topology.Graph, most int) []*expand.Allgather {
	t.Helper()
	base, reverse := broadcast(t, g), broadcast(t, g.Transpose("Transpose("+g.Name()+")"))
	ok := must[*expand.Allgather](t)
	all := []*expand.Allgather{ok(expand.Bidirect(ctx, base, reverse))}
	for k, nodes := 1, g.Circuits(); k <= 2 && nodes <= most; k, nodes = k+1, nodes*g.Degree() {
		all = append(all, ok(expand.Line(ctx, base, k)))
	}
	for k := 1; k <= 3 && !loops(g) && k*g.Nodes() <= most; k++ {
		all = append(all, ok(expand.Degree(base, k)))
	}
	for k, nodes := 1, g.Nodes(); k <= 3 && nodes <= most; k, nodes = k+1, nodes*g.Nodes() {
		all = append(all, ok(expand.Power(base, k)))
	}
	return all
}

func TestConstructionsDeliverEveryShardAtTheClaimedLoads(t *testing.T) {
	for _, g := range baseGraphs(t) {
		for _, a := range expansions(t, g, 28) {
			checkAllgather(t, a)
		}
	}
}

func TestConstructionsOnIrregularGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		g := randomDigraph(r, 2+r.IntN(5), r.IntN(6))
		for _, a := range expansions(t, g, 30) {
			checkAllgather(t, a)
		}
	}
}

func TestConstructionsOnASingleNode(t *testing.T) {
	ok := must[*expand.Allgather](t)
	base := broadcast(t, topology.New(1, "loops", []topology.Edge{{From: 0, To: 0, Count: 3}}))
	for _, c := range []struct {
		a            *expand.Allgather
		nodes, steps int
	}{
		{ok(expand.Line(ctx, base, 1)), 3, 1}, // all to all
		{ok(expand.Line(ctx, base, 2)), 9, 2},
		{ok(expand.Power(base, 3)), 1, 0},
		{ok(expand.Bidirect(ctx, base, base)), 1, 0},
		{ok(expand.Line(ctx, broadcast(t, topology.New(1, "loop", []topology.Edge{{From: 0, To: 0, Count: 1}})), 5)), 1, 0},
	} {
		if c.a.Nodes != c.nodes || c.a.Steps != c.steps {
			t.Errorf("%s: %d nodes and %d steps, want %d and %d", c.a.Derivation, c.a.Nodes, c.a.Steps, c.nodes, c.steps)
		}
		checkAllgather(t, c.a)
	}
}

// TestConstructionsAreOnTheGraphsOfExpressions: node numbers are those that topology.Parse
// gives, for every operator, in both directions, and for nested operators.
func TestConstructionsAreOnTheGraphsOfExpressions(t *testing.T) {
	for _, expr := range []string{
		"Line(K(2,2),1)", "Line(DC(5;1,2),2)", "Line(UniRing(2,3),2)", "Line(UniRing(1,4),1000000)", "Line(GenKautz(2,5),2)", "Line(DeBruijn(2,2),2)",
		"Degree(Kautz(2,1),2)", "Degree(UniRing(2,3),3)", "Power(UniRing(1,3),3)", "Power(GenKautz(2,5),2)", "Product(Ring(3),Ring(3))",
		"Product(UniRing(1,3),GenKautz(2,5))", "Transpose(Line(GenKautz(3,7),1))", "Bidirect(GenKautz(2,9))", "Bidirect(Kautz(2,2))",
		"Bidirect(Ring(5))", "Line(Bidirect(DC(5;1)),1)", "Power(Line(K(2,2),1),2)", "Line(Power(UniRing(2,2),2),1)",
		"Line(Degree(UniRing(1,3),2),1)", "Transpose(Bidirect(Line(DC(5;1,2),1)))", "Degree(Transpose(Line(GenKautz(2,6),1)),2)",
		"Power(DBT(5),2)", "Degree(DBT(6),2)", "Bidirect(DBT(6))", "Line(Diamond,1)", "Degree(DistReg(Petersen),2)",
	} {
		g := parse(t, expr)
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			s := must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, expr), expand.Options{Op: op, Methods: expand.OnlyConstruction}))
			if s.Op != op || !s.Graph.Equal(g) || s.Graph.Name() != expr {
				t.Errorf("%s: %v on %s with other circuits", expr, s.Op, s.Graph.Name())
			}
			checkSchedule(t, s)
		}
	}
}

// TestLineOfBroadcastKeepsToShortestPaths: Theorem 10, its first part.
func TestLineOfBroadcastKeepsToShortestPaths(t *testing.T) {
	for _, expr := range []string{"K(2,2)", "Ring(5)", "DC(7;1,3)", "GenKautz(2,9)", "DeBruijn(2,3)", "Kautz(3,1)"} {
		a := must[*expand.Allgather](t)(expand.Line(ctx, broadcast(t, parse(t, expr)), 2))
		n := a.Nodes
		dist := make([][]int32, n)
		for v := range dist {
			dist[v] = make([]int32, n)
			a.Graph.Distances(v, dist[v], make([]int32, 0, n))
		}
		for step, x := range a.All() {
			if int(dist[x.Shard][x.Dst]) != step || int(dist[x.Shard][x.Src]) != step-1 {
				t.Fatalf("%s, step %d: %v", a.Derivation, step, x)
			}
		}
	}
}

// TestConstructionsNeedNotKeepToShortestPaths: in a power, parts go along the dimensions
// in turn, and a shard is passed on before all of it has come.
func TestConstructionsNeedNotKeepToShortestPaths(t *testing.T) {
	a := must[*expand.Allgather](t)(expand.Power(broadcast(t, parse(t, "K(3)")), 2))
	for x := range a.Transfers(2) {
		if length := x.To.Rat(); length.Sub(length, x.From.Rat()).Cmp(rat(t, "1/2")) != 0 {
			t.Errorf("step 2: %v is not half of a shard", x)
		}
	}
	late := must[*expand.Allgather](t)(expand.Degree(broadcast(t, parse(t, "Ring(4)")), 2))
	if d, _ := late.Graph.Diameter(); d >= late.Steps {
		t.Errorf("%s: %d steps at diameter %d, want more", late.Derivation, late.Steps, d)
	}
}

func TestAllYieldsTheTransfersOfAllSteps(t *testing.T) {
	for _, expr := range []string{"Line(DC(5;1,1,2),2)", "Degree(Ring(5),2)", "Power(GenKautz(2,5),2)", "Bidirect(Line(GenKautz(2,5),1))", "K(4)"} {
		s := must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, expr), expand.Options{Op: bfb.AllReduce, Methods: expand.OnlyConstruction}))
		together := make([]map[bfb.Transfer]int, s.Steps+2)
		for i := range together {
			together[i] = map[bfb.Transfer]int{}
		}
		for step, x := range s.All() {
			together[step][x]++
		}
		for step := -1; step <= s.Steps+1; step++ {
			for x := range s.Transfers(step) {
				if together[step][x]--; together[step][x] != 0 {
					t.Fatalf("%s, step %d: %v is not once in All", expr, step, x)
				}
				delete(together[step], x)
			}
		}
		for step, left := range together {
			if len(left) > 0 {
				t.Errorf("%s, step %d: %d transfers are only in All", expr, step, len(left))
			}
		}
	}
}

func TestStreamsStopWhenAsked(t *testing.T) {
	for _, expr := range []string{"Line(UniRing(2,3),2)", "Degree(Ring(3),2)", "Power(Ring(3),2)", "Bidirect(GenKautz(2,5))", "Transpose(Line(GenKautz(2,5),1))", "K(4)"} {
		s := must[*expand.Schedule](t)(expand.Solve(ctx, parseExpr(t, expr), expand.Options{Op: bfb.AllReduce, Methods: expand.OnlyConstruction}))
		total := 0
		for range s.All() {
			total++
		}
		for stop := range total {
			seen := 0
			for range s.All() {
				if seen++; seen > stop {
					break
				}
			}
		}
		for step := 1; step <= s.Steps; step++ {
			for range s.Transfers(step) {
				break
			}
		}
	}
}
