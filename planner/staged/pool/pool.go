package pool

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// Pool is a list of different topologies in a fixed order.
type Pool struct {
	Fabric     *fabric.Fabric
	Candidates []*pricing.Candidate
	rings      map[pricing.Jumper]int
	circulants map[string]int    // by jumps
	graphs     map[uint64][]int  // by fingerprint
	tailored   bool              // AddTailored has run
	graphed    bool              // AddKnown has run
	placed     map[knownKey]bool // kinds of graphs that addSkewed has added
}

// New makes an empty pool for a fabric.
func New(f *fabric.Fabric) *Pool {
	return &Pool{Fabric: f, rings: map[pricing.Jumper]int{}, circulants: map[string]int{}, graphs: map[uint64][]int{}}
}

// Add adds a topology to the pool unless the pool has it, and returns its index.
func (p *Pool) Add(c *pricing.Candidate) int {
	if !p.Fabric.Open() {
		if left := p.Fabric.Possible(c.Topology()); left != c.Topology() {
			c = pricing.GraphCandidate(left)
		}
	}
	switch {
	case c.Jump.Count > 0:
		if i, ok := p.rings[c.Jump]; ok {
			return i
		}
		p.rings[c.Jump] = len(p.Candidates)
	case c.Jumps != nil || c.Translate != nil:
		key := fmt.Sprint(c.Jumps, c.Translate.String())
		if i, ok := p.circulants[key]; ok {
			return i
		}
		p.circulants[key] = len(p.Candidates)
	default:
		key := c.Graph.Fingerprint()
		for _, i := range p.graphs[key] {
			if p.Candidates[i].Graph.Equal(c.Graph) {
				return i
			}
		}
		p.graphs[key] = append(p.graphs[key], len(p.Candidates))
	}
	p.Candidates = append(p.Candidates, c)
	return len(p.Candidates) - 1
}

// addFitting adds a topology if the fabric can hold it.
func (p *Pool) addFitting(g *topology.Graph) {
	if p.Fabric.Fits(g) == nil {
		p.Add(pricing.GraphCandidate(g))
	}
}

// AddBase adds the base topology and returns its index. All pools for the workload share what is
// known of it. A fabric that holds only matchings has no base. That is no fault, but planners
// that need a base then have no plan.
func (p *Pool) AddBase(w *pricing.Workload) (int, error) {
	if w.Base == nil {
		g, err := p.Fabric.BaseTopology()
		if err != nil {
			return 0, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
		w.Base = pricing.GraphCandidate(g)
	}
	return p.Add(w.Base), nil
}

// addShifts adds the relatives of the base topology, if it is a circulant: all its
// rotations (every circuit u->v becomes u->v+s; one-way only) and all its multiples
// (jump j becomes k*j), as in HARVEST's pool of shifted rings (appendix A); and,
// with several ports, the rings that have all ports of a GPU lead to the same peer.
//
// With several ports, each step that does not look the same from every node costs a large linear
// program. If all steps are like that, only multiples by powers of two are tried, which suit
// exchanges at distances 1, 2, 4, ... It stops when the context ends.
func (p *Pool) addShifts(ctx context.Context, w *pricing.Workload, base *topology.Graph) {
	f, n := p.Fabric, p.Fabric.Nodes
	jumps, ok := base.Jumps()
	if !ok {
		if !w.SymmetricOnly() {
			p.addTranslates(base)
		}
		return
	}
	rotational := slices.ContainsFunc(w.Classes, func(c pricing.Class) bool { return c.Offsets != nil })
	for k := 1; k < n; k++ {
		if ctx.Err() != nil {
			return
		}
		if f.Ports > 1 && !rotational && k&(k-1) != 0 {
			continue
		}
		if !f.Duplex && (f.Ports == 1 || rotational) {
			p.addRelative(each.Of(jumps, func(j int) int { return (j + k) % n }), true)
		}
		p.addRelative(each.Of(jumps, func(j int) int { return j * k % n }), true)
		if f.Ports > 1 {
			p.AddJumps(slices.Repeat([]int{k}, f.Ports))
		}
	}
}

// AddJumps sorts the given jumps and adds their circulant, unless a jump is a loop.
func (p *Pool) AddJumps(jumps []int) { p.addRelative(jumps, false) }

// addRelative is AddJumps for a circulant that may be kin, a relative of the base.
func (p *Pool) addRelative(jumps []int, kin bool) {
	slices.Sort(jumps)
	if jumps[0] == 0 {
		return
	}
	if p.Fabric.Restricts() {
		// A circulant that lacks some of its pairs is not worth pricing.
		g := topology.DirectedCirculant(p.Fabric.Nodes, jumps...)
		if left := p.Fabric.Possible(g); left.Bundles() == g.Bundles() && p.Fabric.Fits(left) == nil {
			p.Add(pricing.GraphCandidate(left))
		}
		return
	}
	if pricing.EqualJumps(jumps) && !p.Fabric.Duplex {
		p.Add(pricing.RingCandidate(p.Fabric.Nodes, jumps[0], len(jumps)))
		return
	}
	if p.Fabric.Open() && !p.Fabric.Duplex { // nothing has failed, and one-way circuits will do
		if len(jumps) <= p.Fabric.Ports {
			c := pricing.CirculantCandidate(p.Fabric.Nodes, jumps)
			c.Kin = kin
			p.Add(c)
		}
		return
	}
	if half, ok := pricing.TwoWay(p.Fabric.Nodes, jumps); ok {
		p.addFitting(topology.Circulant(p.Fabric.Nodes, half...))
		return
	}
	p.addFitting(topology.DirectedCirculant(p.Fabric.Nodes, jumps...))
}

// addTori adds the tori of two and three dimensions that the ports allow, and the better relative
// of a base that is a torus with a side of 2 (Fabric.Relative).
func (p *Pool) addTori() {
	n := p.Fabric.Nodes
	for _, a := range arithmetic.Divisors(n) {
		if a > 1 && a*a <= n {
			p.addFitting(topology.Torus(a, n/a))
		}
	}
	if sides := fabric.TorusSides(n, 3); sides != nil {
		p.addFitting(topology.Torus(sides...))
	}
	if g := p.Fabric.Relative(); g != nil {
		p.addFitting(g)
	}
}

// AddExpander adds a generalised Kautz graph, whose distances are within one hop of the least
// possible. On a duplex fabric it adds the two-way version, and on switches that cannot set that
// up, a graph found for them (Fabric.Mixed). All pools for the workload share what is known of
// it.
func (p *Pool) AddExpander(w *pricing.Workload) {
	if w.Expander == nil {
		if g := p.expander(); g != nil && p.Fabric.Fits(g) == nil {
			w.Expander = pricing.GraphCandidate(g)
		}
	}
	if w.Expander != nil {
		p.Add(w.Expander)
	}
	for _, g := range p.Fabric.MixedNarrow() {
		p.addFitting(g)
	}
}

func (p *Pool) expander() *topology.Graph {
	f := p.Fabric
	switch {
	case f.Restricts():
		return f.Mixed()
	case f.Ports < 2:
		// With one port there are only cycles.
	case !f.Duplex && f.Ports < f.Nodes:
		return topology.GenKautz(f.Ports, f.Nodes)
	case f.Duplex && f.Ports >= 4 && f.Ports/2 < f.Nodes:
		return topology.Bidirect(topology.GenKautz(f.Ports/2, f.Nodes))
	}
	return nil
}
