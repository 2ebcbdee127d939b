package finder

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// open is a topology that has not been built.
type open struct {
	candidate // without a bandwidth if no theorem tells the cost

	// exact says that no breadth-first broadcast is better than this cost.
	exact bool
}

// floor is the least that a breadth-first broadcast of that diameter can cost.
func (f *Finder) floor(k key, diameter int) Cost {
	return Cost{f.halves * diameter, f.leastBandwidth(k)}
}

// widest returns the largest diameter at which a topology could improve the pool if its
// broadcast were as cheap as possible, and false if there is none.
func (f *Finder) widest(k key, p *pool, hopes traits) (diameter int, ok bool) {
	useful := func(diameter int) bool {
		return !p.covers(f.floor(k, diameter), hopes) && !f.beyondDiameter(k, diameter)
	}
	diameter, ok = topology.MooreDiameter(k.nodes, k.degree, k.twoWay)
	if !ok || !useful(diameter) {
		return 0, false
	}
	for diameter < k.nodes && useful(diameter+1) {
		diameter++
	}
	return diameter, true
}

// settle adds topologies at the costs that theorems give. It then computes breadth-first
// broadcasts on all topologies that could improve the pool if their broadcasts were as cheap as
// possible, those of small diameter first.
func (f *Finder) settle(ctx context.Context, k key, p *pool, found []open) error {
	for _, o := range found {
		if o.cost.Bandwidth != nil {
			p.add(o.candidate)
			f.met(k, o.cost)
		}
	}
	slices.SortStableFunc(found, func(a, b open) int { return cmp.Compare(a.diameter, b.diameter) })
	for _, o := range found {
		if o.exact || p.covers(f.floor(k, o.diameter), o.hopes()) || f.beyondDiameter(k, o.diameter) {
			continue
		}
		if _, err := f.check(ctx, k, p, o.expr, o.traits); err != nil {
			return err
		}
	}
	return nil
}

// hopes are the traits that the graph may turn out to have.
func (c candidate) hopes() traits {
	if c.traits.has(simple) {
		return c.traits | balanced
	}
	return c.traits
}

// check computes the best breadth-first broadcast on a graph that is known to have some
// traits, and adds it. It reports whether its bandwidth is optimal.
func (f *Finder) check(ctx context.Context, k key, p *pool, expr topology.Expr, known traits) (optimal bool, err error) {
	if expr.Family == "Line" && k.degree <= widestTable {
		root, err := expr.Graphs[0].Build()
		if err != nil {
			return false, err
		}
		if t := graphTraits(root); t.has(simple) {
			known |= lineTraits(t)
			c, err := lineCosts(ctx, root, expr.Numbers[0], f.opts.Op, known.has(reversible))
			if err != nil {
				return false, err
			}
			return f.addChecked(k, p, expr, c, known), nil
		}
	}
	g, err := expr.Build()
	if err != nil {
		return false, err
	}
	return f.checkGraph(ctx, k, p, expr, g, known|graphTraits(g))
}

// checkGraph is check for a graph that has been built and whose traits are known. It leaves out
// graphs that are not strongly connected.
func (f *Finder) checkGraph(ctx context.Context, k key, p *pool, expr topology.Expr, g *topology.Graph, t traits) (optimal bool, err error) {
	if k.twoWay && !t.has(twoWay) {
		return false, nil
	}
	if f.tooMany(k) {
		if _, transitive := g.Symmetry(); !transitive {
			return false, nil
		}
	}
	alike := expr.Transitive()
	if !alike && k.nodes > manySamples {
		switch hopeless, err := f.hopeless(ctx, k, p, g, t); {
		case errors.Is(err, bfb.ErrNotConnected) || err == nil && hopeless:
			return false, nil
		case err != nil:
			return false, err
		}
	}
	s, err := bfb.Solve(ctx, g, bfb.Options{Op: f.opts.Op, Alike: alike, Progress: f.progress(expr)})
	if errors.Is(err, bfb.ErrNotConnected) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return f.addChecked(k, p, expr, Cost{s.Steps, s.Bandwidth}, t), nil
}

const (
	samples     = 8            // nodes that are looked at first
	manySamples = 16 * samples // nodes from which on that pays
)

// hopeless reports whether a few nodes of a graph cost so much that the pool has no use for the
// graph.
func (f *Finder) hopeless(ctx context.Context, k key, p *pool, g *topology.Graph, t traits) (bool, error) {
	steps, bandwidth, err := bfb.Floor(ctx, g, f.opts.Op, samples)
	if err != nil {
		return false, err
	}
	if bandwidth.Cmp(leastBandwidth(f.halves, k.nodes)) == 0 {
		t |= balanced
	}
	floor := Cost{steps, bandwidth}
	return p.covers(floor, t) || f.beyond(k, floor), nil
}

// tooMany reports whether there are so many nodes that all must look the same (Options.Alike).
func (f *Finder) tooMany(k key) bool { return f.opts.Alike > 0 && k.nodes > f.opts.Alike }

// progress returns what reports the progress of a broadcast, or nil.
func (f *Finder) progress(expr topology.Expr) func(done, total int) {
	if f.report == nil {
		return nil
	}
	name := expr.String()
	return func(done, total int) { f.report(name, done, total) }
}

// addChecked adds a broadcast and reports whether its bandwidth is optimal.
func (f *Finder) addChecked(k key, p *pool, expr topology.Expr, c Cost, t traits) (optimal bool) {
	optimal = c.Bandwidth.Cmp(leastBandwidth(f.halves, k.nodes)) == 0
	if optimal {
		t |= balanced
	}
	f.met(k, c)
	p.add(candidate{expr: expr, cost: c, method: MethodBFB, traits: t, diameter: c.Steps / f.halves})
	return optimal
}

// graphTraits returns the traits that can be read off the graph.
func graphTraits(g *topology.Graph) traits {
	t := plain | simple
	for e := range g.Edges() {
		if e.From == e.To {
			t &^= plain | simple
		}
		if e.Count > 1 {
			t &^= simple
		}
	}
	if g.Bidirectional() {
		t |= twoWay | reversible
	}
	return t
}
