package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/direct/short"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// mostKnown is the largest number of GPUs for which known graphs are added. Few of these graphs
// have a symmetry that lets a few transfers represent all. At 1024 GPUs, planning all pairs
// takes seven seconds longer with them, and the plan is 4% faster.
const mostKnown = 512

// AddKnown adds the best known graphs of all GPUs, or of those that take part, if in some step
// these all send the same amount to one another and each has more peers than ports. Such a step,
// above all that of an all-to-all, takes less time the closer the nodes are. (If amounts differ
// between pairs, see addSkewed.) The finder's graphs have some of the shortest distances: two-way
// circuits of 3 ports join 28 GPUs within 4 hops, while the best circulant needs 7. Cayley graphs
// with the least sum of distances load their circuits more evenly. Which graph is best depends on
// the step, so AddKnown adds all of them. It runs once per pool, for the first request whose limit
// such a graph might meet.
func (p *Pool) AddKnown(ctx context.Context, r *planner.Request, w *pricing.Workload) error {
	f := p.Fabric
	if err := p.addSkewed(ctx, r, w); err != nil {
		return err
	}
	if p.graphed || f.Ports < 2 || f.Nodes > mostKnown || !w.Routable() || !slices.ContainsFunc(w.Classes, func(c pricing.Class) bool { return c.Dense(f) }) {
		return nil
	}
	if len(w.Steps) == 1 && r.Beyond(units.Time(w.LeastStaying(w.LeastFrom()[0]))) != nil {
		return nil // no graph is good enough
	}
	p.graphed = true
	for _, g := range p.known(ctx, w, f.Nodes) {
		left := f.Without(g)
		if jumps, ok := left.Jumps(); ok {
			p.AddJumps(jumps)
			continue
		}
		p.addFitting(left)
	}
	for _, members := range subsetsOf(w) {
		for _, g := range p.known(ctx, w, len(members)) {
			name := fmt.Sprintf("%s of %d GPUs", g.Name(), len(members))
			p.addFitting(p.kept(w, f.Without(g.Renumber(name, f.Nodes, members))))
		}
	}
	return ctx.Err()
}

// knownKey holds everything that the known graphs depend on.
type knownKey struct {
	nodes, ports int
	twoWay       bool
	families     *topology.Registry
}

// known returns the known graphs with the given number of nodes and the fabric's ports. It
// searches for them once.
func (p *Pool) known(ctx context.Context, w *pricing.Workload, nodes int) []*topology.Graph {
	return p.knownOf(ctx, w, knownKey{nodes, p.Fabric.Ports, p.Fabric.Duplex, p.Fabric.Families()})
}

// knownOf is known for any key, such as one with fewer ports or with two-way circuits.
func (p *Pool) knownOf(ctx context.Context, w *pricing.Workload, key knownKey) []*topology.Graph {
	return planner.Kept(w.Kept, key, func() ([]*topology.Graph, bool) {
		graphs := key.graphs(ctx)
		return graphs, ctx.Err() == nil
	})
}

// graphs builds five kinds of graphs: the finder's frontier for an allreduce, all stored graphs,
// those of small diameter, the Cayley graphs with the shortest distances, and a random graph. Some
// of them cost an allreduce more than others do, but are better when all pairs send. For a prime
// number of nodes the only group is the cyclic one, and a random graph may have shorter distances
// than all others.
func (k knownKey) graphs(ctx context.Context) []*topology.Graph {
	options := finder.Options{Op: bfb.AllReduce, Bidirectional: k.twoWay, Families: k.families}
	points, err := finder.New(k.ports, options).Frontier(ctx, k.nodes)
	if err != nil && !errors.Is(err, finder.ErrNone) && !errors.Is(err, finder.ErrInvalid) {
		return nil // the context ended
	}
	exprs := each.Of(points, func(point finder.Point) topology.Expr { return point.Expr })
	all := slices.Concat(stored.Of(k.nodes, k.ports, k.twoWay), stored.Grouped(k.nodes, k.ports, k.twoWay))
	if !k.twoWay {
		all = append(all, stored.ForGather(k.nodes, k.ports)...)
	}
	all = append(all, stored.ForPairs(k.nodes, k.ports, k.twoWay)...)
	for _, s := range all {
		exprs = append(exprs, s.Expr)
	}
	exprs = append(exprs, k.short()...)
	var graphs []*topology.Graph
	for _, expr := range exprs {
		if g, err := expr.Build(); err == nil {
			graphs = append(graphs, g)
		}
	}
	graphs = append(graphs, k.closest(ctx)...)
	if random := k.closestRandom(ctx, graphs); random != nil {
		graphs = append(graphs, random)
	}
	return graphs
}

// short lists the stored graphs of small diameter: that of all nodes, and if circuits are one-way,
// the line digraphs of those of fewer nodes. Where pairs have little for one another, the longest
// distance counts for more than the busiest circuit.
func (k knownKey) short() []topology.Expr {
	var exprs []topology.Expr
	for nodes, lines := k.nodes, 0; ; nodes, lines = nodes/k.ports, lines+1 {
		if expr, ok := short.Of(nodes, k.ports, k.twoWay); ok {
			if lines > 0 {
				expr = topology.Expr{Family: "Line", Graphs: []topology.Expr{expr}, Numbers: []int{lines}}
			}
			exprs = append(exprs, expr)
		}
		if k.twoWay || nodes%k.ports != 0 {
			return exprs
		}
	}
}
