package bfb_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

func sameTimes(a, b []*big.Rat) bool {
	return slices.EqualFunc(a, b, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
}

func TestSymmetryChangesNothing(t *testing.T) {
	more := []string{"GenKautz(4,100)", "GenKautz(4,99)", "GenKautz(3,160)", "GenKautz(7,96)", "Torus(7,8)", "C(101;4,9,30)", "Line(Torus(3,4),1)", "GP(15,4)", "GP(16,3)", "GP(10,4)", "Edges(6;0,1,1,1,2,1,2,0,1,3,5,1,5,4,1,4,3,1,0,3,1,1,5,1,2,4,1,3,0,1,4,1,1,5,2,1)"}
	for _, expr := range slices.Concat(families, more) {
		g := parse(t, expr)
		for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
			with := solve(t, g, bfb.Options{Op: op})
			without := solve(t, g, bfb.Options{Op: op, NoSymmetry: true})
			if !sameTimes(with.PerStep, without.PerStep) || with.Bandwidth.Cmp(without.Bandwidth) != 0 || with.BandwidthOptimal != without.BandwidthOptimal {
				t.Errorf("%v on %s: %v with symmetry, %v without", op, expr, with.PerStep, without.PerStep)
			}
		}
	}
}

// TestSymmetryOfUnequalLinks: links that are equal along one direction of a torus keep its
// symmetry; a single link that differs breaks it.
func TestSymmetryOfUnequalLinks(t *testing.T) {
	g := topology.Torus(4, 5)
	r := rand.New(rand.NewPCG(6, 6))
	for _, broken := range []int{-1, r.IntN(g.Bundles()), r.IntN(g.Bundles())} {
		var links []bfb.Link
		for e := range g.Edges() {
			l := bfb.Link{Bandwidth: 10, Latency: 1}
			if e.From/5 == e.To/5 {
				l = bfb.Link{Bandwidth: 4}
			}
			if len(links) == broken {
				l.Bandwidth = 3
			}
			links = append(links, l)
		}
		opts := bfb.Options{Op: bfb.AllReduce, Links: links, Shard: 9}
		with := solve(t, g, opts)
		opts.NoSymmetry = true
		if without := solve(t, g, opts); !sameTimes(with.PerStep, without.PerStep) {
			t.Errorf("link %d broken: %v with symmetry, %v without", broken, with.PerStep, without.PerStep)
		}
		opts.NoSymmetry = false
		checkData(t, g, opts)
	}
}

// TestEqualLinksAreEqualCircuits: if all links are equal, every step takes their latency plus
// the load at their speed.
func TestEqualLinksAreEqualCircuits(t *testing.T) {
	for _, expr := range families {
		g := parse(t, expr)
		plain := solve(t, g, bfb.Options{})
		links := slices.Repeat([]bfb.Link{{Bandwidth: 400_000_000_000, Latency: 3}}, g.Bundles())
		s := solve(t, g, bfb.Options{Links: links, Shard: 1 << 33})
		for i, load := range plain.PerStep {
			want := sum(product(load, big.NewRat(1<<33, 400_000_000_000)), big.NewRat(3, 1))
			if s.PerStep[i].Cmp(want) != 0 {
				t.Errorf("%s: step %d takes %v, want %v", expr, i+1, s.PerStep[i], want)
			}
		}
		if s.Bandwidth != nil || s.BandwidthOptimal {
			t.Errorf("%s: links have no bandwidth in units of M/B", expr)
		}
	}
}

// TestSlowLinksAreLeftOut: a link whose latency exceeds the time of the others is not
// paid for. (Zhao et al., appendix D.3.)
func TestSlowLinksAreLeftOut(t *testing.T) {
	// Node 3 gets the shard of 0 in step 2 from 1 or from 2.
	edges := []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 0, To: 2, Count: 1}, {From: 1, To: 3, Count: 1}, {From: 2, To: 3, Count: 1}, {From: 3, To: 0, Count: 1}}
	g := topology.New(4, "", edges)
	links := slices.Repeat([]bfb.Link{{Bandwidth: 1}}, 5)
	links[3].Latency = 100
	s := solve(t, g, bfb.Options{Links: links, Shard: 10})
	for x := range s.Transfers(2) {
		if x.Dst == 3 && x.Src != 1 {
			t.Errorf("%v takes the link of latency 100", x)
		}
	}
	links[3].Latency = 4 // 4 + 10 x = 10 (1 - x) for x = 3/10
	s = solve(t, g, bfb.Options{Links: links, Shard: 10})
	for x := range s.Transfers(2) {
		if x.Dst == 3 && x.Src == 2 && new(big.Rat).Sub(x.To.Rat(), x.From.Rat()).Cmp(big.NewRat(3, 10)) != 0 {
			t.Errorf("%v, want 3/10 over the link of latency 4", x)
		}
	}
}
