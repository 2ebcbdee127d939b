package flow_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// circulant has one circuit from every node to each of the given offsets.
func circulant(n int, offsets ...int) *topology.Graph {
	var edges []topology.Edge
	for u := range n {
		for _, o := range offsets {
			edges = append(edges, topology.Edge{From: u, To: ((u+o)%n + n) % n, Count: 1})
		}
	}
	return topology.New(n, "circulant", edges)
}

func twoWayRing(n int) *topology.Graph { return circulant(n, 1, -1) }

// torus is the two-way torus, node (i, j) having number i*b + j.
func torus(a, b int) *topology.Graph {
	var edges []topology.Edge
	for i := range a {
		for j := range b {
			for _, to := range []int{(i+1)%a*b + j, (i+a-1)%a*b + j, i*b + (j+1)%b, i*b + (j+b-1)%b} {
				edges = append(edges, topology.Edge{From: i*b + j, To: to, Count: 1})
			}
		}
	}
	return topology.New(a*b, "torus", edges)
}

// kautz is the generalised Kautz graph of Imase and Itoh.
func kautz(n, d int) *topology.Graph {
	var edges []topology.Edge
	for u := range n {
		for k := 1; k <= d; k++ {
			edges = append(edges, topology.Edge{From: u, To: ((-d*u-k)%n + n) % n, Count: 1})
		}
	}
	return topology.New(n, "kautz", edges)
}

// shift sends amount from every node to the node k further on.
func shift(n, k int, amount float64) []flow.Demand {
	demands := make([]flow.Demand, n)
	for u := range n {
		demands[u] = flow.Demand{Src: u, Dst: (u + k) % n, Amount: amount}
	}
	return demands
}

// permutation returns the demands of a random permutation, without its fixed points.
func permutation(rng *rand.Rand, n int) []flow.Demand {
	var demands []flow.Demand
	for u, v := range rng.Perm(n) {
		if u != v {
			demands = append(demands, flow.Demand{Src: u, Dst: v, Amount: 1})
		}
	}
	return demands
}

func allToAll(n int, amount func() float64) []flow.Demand {
	var demands []flow.Demand
	for u := range n {
		for v := range n {
			if u != v {
				demands = append(demands, flow.Demand{Src: u, Dst: v, Amount: amount()})
			}
		}
	}
	return demands
}

// connected is a random strongly connected graph: a Hamiltonian cycle and more, with parallel
// circuits and an occasional self-loop.
func connected(rng *rand.Rand, n, degree int) *topology.Graph {
	var edges []topology.Edge
	for range degree {
		order := rng.Perm(n)
		for i, u := range order {
			v := order[(i+1)%n]
			if len(edges) >= n && rng.IntN(2) == 0 {
				v = rng.IntN(n)
			}
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1 + rng.IntN(4)/3*2})
		}
	}
	return topology.New(n, "random", edges)
}

