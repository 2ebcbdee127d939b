package finder_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
)

// census lists, without pruning anything, the topologies that families and expansions
// give, and every cost at which a theorem or a breadth-first broadcast offers them.
type census struct {
	op    bfb.Op
	known map[[2]int][]offer
}

// offer is a topology at a cost.
type offer struct {
	expr  string
	graph *topology.Graph
	finder.Cost
}

func (c *census) halves() int64 {
	if c.op == bfb.AllReduce {
		return 2
	}
	return 1
}

// of returns the offers for n nodes and degree d.
func (c *census) of(t *testing.T, n, d int) []offer {
	t.Helper()
	if all, ok := c.known[[2]int{n, d}]; ok {
		return all
	}
	var all []offer
	for _, expr := range families(n, d) {
		all = c.measured(t, all, expr)
	}
	all = append(all, c.lines(t, n, d)...)
	all = append(all, c.copies(t, n, d)...)
	all = append(all, c.powers(t, n, d)...)
	all = append(all, c.products(t, n, d)...)
	c.known[[2]int{n, d}] = all
	return all
}

// measured adds a topology at the cost of its breadth-first broadcast.
func (c *census) measured(t *testing.T, all []offer, expr string) []offer {
	t.Helper()
	g := parse(t, expr)
	steps, bandwidth, err := bfb.Cost(context.Background(), g, c.op)
	if err != nil {
		return all // not connected
	}
	return append(all, offer{expr, g, finder.Cost{Steps: steps, Bandwidth: bandwidth}})
}

// families writes down every graph that the finder's families could have: all jumps.
func families(n, d int) []string {
	all := []string{fmt.Sprintf("UniRing(%d,%d)", d, n)}
	if n == d+1 {
		all = append(all, fmt.Sprintf("K(%d)", n))
	}
	if n == 2*d {
		all = append(all, fmt.Sprintf("K(%d,%d)", d, d))
	}
	if d%2 == 0 {
		all = append(all, fmt.Sprintf("BiRing(%d,%d)", d, n))
	}
	if n > d {
		all = append(all, fmt.Sprintf("GenKautz(%d,%d)", d, n))
	}
	jumps := make([]int, d)
	var choose func(i, least int)
	choose = func(i, least int) {
		if i == d {
			text := fmt.Sprintf("DC(%d;%d", n, jumps[0])
			for _, a := range jumps[1:] {
				text += fmt.Sprintf(",%d", a)
			}
			all = append(all, text+")")
			return
		}
		for a := least; a < n; a++ {
			jumps[i] = a
			choose(i+1, a)
		}
	}
	choose(0, 1)
	return all
}

func (c *census) lines(t *testing.T, n, d int) (all []offer) {
	if d < 2 || n%d != 0 || n/d < 2 {
		return nil
	}
	for _, g := range c.of(t, n/d, d) {
		expr := fmt.Sprintf("Line(%s,1)", g.expr)
		all = c.measured(t, all, expr)
		all = append(all, offer{expr, parse(t, expr), finder.Cost{
			Steps:     g.Steps + int(c.halves()),
			Bandwidth: sum(g.Bandwidth, big.NewRat(c.halves(), int64(n/d))), // Theorem 1
		}})
	}
	return all
}

func (c *census) copies(t *testing.T, n, d int) (all []offer) {
	for k := 2; k <= d; k++ {
		if d%k != 0 || n%k != 0 || n/k < 2 {
			continue
		}
		for _, g := range c.of(t, n/k, d/k) {
			if hasLoops(g.graph) {
				continue
			}
			expr := fmt.Sprintf("Degree(%s,%d)", g.expr, k)
			all = c.measured(t, all, expr)
			all = append(all, offer{expr, parse(t, expr), finder.Cost{
				Steps:     g.Steps + int(c.halves()),
				Bandwidth: sum(g.Bandwidth, big.NewRat(c.halves()*int64(k-1), int64(n))), // Theorem 11
			}})
		}
	}
	return all
}

func (c *census) powers(t *testing.T, n, d int) (all []offer) {
	for k := 2; k <= d; k++ {
		for m := 2; m < n; m++ {
			if d%k != 0 || intPower(m, k) != n {
				continue
			}
			for _, g := range c.of(t, m, d/k) {
				expr := fmt.Sprintf("Power(%s,%d)", g.expr, k)
				all = c.measured(t, all, expr)
				scale := big.NewRat(int64(m)*int64(n-1), int64(m-1)*int64(n)) // Theorem 12
				all = append(all, offer{expr, parse(t, expr), finder.Cost{
					Steps:     g.Steps * k,
					Bandwidth: scale.Mul(scale, g.Bandwidth),
				}})
			}
		}
	}
	return all
}

func (c *census) products(t *testing.T, n, d int) (all []offer) {
	for a := 2; a <= n/2; a++ {
		for e := 1; n%a == 0 && e < d; e++ {
			for _, g := range c.of(t, a, e) {
				for _, h := range c.of(t, n/a, d-e) {
					all = c.measured(t, all, fmt.Sprintf("Product(%s,%s)", g.expr, h.expr))
				}
			}
		}
	}
	return all
}

// reduces is the census for allreduces, which two tests share.
var reduces = census{op: bfb.AllReduce, known: map[[2]int][]offer{}}

func TestNoTopologyOfTheCensusBeatsTheFrontier(t *testing.T) {
	gathers := census{op: bfb.AllGather, known: map[[2]int][]offer{}}
	for _, c := range []struct {
		all           *census
		degree, nodes int
	}{{&gathers, 1, 8}, {&gathers, 2, 16}, {&gathers, 3, 9}, {&reduces, 1, 8}, {&reduces, 2, 18}, {&reduces, 3, 12}, {&reduces, 4, 9}} {
		f := finder.New(c.degree, finder.Options{Op: c.all.op})
		for n := 2; n <= c.nodes; n++ {
			points := frontier(t, f, n)
			for _, o := range c.all.of(t, n, c.degree) {
				if !covered(points, o.Cost) {
					t.Errorf("%v, %d nodes, degree %d: %s takes %d steps and %v, not covered by %v", c.all.op, n, c.degree, o.expr, o.Steps, o.Bandwidth, points)
				}
			}
		}
	}
}

func TestNoTwoWayTopologyOfTheCensusBeatsTheFrontier(t *testing.T) {
	all := &reduces
	for _, c := range []struct{ degree, nodes int }{{1, 2}, {2, 18}, {3, 12}, {4, 9}} {
		f := finder.New(c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: true})
		for n := 2; n <= c.nodes; n++ {
			if c.degree%2*n%2 == 1 {
				continue
			}
			points := frontier(t, f, n)
			for _, o := range append(all.of(t, n, c.degree), all.twoWays(t, n, c.degree)...) {
				if o.graph.Bidirectional() && !covered(points, o.Cost) {
					t.Errorf("%d nodes, degree %d: %s takes %d steps and %v, not covered by %v", n, c.degree, o.expr, o.Steps, o.Bandwidth, points)
				}
			}
		}
	}
}

// twoWays offers the two-way versions of graphs of half the degree. (Appendix F.)
func (c *census) twoWays(t *testing.T, n, d int) (all []offer) {
	if d%2 != 0 {
		return nil
	}
	for _, g := range c.of(t, n, d/2) {
		expr := fmt.Sprintf("Bidirect(%s)", g.expr)
		all = c.measured(t, all, expr)
		if same, err := g.graph.ReverseSymmetric(context.Background()); err == nil && same {
			all = append(all, offer{expr, parse(t, expr), g.Cost})
		}
	}
	return all
}
