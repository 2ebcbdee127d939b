package bfb

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// randomNetwork returns a network whose senders have different numbers of circuits.
func randomNetwork(r *rand.Rand, n, inDegree, chunks int) *network {
	var edges []topology.Edge
	for v := range n {
		edges = append(edges, topology.Edge{From: v, To: (v + 1) % n, Count: 1})
		for range r.IntN(inDegree) {
			edges = append(edges, topology.Edge{From: r.IntN(n), To: v, Count: 1 + r.IntN(2)})
		}
	}
	g := topology.New(n, "", edges)
	return newNetwork(g, AllGather, plainPricing(g).links, 1, int64(chunks))
}

// TestKernelsAgree compares the three ways to find the load of a receiver in a step: a table
// over sets of senders, maximum flows, and balls of bits.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for trial := range 24 {
		net := randomNetwork(r, 2+r.IntN(75), 7, trial%4)
		for u := range net.nodes {
			rec := newReceiver(net)
			rec.search.run(u, net.nodes)
			var tables, flows []Frac
			for step := 1; step <= rec.search.steps(); step++ {
				rec.subsets.load(net.links(u))
				tables = append(tables, net.evenTime(rec.subsets.densest(rec.search.level(step), rec.search.masks)))
				rec.delivery.load(rec.search, u, step)
				flows = append(flows, rec.balancer.solve(Frac{0, 1}))
			}
			balls, err := newBalls(net).sweep(context.Background(), []int32{int32(u)})
			// Balls go on until the last node has all shards.
			if len(balls) < len(tables) || slices.ContainsFunc(balls[len(tables):], func(f Frac) bool { return f.Num > 0 }) {
				t.Fatalf("node %d: %d steps by searches, %v by balls", u, len(tables), balls)
			}
			if balls = balls[:len(tables)]; err != nil || !slices.Equal(tables, flows) || !slices.Equal(tables, balls) {
				t.Fatalf("node %d of %v: %v by tables, %v by flows, %v by balls", u, net.from, tables, flows, balls)
			}
		}
	}
}

// TestFloorsOnlyRaise: a sweep hands the highest time so far to the next receiver.
func TestFloorsOnlyRaise(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 30 {
		net := randomNetwork(r, 2+r.IntN(20), 4, 0)
		rec := newReceiver(net)
		rec.search.run(0, net.nodes)
		for step := 1; step <= rec.search.steps(); step++ {
			rec.delivery.load(rec.search, 0, step)
			alone := rec.balancer.solve(Frac{0, 1})
			for _, floor := range []Frac{{1, 7}, alone, reduced(alone.Num+alone.Den, alone.Den)} {
				want := alone
				if alone.Less(floor) {
					want = floor
				}
				if got := rec.balancer.solve(floor); got != want {
					t.Errorf("from %v on: %v, want %v", floor, got, want)
				}
				if got := rec.step(0, step, floor); got != want {
					t.Errorf("step from %v on: %v, want %v", floor, got, want)
				}
			}
		}
	}
}

// TestSweepsAgree: receivers may be swept by searches or balls, on any number of
// goroutines.
func TestSweepsAgree(t *testing.T) {
	for _, g := range []*topology.Graph{topology.GenKautz(3, 301), topology.Hypercube(8), topology.Torus(17, 19)} {
		net := newNetwork(g, ReduceScatter, plainPricing(g).links, 1, 0)
		all := everyNode(net.nodes).representatives
		bySearch, err := searchSweep(context.Background(), net, all, 1, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		shared, err := searchSweep(context.Background(), net, all, 5, func(int) {})
		if err != nil || !slices.Equal(bySearch, shared) {
			t.Errorf("%s: %v on one goroutine, %v on five (%v)", g.Name(), bySearch, shared, err)
		}
		byBalls, err := newBalls(net).sweep(context.Background(), all)
		if err != nil || !slices.Equal(bySearch, byBalls) {
			t.Errorf("%s: %v by searches, %v by balls (%v)", g.Name(), bySearch, byBalls, err)
		}
	}
}

func TestHighestTimeOfEachStep(t *testing.T) {
	got := highest([][]Frac{{{1, 1}, {2, 1}}, nil, {{3, 2}, {1, 1}, {1, 4}}, {{1, 9}}})
	if want := []Frac{{3, 2}, {2, 1}, {1, 4}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestCapacitiesAreCutOff: a link that is much faster than needed does not overflow.
func TestCapacitiesAreCutOff(t *testing.T) {
	net := &network{shard: 1, chunks: 1 << 40}
	fast := link{circuits: 1 << 20, rate: 1 << 20}
	if got := net.capacity(fast, Frac{1 << 60, 1}, 12345); got != 12345 {
		t.Errorf("%d chunks, want 12345", got)
	}
	net.chunks = 0
	if got := net.capacity(fast, Frac{1 << 60, 1}, 12345); got != 12345 {
		t.Errorf("%d parts, want 12345", got)
	}
}

func TestFracComparesIn128Bits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		f := reduced(r.Int64()>>r.IntN(62), 1+r.Int64()>>r.IntN(62))
		g := reduced(r.Int64()>>r.IntN(62), 1+r.Int64()>>r.IntN(62))
		if f.Less(g) != (f.Rat().Cmp(g.Rat()) < 0) || f.String() != f.Rat().String() || f.Rat().Cmp(big.NewRat(f.Num, f.Den)) != 0 {
			t.Fatalf("%v < %v: %v", f, g, f.Less(g))
		}
	}
}
