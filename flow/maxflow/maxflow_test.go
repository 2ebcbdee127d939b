package maxflow_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow/maxflow"
	"github.com/lightpath-net/lightpath/topology"
)

// leastCut returns the smallest capacity of all cuts, by enumeration.
func leastCut[C maxflow.Capacity](n int, arcs []maxflow.Arc[C], source, sink int) C {
	var least C
	first := true
	for set := range 1 << n {
		if set>>source&1 == 0 || set>>sink&1 == 1 {
			continue
		}
		var sum C
		for _, a := range arcs {
			if set>>a.From&1 == 1 && set>>a.To&1 == 0 {
				sum += a.Capacity
			}
		}
		if first || sum < least {
			least, first = sum, false
		}
	}
	return least
}

// cutCapacity returns the capacity of the arcs that leave the source's side. No flow can be
// larger, so a flow of that value is proved to be maximum.
func cutCapacity[C maxflow.Capacity](m *maxflow.Network[C], arcs []maxflow.Arc[C]) C {
	var sum C
	for _, a := range arcs {
		if m.SourceSide(a.From) && !m.SourceSide(a.To) {
			sum += a.Capacity
		}
	}
	return sum
}

// checkFlow verifies that the flow between two ends has the given value and that the cut proves
// it to be largest, up to a tolerance relative to the sum of capacities.
func checkFlow[C maxflow.Capacity](t *testing.T, m *maxflow.Network[C], n int, arcs []maxflow.Arc[C], ends [2]int, value C, tolerance float64) {
	t.Helper()
	source, sink := ends[0], ends[1]
	scale := 0.0
	surplus := make([]float64, n)
	for k, a := range arcs {
		f := m.Flow(k)
		if f < 0 || f > a.Capacity {
			t.Fatalf("arc %d carries %v of %v", k, f, a.Capacity)
		}
		surplus[a.From] -= float64(f)
		surplus[a.To] += float64(f)
		scale += float64(a.Capacity)
	}
	surplus[source] += float64(value)
	surplus[sink] -= float64(value)
	for u, s := range surplus {
		if math.Abs(s) > tolerance*scale {
			t.Fatalf("node %d keeps %v of a flow of %v from %d to %d", u, s, value, source, sink)
		}
	}
	if !m.SourceSide(source) || m.SourceSide(sink) {
		t.Fatal("the cut does not separate source and sink")
	}
	if cut := cutCapacity(m, arcs); math.Abs(float64(cut)-float64(value)) > tolerance*scale {
		t.Fatalf("cut of %v for a flow of %v", cut, value)
	}
}

// network returns random arcs, some of them parallel, reversed or loops.
func network[C maxflow.Capacity](rng *rand.Rand, n, arcs int, capacity func() C) []maxflow.Arc[C] {
	list := make([]maxflow.Arc[C], arcs)
	for k := range list {
		list[k] = maxflow.Arc[C]{From: rng.IntN(n), To: rng.IntN(n), Capacity: capacity()}
	}
	return list
}

func TestMaxFlowEqualsLeastCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 1))
	for range 400 {
		n := 2 + rng.IntN(9)
		source := rng.IntN(n)
		sink := (source + 1 + rng.IntN(n-1)) % n

		whole := network(rng, n, rng.IntN(4*n), func() int64 { return rng.Int64N(9) })
		m, err := maxflow.New(n, whole)
		if err != nil {
			t.Fatal(err)
		}
		value, err := m.Solve(source, sink)
		if err != nil {
			t.Fatal(err)
		}
		if want := leastCut(n, whole, source, sink); value != want {
			t.Fatalf("flow %d, least cut %d", value, want)
		}
		checkFlow(t, m, n, whole, [2]int{source, sink}, value, 0)

		// Fractions over many orders of magnitude.
		parts := network(rng, n, rng.IntN(4*n), func() float64 { return math.Exp(40*rng.Float64() - 20) })
		f, err := maxflow.New(n, parts)
		if err != nil {
			t.Fatal(err)
		}
		amount, err := f.Solve(source, sink)
		if err != nil {
			t.Fatal(err)
		}
		if want := leastCut(n, parts, source, sink); math.Abs(amount-want) > 1e-14*want {
			t.Fatalf("flow %v, least cut %v", amount, want)
		}
		checkFlow(t, f, n, parts, [2]int{source, sink}, amount, 1e-14)
	}
}

func TestMaxFlowSolvesEveryPairOfOneNetwork(t *testing.T) {
	g := topology.DirectedCirculant(9, 1, 2, 5)
	arcs := circuitArcs(g, int64(25))
	m, err := maxflow.New(9, arcs)
	if err != nil {
		t.Fatal(err)
	}
	for s := range 9 {
		for d := range 9 {
			if s == d {
				continue
			}
			value, err := m.Solve(s, d)
			if err != nil {
				t.Fatal(err)
			}
			if want := leastCut(9, arcs, s, d); value != want {
				t.Errorf("%d -> %d: flow %d, least cut %d", s, d, value, want)
			}
			checkFlow(t, m, 9, arcs, [2]int{s, d}, value, 0)
		}
	}
}