func solve(t testing.TB, p flow.Problem, policy flow.Policy) *flow.Result {
	t.Helper()
	res, err := flow.Solve(context.Background(), p, policy)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

func checkPeak(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !near(got, want, 1e-9) {
		t.Errorf("%s: peak %.12g, want %.12g", what, got, want)
	}
}

// checkResult verifies the properties of every result.
func checkResult(t *testing.T, what string, p flow.Problem, res *flow.Result) {
	t.Helper()
	load, err := flow.LoadOf(p.Graph, p.Group, p.Demands, res.Routes)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if !near(load.Peak, res.Load.Peak, 1e-12) || load.Hops != res.Load.Hops || !near(load.Dilation, res.Load.Dilation, 1e-12) {
		t.Errorf("%s: load %+v, but the routes have %+v", what, res.Load, load)
	}
	if res.Bound > res.Load.Peak || res.Bound <= 0 {
		t.Errorf("%s: bound %v with peak %v", what, res.Bound, res.Load.Peak)
	}
}

func TestTwoWayRingShiftPeakIsKTimesNMinusKOverN(t *testing.T) {
	for _, n := range []int{3, 5, 8, 16, 31, 64} {
		for k := 1; k < n; k += 1 + n/8 {
			p := flow.Problem{Graph: twoWayRing(n), Demands: shift(n, k, 3)[:1], Group: topology.Rotations(n, 1)}
			res := solve(t, p, flow.Optimal)
			what := fmt.Sprintf("n=%d k=%d", n, k)
			checkPeak(t, what, res.Load.Peak, 3*float64(k*(n-k))/float64(n))
			checkResult(t, what, p, res)
		}
	}
}

func TestDirectedRingShiftPeakIsK(t *testing.T) {
	for _, n := range []int{2, 7, 64} {
		for k := 1; k < n; k += 3 {
			full := flow.Problem{Graph: circulant(n, 1), Demands: shift(n, k, 5)}
			one := flow.Problem{Graph: full.Graph, Demands: full.Demands[:1], Group: topology.Rotations(n, 1)}
			for _, p := range []flow.Problem{full, one} {
				res := solve(t, p, flow.Optimal)
				want := flow.Load{Peak: 5 * float64(k), Hops: k, Dilation: 5 * float64(k)}
				if res.Load != want || res.Method != flow.MethodUnique || res.Bound != want.Peak {
					t.Errorf("n=%d k=%d: %+v by %s, bound %v, want %+v", n, k, res.Load, res.Method, res.Bound, want)
				}
				checkResult(t, "directed ring", p, res)
			}
		}
	}
}

func TestSwingDistancesOnTwoWayRing(t *testing.T) {
	const n = 64
	for s, want := range []float64{1, 1, 2, 3, 6, 11} {
		rho := (1 - int(math.Pow(-2, float64(s+1)))) / 3
		var demands []flow.Demand
		for u := range n {
			v := u + rho
			if u%2 == 1 {
				v = u - rho
			}
			demands = append(demands, flow.Demand{Src: u, Dst: (v + n) % n, Amount: 1})
		}
		full := flow.Problem{Graph: twoWayRing(n), Demands: demands}
		even := flow.Problem{Graph: full.Graph, Demands: demands[:2], Group: topology.Rotations(n, 2)}
		for _, p := range []flow.Problem{full, even} {
			res := solve(t, p, flow.Shortest)
			checkPeak(t, fmt.Sprintf("step %d", s), res.Load.Peak, want)
			checkResult(t, "swing", p, res)
		}
	}
}

func TestTiesGoClockwise(t *testing.T) {
	for u, path := range [][]int32{{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {3, 0, 1}} {
		p := flow.Problem{Graph: twoWayRing(4), Demands: shift(4, 2, 1)[u : u+1]}
		if res := solve(t, p, flow.Shortest); !reflect.DeepEqual(res.Routes[0][0].Path, path) {
			t.Errorf("route %v, want %v", res.Routes[0][0].Path, path)
		}
	}
}

func TestSplitFollowsCircuits(t *testing.T) {
	// Two ways from 0 to 3: three circuits through 1, one through 2.
	g := topology.New(4, "diamond", []topology.Edge{
		{From: 0, To: 1, Count: 3}, {From: 0, To: 2, Count: 1}, {From: 1, To: 3, Count: 1}, {From: 2, To: 3, Count: 1}})
	p := flow.Problem{Graph: g, Demands: []flow.Demand{{Src: 0, Dst: 3, Amount: 8}}}
	res := solve(t, p, flow.ShortestSplit)
	want := [][]flow.Route{{{Path: []int32{0, 1, 3}, Share: 0.75}, {Path: []int32{0, 2, 3}, Share: 0.25}}}
	if !reflect.DeepEqual(res.Routes, want) {
		t.Errorf("routes %v, want %v", res.Routes, want)
	}
	if load := (flow.Load{Peak: 6, Hops: 2, Dilation: 8}); res.Load != load {
		t.Errorf("load %+v, want %+v", res.Load, load)
	}
	if best := solve(t, p, flow.Optimal); best.Load.Peak != 4 {
		t.Errorf("optimal peak %v, want 4", best.Load.Peak)
	}
}

func TestSplitEqualsPassProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for range samples.Draws(20, 40) {
		n := 4 + rng.IntN(16)
		p := flow.Problem{Graph: connected(rng, n, 2+rng.IntN(4)), Demands: permutation(rng, n)}
		if len(p.Demands) == 0 {
			continue
		}
		res := solve(t, p, flow.ShortestSplit)
		checkResult(t, "split", p, res)
		for i, routes := range res.Routes {
			if len(routes) > p.Graph.Bundles() {
				t.Errorf("%d routes over %d bundles", len(routes), p.Graph.Bundles())
			}
			hops := len(routes[0].Path)
			for _, r := range routes {
				if len(r.Path) != hops {
					t.Errorf("demand %v: routes of different lengths", p.Demands[i])
				}
			}
		}
	}
}

func TestSymmetricProgramEqualsFullProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	type system struct {
		g     *topology.Graph
		group topology.Translations
	}
	systems := []system{
		{circulant(12, 1, -1), topology.Rotations(12, 1)},
		{circulant(16, 1, 5, -3), topology.Rotations(16, 1)},
		{circulant(18, 2, 3), topology.Rotations(18, 1)},
		{circulant(12, 1, -1, 4), topology.Rotations(12, 2)},
		{torus(4, 4), topology.Translation(4, 4)},
		{torus(3, 5), topology.Translation(3, 5)},
		{torus(4, 4), topology.Translations{Dims: []int{4, 4}, Stride: []int{2, 1}}},
	}
	for _, s := range systems {
		n, order := s.g.Nodes(), s.group.Order()
		for range 4 {
			var some, all []flow.Demand
			for range 1 + rng.IntN(3) {
				d := flow.Demand{Src: rng.IntN(n), Amount: 1 + rng.Float64()}
				d.Dst = (d.Src + 1 + rng.IntN(n-1)) % n
				some = append(some, d)
				for k := range order {
					all = append(all, flow.Demand{Src: s.group.Apply(k, d.Src), Dst: s.group.Apply(k, d.Dst), Amount: d.Amount})
				}
			}
			small := flow.Problem{Graph: s.g, Demands: some, Group: s.group}
			full := flow.Problem{Graph: s.g, Demands: all}
			for _, policy := range []flow.Policy{flow.Optimal, flow.ShortestSplit} {
				a, b := solve(t, small, policy), solve(t, full, policy)
				checkPeak(t, fmt.Sprintf("%s %v %s", s.g.Name(), some, policy), a.Load.Peak, b.Load.Peak)
				checkResult(t, "small", small, a)
				checkResult(t, "full", full, b)
			}
			// The images of the symmetric routes have the same load as a whole.
			a := solve(t, small, flow.Optimal)
			var images [][]flow.Route
			for _, routes := range a.Routes {
				for k := range order {
					var moved []flow.Route
					for _, r := range routes {
						path := make([]int32, len(r.Path))
						for i, u := range r.Path {
							path[i] = int32(s.group.Apply(k, int(u)))
						}
						moved = append(moved, flow.Route{Path: path, Share: r.Share})
					}
					images = append(images, moved)
				}
			}
			load, err := flow.LoadOf(s.g, topology.Translations{}, all, images)
			if err != nil {
				t.Fatal(err)
			}
			checkPeak(t, "images", load.Peak, a.Load.Peak)
		}
	}
}

func TestOptimumEqualsEdgeFormulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	columns := 0
	for i := range samples.Draws(75, 150) {
		n := 3 + rng.IntN(4)
		p := flow.Problem{Graph: connected(rng, n, 2+rng.IntN(2))}
		for range 1 + rng.IntN(5) {
			u := rng.IntN(n)
			p.Demands = append(p.Demands, flow.Demand{Src: u, Dst: (u + 1 + rng.IntN(n-1)) % n, Amount: float64(1 + rng.IntN(4))})
		}
		res := solve(t, p, flow.Optimal)
		if want := minPeak(p.Graph, p.Demands); !near(res.Load.Peak, want, 1e-7) {
			t.Errorf("case %d: peak %v by %s, twin says %v", i, res.Load.Peak, res.Method, want)
		}
		if res.Method == flow.MethodColumns {
			columns++
		}
		checkResult(t, fmt.Sprint("case ", i), p, res)
	}
	if columns < samples.Draws(15, 30) {
		t.Errorf("only %d cases came to the linear program", columns)
	}
}

func TestBoundMeetsPeakOnRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for i := range samples.Draws(60, 120) {
		n, degree := 4+rng.IntN(21), 1+rng.IntN(4)
		p := flow.Problem{Graph: connected(rng, n, degree)}
		kind := [...]string{"permutation", "partial", "all-to-all", "uneven all-to-all"}[i%4]
		switch kind {
		case "permutation":
			p.Demands = permutation(rng, n)
		case "partial":
			p.Demands = permutation(rng, n)
			p.Demands = p.Demands[:(len(p.Demands)+1)/2]
		case "all-to-all":
			p.Demands = allToAll(n, func() float64 { return 1e6 })
		default:
			p.Demands = allToAll(n, rng.ExpFloat64)
		}
		if len(p.Demands) == 0 {
			continue
		}
		what := fmt.Sprintf("case %d: %s, n=%d, degree %d", i, kind, n, degree)
		best := solve(t, p, flow.Optimal)
		checkResult(t, what, p, best)
		if best.Load.Peak > best.Bound*(1+1e-7) {
			t.Errorf("%s: peak %.12g, bound %.12g by %s", what, best.Load.Peak, best.Bound, best.Method)
		}
		for _, policy := range []flow.Policy{flow.Shortest, flow.ShortestSplit} {
			res := solve(t, p, policy)
			checkResult(t, what, p, res)
			if res.Load.Peak < best.Bound*(1-1e-9) || res.Bound > best.Load.Peak*(1+1e-9) {
				t.Errorf("%s: %s has peak %v and bound %v, optimum is %v", what, policy, res.Load.Peak, res.Bound, best.Load.Peak)
			}
		}
	}
}

