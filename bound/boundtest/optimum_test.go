package boundtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/permutations"
	"github.com/lightpath-net/lightpath/lp"
	"github.com/lightpath-net/lightpath/units"
)

// Every matrix of circuits within the ports is part of a listed graph, under some names of the
// GPUs, or is not connected; and no listed graph is part of another.
func TestGraphsAreAllThereAre(t *testing.T) {
	for _, c := range [][2]int{{2, 1}, {2, 2}, {3, 1}, {3, 2}, {3, 3}, {4, 1}, {4, 2}} {
		n, ports := c[0], c[1]
		list := graphs(n, ports, false)
		fits := func(m [][]int, g *graph) bool {
			for p := range permutations.Of(n) {
				ok := true
				for u := range n {
					for v := range n {
						ok = ok && m[u][v] <= g.circuits[p[u]][p[v]]
					}
				}
				if ok {
					return true
				}
			}
			return false
		}
		for i, g := range list {
			for j, other := range list {
				if i != j && fits(g.circuits, other) {
					t.Errorf("%d GPUs, %d ports: %v is part of %v", n, ports, g.circuits, other.circuits)
				}
			}
		}
		matrix := make([][]int, n)
		for u := range matrix {
			matrix[u] = make([]int, n)
		}
		in := make([]int, n)
		var fill func(u, v, out int)
		fill = func(u, v, out int) {
			switch {
			case u == n:
				if g := newGraph(matrix); len(g.arcs) > 0 && g.connected() && !slices.ContainsFunc(list, func(g *graph) bool { return fits(matrix, g) }) {
					t.Errorf("%d GPUs, %d ports: %v is in none", n, ports, matrix)
				}
			case v == n:
				fill(u+1, 0, 0)
			case u == v:
				fill(u, v+1, out)
			default:
				for count := 0; out+count <= ports && in[v]+count <= ports; count++ {
					matrix[u][v] = count
					in[v] += count
					fill(u, v+1, out+count)
					in[v] -= count
				}
				matrix[u][v] = 0
			}
		}
		fill(0, 0, 0)
	}
}

// everyJourney lists everything that a byte can do, path by path, without prices: the twin of
// cheapest.
func everyJourney(g *graph, d demand, hops []int) []journey {
	var ways func(u, v, left int, used uint) [][]int
	ways = func(u, v, left int, used uint) [][]int {
		if u == v {
			return [][]int{nil}
		}
		var list [][]int
		for i, a := range g.arcs {
			if left > 0 && a.from == u && used>>a.to&1 == 0 {
				for _, rest := range ways(a.to, v, left-1, used|1<<a.to) {
					list = append(list, append([]int{i}, rest...))
				}
			}
		}
		return list
	}
	var all []journey
	var move func(t int, has uint, so journey)
	move = func(t int, has uint, so journey) {
		if t == len(hops) {
			if has&d.targets == d.targets {
				all = append(all, slices.Clone(so))
			}
			return
		}
		var get func(v int, now uint, passed []int)
		get = func(v int, now uint, passed []int) {
			if v == g.nodes {
				move(t+1, now, append(so[:t:t], passed))
				return
			}
			get(v+1, now, passed)
			if has>>v&1 == 0 {
				for u := range g.nodes {
					if has>>u&1 == 1 {
						for _, way := range ways(u, v, hops[t], 1<<u) {
							get(v+1, now|1<<v, append(slices.Clone(passed), way...))
						}
					}
				}
			}
		}
		get(0, has, nil)
	}
	move(0, 1<<d.from, nil)
	return all
}

