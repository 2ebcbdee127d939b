package finder_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
)

// pairs holds the frontiers of all sizes and degrees up to a limit.
type pairs map[[2]int][]finder.Point

func frontiers(t *testing.T, nodes, degrees int, twoWay bool) pairs {
	t.Helper()
	all := pairs{}
	for d := 1; d <= degrees; d++ {
		f := finder.New(d, finder.Options{Op: bfb.AllReduce, Bidirectional: twoWay})
		for n := 2; n <= nodes; n++ {
			points, err := f.Frontier(context.Background(), n)
			if twoWay && errors.Is(err, finder.ErrNone) {
				continue
			}
			if err != nil {
				t.Fatal(n, d, err)
			}
			all[[2]int{n, d}] = points
		}
	}
	return all
}

// TestLargerChoicesAreNoWorse: the frontier has what every family has, one-way topologies
// include two-way ones, and one more port can stay unused, which in units of M/B costs the
// ratio of the degrees. The test includes degrees above the number of nodes.
func TestLargerChoicesAreNoWorse(t *testing.T) {
	most := 11
	if samples.Every() {
		most = 14
	}
	oneWay, twoWay := frontiers(t, most, most, false), frontiers(t, most, most, true)
	for size, points := range oneWay {
		n, d := size[0], size[1]
		for expr := range topology.OfNodes(n, d) {
			s, err := bfb.Solve(context.Background(), parse(t, expr.String()), bfb.Options{Op: bfb.AllReduce})
			if err != nil {
				t.Fatal(expr, err)
			}
			if !covered(points, finder.Cost{Steps: s.Steps, Bandwidth: s.Bandwidth}) {
				t.Errorf("%d nodes of degree %d: %v is missing, %d steps at %v", n, d, expr, s.Steps, s.Bandwidth)
			}
		}
		for _, p := range twoWay[size] {
			if !covered(points, p.Cost) {
				t.Errorf("%d nodes of degree %d: two-way %v, %d steps at %v, is better than one-way", n, d, p.Expr, p.Steps, p.Bandwidth)
			}
		}
	}
	for _, all := range []pairs{oneWay, twoWay} {
		for size, points := range all {
			next, ok := all[[2]int{size[0], size[1] + 1}]
			if !ok {
				continue
			}
			growth := big.NewRat(int64(size[1]+1), int64(size[1]))
			for _, p := range points {
				if !covered(next, finder.Cost{Steps: p.Steps, Bandwidth: growth.Mul(growth, p.Bandwidth)}) {
					t.Errorf("%d nodes: %v of degree %d is better than all of one more", size[0], p.Expr, size[1])
				}
				growth.SetFrac64(int64(size[1]+1), int64(size[1]))
			}
		}
	}
}

// TestSettingsThatWereWorse has larger sizes at which one-way once lost to two-way.
func TestSettingsThatWereWorse(t *testing.T) {
	for _, size := range [][2]int{{33, 8}, {250, 8}, {7, 8}, {100, 6}, {60, 5}} {
		one := frontier(t, finder.New(size[1], finder.Options{Op: bfb.AllReduce}), size[0])
		for _, p := range frontier(t, finder.New(size[1], finder.Options{Op: bfb.AllReduce, Bidirectional: true}), size[0]) {
			if !covered(one, p.Cost) {
				t.Errorf("%v: two-way %v, %d steps at %v, is better than one-way", size, p.Expr, p.Steps, p.Bandwidth)
			}
		}
	}
}

// TestOddDegreesOfTwoWayCircuits: circulants need n^(2/d) steps, but other graphs need few. A
// random cubic graph of 250 nodes needs 20 for an allreduce, the bound is 14.
func TestOddDegreesOfTwoWayCircuits(t *testing.T) {
	for _, c := range []struct{ nodes, degree, steps int }{
		{250, 3, 16}, {500, 5, 10}, {10, 3, 4}, {14, 3, 6}, {30, 3, 8}, {126, 3, 12}, {300, 7, 8},
	} {
		points := frontier(t, finder.New(c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: true}), c.nodes)
		if points[0].Steps > c.steps {
			t.Errorf("%d nodes of degree %d: %v takes %d steps, %d are possible", c.nodes, c.degree, points[0].Expr, points[0].Steps, c.steps)
		}
		for _, p := range points {
			g := parse(t, p.Expr.String())
			if !g.Bidirectional() || g.Degree() != c.degree {
				t.Errorf("%v is not two-way of degree %d", p.Expr, c.degree)
			}
		}
	}
}

// With many more ports than nodes the search ends, and ports that divide evenly reach the bound:
// one step each way, and the least bandwidth.
func TestManyMorePortsThanNodes(t *testing.T) {
	for _, c := range []struct {
		nodes, degree int
		twoWay        bool
	}{{11, 100, false}, {11, 1000, true}, {5, 1024, false}, {24, 92, true}, {17, 256, false}} {
		opts := finder.Options{Op: bfb.AllReduce, Bidirectional: c.twoWay}
		points, err := finder.New(c.degree, opts).Frontier(t.Context(), c.nodes)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := finder.Bound(c.nodes, c.degree, opts)
		if err != nil {
			t.Fatal(err)
		}
		if c.degree%(c.nodes-1) == 0 && (len(points) != 1 || points[0].Steps != bound.Steps || points[0].Bandwidth.Cmp(bound.Bandwidth) != 0) {
			t.Errorf("%+v: %v, the bound is %v", c, points, bound)
		}
	}
}