func TestBottleneckDecides(t *testing.T) {
	// Two complete graphs, joined by two circuits each way between one pair.
	const half = 7
	edges := []topology.Edge{{From: 0, To: half, Count: 2}, {From: half, To: 0, Count: 2}}
	for u := range 2 * half {
		for v := range 2 * half {
			if u != v && u/half == v/half {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	p := flow.Problem{
		Graph:   topology.New(2*half, "dumbbell", edges),
		Demands: allToAll(2*half, func() float64 { return 1e9 }),
	}
	res := solve(t, p, flow.Optimal)
	checkPeak(t, "dumbbell", res.Load.Peak, 1e9*half*half/2)
	checkPeak(t, "dumbbell bound", res.Bound, 1e9*half*half/2)
	checkResult(t, "dumbbell", p, res)
}

// bytesTimesHops is the total of bytes x hops of a routing.
func bytesTimesHops(p flow.Problem, res *flow.Result) float64 {
	total := 0.0
	for i, routes := range res.Routes {
		for _, r := range routes {
			total += r.Share * p.Demands[i].Amount * float64(len(r.Path)-1)
		}
	}
	return total
}

func TestOptimalPrefersFewHops(t *testing.T) {
	// Half of the first demand must go the long way round, on which the second would have room,
	// too, but nothing to gain.
	p := flow.Problem{Graph: twoWayRing(9), Demands: []flow.Demand{
		{Src: 0, Dst: 1, Amount: 4}, {Src: 3, Dst: 5, Amount: 1}}}
	res := solve(t, p, flow.Optimal)
	checkPeak(t, "ring of 9", res.Load.Peak, 2)
	if total, want := bytesTimesHops(p, res), 2.0*1+2*8+1*2; !near(total, want, 1e-6) {
		t.Errorf("bytes x hops %v, want %v", total, want)
	}
}

func TestHopsEqualEdgeFormulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 0))
	for i := range samples.Draws(50, 100) {
		n := 4 + rng.IntN(3)
		p := flow.Problem{Graph: connected(rng, n, 2+rng.IntN(2)), Demands: permutation(rng, n)}
		if len(p.Demands) == 0 {
			continue
		}
		res := solve(t, p, flow.Optimal)
		if total, want := bytesTimesHops(p, res), minHops(p.Graph, p.Demands, res.Load.Peak*(1+1e-8)); !near(total, want, 1e-5) {
			t.Errorf("case %d: bytes x hops %v by %s, twin says %v", i, total, res.Method, want)
		}
	}
}

