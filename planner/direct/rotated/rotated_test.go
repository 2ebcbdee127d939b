package rotated

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// wirings returns graphs of both kinds, with and without line graphs.
func wirings() (all []*Wiring) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		kind
		ports  int
		twoWay bool
	}{
		{kind{120, 8, 0}, 2, false}, {kind{24, 4, 1}, 2, false}, {kind{10, 2, 2}, 3, false}, {kind{96, 8, 0}, 4, true},
		{kind{70, 10, 0}, 3, true}, {kind{64, 16, 0}, 4, false},
	} {
		w := draw(c.kind, c.ports, c.twoWay, random)
		for w == nil || distancesOf(w) == nil {
			w = draw(c.kind, c.ports, c.twoWay, random)
		}
		for range c.lines {
			w = w.Line()
		}
		all = append(all, w)
	}
	return all
}

var costs = []Costs{{1, 1, 0.001, false}, {5, 1, 1, false}, {1, 1, 1, true}, {0, 0, 1, false}, {100, 1, 1, false}}

func build(t *testing.T, w *Wiring) *topology.Graph {
	t.Helper()
	g, err := w.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestWiringsAreTheGraphsTheyStandFor compares rotations, transposes and line graphs with those of
// package topology.
func TestWiringsAreTheGraphsTheyStandFor(t *testing.T) {
	for _, w := range wirings() {
		g := build(t, w)
		if !g.Regular() || !w.Group().Invariant(g) {
			t.Errorf("%s: not regular, or not the same when it is rotated", g.Name())
		}
		if !build(t, w.Transpose()).Equal(g.Transpose("")) {
			t.Errorf("%s: another transpose", g.Name())
		}
		e, err := topology.ParseExpr("Line(" + g.Name() + ",1)")
		if err != nil {
			t.Fatal(err)
		}
		line, err := e.Build()
		if err != nil {
			t.Fatal(err)
		}
		if _, same, err := topology.Isomorphic(t.Context(), build(t, w.Line()), line); !same || err != nil {
			t.Errorf("%s: another line graph, %v", g.Name(), err)
		}
	}
}

// TestAllShardsArriveOnceAtTheLoadsOfTheSteps: every node gets every shard once, along circuits,
// from a node that had it before the step, and the busiest circuit carries the load of the step.
// The twin lists all nodes.
func TestAllShardsArriveOnceAtTheLoadsOfTheSteps(t *testing.T) {
	for _, w := range wirings() {
		graph := build(t, w)
		for _, c := range costs {
			g := Solve(t.Context(), w, c)
			n := w.Nodes
			since := make([][]int, n) // the step after which a node has a shard; 0: not yet
			for u := range since {
				since[u] = make([]int, n)
				since[u][u] = 1
			}
			time, begin := 0.0, 0
			for i := range g.Ends {
				over := map[[2]int]int{}
				for d := range g.Deliveries(i) {
					for turn := 0; turn < n; turn += w.Width {
						at := func(k int) int { return (int(d.Path[k]) + turn) % n }
						last := len(d.Path) - 1
						for _, v := range d.Shards {
							v = (v + turn) % n
							if s := since[at(0)][v]; s == 0 || s > i+1 || since[at(last)][v] != 0 {
								t.Fatalf("%s: step %d: %d gets shard %d from %d", graph.Name(), i, at(last), v, at(0))
							}
							since[at(last)][v] = i + 2
						}
						for k := range last {
							if graph.Count(at(k), at(k+1)) == 0 {
								t.Fatalf("%s: no circuit from %d to %d", graph.Name(), at(k), at(k+1))
							}
							over[[2]int{at(k), at(k + 1)}] += len(d.Shards)
						}
						if c.OneHop && last > 1 {
							t.Fatalf("%s: a step of %d hops", graph.Name(), last)
						}
					}
				}
				most := 0
				for _, load := range over {
					most = max(most, load)
				}
				if most != g.Loads[i] {
					t.Fatalf("%s: step %d has load %d, not %d", graph.Name(), i, most, g.Loads[i])
				}
				time += c.of(g.Ends[i]-begin, float64(most))
				begin = g.Ends[i]
			}
			for u := range since {
				if slices.Contains(since[u], 0) {
					t.Fatalf("%s: %d lacks a shard", graph.Name(), u)
				}
			}
			if math.Abs(time-g.Time) > 1e-9*time {
				t.Errorf("%s: the steps take %g, not %g", graph.Name(), time, g.Time)
			}
		}
	}
}

// TestStepsAreTheFastestOfAllWaysToJoinThem tries every way to join consecutive distances into
// steps, and counts the shards on every circuit anew.
func TestStepsAreTheFastestOfAllWaysToJoinThem(t *testing.T) {
	for _, w := range wirings() {
		for _, c := range costs {
			g := joined(t.Context(), w, c)
			if whole := Solve(t.Context(), w, c); whole.Time > g.Time {
				t.Errorf("%d nodes of width %d, %v: %g, and %g if nothing is postponed", w.Nodes, w.Width, c, whole.Time, g.Time)
			}
			loads := map[[2]int]float64{}
			for a := range g.steps {
				for b := a + 1; b <= g.steps; b++ {
					over := map[[2]int32]int{}
					for u := range int32(w.Width) {
						for v := range int32(w.Nodes) {
							if far := int(g.between(v, u)); far > a && far <= b {
								path := g.path(int(u), v, far-a)
								for k := range far - a {
									turn := path[k+1] / int32(w.Width) * int32(w.Width)
									over[[2]int32{(path[k] - turn + int32(w.Nodes)) % int32(w.Nodes), path[k+1] - turn}]++
								}
							}
						}
					}
					most := 0
					for _, load := range over {
						most = max(most, load)
					}
					loads[[2]int{a, b}] = float64(most)
				}
			}
			least := math.Inf(1)
			for set := range 1 << (g.steps - 1) { // the distances after which a step ends
				time, begin := 0.0, 0
				for t := 1; t <= g.steps; t++ {
					if t < g.steps && set>>(t-1)&1 == 0 {
						continue
					}
					if c.OneHop && t-begin > 1 {
						time = math.Inf(1)
					}
					time += c.of(t-begin, loads[[2]int{begin, t}])
					begin = t
				}
				least = min(least, time)
			}
			if math.Abs(least-g.Time) > 1e-9*least {
				t.Errorf("%d nodes of width %d, %v: %g, and %g is possible", w.Nodes, w.Width, c, g.Time, least)
			}
		}
	}
}

// TestSplitsAreEven: the largest load is the least possible, which is the largest number of shards
// that only some circuits may bring, divided by the number of these circuits (Hall).
func TestSplitsAreEven(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		ports := 1 + random.IntN(5)
		var s split
		for set := 1; set < 1<<ports; set++ {
			if random.IntN(3) == 0 {
				s.has[set] = random.Int32N(40)
			}
		}
		has := s.has
		s.even(ports)
		want := int32(0)
		for within := 1; within < 1<<ports; within++ {
			only, count := int32(0), int32(bits.OnesCount(uint(within)))
			for set := 1; set < 1<<ports; set++ {
				if set&^within == 0 {
					only += has[set]
				}
			}
			want = max(want, (only+count-1)/count)
		}
		if got := slices.Max(s.load[:]); got != want {
			t.Fatalf("%d ports, %v: load %d, and %d is possible", ports, has[:1<<ports], got, want)
		}
		var load [MostPorts]int32
		for set := 1; set < 1<<ports; set++ {
			for range has[set] {
				j := s.take(uint8(set))
				if set>>j&1 == 0 {
					t.Fatalf("circuit %d brings a shard of %b", j, set)
				}
				load[j]++
			}
		}
		if load != s.load {
			t.Fatalf("loads %v, not %v", load, s.load)
		}
	}
}

// TestFoundGraphsFit: what Find returns has the nodes, ports and directions asked for, and nothing
// is found where no rotation has a suitable width.
func TestFoundGraphsFit(t *testing.T) {
	c := Costs{500, 500, 1, false}
	for _, x := range []struct {
		nodes, ports int
		twoWay, none bool
	}{
		{1000, 4, true, false}, {1000, 3, true, false}, {1024, 2, false, false}, {1009, 4, true, true}, {1000, 2, true, true}, {1000, 1, false, true}, {625, 3, true, true},
	} {
		w := Find(t.Context(), x.nodes, x.ports, x.twoWay, c)
		if w == nil || x.none {
			if !x.none || w != nil {
				t.Errorf("%v: %v", x, w)
			}
			continue
		}
		g := build(t, w)
		if g.Nodes() != x.nodes || g.Degree() != x.ports || x.twoWay && !g.Bidirectional() || !g.Regular() {
			t.Errorf("%v: %s", x, g.Name())
		}
	}
}
