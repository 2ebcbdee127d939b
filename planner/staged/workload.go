package staged

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// workload is the steps of a collective with their bytes. Steps with the same
// demands are one class: topologies are judged once per class.
type workload struct {
	fabric  *fabric.Fabric
	space   collective.Space
	size    float64 // of the collective, in bytes
	steps   []collective.Step
	classOf []int
	classes []class

	circuits  *fabric.Circuits // what they are like; nil: all alike
	memory    *flow.Memory     // of the request
	programs  *flow.Memory     // of the request
	kept      *planner.Memory  // of the request
	known     float64          // ns of a schedule of the same collective: a slower one is of no use; 0: none
	streams   bool             // whole steps have too many demands to be kept
	extra     float64          // ns that every change costs besides what the fabric says
	base      *candidate       // once it is in a pool
	expander  *candidate       // likewise
	ringDelay map[int]float64  // between rings of different jumps, by circuits per node
	arcs      []float64        // of onRing, to be used again
	hops      []uint32         // likewise
}

// class is the demands that one or more steps have in common.
type class struct {
	step    collective.Step
	demands []flow.Demand // of step.Base
	whole   []flow.Demand // of the whole step; made when first needed
	far     *farApart     // the same by offset, likewise
	pair    float64       // bytes of the busiest pair
	reduced float64       // bytes that some node reduces, if that costs something
	offsets []int         // if all rotations leave the step as it is: dst-src of each demand
	least   float64       // ns that it takes on any circuits; 0: not yet known
	uniform float64       // bytes that every node sends to every other; 0: these differ, or are not known not to

	everybody bool               // any permutation of the nodes leaves the step as it is
	digested  *[sha256.Size]byte // once it was needed
}

func newWorkload(r *planner.Request, steps []collective.Step) *workload {
	w := &workload{
		fabric: &r.Fabric,
		space:  r.Collective.Space,
		size:   float64(r.Size),
		steps:  steps,

		circuits:  r.Fabric.Circuits(),
		memory:    r.Memory,
		programs:  cmp.Or(r.Programs, r.Memory),
		kept:      r.Kept,
		ringDelay: map[int]float64{},
	}
	known := map[kind][]int{}
	listed := map[*collective.Transfer]int{} // classes of steps, which others may share their transfers with
	for _, step := range steps {
		if len(step.Base) > 0 {
			if class, ok := listed[&step.Base[0]]; ok && w.classes[class].shares(step) {
				w.classOf = append(w.classOf, class)
				continue
			}
		}
		c := w.newClass(step)
		key := c.kind()
		index := slices.IndexFunc(known[key], func(i int) bool { return w.classes[i].same(&c) })
		if index < 0 {
			index = len(known[key])
			known[key] = append(known[key], len(w.classes))
			w.classes = append(w.classes, c)
		}
		w.classOf = append(w.classOf, known[key][index])
		if len(step.Base) > 0 && index == len(known[key])-1 {
			listed[&step.Base[0]] = known[key][index]
		}
	}
	demands := 0
	for i := range w.classes {
		demands += len(w.classes[i].demands) * w.classes[i].step.Group.Order()
	}
	w.streams = demands > keptDemands
	return w
}

// keptDemands is the number of demands of all whole steps, those of one class once, above which
// they are not kept but made again when they are needed: those of pairwise are as many as the
// GPUs squared.
const keptDemands = 1 << 20

// reductions is what reducing takes in all steps, whatever the circuits, in ns.
func (w *workload) reductions() float64 {
	sum := 0.0
	for _, class := range w.classOf {
		sum += float64(w.fabric.Gamma.Of(w.classes[class].reduced))
	}
	return sum
}

// within is the time beyond which a schedule is of no use, in ns.
func (w *workload) within() float64 {
	if w.known == 0 {
		return math.Inf(1)
	}
	return w.known
}

// limit is the time beyond which a schedule for a request is of no use, in ns.
func (w *workload) limit(r *planner.Request) float64 {
	limit := w.within()
	if r.Limit > 0 {
		limit = min(limit, float64(r.Limit))
	}
	return limit
}

// kind is what classes with the same demands share, and few others do.
type kind struct {
	order, demands int
	first          flow.Demand
	pair, reduced  float64
}

func (c *class) kind() kind {
	k := kind{order: c.step.Group.Order(), demands: len(c.demands), pair: c.pair, reduced: c.reduced}
	if len(c.demands) > 0 {
		k.first = c.demands[0]
	}
	return k
}

