package synthesis

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// tree is the search tree of Exact. Every node is a partial topology with one more circuit than
// its parent.
type tree struct {
	*partial
	iv      *interval
	reach   *reach
	orderly *orderly
	levels  []*level
	byClass [][]*level
	proven  []float64   // per class: least bytes on any topology
	least   [][]atLeast // by circuits laid, per class
	images  [][]int     // automorphisms under which a cut is added

	best    *priced           // nil until there is one
	earlier []*topology.Graph // the best ones before best
	limit   units.Time        // only topologies that cost less are useful

	bytes   []float64 // per level: the load that its cuts prove at the current node
	settled []bool    // per level, at a leaf: whether bytes are exact
	visited int
	stopped bool
	err     error
	report  func()

	// A walk lays the circuits of guide first, and calls emit instead of continuing once stop
	// circuits are laid.
	guide []int
	stop  int
	emit  func(bound units.Time)
}

func newTree(iv *interval, proven []float64, automorphisms [][]int) *tree {
	o := newOrderly(iv.Nodes, automorphisms)
	p := newPartial(iv, o.root)
	t := &tree{
		partial: p, iv: iv, reach: newReach(iv, p), orderly: o,
		proven: proven, limit: units.Time(inf), report: func() {},
		images: sample(automorphisms),
	}
	t.levels, t.byClass = newLevels(iv, arcsUnder(p.n, nil))
	t.bytes, t.settled = make([]float64, len(t.levels)), make([]bool, len(t.levels))
	for range p.n*p.ports + 1 {
		t.least = append(t.least, make([]atLeast, len(iv.classes)))
	}
	return t
}

// walk visits the topologies that begin with the circuits of guide.
func (t *tree) walk(ctx context.Context, guide []int, stop int, emit func(units.Time)) {
	t.guide, t.stop, t.emit = guide, stop, emit
	t.row(ctx, 0)
}

// row begins the next row, or prices the topology if all are filled.
func (t *tree) row(ctx context.Context, bound units.Time) {
	u := t.next()
	if u < 0 {
		t.leaf(ctx)
		return
	}
	t.circuits(ctx, u, 0, bound)
}

// circuits lays the next circuit of row u, to node first or a later one, in all ways.
func (t *tree) circuits(ctx context.Context, u, first int, bound units.Time) {
	if t.out[u] == 0 {
		if t.orderly.filled(u, t.x) {
			t.done |= 1 << u
			t.row(ctx, bound)
			t.done &^= 1 << u
			t.orderly.emptied()
		}
		return
	}
	depth := len(t.laid)
	if depth == t.stop {
		t.emit(bound)
		return
	}
	for v := first; v < t.n && !t.stopped; v++ {
		if !t.may(u, v) || depth < len(t.guide) && v != t.guide[depth] {
			continue
		}
		t.lay(u, v)
		if bound, ok := t.admit(ctx, depth, u*t.n+v); ok {
			t.circuits(ctx, u, v, bound)
		}
		t.lift()
	}
}

// checkEvery is the number of tree nodes between checks of the context.
const checkEvery = 1 << 10

// admit bounds the topologies with the circuits laid so far, the given pair last, and reports
// whether one of them can be below the limit.
func (t *tree) admit(ctx context.Context, depth, pair int) (units.Time, bool) {
	t.visited++
	if t.visited%checkEvery == 0 {
		t.stopped = ctx.Err() != nil
		t.report()
	}
	t.iv.work += int64(t.n * t.n)
	for k, l := range t.levels {
		t.iv.work += int64(len(l.most))
		t.bytes[k] = l.lay(depth, pair)
	}
	t.stopped = t.stopped || t.iv.spent()
	copy(t.least[depth+1], t.least[depth])
	if t.bound() >= t.limit || !t.reach.look(t.least[depth+1]) {
		return 0, false
	}
	bound := t.bound()
	return bound, bound < t.limit
}

// bound returns a lower bound on the time of the interval at the current node.
func (t *tree) bound() units.Time {
	total := units.Time(0)
	for i, c := range t.iv.classes {
		_, least := t.cheapest(i)
		total += units.Time(c.times) * least
	}
	return total
}

// cheapest returns the level at which class i may take the least time, and that time. The load of
// a level also bounds the levels with fewer hops.
func (t *tree) cheapest(i int) (*level, units.Time) {
	known := t.least[len(t.laid)][i]
	bytes := max(t.proven[i], known.bytes)
	levels := t.byClass[i]
	best, least := (*level)(nil), units.Time(inf)
	for k := len(levels) - 1; k >= 0 && levels[k].to >= known.hops; k-- {
		l := levels[k]
		bytes = max(bytes, t.bytes[l.index])
		time := t.iv.Delta.Time()*units.Time(max(known.hops, l.from)) + t.iv.Bandwidth.Transmit(bytes)
		if time < least {
			best, least = l, time
		}
	}
	return best, least + t.iv.Alpha.Time()
}

// leaf prices a complete topology. It finds the loads of its steps level by level, the seemingly
// cheapest levels first, and each gives a cut that also bounds other topologies. If the loads do
// not exceed the limit, package flow prices the topology.
func (t *tree) leaf(ctx context.Context) {
	circuits := make([]float64, 0, len(t.x))
	for e, x := range t.x {
		if e/t.n != e%t.n {
			circuits = append(circuits, float64(x))
		}
	}
	clear(t.settled)
	for t.bound() < t.limit {
		l := t.open()
		if l == nil {
			t.take(ctx)
			return
		}
		t.bytes[l.index], t.settled[l.index] = t.learn(l, circuits), true
	}
}

// open returns a level that determines the bound but whose own load is only a bound, or nil.
func (t *tree) open() *level {
	for i := range t.iv.classes {
		if l, _ := t.cheapest(i); l != nil && len(l.solver.demands) > 0 && !t.settled[l.index] {
			return l
		}
	}
	return nil
}

// take prices the topology with flow, and keeps it if it is the best.
func (t *tree) take(ctx context.Context) {
	e, err := t.iv.price(ctx, t.graph(synthesised), t.limit)
	switch {
	case ctx.Err() != nil:
		t.stopped = true
	case err != nil:
		t.err, t.stopped = err, true
	case e != nil:
		t.keep(e)
	}
}

// keep makes a topology the best one.
func (t *tree) keep(e *priced) {
	if t.best != nil {
		t.earlier = append(t.earlier, t.best.graph)
	}
	t.best, t.limit = e, e.cost*(1-provenGap)
	t.report()
}

// cost returns the cost of the best topology so far.
func (t *tree) cost() units.Time {
	if t.best == nil {
		return units.Time(inf)
	}
	return t.best.cost
}
