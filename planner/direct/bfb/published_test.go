package bfb_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

func TestPublishedBandwidths(t *testing.T) {
	for _, c := range []struct {
		expr      string
		op        bfb.Op
		steps     int
		bandwidth string
		optimal   bool
	}{
		{"Torus(3,3,2)", bfb.AllGather, 3, "17/18", true}, // Theorem 13: any torus
		{"Torus(3,3,2)", bfb.AllReduce, 6, "17/9", true},
		{"Torus(6,9)", bfb.AllReduce, 14, "53/27", true},
		{"Torus(128,128)", bfb.AllGather, 128, "16383/16384", true},
		{"Q(10)", bfb.AllGather, 10, "1023/1024", true},
		{"Ring(8)", bfb.AllGather, 4, "7/8", true}, // §E.1
		{"Ring(9)", bfb.AllGather, 4, "8/9", true},
		{"UniRing(1,7)", bfb.ReduceScatter, 6, "6/7", true},
		{"K(2,2)", bfb.AllGather, 2, "3/4", true}, // Figure 1
		{"K(8,8)", bfb.AllGather, 2, "15/16", true},
		{"H(2,3)", bfb.AllGather, 2, "8/9", true},
		{"GenKautz(4,1024)", bfb.AllGather, 5, "341/256", false},
		{"GenKautz(4,1024)", bfb.ReduceScatter, 5, "341/256", false},
		{"GenKautz(4,1024)", bfb.AllReduce, 10, "341/128", false},  // Table 4: 2.664
		{"Line(C(16;3,4),3)", bfb.AllReduce, 12, "261/128", false}, // Table 4: 2.039
		{"Power(Product(UniRing(1,4),UniRing(1,8)),2)", bfb.AllReduce, 40, "1023/512", true},
	} {
		s := solve(t, parse(t, c.expr), bfb.Options{Op: c.op})
		if s.Steps != c.steps || s.Bandwidth.String() != c.bandwidth || s.BandwidthOptimal != c.optimal {
			t.Errorf("%v on %s: %d steps, bandwidth %v, optimal %v, want %d, %s, %v", c.op, c.expr, s.Steps, s.Bandwidth, s.BandwidthOptimal, c.steps, c.bandwidth, c.optimal)
		}
	}
}

func TestCirculantsOfTwoJumpsAreOptimal(t *testing.T) {
	for n := 15; n <= 30; n++ {
		for jumps := range circulantJumps(n) {
			if len(jumps) > 2 {
				continue
			}
			if s := solve(t, topology.Circulant(n, jumps...), bfb.Options{}); !s.BandwidthOptimal {
				t.Errorf("C(%d;%v): bandwidth %v, want %d/%d (§E.4)", n, jumps, s.Bandwidth, n-1, n)
			}
		}
	}
}

// TestGeneralizedKautzGraphs checks Figure 12, at most twice the optimal bandwidth, for
// reduce-scatters too, and Theorem 21, a diameter k with N > 1 + d + .. + d^(k-2). The
// largest ratio for d = 2 is 2, of the 4-node graph.
func TestGeneralizedKautzGraphs(t *testing.T) {
	for _, d := range []int{2, 4, 8, 16} {
		for n := d + 1; n <= 80; n++ {
			g := topology.GenKautz(d, n)
			for op := bfb.AllGather; op <= bfb.ReduceScatter; op++ {
				s := solve(t, g, bfb.Options{Op: op})
				if limit := big.NewRat(2*int64(n-1), int64(n)); s.Bandwidth.Cmp(limit) > 0 {
					t.Errorf("%v on GenKautz(%d,%d): bandwidth %v above %v", op, d, n, s.Bandwidth, limit)
				}
				moore, power := 0, 1
				for range s.Steps - 1 {
					moore += power
					power *= d
				}
				if n <= moore {
					t.Errorf("%v on GenKautz(%d,%d): %d steps", op, d, n, s.Steps)
				}
			}
		}
	}
}

// TestReduceScatterOfGeneralizedKautzGraphs: they are not reverse-symmetric, and the two halves
// of an allreduce differ. Either may be faster.
func TestReduceScatterOfGeneralizedKautzGraphs(t *testing.T) {
	for _, c := range []struct{ expr, gather, scatter, both string }{
		{"GenKautz(2,9)", "14/9", "10/9", "8/3"},
		{"GenKautz(4,9)", "32/27", "4/3", "68/27"},
	} {
		g := parse(t, c.expr)
		for op, want := range map[bfb.Op]string{bfb.AllGather: c.gather, bfb.ReduceScatter: c.scatter, bfb.AllReduce: c.both} {
			_, bandwidth, err := bfb.Cost(context.Background(), g, op)
			if err != nil || bandwidth.String() != want {
				t.Errorf("%v on %s: %v, %v, want %s", op, c.expr, bandwidth, err, want)
			}
		}
	}
}

// TestTheorem4ReverseSymmetry: on graphs that are isomorphic to their transpose both
// halves of an allreduce take the same steps and bandwidth.
func TestTheorem4ReverseSymmetry(t *testing.T) {
	symmetric := 0
	for _, expr := range families {
		g := parse(t, expr)
		if same, err := g.ReverseSymmetric(context.Background()); err != nil || !same {
			continue
		}
		symmetric++
		for _, no := range []bool{false, true} {
			gather := solve(t, g, bfb.Options{Op: bfb.AllGather, NoSymmetry: no})
			scatter := solve(t, g, bfb.Options{Op: bfb.ReduceScatter, NoSymmetry: no})
			if gather.Steps != scatter.Steps || gather.Bandwidth.Cmp(scatter.Bandwidth) != 0 {
				t.Errorf("%s: allgather %d steps and %v, reduce-scatter %d and %v", expr, gather.Steps, gather.Bandwidth, scatter.Steps, scatter.Bandwidth)
			}
		}
	}
	if symmetric < 30 {
		t.Errorf("only %d of the families are reverse-symmetric", symmetric)
	}
}