// The generated program equals one with all journeys listed, solved by another method.
func TestLoadsEqualProgramsOfAllJourneys(t *testing.T) {
	shapes := [][]int{{1}, {2}, {1, 1}, {1, 2}, {2, 1}, {1, 1, 1}}
	compared := 0
	for ports := 1; ports <= 2; ports++ {
		for _, g := range graphs(3, ports, false) {
			for _, op := range []collective.Op{collective.AllGather, collective.AllToAll, collective.Broadcast} {
				for _, demands := range demandsOf(op, 3) {
					for _, hops := range shapes {
						var columns []map[int]float64 // by row
						var of []int
						for k, d := range demands {
							for _, j := range everyJourney(g, d, hops) {
								c := map[int]float64{}
								for s := range j {
									for _, i := range j[s] {
										c[s*len(g.arcs)+i]++
									}
								}
								columns, of = append(columns, c), append(of, k)
							}
						}
						cost := make([]float64, len(hops)+len(columns))
						for s := range hops {
							cost[s] = 1
						}
						program := lp.NewCovering(cost)
						for k, d := range demands {
							var terms []lp.Term
							for i := range columns {
								if of[i] == k {
									terms = append(terms, lp.Term{Column: len(hops) + i, Value: 1})
								}
							}
							program.Add(d.amount, terms...)
						}
						for s := range hops {
							for i, a := range g.arcs {
								terms := []lp.Term{{Column: s, Value: float64(a.count)}}
								for k, c := range columns {
									if c[s*len(g.arcs)+i] > 0 {
										terms = append(terms, lp.Term{Column: len(hops) + k, Value: -c[s*len(g.arcs)+i]})
									}
								}
								program.Add(0, terms...)
							}
						}
						x, ok := program.Solve()
						want := math.Inf(1)
						if ok {
							want = 0
							for s := range hops {
								want += x[s]
							}
						}
						lower, upper := (&spreads{g: g, demands: demands, hops: hops}).load()
						if math.IsInf(want, 1) != math.IsInf(lower, 1) || !math.IsInf(want, 1) && (lower > want*(1+1e-6) || upper < want*(1-1e-6) || upper > lower*(1+1e-6)) {
							t.Errorf("%s on %v, hops %v: %v to %v, all journeys %v", op, g.circuits, hops, lower, upper, want)
						}
						compared++
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d compared", compared)
	}
}

// randomFabric is one with any start-up, hop and delay.
func randomFabric(r *rand.Rand, nodes, ports int) *fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	f.Alpha = units.Duration(20_000 + r.IntN(2_000_000))
	f.Delta = units.Duration(20_000 + r.IntN(1_500_000))
	f.Reconfig.Base = units.Duration(r.IntN(3)) * 4 * units.Microsecond
	return &f
}

// For two-way wirings: every matrix of circuits within the ports that is symmetric is part of a
// listed graph, under some names of the GPUs, or is not connected.
func TestTwoWayGraphsAreAllThereAre(t *testing.T) {
	for _, c := range [][2]int{{2, 1}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {4, 2}, {4, 3}, {5, 2}} {
		n, ports := c[0], c[1]
		list := graphs(n, ports, true)
		matrix, used := make([][]int, n), make([]int, n)
		for u := range matrix {
			matrix[u] = make([]int, n)
		}
		within := func(g *graph) bool {
			for p := range permutations.Of(n) {
				fits := true
				for u := range n {
					for v := range n {
						fits = fits && matrix[u][v] <= g.circuits[p[u]][p[v]]
					}
				}
				if fits {
					return true
				}
			}
			return false
		}
		var fill func(pair int)
		fill = func(pair int) {
			if pair == n*n {
				if newGraph(matrix).connected() && !slices.ContainsFunc(list, within) {
					t.Errorf("%d GPUs, %d ports: %v is in none", n, ports, matrix)
				}
				return
			}
			u, v := pair/n, pair%n
			if u >= v {
				fill(pair + 1)
				return
			}
			for count := 0; used[u]+count <= ports && used[v]+count <= ports; count++ {
				matrix[u][v], matrix[v][u] = count, count
				used[u], used[v] = used[u]+count, used[v]+count
				fill(pair + 1)
				used[u], used[v] = used[u]-count, used[v]-count
			}
			matrix[u][v], matrix[v][u] = 0, 0
		}
		fill(0)
		for _, g := range list {
			for u, row := range g.circuits {
				sum := 0
				for v, count := range row {
					sum += count
					if count != g.circuits[v][u] {
						t.Errorf("%v is not two-way", g.circuits)
					}
				}
				if sum > ports {
					t.Errorf("%v has more than %d ports", g.circuits, ports)
				}
			}
		}
	}
}

// With two-way circuits, no bound is above the time of the fastest plan.
func TestNoTwoWayBoundExceedsTheOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 6))
	near, cases := map[collective.Op]int{}, 180
	for i := range cases {
		nodes, ports := 3+r.IntN(3), 2+r.IntN(2)
		op := Ops[i%len(Ops)]
		if nodes == 5 && op == collective.AllReduce {
			nodes = 4 // as many as are quick
		}
		f := randomFabric(r, nodes, ports)
		f.Duplex = true
		size := units.Bytes(1) << (8 + r.IntN(11))
		s := collective.Section{Op: op, Size: size, Space: collective.SpaceOf(op, nodes, 1)}
		least := bound.OfOperation(f, &s).Total()
		a := Find(Problem{f, op, size}, units.Time(math.Inf(1)))
		if least > a.Lower*(1+1e-6) {
			t.Errorf("%s, %d GPUs, %d ports, %v, start-up %v, hop %v, delay %v: the bound is %v, the fastest plan takes %v", op, nodes, ports, size, f.Alpha, f.Delta, f.Reconfig.Base, least, a.Lower)
		}
		if least > a.Lower/1.02 {
			near[op]++
		}
	}
	t.Log(near)
	for _, op := range Ops {
		if near[op] < 6 {
			t.Errorf("%s: the bound is within 2%% in %d cases only", op, near[op])
		}
	}
}

