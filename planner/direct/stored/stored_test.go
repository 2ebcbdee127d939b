package stored_test

import (
	"math"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/topology"
)

// TestStoredGraphsCostWhatTheySay: a schedule on every graph has the stored cost.
func TestStoredGraphsCostWhatTheySay(t *testing.T) {
	for _, s := range slices.Concat(stored.All(), stored.AllGrouped()) {
		g, err := s.Expr.Build()
		if err != nil {
			t.Errorf("%v: %v", s.Expr, err)
			continue
		}
		steps, bandwidth, err := bfb.Cost(t.Context(), g, cellOf(s).options().Op)
		if err != nil || steps != s.Steps || bandwidth.Cmp(s.Bandwidth) != 0 {
			t.Errorf("%s: %d steps and %v, want %d and %v (%v)", s.Line(), steps, bandwidth, s.Steps, s.Bandwidth, err)
		}
		if g.Nodes() != s.Nodes || g.Degree() != s.Degree || !g.Regular() || g.Bidirectional() != s.TwoWay {
			t.Errorf("%s: %d nodes of degree %d, two-way %v", s.Line(), g.Nodes(), g.Degree(), g.Bidirectional())
		}
	}
}

// TestStoredPairsCostWhatTheySay: routing all pairs within the stored number of hops puts the
// stored load on the busiest circuit, and the same search finds the graph again.
func TestStoredPairsCostWhatTheySay(t *testing.T) {
	all := stored.AllForPairs()
	for _, s := range all {
		g, err := s.Expr.Build()
		if err != nil {
			t.Errorf("%v: %v", s.Expr, err)
			continue
		}
		var demands []flow.Demand
		for u := range s.Nodes {
			for v := range s.Nodes {
				if u != v {
					demands = append(demands, flow.Demand{Src: u, Dst: v, Amount: 1})
				}
			}
		}
		result, err := flow.Solve(t.Context(), flow.Problem{Graph: g, Demands: demands, MaxHops: s.Steps, Exact: true}, flow.Optimal)
		if want, _ := s.Bandwidth.Float64(); err != nil || math.Abs(result.Load.Peak-want) > 1e-6 {
			t.Errorf("%s: %v (%v)", s.Line(), result, err)
		}
		again, err := climb.Climb(t.Context(), s.Task)
		if err != nil || again == nil {
			t.Errorf("%s: %v, %v", s.Line(), again, err)
			continue
		}
		if expr, ok := topology.CodeOf(again.Graph, s.Task.Width); !ok || expr.String() != s.Expr.String() {
			t.Errorf("%s: the search gives %v", s.Line(), expr)
		}
	}
	if len(all) < 10 {
		t.Errorf("only %d graphs", len(all))
	}
}

