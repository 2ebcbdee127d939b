package climb_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/topology"
)

// TestMeasureIsTheScheduler: the tables of sets give what flows do.
func TestMeasureIsTheScheduler(t *testing.T) {
	graphs := []string{"Regular(15,3,2)", "Regular(20,5,1)", "DC(17;1,3,9)", "Idle(Ring(7),1)", "GenKautz(3,20)", "Transpose(GenKautz(4,22))",
		"DBT(15)", "DC(6;1,1,2,5)", "DistReg(O4)", "Insert(K(4),0,3)", "Remove(Torus(3,4),5,2)", "Mesh(3,4)", "UniRing(8,5)"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		n, d := 5+random.IntN(20), 2+random.IntN(3)
		var edges []topology.Edge
		for range d {
			to := random.Perm(n)
			for u, v := range to {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
		graphs = append(graphs, topology.EdgesOf(topology.New(n, "", edges)).String())
	}
	for _, expr := range graphs {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		steps, time, ok := climb.Measure(g, g.Nodes())
		s, err := bfb.Solve(context.Background(), g, bfb.Options{Op: bfb.AllGather})
		if err != nil {
			if ok {
				t.Errorf("%s is not connected, but takes %d steps", expr, steps)
			}
			continue
		}
		if !ok || steps != s.Steps || time.Cmp(s.Time) != 0 {
			t.Errorf("%s: %d steps and %v, want %d and %v", expr, steps, time, s.Steps, s.Time)
		}
		if _, _, ok := climb.Measure(g, s.Steps-1); ok {
			t.Errorf("%s takes fewer than %d steps", expr, s.Steps)
		}
	}
	if _, _, ok := climb.Measure(topology.Complete(10), 1); ok {
		t.Error("nine circuits into a node are measured")
	}
}

// TestDiameter: it is that of a search from every node.
func TestDiameter(t *testing.T) {
	for _, expr := range []string{"Ring(7)", "UniRing(2,70)", "K(5)", "GenKautz(3,200)", "Regular(90,3,1)", "Regular(131,5,2)", "Torus(5,6)",
		"Edges(3;0,1,1,1,0,1,2,2,1)", "Edges(12;0,1,1,1,2,1,2,0,1,3,4,1,4,5,1,5,3,1,6,7,1,7,8,1,8,9,1,9,10,1,10,11,1,11,6,1)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		want, connected := g.Diameter()
		for limit := max(0, want-1); limit < want+2; limit++ {
			got, ok := climb.Diameter(g, limit)
			if ok != (connected && want <= limit) || ok && got != want {
				t.Errorf("%s: diameter %d (%v) within %d, want %d (%v)", expr, got, ok, limit, want, connected)
			}
		}
	}
}

// TestPatience: a search that accepts no loss finds the same graph after the same number of
// moves, however many more moves are allowed, and restarts until it finds one.
func TestPatience(t *testing.T) {
	task := climb.Task{Nodes: 17, Degree: 2, Width: 17, Diameter: 4, Moves: 20_000, Seed: 1, Far: 16 * climb.DefaultFar, Patience: 500}
	found, err := climb.Climb(context.Background(), task)
	if err != nil || found == nil {
		t.Fatalf("%v, %v", found, err)
	}
	task.Moves = found.Moves
	again, err := climb.Climb(context.Background(), task)
	if err != nil || again == nil || !again.Graph.Equal(found.Graph) || again.Moves != found.Moves {
		t.Errorf("%+v after %d moves, %+v the second time (%v)", found, found.Moves, again, err)
	}
	task.Moves--
	if fewer, err := climb.Climb(context.Background(), task); err != nil || fewer != nil && fewer.Bandwidth.Cmp(found.Bandwidth) <= 0 {
		t.Errorf("%+v after fewer moves (%v)", fewer, err)
	}
	steps, bandwidth, err := bfb.Cost(context.Background(), found.Graph, bfb.AllReduce)
	if err != nil || steps != found.Steps || bandwidth.Cmp(found.Bandwidth) != 0 {
		t.Errorf("%d steps and %v, want %+v (%v)", steps, bandwidth, found, err)
	}
}

// tasks have graphs of every kind: one-way and two-way, with and without turns, with circuits
// half-way round the circle, and with an unused port.
var tasks = []climb.Task{
	{Nodes: 9, Degree: 2, Width: 9, Diameter: 3},
	{Nodes: 9, Degree: 2, Width: 3, Diameter: 3},
	{Nodes: 24, Degree: 3, Width: 2, Diameter: 4},
	{Nodes: 20, Degree: 3, Width: 1, Diameter: 5, TwoWay: true},
	{Nodes: 30, Degree: 3, Width: 3, Diameter: 5, TwoWay: true},
	{Nodes: 15, Degree: 3, Width: 15, Diameter: 4, TwoWay: true},
	{Nodes: 25, Degree: 4, Width: 5, Diameter: 3, TwoWay: true},
}

// TestFoundGraphsCostWhatTheySay: graphs are within the diameter, have the right degree, and
// are the same every time.
func TestFoundGraphsCostWhatTheySay(t *testing.T) {
	for _, task := range tasks {
		task.Moves, task.Seed = 3000, 1
		found, err := climb.Climb(context.Background(), task)
		if err != nil || found == nil {
			t.Errorf("%+v: %v, %v", task, found, err)
			continue
		}
		g := found.Graph
		steps, bandwidth, err := bfb.Cost(context.Background(), g, bfb.AllReduce)
		if err != nil || steps != found.Steps || steps > 2*task.Diameter || bandwidth.Cmp(found.Bandwidth) != 0 {
			t.Errorf("%+v: %d steps and %v, want %d and %v (%v)", task, found.Steps, found.Bandwidth, steps, bandwidth, err)
		}
		if g.Nodes() != task.Nodes || g.Degree() != task.Degree || !g.Regular() || task.TwoWay && !g.Bidirectional() {
			t.Errorf("%+v: %d nodes of degree %d, two-way %v", task, g.Nodes(), g.Degree(), g.Bidirectional())
		}
		for e := range g.Edges() {
			if g.Count((e.From+task.Width)%task.Nodes, (e.To+task.Width)%task.Nodes) != e.Count {
				t.Errorf("%+v: no circuit a turn on from %v", task, e)
			}
		}
		again, err := climb.Climb(context.Background(), task)
		if err != nil || !again.Graph.Equal(g) {
			t.Errorf("%+v: another graph the second time (%v)", task, err)
		}
	}
}

// TestBoundsAreMet: nine nodes of two ports in six steps at the least bandwidth.
func TestBoundsAreMet(t *testing.T) {
	task := climb.Task{Nodes: 9, Degree: 2, Width: 3, Diameter: 3, Moves: 3000, Enough: big.NewRat(16, 9)}
	found, err := climb.Climb(context.Background(), task)
	if err != nil || found == nil || found.Bandwidth.Cmp(task.Enough) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// TestAnEndedContextEndsTheSearch: with its error.
func TestAnEndedContextEndsTheSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := climb.Climb(ctx, climb.Task{Nodes: 20, Degree: 2, Width: 20, Diameter: 5, Moves: 1 << 20}); err != context.Canceled {
		t.Error(err)
	}
}
