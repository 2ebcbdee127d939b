package expand

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// ErrNoFormula says that the cost of an expanded schedule does not follow from the costs of its
// bases.
var ErrNoFormula = errors.New("expand: no formula")

// Cost is the cost of an allgather on a regular graph, for formulas that predict the costs of
// expansions without building anything. The last fields are conditions of theorems; they may be
// false if nothing is known.
type Cost struct {
	Nodes, Degree, Steps int
	// Bandwidth is in units of M/B, as in Figures.
	Bandwidth *big.Rat
	// Bound says that steps and bandwidth may be less.
	Bound bool

	Simple           bool // no parallel circuits, none from a node to itself
	BFB              bool // the least bandwidth of a breadth-first broadcast
	ReverseSymmetric bool // the graph is isomorphic to its transpose
}

// Optimal reports whether the bandwidth is (Nodes-1)/Nodes, the least possible.
func (c Cost) Optimal() bool {
	return c.Bandwidth.Cmp(leastBandwidth(c.Nodes)) == 0
}

func leastBandwidth(nodes int) *big.Rat { return big.NewRat(int64(nodes)-1, int64(nodes)) }

// check returns an error for a cost that no allgather between at least two nodes has, and for
// an invalid expansion.
func (c Cost) check(k int) error {
	if c.Nodes < 2 || c.Degree < 1 || c.Steps < 1 || c.Bandwidth == nil || c.Bandwidth.Cmp(leastBandwidth(c.Nodes)) < 0 {
		return fmt.Errorf("%w: %d nodes of degree %d, %d steps and bandwidth %v are not those of an allgather", ErrInput, c.Nodes, c.Degree, c.Steps, c.Bandwidth)
	}
	if c.Nodes > topology.MaxNodes || c.Degree > topology.MaxCircuits || c.Steps > topology.MaxCircuits {
		return fmt.Errorf("%w: %d nodes of degree %d and %d steps, the limits are %d, %d and %d", ErrTooLarge,
			c.Nodes, c.Degree, c.Steps, topology.MaxNodes, topology.MaxCircuits, topology.MaxCircuits)
	}
	if k < 1 {
		return fmt.Errorf("%w: an expansion %d times, want at least 1", ErrInput, k)
	}
	return nil
}

// grow multiplies nodes and degree, within the limits of package topology.
func (c Cost) grow(nodes, degree int) (Cost, error) {
	if c.Nodes > topology.MaxNodes/nodes || c.Degree > topology.MaxCircuits/degree || c.Nodes*nodes > topology.MaxCircuits/(c.Degree*degree) {
		return Cost{}, fmt.Errorf("%w: more than %d nodes or %d circuits", ErrTooLarge, topology.MaxNodes, topology.MaxCircuits)
	}
	c.Nodes, c.Degree = c.Nodes*nodes, c.Degree*degree
	return c, nil
}

// limitedPower returns base^k, or topology.MaxNodes+1 if that is less.
func limitedPower(base, k int) int {
	power := 1
	for ; base > 1 && k > 0 && power <= topology.MaxNodes; k-- {
		power *= base
	}
	return min(power, topology.MaxNodes+1)
}

// Line is the cost for Line(G,k): steps grow by k and bandwidth by at most
// d/(d-1) (1/N - 1/(d^k N)). (Zhao et al., Corollary 1.1.) It is a bound, and Corollary
// 10.1, which says that it is equal and the best breadth-first broadcast if the base is,
// does not hold: see the tests. A graph of degree 1 is its own line graph.
func (c Cost) Line(k int) (Cost, error) {
	if err := c.check(k); err != nil || c.Degree == 1 {
		return c, err
	}
	power := limitedPower(c.Degree, k)
	line, err := c.grow(power, 1)
	if err != nil {
		return Cost{}, err
	}
	d, n, p := int64(c.Degree), int64(c.Nodes), int64(power)
	line.Steps += k
	line.Bandwidth = new(big.Rat).Add(c.Bandwidth, big.NewRat(d*(p-1), (d-1)*p*n))
	line.Bound, line.BFB = true, false
	return line, nil
}

// DegreeExpanded is the cost for Degree(G,k) of a graph without circuits from a node to
// itself: one step more, and bandwidth grows by (k-1)/(kN). (Zhao et al., Theorem 11.)
func (c Cost) DegreeExpanded(k int) (Cost, error) {
	if err := c.check(k); err != nil || k == 1 {
		return c, err
	}
	e, err := c.grow(min(k, topology.MaxNodes+1), min(k, topology.MaxNodes+1))
	if err != nil {
		return Cost{}, err
	}
	e.Steps++
	e.Bandwidth = new(big.Rat).Add(c.Bandwidth, big.NewRat(int64(k-1), int64(k)*int64(c.Nodes)))
	e.BFB = false
	return e, nil
}