// TestStoredGraphsAreOfUse: each graph adds a point to the frontier.
func TestStoredGraphsAreOfUse(t *testing.T) {
	type search struct {
		cell
		unstored bool
	}
	finders := map[search]*finder.Finder{}
	frontier := func(s search, n int) []finder.Point {
		s.nodes = 0
		if finders[s] == nil {
			opts := s.options()
			opts.Unstored = s.unstored
			finders[s] = finder.New(s.degree, opts)
		}
		points, err := finders[s].Frontier(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		return points
	}
	for i, s := range stored.All() {
		if i%4 > 0 && os.Getenv("LIGHTPATH_LONG") == "" {
			continue // a sample
		}
		covered := func(points []finder.Point) bool {
			return slices.ContainsFunc(points, func(p finder.Point) bool { return p.Steps <= s.Steps && p.Bandwidth.Cmp(s.Bandwidth) <= 0 })
		}
		if covered(frontier(search{cellOf(s), true}, s.Nodes)) {
			t.Errorf("%s: there is one as good without it", s.Line())
		}
		if !covered(frontier(search{cellOf(s), false}, s.Nodes)) {
			t.Errorf("%s is not found", s.Line())
		}
	}
}

// TestSearchesFindWhatIsStored: the same search finds the same graph again. The test repeats only
// the short searches.
func TestSearchesFindWhatIsStored(t *testing.T) {
	found := 0
	all := slices.Concat(stored.All(), stored.AllGrouped())
	swapped := slices.DeleteFunc(slices.Clone(all), func(s stored.Graph) bool { return s.Task.Moves > 0 })
	for _, s := range samples.Few(3, swapped) {
		least, g := opening{cellOf(s), s.Task.Diameter}.swap(t, int(s.Task.Seed), swapsAtOnce)
		if expr, ok := topology.CodeOf(g, s.Nodes); !ok || least.Cmp(s.Bandwidth) != 0 || expr.String() != s.Expr.String() {
			t.Errorf("%s: swaps give %v at %v", s.Line(), expr, least)
		}
	}
	for _, s := range all {
		if s.Task.Moves == 0 || s.Task.Moves*s.Task.Width*s.Nodes*s.Degree<<s.Degree > 1<<26 {
			continue
		}
		found++
		bound, err := finder.Bound(s.Nodes, s.Degree, cellOf(s).options())
		if err != nil {
			t.Fatal(err)
		}
		task := s.Task
		task.Enough = bound.Bandwidth
		again, err := climb.Climb(t.Context(), task)
		if err != nil || again == nil {
			t.Errorf("%s: %v, %v", s.Line(), again, err)
			continue
		}
		if expr, ok := topology.CodeOf(again.Graph, task.Width); !ok || expr.String() != s.Expr.String() {
			t.Errorf("%s: the search gives %v", s.Line(), expr)
		}
	}
	if found < 10 {
		t.Errorf("only %d searches take little time", found)
	}
}

// TestWantedGraphs: graphs known from elsewhere are no better than the stored graphs.
func TestWantedGraphs(t *testing.T) {
	nine := "Edges(9;0,2,1,0,6,1,1,0,1,1,3,1,2,4,1,2,7,1,3,7,1,3,8,1,4,3,1,4,5,1,5,1,1,5,2,1,6,5,1,6,8,1,7,1,1,7,6,1,8,0,1,8,4,1)"
	g, err := topology.Parse(nine)
	if err != nil {
		t.Fatal(err)
	}
	if cost, ok := measured(g, false); !ok || cost.Steps != 6 || cost.Bandwidth.Cmp(big.NewRat(16, 9)) != 0 {
		t.Errorf("%v", cost)
	}
	for _, c := range []struct {
		nodes, degree, steps int
		bandwidth            *big.Rat
	}{
		{9, 2, 6, big.NewRat(16, 9)}, {13, 2, 8, big.NewRat(31, 13)}, {17, 2, 10, big.NewRat(41, 17)}, {29, 3, 8, big.NewRat(72, 29)},
	} {
		points, err := finder.New(c.degree, finder.Options{Op: bfb.AllReduce}).Frontier(t.Context(), c.nodes)
		if err != nil || !slices.ContainsFunc(points, func(p finder.Point) bool { return p.Steps <= c.steps && p.Bandwidth.Cmp(c.bandwidth) <= 0 }) {
			t.Errorf("%+v: %v, %v", c, points, err)
		}
	}
}

// TestTextsThatAreNoGraphs: Read refuses malformed lines.
func TestTextsThatAreNoGraphs(t *testing.T) {
	for _, text := range []string{"one 9 2 6 16/9 3 3 24000 1 64 35 0", "up 9 2 6 16/9 3 3 24000 1 64 35 0 041526", "one 9 2 x 16/9 3 3 24000 1 64 35 0 041526", "one 9 2 6 a/9 3 3 24000 1 64 35 0 041526"} {
		if g, err := stored.Read(text); err == nil {
			t.Errorf("%q is read as %v", text, g)
		}
	}
	for _, g := range stored.All() {
		if again, err := stored.Read(g.Line()); err != nil || again[0].Line() != g.Line() {
			t.Errorf("%s is read as %v (%v)", g.Line(), again, err)
		}
	}
}