// shares reports whether a step that begins with the same transfer in memory is the same.
func (c *class) shares(step collective.Step) bool {
	return len(step.Base) == len(c.step.Base) &&
		slices.Equal(step.Group.Dims, c.step.Group.Dims) && slices.Equal(step.Group.Stride, c.step.Group.Stride)
}

// same reports whether two classes are written down in the same way.
func (c *class) same(d *class) bool {
	return c.reduced == d.reduced && slices.Equal(c.demands, d.demands) &&
		slices.Equal(c.step.Group.Dims, d.step.Group.Dims) && slices.Equal(c.step.Group.Stride, d.step.Group.Stride)
}

func (w *workload) newClass(step collective.Step) class {
	c := class{step: step}
	c.reduced = plan.Reduced(w.fabric, step, func(chunks collective.Chunks) float64 { return w.space.Bytes(w.size, chunks) })
	pairs := make(map[[2]int]float64, len(step.Base))
	for _, t := range step.Base {
		amount := w.space.Bytes(w.size, t.Chunks)
		c.demands = append(c.demands, flow.Demand{Src: t.Src, Dst: t.Dst, Amount: amount})
		// Images of two transfers can join the same pair: compare them at home.
		k, home := step.Group.Locate(t.Src)
		pair := [2]int{home, step.Group.Back(k, t.Dst)}
		pairs[pair] += amount
		c.pair = max(c.pair, pairs[pair])
	}
	if n := w.space.Nodes; len(step.Group.Dims) == 1 && step.Group.Stride[0] == 1 {
		for _, d := range c.demands {
			c.offsets = append(c.offsets, (d.Dst-d.Src+n)%n)
		}
		if step.Group.Order() == n && len(pairs) == n-1 && !slices.ContainsFunc(c.demands, func(d flow.Demand) bool { return d.Amount != c.pair }) {
			c.uniform = c.pair
		}
	}
	c.everybody = everybody(&w.space, &c)
	return c
}

// all returns the demands of the whole step.
func (c *class) all() []flow.Demand {
	if c.whole == nil {
		c.whole = c.under(topology.Translations{})
	}
	return c.whole
}

// under returns the demands that represent the step under a subgroup of its group.
func (c *class) under(sub topology.Translations) []flow.Demand {
	if sub.Order() == c.step.Group.Order() {
		return c.demands
	}
	list := make([]flow.Demand, 0, len(c.demands)*c.step.Group.Order()/sub.Order())
	return slices.AppendSeq(list, c.each(sub))
}

// each yields the demands that represent the step under a subgroup of its group.
func (c *class) each(sub topology.Translations) iter.Seq[flow.Demand] {
	if sub.Order() == c.step.Group.Order() {
		return slices.Values(c.demands)
	}
	if c.step.Group.Masks() && sub.Trivial() {
		return c.masked
	}
	return func(yield func(flow.Demand) bool) {
		for _, k := range c.step.Group.Cosets(sub) {
			for _, d := range c.demands {
				if !yield(flow.Demand{Src: c.step.Group.Apply(k, d.Src), Dst: c.step.Group.Apply(k, d.Dst), Amount: d.Amount}) {
					return
				}
			}
		}
	}
}

// masked yields the demands of the whole step where the elements of its group are masks.
func (c *class) masked(yield func(flow.Demand) bool) {
	all := c.step.Group.Apply(c.step.Group.Order()-1, 0)
	for mask := 0; ; mask = (mask - all) & all { // the next part of all, in ascending order
		for _, d := range c.demands {
			if !yield(flow.Demand{Src: d.Src ^ mask, Dst: d.Dst ^ mask, Amount: d.Amount}) {
				return
			}
		}
		if mask == all {
			return
		}
	}
}

// transfers lists what a class sends over its routes, whole.
func (w *workload) transfers(r *routed, class int) []plan.Routed {
	demands := w.classes[class].under(r.group)
	all := make([]plan.Routed, 0, len(demands)*r.group.Order())
	for k := range r.group.Order() {
		for b, d := range demands {
			all = append(all, plan.Routed{Bytes: d.Amount, Routes: plan.MoveRoutes(r.group, k, r.routes[b])})
		}
	}
	return all
}

// sync is the barrier of every change, in ns.
func (w *workload) sync() float64 { return float64(units.Time(w.fabric.Sync.Time())) }
