package finder

import (
	"cmp"
	"context"
	"sync"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// Method says which schedule attains the cost of a Point.
type Method string

// The methods. All but MethodBFB are constructions from the schedules of smaller graphs.
const (
	MethodBFB      Method = "bfb"      // the best breadth-first broadcast, computed
	MethodLine     Method = "line"     // Zhao et al., Def. 2 and Theorem 1
	MethodDegree   Method = "degree"   // Def. 4 and Theorem 11
	MethodPower    Method = "power"    // Def. 14 and Theorem 12
	MethodProduct  Method = "product"  // a breadth-first broadcast too, whose cost Theorem 13 gives
	MethodBidirect Method = "bidirect" // appendix F
)

// Point is a topology that no other found one beats in both steps and bandwidth.
type Point struct {
	Expr topology.Expr
	Cost
	Method Method
}

// Finder finds topologies of one degree. It keeps what it has found, also for smaller degrees,
// because larger topologies are expansions of smaller ones. It is safe for concurrent use;
// calls wait for each other.
type Finder struct {
	degree int
	opts   Options
	halves int

	mutex   sync.Mutex
	shelves map[key]*shelf
	goal    *goal                              // of Fastest; nil: the whole frontier is asked for
	report  func(expr string, done, total int) // of the present call
	wanted  key                                // of the present call
	sofar   *pool                              // what is known of wanted
}

// New returns a finder for topologies in which a node has degree ports, each a
// transmitter and a receiver. Whether degree and options make sense is checked when a
// frontier is asked for.
func New(degree int, opts Options) *Finder {
	opts.Tries = cmp.Or(opts.Tries, DefaultTries)
	return &Finder{degree: degree, opts: opts, halves: opts.halves(), shelves: map[key]*shelf{}}
}

// Frontier returns the topologies of n nodes that are best for some ratio of latency to
// bandwidth, by ascending steps and descending bandwidth. The error wraps ErrNone where
// there is none. The result does not depend on what was asked before. If the context ends first,
// the topologies that are known by then come with its error.
//
// By the theorems nothing is lost on the way: a topology is dropped only for one with the same
// properties that costs no more, and the same holds for their expansions. What limits the
// result is the available families, the circulants that were tried, and that broadcasts are not
// computed on expansions of dropped topologies.
//
// If n allows few expansions, most of the time goes into the broadcast on the generalized Kautz
// graph, O(n^2 degree) at worst.
func (f *Finder) Frontier(ctx context.Context, n int) ([]Point, error) {
	return f.find(ctx, n, f.opts.Progress)
}

func (f *Finder) find(ctx context.Context, n int, report func(expr string, done, total int)) ([]Point, error) {
	if _, err := Bound(n, f.degree, f.opts); err != nil {
		return nil, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.report = report
	k := key{n, f.degree, f.opts.Bidirectional}
	f.wanted, f.sofar = k, &pool{}
	known, err := f.all(ctx, k)
	if err == nil {
		f.sofar = &pool{known.frontier()}
	}
	if err == nil && !f.opts.Circulant {
		err = collect(ctx, k, f.sofar, f.addLifts, f.addTwoWayTopologies, f.addIdle)
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	points, wrong := f.sofar.points()
	switch {
	case wrong != nil:
		return nil, wrong
	case err == nil && len(points) == 0:
		return nil, noTopology(n, f.degree)
	}
	return points, err
}

// points returns the points of the frontier.
func (p *pool) points() (points []Point, err error) {
	for _, c := range p.frontier() {
		parsed, err := c.expr.Checked()
		if err != nil {
			return nil, err
		}
		points = append(points, Point{parsed, c.cost, c.method})
	}
	return points, nil
}

// key is what topologies must have in common to replace each other.
type key struct {
	nodes, degree int
	twoWay        bool // only two-way topologies
}

// shelf holds what is known of a key. The two pools are separate so that what is made from best
// does not depend on whether all has been filled.
type shelf struct {
	best pool // with the topologies of least bandwidth, from which products are made
	all  *pool
}

// collector adds topologies to a pool.
type collector func(context.Context, key, *pool) error

func collect(ctx context.Context, k key, p *pool, collectors ...collector) error {
	return each.Try(collectors, func(add collector) error { return add(ctx, k, p) })
}

// collectAll collects what an empty pool would get from shelf and all.
func (f *Finder) collectAll(ctx context.Context, k key, p *pool) error {
	return collect(ctx, k, p, f.addBases, f.addManyPorts, f.addCirculants, f.addProducts, f.addBestExpansions,
		f.addLowDiameterBases, f.addSparse, f.addShort, f.addOneWay, f.addExpansions)
}

// shelf returns the shelf of a key, with its topologies of least bandwidth.
func (f *Finder) shelf(ctx context.Context, k key) (*shelf, error) {
	if s := f.shelves[k]; s != nil {
		return s, nil
	}
	s := &shelf{}
	if k == f.wanted {
		f.sofar = &s.best
	}
	if f.opts.Circulant {
		if err := f.addRings(ctx, k, &s.best, k, 0); err != nil {
			return nil, err
		}
		s.all = &s.best
		f.shelves[k] = s
		return s, nil
	}
	if err := collect(ctx, k, &s.best, f.addBases, f.addManyPorts, f.addCirculants, f.addProducts, f.addBestExpansions); err != nil {
		return nil, err
	}
	f.shelves[k] = s
	return s, nil
}

// best returns topologies of least bandwidth, and others that were found on the way.
func (f *Finder) best(ctx context.Context, k key) (*pool, error) {
	s, err := f.shelf(ctx, k)
	if err != nil {
		return nil, err
	}
	return &s.best, nil
}

// all returns all topologies.
func (f *Finder) all(ctx context.Context, k key) (*pool, error) {
	s, err := f.shelf(ctx, k)
	if err != nil {
		return nil, err
	}
	if s.all == nil {
		p := s.best.clone()
		if k == f.wanted {
			f.sofar = p
		}
		if err := collect(ctx, k, p, f.addLowDiameterBases, f.addSparse, f.addShort, f.addOneWay, f.addExpansions); err != nil {
			return nil, err
		}
		s.all = p
	}
	return s.all, nil
}
