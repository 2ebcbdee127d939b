package finder

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// traits are the properties, besides its cost, that expansions require of a graph.
type traits uint8

const (
	plain      traits = 1 << iota // no self-loops
	simple                        // no self-loops and no parallel circuits
	twoWay                        // every circuit has a partner the other way
	reversible                    // isomorphic to its transpose
	balanced                      // its breadth-first broadcast is bandwidth-optimal
	// constructed: from the families and expansions of Zhao et al., from groups, or random.
	// Other graphs never replace a constructed one: the broadcast on an expansion of it may be
	// better than the theorems tell.
	constructed
)

func (t traits) has(all traits) bool { return t&all == all }

// factor is what Theorem 13 requires of the factors of a product.
const factor = simple | balanced

// candidate is a topology with a schedule.
type candidate struct {
	expr   topology.Expr
	cost   Cost
	method Method
	traits traits
	// diameter is a lower bound on the graph's diameter, and exact if method is MethodBFB.
	diameter int
}

// pool holds candidates of the same size and degree. None covers another. They are in the order in
// which they came.
type pool struct {
	members []candidate
}

func (p *pool) clone() *pool { return &pool{slices.Clone(p.members)} }

// covers reports whether a member has those traits and costs no more.
func (p *pool) covers(c Cost, t traits) bool {
	return slices.ContainsFunc(p.members, func(m candidate) bool { return m.traits.has(t) && m.cost.covers(c) })
}

// add adds a candidate unless a member covers it, and drops the members that it covers.
func (p *pool) add(c candidate) {
	if p.covers(c.cost, c.traits) {
		return
	}
	p.members = slices.DeleteFunc(p.members, func(m candidate) bool { return c.traits.has(m.traits) && c.cost.covers(m.cost) })
	p.members = append(p.members, c)
}

// with returns the members that have those traits.
func (p *pool) with(t traits) []candidate {
	return each.Where(p.members, func(c candidate) bool { return c.traits.has(t) })
}

// fastest returns the member of fewest steps that has those traits.
func (p *pool) fastest(t traits) (best candidate, ok bool) {
	for _, c := range p.with(t) {
		if !ok || c.cost.Steps < best.cost.Steps {
			best, ok = c, true
		}
	}
	return best, ok
}

// frontier returns the members that no other covers if traits are ignored, by ascending steps
// and so by descending bandwidth.
func (p *pool) frontier() []candidate {
	var all pool
	for _, c := range p.members {
		c.traits = 0
		all.add(c)
	}
	slices.SortFunc(all.members, func(a, b candidate) int { return a.cost.Steps - b.cost.Steps })
	return all.members
}
