package islands

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Core is a flat fabric that stands for one with islands: Span places of every island form a
// node. An island of 8 GPUs is one such node with a Span of 8, and two with a Span of 4; the
// cores of the two are alike and work side by side.
type Core struct {
	Span   int
	Fabric fabric.Fabric
	digits *digits // of a grid; nil: any circuits for which Lift finds ports
	uneven *uneven // set if islands differ
	wire   *wiring // places circuits if islands differ
	free   []int   // by place: the ports that circuits may use; nil: all

	on      *standing // circuits that stay; nil: any
	traffic *traffic  // set if pairs of GPUs send different amounts
}

// Cores lists the cores of a fabric: one for each divisor of the places of an island, the core of
// whole islands first. If switches restrict circuits, a core has switches, too: those of the
// digits of a grid in which islands differ or, without such a grid, those of all its GPUs.
func Cores(f *fabric.Fabric) []Core {
	size, count := f.Island.Size, f.Islands()
	if count < 2 || !f.Avoid.IsZero() || !f.Links.IsZero() {
		return nil
	}
	var all []Core
	add := func(c Core) bool {
		valid := c.Fabric.Validate() == nil
		if valid {
			all = append(all, c)
		}
		return valid
	}
	grid := outside(f)
	if grid == nil && f.Restricts() && !f.Layout.Parallel() {
		if c, err := table(f); err == nil {
			add(Core{Span: size, Fabric: c})
		}
	}
	for span := size; span >= 1; span-- {
		if size%span != 0 {
			continue
		}
		c := Core{Span: span, Fabric: core(*f, span)}
		if grid != nil {
			on := c
			if on.digits = grid; grid.plug(&on.Fabric, span) == nil && add(on) {
				continue
			}
		}
		add(c)
	}
	return all
}

// Narrow returns the core of islands whose GPUs have lost ports. All islands are alike in it:
// they use only as many ports as the GPUs at the same place have left in every island. The core
// is for the fabric without failures. ok is false if no port was lost or switches restrict
// circuits.
func Narrow(f *fabric.Fabric) (c Core, ok bool) {
	size, left := f.Island.Size, f.Surviving()
	if f.Islands() < 2 || len(left) == 0 || f.Alive() != nil || !f.Links.IsZero() || !f.Layout.IsZero() {
		return Core{}, false
	}
	whole := *f
	whole.Avoid, whole.Spares = fabric.Failures{}, fabric.Spares{}
	c = Core{Span: size, Fabric: core(whole, size), free: slices.Repeat([]int{f.Ports}, size)}
	for u, ports := range left {
		c.free[u%size] = min(c.free[u%size], ports)
	}
	c.Fabric.Ports = 0
	c.Fabric.Ports += arithmetic.Sum(c.free)
	return c, c.Fabric.Ports > 0 && c.Fabric.Ports < f.Ports*size && c.Fabric.Validate() == nil
}

// core returns the fabric of a core. A hop from one island to another may also need a hop within
// each of the two. The core counts one of these with every circuit, which covers all that a route
// needs but the last.
func core(f fabric.Fabric, span int) fabric.Fabric {
	delta := f.IslandDelta()
	f = f.Core(span) // Lift asks the switches
	if span > 1 {
		f.Delta += delta
	}
	if f.Initial != fabric.InitialFree {
		f.Initial = fabric.InitialDark // the circuits that are up are not those of the core
	}
	if f.Overlap.Kind == fabric.OverlapPlanes {
		f.Overlap = fabric.Overlap{} // planes belong to a GPU
	}
	return f
}

// Supports returns why an operation has no plan by islands, or nil.
func Supports(o *collective.Operation) error {
	if o.GPUs != nil {
		return fmt.Errorf("%w: islands take part as a whole", planner.ErrInfeasible)
	}
	return nil
}

// Size returns the size of the core's part of an operation of the given size.
func (c Core) Size(f *fabric.Fabric, op collective.Op, size units.Bytes) units.Bytes {
	if c.uneven != nil {
		return c.uneven.size(op, size)
	}
	if op == collective.AllToAll {
		return size * units.Bytes(c.Span)
	}
	cores := units.Bytes(f.Island.Size / c.Span)
	return max(1, arithmetic.CeilDiv(size, cores))
}

// Least returns a lower bound on the plans that Lift makes from a plan for the core with the
// given cost: their circuits carry the same bytes in as many steps. The bound leaves out the hop
// within an island that the core counts with each circuit, since not all routes have it, and the
// core's waits and reductions, which may be hidden or shared. Islands send during the steps of
// circuits as far as these take time (Inside).
func (c Core) Least(core plan.Cost, f *fabric.Fabric, o collective.Operation) units.Time {
	return core.Startup + core.Propagation*c.bare(f) + max(core.Transmission*c.exact(f, o), c.Inside(f, o))
}

// Inside returns the least time that a GPU of a lifted plan sends or receives within its island:
// every island spreads what arrives, each GPU a share, and reduces what leaves.
func (c Core) Inside(f *fabric.Fabric, o collective.Operation) units.Time {
	times := 0.0
	switch o.Op {
	case collective.AllReduce:
		times = 2
	case collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce:
		times = 1
	}
	size := float64(f.Island.Size)
	if c.uneven != nil {
		size = float64(c.uneven.largest())
	}
	return f.Island.Bandwidth.Transmit(times * float64(o.Size) * (size - 1) / size)
}

// Most returns the longest time of a plan for a core, on circuits that stay, from which Lift can
// make a plan within a limit; 0: no time is known to be too long. laid is the plan's collective;
// its steps may be open.
//
// Let b be the circuit's part of the time of each hop. The lifted plan then takes at least b
// times the time on the core, plus (1-b) times that of start-ups and the busiest circuits
// (Least).
func (c Core) Most(limit units.Time, laid collective.Sized, f *fabric.Fabric, o collective.Operation) units.Time {
	bare, exact := c.bare(f), c.exact(f, o)
	if bare <= 0 || f.Gamma.Time != 0 {
		return 0
	}
	limit /= exact
	if laid.Collective != nil && len(laid.Steps) > 0 {
		near := c.Fabric
		near.Delta, near.Initial = 0, fabric.InitialFree
		limit -= (1 - bare) * bound.PerStep(&near, laid.Collective, laid.Size)
	}
	return limit / bare
}

// bare returns the circuit's part of the time of a hop of the core.
func (c Core) bare(f *fabric.Fabric) units.Time {
	if c.Fabric.Delta == 0 {
		return 1
	}
	return f.Delta.Time() / c.Fabric.Delta.Time()
}

// exact returns the core's bytes without rounding up, as a fraction of those with rounding up.
func (c Core) exact(f *fabric.Fabric, o collective.Operation) units.Time {
	bytes := units.Time(o.Size)
	switch {
	case c.uneven != nil:
		return 1
	case c.traffic != nil:
		return c.traffic.rounded(f, c.Span)
	}
	if o.Op == collective.AllToAll {
		return bytes * units.Time(c.Span) / units.Time(c.Size(f, o.Op, o.Size))
	}
	return bytes / units.Time(f.Island.Size/c.Span) / units.Time(c.Size(f, o.Op, o.Size))
}
