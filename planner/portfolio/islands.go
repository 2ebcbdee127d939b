package portfolio

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/units"
)

// mostLifted is the number of nodes of a core up to which the plan of every way is lifted, and
// not only the fastest: the time that islands add differs between plans, and planning on the core
// does not see it.
const mostLifted = 1 << 6

// mostSpread is the number of pairs of GPUs that share an island up to which this holds for all
// cores: each pair may have a transfer in every step of a lifted plan.
const mostSpread = 1 << 13

// slowerChanges are additional delays for which small cores, of up to mostDelays nodes, are
// planned: the time that islands add can make a plan with fewer changes the fastest.
var slowerChanges = []units.Duration{units.Microsecond, 10 * units.Microsecond, 100 * units.Microsecond}

const mostDelays = 16

// onIslands returns the fastest plan for a fabric with islands, made from plans for flat fabrics:
// for the same GPUs without their islands, and for cores in which islands are nodes. So islands
// never make plans slower. The plans are those of planner p or, if stays is set, those of any
// planner that do not change circuits.
func (r *Request) onIslands(ctx context.Context, p planner.Planner, stays bool, s *Search) (*plan.Plan, error) {
	r, err := r.drawn()
	if err != nil {
		return nil, err
	}
	x := &onIslands{lifted: r.lifted(p, stays, s), bounds: map[*Request]units.Time{}}
	if !x.all() {
		x.limit = s.scope.limit
	}
	tries := []func(context.Context) error{x.onFlat, x.onCores}
	if len(r.Operations) > 1 {
		tries[1] = x.oneByOne
	}
	skewed := len(r.Operations) == 1 && r.Operations[0].Demand != nil
	if r.Fabric.Islands() >= mostLifted || skewed { // cores nearly always win, and are quicker
		tries[0], tries[1] = tries[1], tries[0]
	}
	for _, try := range tries {
		if err := try(ctx); err != nil {
			return nil, err
		}
	}
	x.settle(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if x.best == nil && s.scope.limit > 0 {
		return nil, &planner.Beyond{Least: s.scope.limit}
	}
	return x.answer(s)
}

// onFlat tries the fastest plan without islands, and plans within one island.
func (x *onIslands) onFlat(ctx context.Context) error {
	flat := *x.Request
	flat.Fabric = x.Fabric.Flat()
	made, err := x.fastest(ctx, &flat, x.within())
	if err != nil && !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond) {
		return err
	}
	x.take(ctx, made, err)
	if x.staysInside() {
		x.inside(ctx)
		x.onBothTiers(ctx)
	}
	return ctx.Err()
}

// oneByOne plans the operations on islands one by one: the fastest plan of each and the fastest
// that keeps its circuits, in the best chain with the changes between them. It does nothing for a
// planner by name, which may not change circuits between two of its plans.
func (x *onIslands) oneByOne(ctx context.Context) error {
	if !x.stays && !planner.TraitsOf(x.planner).Best {
		return nil
	}
	options := make([][]*plan.Plan, len(x.Operations))
	for i := range options {
		one := *x.Request
		one.Operations = x.Operations[i : i+1]
		if i > 0 {
			one.Fabric.Initial = fabric.InitialFree // bestChain counts the changes
		}
		tries := []func() (*plan.Plan, error){
			func() (*plan.Plan, error) { return x.fastest(ctx, &one, x.search) },
			func() (*plan.Plan, error) { return one.Staying(ctx, nil, x.search) },
		}
		for _, try := range tries {
			made, err := try()
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err == nil:
				made.Fabric = x.Fabric
				options[i] = append(options[i], made)
			case !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond):
				return err
			}
		}
		if options[i] == nil {
			return nil // planning without islands gives the reason
		}
	}
	x.keep(x.bestChain(ctx, options))
	x.standing(ctx, options)
	return ctx.Err()
}