// Power is the cost for Power(G,k): k times the steps, and bandwidth multiplied by
// N/(N-1) (N^k-1)/N^k. (Zhao et al., Theorem 12.) If Theorem 13 applies, it is also that
// of the best breadth-first broadcast.
func (c Cost) Power(k int) (Cost, error) {
	if err := c.check(k); err != nil || k == 1 {
		return c, err
	}
	p, err := c.grow(limitedPower(c.Nodes, k-1), min(k, topology.MaxNodes+1))
	if err != nil {
		return Cost{}, err
	}
	p.Steps *= k
	p.Bandwidth = new(big.Rat).Quo(c.Bandwidth, leastBandwidth(c.Nodes))
	p.Bandwidth.Mul(p.Bandwidth, leastBandwidth(p.Nodes))
	p.BFB = c.BFB && c.Simple && c.Optimal()
	return p, nil
}

// ProductCost is the cost of breadth-first broadcast on a product of simple graphs on each of
// which it is optimal: the sum of their steps, and the optimal bandwidth. (Zhao et al., Theorem
// 13.) For other factors there is no formula; with parallel circuits the result may not be
// optimal.
func ProductCost(factors ...Cost) (Cost, error) {
	if len(factors) == 0 {
		return Cost{}, fmt.Errorf("%w: a product without factors", ErrInput)
	}
	p := Cost{Nodes: 1, Simple: true, BFB: true, ReverseSymmetric: true}
	for _, c := range factors {
		if err := c.check(1); err != nil {
			return Cost{}, err
		}
		if !c.Simple || !c.BFB || c.Bound || !c.Optimal() {
			return Cost{}, fmt.Errorf("%w: of a product all factors must be simple graphs on which breadth-first broadcast is optimal", ErrNoFormula)
		}
		if p.Nodes > topology.MaxNodes/c.Nodes || p.Degree > topology.MaxCircuits-c.Degree || p.Nodes*c.Nodes > topology.MaxCircuits/(p.Degree+c.Degree) {
			return Cost{}, fmt.Errorf("%w: more than %d nodes or %d circuits", ErrTooLarge, topology.MaxNodes, topology.MaxCircuits)
		}
		p.Nodes, p.Degree, p.Steps = p.Nodes*c.Nodes, p.Degree+c.Degree, p.Steps+c.Steps
		p.ReverseSymmetric = p.ReverseSymmetric && c.ReverseSymmetric
	}
	p.Bandwidth = leastBandwidth(p.Nodes)
	return p, nil
}

// Bidirected is the cost for Bidirect(G) of a reverse-symmetric graph: that for G. (Zhao
// et al., appendix F.) It is a bound, because circuits of G and of its transpose between
// the same nodes share their loads. For other graphs the two directions may have their
// busy steps at different times, and there is no formula.
func (c Cost) Bidirected() (Cost, error) {
	if err := c.check(1); err != nil {
		return Cost{}, err
	}
	if !c.ReverseSymmetric {
		return Cost{}, fmt.Errorf("%w: of a two-way form the graph must be reverse-symmetric", ErrNoFormula)
	}
	b, err := c.grow(1, 2)
	if err != nil {
		return Cost{}, err
	}
	b.Bound = c.Bound || !c.Optimal()
	b.Simple, b.BFB = false, false
	return b, nil
}

// WholeChunks is a bound for breadth-first broadcast when a shard consists of equal chunks
// that travel whole: no circuit carries a whole chunk more per step, which is
// Steps d/(chunks N) in total.
//
// Deviation from Theorem 20 of Zhao et al., which has d(d^Steps-1)/((d-1) chunks N): they round
// every shard by itself, whereas package bfb solves the program in whole numbers.
func (c Cost) WholeChunks(chunks int) (Cost, error) {
	if err := c.check(1); err != nil {
		return Cost{}, err
	}
	if !c.BFB || chunks < 1 {
		return Cost{}, fmt.Errorf("%w: %d whole chunks, want at least 1 and a breadth-first broadcast", ErrInput, chunks)
	}
	loss := new(big.Rat).SetFrac64(int64(c.Steps)*int64(c.Degree), int64(c.Nodes))
	c.Bandwidth = loss.Add(loss.Mul(loss, big.NewRat(1, int64(chunks))), c.Bandwidth)
	c.Bound, c.BFB = true, true
	return c, nil
}
