package finder_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
)

// TestOddNodesOfOddDegree: all ports but one are used, the bandwidth is the least that one short of
// a port allows, and a schedule on the graph confirms it.
func TestOddNodesOfOddDegree(t *testing.T) {
	for _, c := range []struct{ nodes, degree, steps int }{
		{5, 3, 4}, {7, 3, 4}, {9, 3, 6}, {11, 3, 6}, {13, 3, 6}, {15, 3, 6}, {31, 3, 8}, {99, 3, 14}, {255, 3, 20}, {99, 5, 8}, {63, 7, 6},
	} {
		opts := finder.Options{Op: bfb.AllReduce, Bidirectional: true}
		points := frontier(t, finder.New(c.degree, opts), c.nodes)
		bound, err := finder.Bound(c.nodes, c.degree, opts)
		if err != nil {
			t.Fatal(err)
		}
		last := points[len(points)-1]
		if last.Steps > c.steps || last.Bandwidth.Cmp(bound.Bandwidth) != 0 {
			t.Errorf("%d nodes of degree %d: %d steps and %v, want %d and %v", c.nodes, c.degree, last.Steps, last.Bandwidth, c.steps, bound.Bandwidth)
		}
		for _, p := range points {
			g := parse(t, p.Expr.String())
			steps, bandwidth, err := bfb.Cost(context.Background(), g, bfb.AllReduce)
			if err != nil || steps != p.Steps || bandwidth.Cmp(p.Bandwidth) != 0 {
				t.Errorf("%v takes %d steps and %v, not %d and %v (%v)", p.Expr, steps, bandwidth, p.Steps, p.Bandwidth, err)
			}
			if !g.Bidirectional() || !g.Regular() || g.Degree() != c.degree {
				t.Errorf("%v: two-way %v, degree %d", p.Expr, g.Bidirectional(), g.Degree())
			}
		}
	}
}

// TestBoundOfOddNodesOfOddDegree: every node receives n-1 shards, one of them over d-1 circuits.
func TestBoundOfOddNodesOfOddDegree(t *testing.T) {
	for _, c := range []struct {
		nodes, degree int
		op            bfb.Op
		twoWay        bool
		steps         int
		bandwidth     *big.Rat
	}{
		{7, 3, bfb.AllReduce, true, 4, big.NewRat(18, 7)},
		{7, 3, bfb.AllReduce, false, 4, big.NewRat(12, 7)},
		{8, 3, bfb.AllReduce, true, 4, big.NewRat(14, 8)},
		{9, 5, bfb.AllGather, true, 2, big.NewRat(8*5, 9*4)},
		{9, 3, bfb.AllGather, true, 3, big.NewRat(8*3, 9*2)}, // 1+2+4 are too few
	} {
		bound, err := finder.Bound(c.nodes, c.degree, finder.Options{Op: c.op, Bidirectional: c.twoWay})
		if err != nil || bound.Steps != c.steps || bound.Bandwidth.Cmp(c.bandwidth) != 0 {
			t.Errorf("%+v: %v, %v", c, bound, err)
		}
	}
}

// TestMorePortsAreNoWorse: one port more for every node never costs more, even if it leaves one
// unused.
func TestMorePortsAreNoWorse(t *testing.T) {
	for _, n := range []int{5, 9, 13, 21, 33} {
		for degree := 2; degree < 6; degree++ {
			opts := finder.Options{Op: bfb.AllReduce, Bidirectional: true, Tries: fewTries}
			few, more := frontier(t, finder.New(degree, opts), n), frontier(t, finder.New(degree+1, opts), n)
			for _, p := range few {
				p.Bandwidth = new(big.Rat).Mul(p.Bandwidth, big.NewRat(int64(degree+1), int64(degree)))
				if !covered(more, p.Cost) {
					t.Errorf("%d nodes: %v of degree %d is not covered by %v", n, p, degree, more)
				}
			}
		}
	}
}
