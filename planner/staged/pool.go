package staged

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// pool collects different topologies in a fixed order.
type pool struct {
	fabric     *fabric.Fabric
	candidates []*candidate
	rings      map[jumper]int
	circulants map[string]int   // by jumps
	graphs     map[uint64][]int // by fingerprint
	tailored   bool             // addTailored was here
}

func newPool(f *fabric.Fabric) *pool {
	return &pool{fabric: f, rings: map[jumper]int{}, circulants: map[string]int{}, graphs: map[uint64][]int{}}
}

// add puts a topology into the pool unless it is there, and returns its place.
func (p *pool) add(c *candidate) int {
	if p.fabric.Avoid != "" {
		if left := p.fabric.Without(c.topology()); left != c.topology() {
			c = graphCandidate(left)
		}
	}
	switch {
	case c.jump.count > 0:
		if i, ok := p.rings[c.jump]; ok {
			return i
		}
		p.rings[c.jump] = len(p.candidates)
	case c.jumps != nil || c.translate != nil:
		key := fmt.Sprint(c.jumps, c.translate.String())
		if i, ok := p.circulants[key]; ok {
			return i
		}
		p.circulants[key] = len(p.candidates)
	default:
		key := c.graph.Fingerprint()
		for _, i := range p.graphs[key] {
			if p.candidates[i].graph.Equal(c.graph) {
				return i
			}
		}
		p.graphs[key] = append(p.graphs[key], len(p.candidates))
	}
	p.candidates = append(p.candidates, c)
	return len(p.candidates) - 1
}

// addFitting adds a topology if the fabric can hold it.
func (p *pool) addFitting(g *topology.Graph) {
	if p.fabric.Fits(g) == nil {
		p.add(graphCandidate(g))
	}
}

// addBase adds the base topology and returns its place; what is known of it is shared
// by all pools for the workload. A fabric without one holds
// only matchings: that is no plan for those who need a base, not a fault.
func (p *pool) addBase(w *workload) (int, error) {
	if w.base == nil {
		g, err := p.fabric.BaseTopology()
		if err != nil {
			return 0, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
		w.base = graphCandidate(g)
	}
	return p.add(w.base), nil
}

// addShifts adds the relatives of the base topology, if it is a circulant: all its
// rotations (every circuit u->v becomes u->v+s; one-way only) and all its multiples
// (jump j becomes k*j), as in HARVEST's pool of shifted rings (appendix A); and,
// with several ports, the rings that have all ports of a GPU lead to the same peer.
//
// With several ports, steps that do not look alike from every node cost a large linear
// program each; for those only the multiples by powers of two are tried, which is what
// exchanges at distances 1, 2, 4, .. ask for.
func (p *pool) addShifts(w *workload, base *topology.Graph) {
	f, n := p.fabric, p.fabric.Nodes
	jumps, ok := base.Jumps()
	if !ok {
		if !w.symmetricOnly() {
			p.addTranslates(base)
		}
		return
	}
	rotational := slices.ContainsFunc(w.classes, func(c class) bool { return c.offsets != nil })
	relatives := newKin(n, jumps)
	for k := 1; k < n; k++ {
		if f.Ports > 1 && !rotational && k&(k-1) != 0 {
			continue
		}
		if !f.Duplex && (f.Ports == 1 || rotational) {
			p.addRelative(moved(jumps, func(j int) int { return (j + k) % n }), relatives.rotation(k))
		}
		p.addRelative(moved(jumps, func(j int) int { return j * k % n }), relatives.multiple(k))
		if f.Ports > 1 {
			p.addJumps(repeat(k, f.Ports))
		}
	}
}

// addJumps adds the circulant with the given jumps, which it sorts, unless one of them
// is a loop.
func (p *pool) addJumps(jumps []int) { p.addRelative(jumps, nil) }

// addRelative is addJumps for a relative of the base; nil: it is none.
func (p *pool) addRelative(jumps []int, kin *relative) {
	slices.Sort(jumps)
	if jumps[0] == 0 {
		return
	}
	if equalJumps(jumps) && !p.fabric.Duplex {
		p.add(ringCandidate(p.fabric.Nodes, jumps[0], len(jumps)))
		return
	}
	if p.fabric.Avoid == "" && !p.fabric.Duplex { // nothing has failed, and one-way circuits will do
		if len(jumps) <= p.fabric.Ports {
			c := circulantCandidate(p.fabric.Nodes, jumps)
			c.kin = kin
			p.add(c)
		}
		return
	}
	if half, ok := twoWay(p.fabric.Nodes, jumps); ok {
		p.addFitting(topology.Circulant(p.fabric.Nodes, half...))
		return
	}
	p.addFitting(topology.DirectedCirculant(p.fabric.Nodes, jumps...))
}

// addTori adds the tori of two and three dimensions that the ports allow, and what is better
// than the base where that is one with a side of 2.
func (p *pool) addTori() {
	n := p.fabric.Nodes
	for a := 2; a*a <= n; a++ {
		if n%a == 0 {
			p.addFitting(topology.Torus(a, n/a))
		}
	}
	if sides := fabric.TorusSides(n, 3); sides != nil {
		p.addFitting(topology.Torus(sides...))
	}
	if g := p.fabric.Relative(); g != nil {
		p.addFitting(g)
	}
}

// addExpander adds a generalised Kautz graph, whose distances are within one of the
// least possible; on a duplex fabric, its two-way version. What is known of it is shared by all
// pools for the workload.
func (p *pool) addExpander(w *workload) {
	if w.expander == nil {
		if g := p.expander(); g != nil && p.fabric.Fits(g) == nil {
			w.expander = graphCandidate(g)
		}
	}
	if w.expander != nil {
		p.add(w.expander)
	}
}

func (p *pool) expander() *topology.Graph {
	f := p.fabric
	switch {
	case f.Ports < 2:
		// One port has no choice but cycles.
	case !f.Duplex && f.Ports < f.Nodes:
		return topology.GenKautz(f.Ports, f.Nodes)
	case f.Duplex && f.Ports >= 4 && f.Ports/2 < f.Nodes:
		return topology.Bidirect(topology.GenKautz(f.Ports/2, f.Nodes))
	}
	return nil
}