// In a vertex-transitive graph the cut around a node is the smallest (Mader 1971).
func TestMaxFlowOfTorusIsItsDegree(t *testing.T) {
	g := topology.Torus(7, 9)
	m, err := maxflow.New(63, circuitArcs(g, 1.0))
	if err != nil {
		t.Fatal(err)
	}
	for d := 1; d < 63; d++ {
		if value, err := m.Solve(0, d); err != nil || value != 4 {
			t.Errorf("0 -> %d: %v, %v, want 4", d, value, err)
		}
	}
}

func TestMaxFlowSolveAllocatesNothing(t *testing.T) {
	m, err := maxflow.New(64, circuitArcs(topology.GenKautz(4, 64), int64(3)))
	if err != nil {
		t.Fatal(err)
	}
	sink := 0
	allocs := testing.AllocsPerRun(100, func() {
		sink = sink%63 + 1
		if _, err := m.Solve(0, sink); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestBadNetworks(t *testing.T) {
	for _, a := range []maxflow.Arc[float64]{
		{From: 0, To: 3, Capacity: 1}, {From: -1, To: 0, Capacity: 1},
		{From: 0, To: 1, Capacity: -1}, {From: 0, To: 1, Capacity: math.NaN()}, {From: 0, To: 1, Capacity: math.Inf(1)},
	} {
		if _, err := maxflow.New(3, []maxflow.Arc[float64]{a}); !errors.Is(err, maxflow.ErrCapacity) {
			t.Errorf("%+v: error %v", a, err)
		}
	}
	half := maxflow.Arc[int64]{From: 0, To: 1, Capacity: math.MaxInt64/2 + 1}
	if _, err := maxflow.New(2, []maxflow.Arc[int64]{half, half}); !errors.Is(err, maxflow.ErrCapacity) {
		t.Errorf("overflow: error %v", err)
	}
	m, err := maxflow.New[int64](3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]int{{1, 1}, {0, 3}, {-1, 0}} {
		if _, err := m.Solve(pair[0], pair[1]); !errors.Is(err, maxflow.ErrCapacity) {
			t.Errorf("%v: error %v", pair, err)
		}
	}
	if value, err := m.Solve(0, 2); value != 0 || err != nil {
		t.Errorf("no arcs: flow %d, %v", value, err)
	}
}

func FuzzMaxFlow(f *testing.F) {
	f.Add([]byte{4, 0, 1, 9, 1, 2, 3, 2, 3, 9, 0, 2, 1})
	f.Add([]byte{2, 1, 0, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 100 {
			return
		}
		n := 2 + int(data[0])%7
		var arcs []maxflow.Arc[int64]
		for data = data[1:]; len(data) >= 3; data = data[3:] {
			arcs = append(arcs, maxflow.Arc[int64]{From: int(data[0]) % n, To: int(data[1]) % n, Capacity: int64(data[2])})
		}
		m, err := maxflow.New(n, arcs)
		if err != nil {
			t.Fatal(err)
		}
		value, err := m.Solve(0, n-1)
		if err != nil {
			t.Fatal(err)
		}
		if want := leastCut(n, arcs, 0, n-1); value != want {
			t.Fatalf("flow %d, least cut %d", value, want)
		}
		checkFlow(t, m, n, arcs, [2]int{0, n - 1}, value, 0)
	})
}

// A torus of 4 x 4 with circuits of 50: what node 0 can send to node 10 is limited
// by its own four circuits.
func ExampleNetwork() {
	arcs := circuitArcs(topology.Torus(4, 4), int64(50))
	m, err := maxflow.New(16, arcs)
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := m.Solve(0, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("flow", value, "cut", cutCapacity(m, arcs))
	for u := range 16 {
		if m.SourceSide(u) {
			fmt.Println("source side:", u)
		}
	}
	// Output:
	// flow 200 cut 200
	// source side: 0
}

func BenchmarkMaxFlow(b *testing.B) {
	rng := rand.New(rand.NewPCG(20, 3))
	random := network(rng, 1000, 8000, func() int64 { return 1 + rng.Int64N(1000) })
	cases := []struct {
		name string
		n    int
		arcs []maxflow.Arc[int64]
	}{
		{"kautz64", 64, circuitArcs(topology.GenKautz(4, 64), int64(1))},
		{"torus32x32", 1024, circuitArcs(topology.Torus(32, 32), int64(1))},
		{"random1000", 1000, random},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			m, err := maxflow.New(c.n, c.arcs)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			sink := 0
			for b.Loop() {
				sink = sink%(c.n-1) + 1
				if _, err := m.Solve(0, sink); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// circuitArcs returns an arc for every bundle of g, with the given capacity for each of its
// circuits.
func circuitArcs[C maxflow.Capacity](g *topology.Graph, perCircuit C) []maxflow.Arc[C] {
	arcs := make([]maxflow.Arc[C], 0, g.Bundles())
	for e := range g.Edges() {
		arcs = append(arcs, maxflow.Arc[C]{From: e.From, To: e.To, Capacity: perCircuit * C(e.Count)})
	}
	return arcs
}