// No bound is above the time of the fastest plan: a twin of all bounds that shares nothing with
// them. And what is proven is reached.
func TestNoBoundExceedsTheOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	near := map[collective.Op]int{}
	for i := range 160 {
		nodes, ports := 2+r.IntN(4), 1+r.IntN(2)
		op := Ops[i%len(Ops)]
		if nodes == 5 && (op == collective.AllReduce || ports == 2 && r.IntN(3) > 0) {
			nodes = 3 // as many as are quick
		}
		f := randomFabric(r, nodes, ports)
		size := units.Bytes(1) << (8 + r.IntN(11))
		s := collective.Section{Op: op, Size: size, Space: collective.SpaceOf(op, nodes, 1)}
		least := bound.OfOperation(f, &s).Total()
		a := Find(Problem{f, op, size}, units.Time(math.Inf(1)))
		what := fmt.Sprintf("%s, %d GPUs, %d ports, %v, start-up %v, hop %v, delay %v", op, nodes, ports, size, f.Alpha, f.Delta, f.Reconfig.Base)
		if least > a.Lower*(1+1e-6) {
			t.Errorf("%s: the bound is %v, the fastest plan takes %v", what, least, a.Lower)
		}
		if op != collective.AllReduce && a.Upper > a.Lower*(1+1e-6) {
			t.Errorf("%s: proven %v, reached %v", what, a.Lower, a.Upper)
		}
		if least > a.Lower/1.01 {
			near[op]++
		}
	}
	t.Log(near)
	for _, op := range Ops {
		if near[op] < 8 {
			t.Errorf("%s: the bound is within 1%% in %d cases only", op, near[op])
		}
	}
}

// Broadcasts and reductions to up to six GPUs: in few steps, and in sizes between.
func TestNoBroadcastBoundExceedsTheOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	near, cases := 0, 120
	for range cases {
		nodes, ports := 3+r.IntN(4), 1+r.IntN(2)
		if ports == 2 {
			nodes = min(nodes, 5)
		}
		f := randomFabric(r, nodes, ports)
		size := units.Bytes(1) << (12 + r.IntN(6))
		s := collective.Section{Op: collective.Broadcast, Size: size, Space: collective.SpaceOf(collective.Broadcast, nodes, 1)}
		least := bound.OfOperation(f, &s).Total()
		a := Find(Problem{f, collective.Broadcast, size}, units.Time(math.Inf(1)))
		if least > a.Lower*(1+1e-6) {
			t.Errorf("%d GPUs, %d ports, %v, start-up %v, hop %v: the bound is %v, the fastest plan takes %v", nodes, ports, size, f.Alpha, f.Delta, least, a.Lower)
		}
		if f.Reconfig.Base > 0 && least > a.Lower/1.02 {
			near++
		}
	}
	t.Logf("the bound is within 2%% in %d of %d cases", near, cases)
	if near < cases/4 {
		t.Errorf("the bound is within 2%% in %d of %d cases only", near, cases)
	}
}

// Reversed operations take as long, and a limit that is the optimum is recognised as such.
func TestReversedOperationsTakeAsLong(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 12 {
		f := randomFabric(r, 4, 2)
		for _, pair := range [][2]collective.Op{{collective.AllGather, collective.ReduceScatter}, {collective.Broadcast, collective.RootReduce}} {
			a := Find(Problem{f, pair[0], 100 * units.KiB}, units.Time(math.Inf(1)))
			b := Find(Problem{f, pair[1], 100 * units.KiB}, units.Time(math.Inf(1)))
			if math.Abs(float64(a.Lower/b.Lower)-1) > 1e-6 {
				t.Errorf("%s %v, %s %v", pair[0], a.Lower, pair[1], b.Lower)
			}
			if c := Find(Problem{f, pair[0], 100 * units.KiB}, a.Lower); c.Lower != a.Lower || !math.IsInf(float64(c.Upper), 1) {
				t.Errorf("%s: below %v there is %v", pair[0], a.Lower, c.Lower)
			}
		}
	}
}