func TestResultsRepeat(t *testing.T) {
	p := flow.Problem{Graph: kautz(24, 3), Demands: permutation(rand.New(rand.NewPCG(8, 0)), 24)}
	for _, policy := range []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit} {
		if a, b := solve(t, p, policy), solve(t, p, policy); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two runs differ", policy)
		}
	}
}

func TestUnreachableDemand(t *testing.T) {
	chain := []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}, {From: 3, To: 3, Count: 1}}
	fork := append([]topology.Edge{{From: 0, To: 2, Count: 1}}, chain...)
	for _, edges := range [][]topology.Edge{chain, fork} {
		for _, pair := range [][2]int{{2, 0}, {0, 3}, {3, 1}} {
			p := flow.Problem{Graph: topology.New(4, "chain", edges), Demands: []flow.Demand{{Src: pair[0], Dst: pair[1], Amount: 1}}}
			for _, policy := range []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit} {
				_, err := flow.Solve(context.Background(), p, policy)
				if !errors.Is(err, flow.ErrUnreachable) || !strings.Contains(err.Error(), fmt.Sprintf("%d -> %d", pair[0], pair[1])) {
					t.Errorf("%v %s: %v", pair, policy, err)
				}
			}
		}
	}
}

func TestBadProblems(t *testing.T) {
	ring := twoWayRing(6)
	ok := []flow.Demand{{Src: 0, Dst: 2, Amount: 1}}
	cases := []struct {
		name   string
		p      flow.Problem
		policy flow.Policy
		want   error
	}{
		{"policy", flow.Problem{Graph: ring, Demands: ok}, "fastest", flow.ErrPolicy},
		{"node", flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 0, Dst: 6, Amount: 1}}}, flow.Optimal, flow.ErrDemand},
		{"to itself", flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 3, Dst: 3, Amount: 1}}}, flow.Optimal, flow.ErrDemand},
		{"nothing", flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 3, Dst: 4}}}, flow.Optimal, flow.ErrDemand},
		{"not a number", flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 3, Dst: 4, Amount: math.NaN()}}}, flow.Optimal, flow.ErrDemand},
		{"endless", flow.Problem{Graph: ring, Demands: []flow.Demand{{Src: 3, Dst: 4, Amount: math.Inf(1)}}}, flow.Optimal, flow.ErrDemand},
		{"group of another size", flow.Problem{Graph: ring, Demands: ok, Group: topology.Rotations(5, 1)}, flow.Optimal, flow.ErrNotInvariant},
		{"group that moves circuits", flow.Problem{Graph: kautz(6, 2), Demands: ok, Group: topology.Rotations(6, 1)}, flow.Optimal, flow.ErrNotInvariant},
	}
	for _, c := range cases {
		if _, err := flow.Solve(context.Background(), c.p, c.policy); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

func TestNoDemandsNoLoad(t *testing.T) {
	for _, g := range []*topology.Graph{twoWayRing(6), circulant(6, 1)} {
		for _, policy := range []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit} {
			res := solve(t, flow.Problem{Graph: g}, policy)
			if res.Load != (flow.Load{}) || res.Bound != 0 || len(res.Routes) != 0 {
				t.Errorf("%s: %+v", policy, res)
			}
		}
	}
}

