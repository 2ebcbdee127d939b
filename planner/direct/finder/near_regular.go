package finder

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/topology"
)

// Two-way circuits cannot use all ports of an odd number of nodes of odd degree: one node has a
// port less, which leads to itself. That node receives all shards over one circuit fewer, so
// that no broadcast needs less bandwidth than if all nodes left a port unused (addIdle). But
// with the ports of the other nodes far fewer steps are possible.

// short reports whether one node must have a port less.
func (k key) short() bool { return k.twoWay && k.degree > 1 && k.nodes*k.degree%2 == 1 }

// leastBandwidth returns the bandwidth that no topology of the key can beat.
func (f *Finder) leastBandwidth(k key) *big.Rat {
	least := leastBandwidth(f.halves, k.nodes)
	if k.short() {
		least.Mul(least, shortage(k.degree))
	}
	return least
}

// shortage is the factor by which shards take longer over one circuit fewer.
func shortage(degree int) *big.Rat { return big.NewRat(int64(degree), int64(degree-1)) }

// workOfNear is the total number of circuits that addShort looks at in its searches from every
// node: with more nodes it tries fewer graphs.
const workOfNear = 1 << 23

// addShort adds graphs in which one node has a port less: graphs that look random, graphs of a
// node less with one inserted, and graphs of a node more with one removed. It measures a
// broadcast on a graph unless another one in no more steps is already as cheap as possible.
func (f *Finder) addShort(ctx context.Context, k key, p *pool) error {
	if !k.short() || k.degree < 3 || k.degree > climb.MaxDegree || k.nodes < k.degree+2 || f.tooMany(k) {
		return nil
	}
	const hopes = twoWay | reversible
	limit, ok := f.widest(k, p, hopes)
	if !ok {
		return nil
	}
	all, err := f.shortGraphs(ctx, k, limit)
	if err != nil {
		return err
	}
	least := big.NewRat(int64(k.nodes-1), int64(k.degree-1))
	var found []short
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if slices.ContainsFunc(found, func(o short) bool { return o.steps <= s.steps && o.time.Cmp(least) == 0 }) {
			continue
		}
		if s.steps, s.time, ok = climb.Measure(s.graph, s.steps); ok {
			found = addBest(found, s)
		}
	}
	each := big.NewRat(int64(f.halves*k.degree), int64(k.nodes))
	for _, s := range found {
		cost := Cost{f.halves * s.steps, new(big.Rat).Mul(s.time, each)}
		if !p.covers(cost, hopes) && !f.beyond(k, cost) {
			f.addChecked(k, p, s.expr, cost, hopes|graphTraits(s.graph))
		}
	}
	return nil
}

// short is a graph with the steps and the time of an allgather.
type short struct {
	expr  topology.Expr
	graph *topology.Graph
	steps int
	time  *big.Rat // nil: not measured
}

// shortGraphs returns the graphs to try whose diameter is within the limit, those of few steps
// first.
func (f *Finder) shortGraphs(ctx context.Context, k key, limit int) ([]short, error) {
	exprs, err := f.shortExprs(ctx, k, limit)
	if err != nil {
		return nil, err
	}
	var all []short
	err = eachBuilt(ctx, exprs, func(expr topology.Expr, g *topology.Graph) {
		if steps, ok := climb.Diameter(g, limit); ok {
			all = append(all, short{expr: expr, graph: g, steps: steps})
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b short) int { return a.steps - b.steps })
	return all, nil
}

// addBest adds a graph unless another takes no more steps and no more time, and drops the
// graphs that the new one makes superfluous.
func addBest(all []short, s short) []short {
	var kept []short
	for _, o := range all {
		if o.steps <= s.steps && o.time.Cmp(s.time) <= 0 {
			return all
		}
		if s.steps > o.steps || s.time.Cmp(o.time) > 0 {
			kept = append(kept, o)
		}
	}
	return append(kept, s)
}

// shortExprs returns the graphs to try. A node more or less hardly changes the diameter of many
// nodes. So if the limit is low, it starts only from graphs of that few steps.
func (f *Finder) shortExprs(ctx context.Context, k key, limit int) ([]topology.Expr, error) {
	tries := workOfNear/(k.nodes*k.nodes*k.degree) + 1
	random := rand.New(rand.NewPCG(f.opts.Seed, uint64(k.nodes)<<32|uint64(k.degree)))
	var exprs []topology.Expr
	for seed := range min(f.opts.Tries, 32, tries) {
		exprs = append(exprs, family("Regular", k.nodes, k.degree, int(f.opts.Seed%(1<<20))+seed))
	}
	for _, change := range []struct {
		nodes int
		draw  func(*topology.Graph, topology.Expr, *rand.Rand) topology.Expr
	}{{k.nodes - 1, drawInsert}, {k.nodes + 1, drawRemove}} {
		bases, err := f.within(ctx, key{change.nodes, k.degree, true}, limit)
		if err != nil {
			return nil, err
		}
		for _, base := range bases {
			g, err := base.expr.Build()
			if err != nil {
				return nil, err
			}
			if !graphTraits(g).has(simple) {
				continue
			}
			for range min(f.opts.Tries, tries) {
				exprs = append(exprs, change.draw(g, base.expr, random))
			}
		}
	}
	return exprs, nil
}

// within returns topologies of a key, with many nodes only those whose diameter is within the
// limit.
func (f *Finder) within(ctx context.Context, k key, limit int) ([]candidate, error) {
	if k.nodes <= manySamples || limit >= k.nodes-1 {
		p, err := f.all(ctx, k)
		if err != nil {
			return nil, err
		}
		return p.members, nil
	}
	nothing := Cost{f.halves * (limit + 1), new(big.Rat)}
	p := &pool{[]candidate{{cost: nothing, method: rival, traits: ^traits(0)}}}
	if err := f.collectAll(ctx, k, p); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(p.members, func(c candidate) bool { return c.method == rival }), nil
}

// drawInsert inserts a node into random two-way circuits. No two of these share a node if a few
// draws suffice to find such circuits. The graph is simple, so that circuits have the numbers
// of their bundles.
func drawInsert(g *topology.Graph, expr topology.Expr, random *rand.Rand) topology.Expr {
	d := g.Degree()
	var chosen, ends []int
	for draws := 0; len(chosen) < d-1; draws++ {
		u := random.IntN(g.Nodes())
		to, _ := g.Row(u)
		v := int(to[random.IntN(len(to))])
		there, back := g.Find(u, v), g.Find(v, u)
		meets := slices.Contains(ends, u) || slices.Contains(ends, v)
		if slices.Contains(chosen, there) || meets && draws < 16*d {
			continue
		}
		chosen = append(chosen, there, back)
		ends = append(ends, u, v)
	}
	slices.Sort(chosen)
	return operator("Insert", expr, chosen...)
}

// drawRemove removes a random node.
func drawRemove(g *topology.Graph, expr topology.Expr, random *rand.Rand) topology.Expr {
	return operator("Remove", expr, random.IntN(g.Nodes()), random.IntN(g.Degree()))
}