// onCores tries the plans of all cores. It tries the fastest of each first, which rules out most
// other ways.
func (x *onIslands) onCores(ctx context.Context) error {
	var cores []*onCore
	alike := simpler(x.undamaged())
	if len(x.Fabric.Avoid.Islands()) > 0 {
		alike = nil // plans of these fabrics use every island
	}
	for _, f := range alike {
		if x.spares() && f.Ports < x.Fabric.Ports {
			continue
		}
		other := *x.Request
		other.Fabric = f
		for _, c := range other.cores() {
			if !x.leavesOut(&other, c) {
				cores = append(cores, &onCore{onIslands: x, of: &other, core: c})
			}
		}
	}
	if c, ok := x.narrow(); ok {
		other := *x.Request
		other.Fabric.Avoid, other.Fabric.Spares = fabric.Failures{}, fabric.Spares{}
		cores = append(cores, &onCore{onIslands: x, of: &other, core: c})
	}
	for _, c := range x.uneven() {
		cores = append(cores, &onCore{onIslands: x, of: x.Request, core: c})
	}
	for _, try := range []func(*onCore, context.Context){(*onCore).fastestPerDelay, (*onCore).everyWay} {
		for _, c := range cores {
			if !c.beaten() {
				try(c, ctx)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostUneven is the number of GPUs up to which everything is tried for an all-to-all with
// different amounts. For more GPUs, no port is left unused, cores have at most mostDelays nodes,
// and the plan of every way is lifted only for cores of up to mostSlower nodes: nothing is
// symmetric, and planning takes long.
const mostUneven = 32

// spares reports whether the request is such an all-to-all with more than mostUneven GPUs.
func (x *onIslands) spares() bool {
	return len(x.Operations) == 1 && x.Operations[0].Demand != nil && x.Fabric.Nodes > mostUneven && !x.all()
}

// leavesOut reports whether the plans of a core are omitted because it has many nodes. Large
// cores are kept only if they are cores of whole islands or of rails and, for baselines, cores of
// the fabric itself.
func (x *onIslands) leavesOut(of *Request, c islands.Core) bool {
	if x.spares() && c.Fabric.Nodes > mostDelays {
		return true
	}
	if c.Fabric.Nodes <= mostLifted {
		return false
	}
	if c.Span != of.Fabric.Island.Size && c.Span != 1 {
		return true
	}
	best := x.planner != nil && planner.TraitsOf(x.planner).Best
	return !best && !of.Fabric.Equal(x.Fabric)
}

// onIslands is a search for a plan on a fabric with islands.
type onIslands struct {
	lifted
	limit  units.Time // on useful plans; 0: none
	bounds map[*Request]units.Time
	loose  []*plan.Plan // the best plan before each one that take has not put onto the fabric
}

// all reports whether even plans that cannot win are made.
func (x *onIslands) all() bool { return x.search.scope.all }

// most returns the longest useful time of a plan; 0: any.
func (x *onIslands) most() units.Time {
	switch {
	case x.all() || x.best == nil:
		return x.limit
	case x.limit == 0:
		return x.best.Cost.Total()
	}
	return min(x.limit, x.best.Cost.Total())
}

// within returns a search for useful plans.
func (x *onIslands) within() *Search { return x.search.within(x.most()) }

// sameTimes reports whether plans for restricted fabrics take the same time on this fabric. They
// do not if spare ports hide changes.
func (x *onIslands) sameTimes() bool {
	_, uniform := x.Fabric.Reconfig.Uniform()
	return uniform && x.Fabric.Overlap == (fabric.Overlap{}) && x.Fabric.Avoid.IsZero()
}

// take keeps a plan if it is the fastest so far. If plans take the same time on both fabrics and
// nobody watches, only the last one is put onto the fabric (settle).
func (x *onIslands) take(ctx context.Context, made *plan.Plan, err error) {
	if err == nil && x.best != nil && x.sameTimes() && made.Cost.Total() >= x.best.Cost.Total() {
		return
	}
	if err == nil && x.sameTimes() && x.found == nil {
		if !x.stays || made.Reconfigurations <= x.Fabric.SetUps() {
			x.loose = append(x.loose, x.best)
			x.best = made
		}
		return
	}
	x.put(ctx, made, err)
}

// settle puts the fastest plan onto the fabric or, if that is impossible, the fastest before it.
func (x *onIslands) settle(ctx context.Context) {
	for len(x.loose) > 0 && ctx.Err() == nil {
		made, last := x.best, len(x.loose)-1
		x.best, x.loose = x.loose[last], x.loose[:last]
		if x.put(ctx, made, nil); x.best == made {
			x.loose = nil
		}
	}
}

// put puts a plan onto the fabric, and keeps it if it is the fastest so far.
func (x *onIslands) put(ctx context.Context, made *plan.Plan, err error) {
	if err == nil {
		err = islands.Onto(ctx, made, x.Fabric)
	}
	for i := 0; err == nil && !x.Fabric.Avoid.IsZero() && i < len(made.Stages); i++ {
		err = x.Fabric.Fits(made.Stages[i].Topology) // it may use failed parts
	}
	x.keep(made, err)
}

// Grounded returns the fastest plan that needs no circuits: within one island that has all GPUs,
// or over fixed links that join them all. It returns nil if there is none.
func (r *Request) Grounded(ctx context.Context, s *Search) (*plan.Plan, error) {
	var best *plan.Plan
	if !r.Fabric.Island.IsZero() && r.Fabric.Islands() == 1 {
		x := &onIslands{lifted: r.lifted(nil, false, s)}
		x.found = nil
		x.inside(ctx)
		x.settle(ctx)
		best = x.best
	}
	if linked := r.onLinks(ctx, s); linked != nil && (best == nil || linked.Cost.Total() < best.Cost.Total()) {
		best = linked
	}
	return best, ctx.Err()
}

// inside tries the steps of every algorithm within the one island that has all GPUs.
func (x *onIslands) inside(ctx context.Context) {
	static := x.search.Planners().Baseline(plan.Static)
	if static == nil || len(x.Operations) > 1 {
		return
	}
	try := func(laid collective.Sized, err error) (better bool) {
		if err != nil || ctx.Err() != nil {
			return false
		}
		before := x.best
		made, err := islands.Within(laid, &x.Fabric)
		if err == nil {
			made.Planner = static.Name()
		}
		x.take(ctx, made, err)
		return x.best != before
	}
	if x.Pattern != nil {
		try(x.Pattern.Sized, nil)
		return
	}
	flat := *x.Request
	flat.Fabric = x.Fabric.Flat()
	ways, err := flat.ways(0, static, x.search)
	if err != nil {
		return
	}
	x.switched(ctx)
	for _, w := range ways {
		if w.Open == nil {
			try(w.Lay(ctx))
			continue
		}
		try(w.As(ctx, w.Algorithm))
		size := x.Operations[0].Size
		for pieces := w.Open.Least; pieces <= w.Open.Most; pieces *= 2 {
			laid, err := w.Open.Lay(w.Open.Known, pieces)
			if !try(collective.Sized{Collective: laid, Size: size}, err) && pieces > w.Open.Least {
				break
			}
		}
	}
}

// undamaged returns the fabric without failures, with only as many ports as every GPU has left.
// If all GPUs take part, plans for it are tried, and those that use nothing that has failed are
// kept.
func (x *onIslands) undamaged() fabric.Fabric {
	f := x.Fabric
	if f.Avoid.IsZero() || f.Alive() != nil {
		return f
	}
	for _, left := range f.Surviving() {
		f.Ports = min(f.Ports, left)
	}
	if f.Ports == 0 || f.Ports < x.Fabric.Ports && !f.Layout.Parallel() {
		return x.Fabric
	}
	f.Avoid, f.Spares = fabric.Failures{}, fabric.Spares{}
	return f
}

// simpler lists fabrics with islands whose plans are also plans for f: f itself first, then those
// with fewer ports and smaller islands. A layout is for all ports; its cores leave some unused.
func simpler(f fabric.Fabric) []fabric.Fabric {
	var all []fabric.Fabric
	fewest := 1
	if !f.Layout.IsZero() && !f.Layout.Parallel() {
		fewest = f.Ports
	}
	for size := f.Island.Size; size > 1; size-- {
		if f.Island.Size%size != 0 {
			continue
		}
		for ports := f.Ports; ports >= fewest; ports-- {
			less := f
			less.Island.Size, less.Ports = size, ports
			all = append(all, less)
		}
	}
	return all
}

// cores lists the cores of the request's fabric.
func (r *Request) cores() []islands.Core {
	if len(r.Operations) > 1 || r.Pattern == nil && (islands.Supports(&r.Operations[0]) != nil || r.Operations[0].Generator != "") {
		return nil
	}
	all := islands.Cores(&r.Fabric)
	switch {
	case r.Pattern != nil:
		return busy(all, func(c islands.Core) (islands.Core, bool) { return c.Following(&r.Fabric, r.Pattern) })
	case r.Operations[0].Demand != nil:
		return busy(all, func(c islands.Core) (islands.Core, bool) { return c.Carrying(&r.Fabric, r.Operations[0].Demand) })
	}
	return all
}

// busy returns the cores that have something to send.
func busy(all []islands.Core, with func(islands.Core) (islands.Core, bool)) []islands.Core {
	var list []islands.Core
	for _, c := range all {
		if c, ok := with(c); ok {
			list = append(list, c)
		}
	}
	return list
}

// drawn returns the request with the demand of its one operation generated. If all pairs then
// have the same amount, the operation has no demand.
func (r *Request) drawn() (*Request, error) {
	if r.Pattern != nil || len(r.Operations) != 1 || r.Operations[0].Demand == nil && r.Operations[0].Generator == "" || r.Operations[0].GPUs != nil || r.Fabric.Alive() != nil {
		return r, nil
	}
	o := r.Operations[0]
	if err := o.Complete(r.Fabric.Nodes); err != nil {
		return nil, r.blame(0, err)
	}
	demand, err := o.Bytes(r.Fabric.Nodes)
	if err != nil {
		return nil, r.blame(0, err)
	}
	shape, size := algorithms.ExchangeShape(demand, r.Fabric.Ports)
	o.Demand, o.Generator, o.Seed, o.Size = shape.Demand, "", nil, size
	other := *r
	other.Operations = []collective.Operation{o}
	return &other, nil
}

// first returns the one operation, or an operation with the size of the pattern.
func (r *Request) first() collective.Operation {
	if r.Pattern != nil {
		return collective.Operation{Op: collective.Pattern, Size: r.Pattern.Size}
	}
	return r.Operations[0]
}

// staysInside reports whether no island sends anything to another.
func (r *Request) staysInside() bool {
	size := r.Fabric.Island.Size
	switch {
	case r.Fabric.Islands() == 1:
		return true
	case r.Pattern != nil:
		for i := range r.Pattern.Steps {
			for t := range r.Pattern.Steps[i].All(r.Pattern.Space) {
				if t.Src/size != t.Dst/size {
					return false
				}
			}
		}
		return true
	case len(r.Operations) != 1 || len(r.Operations[0].Demand) != r.Fabric.Nodes:
		return false
	}
	for u, row := range r.Operations[0].Demand {
		for v, bytes := range row {
			if u/size != v/size && bytes > 0 {
				return false
			}
		}
	}
	return true
}

// narrow returns the core of islands that all do without the ports that some have lost.
func (r *Request) narrow() (c islands.Core, ok bool) {
	if r.Pattern != nil || len(r.Operations) != 1 || r.Operations[0].Demand != nil || r.Operations[0].Generator != "" || islands.Supports(&r.Operations[0]) != nil {
		return islands.Core{}, false
	}
	return islands.Narrow(&r.Fabric)
}

// uneven lists the cores of islands that differ, because something has failed or some GPUs take
// no part.
func (r *Request) uneven() []islands.Core {
	if r.Pattern != nil || len(r.Operations) != 1 {
		return nil
	}
	all := r.Operations[0]
	if all.Demand != nil || all.Generator != "" {
		return nil
	}
	all.GPUs = nil
	if islands.Supports(&all) != nil {
		return nil
	}
	return islands.Uneven(&r.Fabric, all.Op, r.Operations[0].GPUs)
}

// onCore returns the request for the core's part of the work.
func (r *Request) onCore(c islands.Core) *Request {
	if p := c.Pattern(); p != nil {
		return &Request{Pattern: p, Fabric: c.Fabric}
	}
	return &Request{Operations: []collective.Operation{c.Operation(&r.Fabric, r.Operations[0])}, Fabric: c.Fabric}
}