// countdown is a context that is cancelled after a number of checks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledContextEndsTheSolve(t *testing.T) {
	p := flow.Problem{Graph: kautz(24, 3), Demands: permutation(rand.New(rand.NewPCG(9, 0)), 24)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, policy := range []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit} {
		if _, err := flow.Solve(ctx, p, policy); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", policy, err)
		}
	}
	// This holds wherever the solver is at that moment.
	total := &countdown{context.Background(), 1 << 30}
	if _, err := flow.Solve(total, p, flow.Optimal); err != nil {
		t.Fatal(err)
	}
	looks := 1<<30 - total.left
	for left := 0; left < looks; left += 1 + looks/50 {
		if _, err := flow.Solve(&countdown{context.Background(), left}, p, flow.Optimal); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at look %d of %d: error %v", left, looks, err)
		}
	}
}

func TestParsePolicyNamesWhatIsAccepted(t *testing.T) {
	for _, name := range []string{"optimal", "shortest", "shortest-split"} {
		if p, err := flow.ParsePolicy(name); err != nil || string(p) != name {
			t.Errorf("%s: %q, %v", name, p, err)
		}
	}
	_, err := flow.ParsePolicy("ecmp")
	if !errors.Is(err, flow.ErrPolicy) {
		t.Fatalf("error %v", err)
	}
	for _, name := range []string{"ecmp", "optimal", "shortest", "shortest-split"} {
		if !strings.Contains(err.Error(), `"`+name+`"`) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}

func TestLoadOfRefusesRoutesThatDoNotCarryTheDemand(t *testing.T) {
	ring := twoWayRing(6)
	demands := []flow.Demand{{Src: 0, Dst: 2, Amount: 1}}
	good := flow.Route{Path: []int32{0, 1, 2}, Share: 1}
	if _, err := flow.LoadOf(ring, topology.Translations{}, demands, [][]flow.Route{{good}}); err != nil {
		t.Fatal(err)
	}
	bad := map[string][]flow.Route{
		"missing circuit":   {{Path: []int32{0, 2}, Share: 1}},
		"wrong start":       {{Path: []int32{1, 2}, Share: 1}},
		"wrong end":         {{Path: []int32{0, 1}, Share: 1}},
		"empty":             {{Share: 1}},
		"visits twice":      {{Path: []int32{0, 1, 0, 1, 2}, Share: 1}},
		"outside the graph": {{Path: []int32{0, 7, 2}, Share: 1}},
		"too little":        {{Path: good.Path, Share: 0.9}},
		"too much":          {good, {Path: []int32{0, 5, 4, 3, 2}, Share: 0.1}},
		"negative":          {{Path: good.Path, Share: 1.5}, {Path: []int32{0, 5, 4, 3, 2}, Share: -0.5}},
		"not a number":      {{Path: good.Path, Share: math.NaN()}},
		"no route":          nil,
	}
	for name, routes := range bad {
		if _, err := flow.LoadOf(ring, topology.Translations{}, demands, [][]flow.Route{routes}); !errors.Is(err, flow.ErrRoute) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := flow.LoadOf(ring, topology.Translations{}, demands, nil); !errors.Is(err, flow.ErrRoute) {
		t.Errorf("no routes at all: error %v", err)
	}
	if _, err := flow.LoadOf(ring, topology.Rotations(4, 1), demands, [][]flow.Route{{good}}); !errors.Is(err, flow.ErrNotInvariant) {
		t.Errorf("group of another size: error %v", err)
	}
}
