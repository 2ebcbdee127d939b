package pricing

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Workload is the steps of a collective with their bytes. Steps with the same demands form one
// class, and topologies are judged once per class.
type Workload struct {
	Fabric  *fabric.Fabric
	Space   collective.Space
	size    float64 // of the collective, in bytes
	Steps   []collective.Step
	ClassOf []int
	Classes []Class

	Circuits *fabric.Circuits // their properties; nil: all alike
	memory   *flow.Memory     // of the request
	programs *flow.Memory     // of the request
	Kept     *planner.Memory  // of the request
	// Known is the time in ns of a schedule of the same collective: a slower one cannot win.
	Known     float64
	streams   bool            // whole steps have too many demands to keep
	Extra     float64         // ns that every change costs on top of the fabric's cost
	Base      *Candidate      // nil until some pool has it
	Expander  *Candidate      // nil until some pool has it
	RingDelay map[int]float64 // delay between rings of different jumps, by circuits per node
	arcs      []float64       // scratch space of onRing
	hops      []uint32        // scratch space of onRing
	places    []uint32        // scratch space of onRing
	sources   [][]farDemand   // see bySource
	sorted    bool            // whether sources has been determined
}

// Class is the demands that one or more steps have in common.
type Class struct {
	Step    collective.Step
	Demands []flow.Demand // of step.Base
	whole   []flow.Demand // of the whole step; nil until needed
	far     *farApart     // whole by offset; nil until needed
	pair    float64       // bytes of the busiest pair
	reduced float64       // most bytes that a node reduces, if that takes time
	Offsets []int         // if all rotations leave the step as it is: dst-src of each demand
	least   float64       // lower bound in ns on any circuits; 0: not yet known
	// Uniform is how many bytes every node sends to every other; 0: the amounts differ or may
	// differ.
	Uniform float64

	Everybody bool               // any permutation of the nodes leaves the step as it is
	digested  *[sha256.Size]byte // nil until needed

	even       *evenly // how the demands of a step without a group are spread; nil: not evenly
	evenLooked bool    // whether even has been determined
}

// NewWorkload sorts the steps of a collective into classes.
func NewWorkload(r *planner.Request, steps []collective.Step) *Workload {
	w := &Workload{
		Fabric: &r.Fabric,
		Space:  r.Collective.Space,
		size:   float64(r.Size),
		Steps:  steps,

		Circuits:  r.Fabric.Circuits(),
		memory:    r.Memory,
		programs:  cmp.Or(r.Programs, r.Memory),
		Kept:      r.Kept,
		RingDelay: map[int]float64{},
	}
	known := map[kind][]int{}
	// listed maps the first transfer of a step, which later steps may share in memory, to the
	// step's class.
	listed := map[*collective.Transfer]int{}
	for _, step := range steps {
		if len(step.Base) > 0 {
			if class, ok := listed[&step.Base[0]]; ok && w.Classes[class].shares(step) {
				w.ClassOf = append(w.ClassOf, class)
				continue
			}
		}
		c := w.newClass(step)
		key := c.kind()
		index := slices.IndexFunc(known[key], func(i int) bool { return w.Classes[i].same(&c) })
		if index < 0 {
			index = len(known[key])
			known[key] = append(known[key], len(w.Classes))
			w.Classes = append(w.Classes, c)
		}
		w.ClassOf = append(w.ClassOf, known[key][index])
		if len(step.Base) > 0 && index == len(known[key])-1 {
			listed[&step.Base[0]] = known[key][index]
		}
	}
	demands := 0
	for i := range w.Classes {
		demands += len(w.Classes[i].Demands) * w.Classes[i].Step.Group.Order()
	}
	w.streams = demands > keptDemands
	return w
}

// keptDemands is the number of demands of all whole steps, counting each class once, above which
// demands are not kept but generated each time. Pairwise has as many demands as the GPUs squared.
const keptDemands = 1 << 20

// Reductions returns the time in ns of reductions in all steps, which does not depend on the
// circuits.
func (w *Workload) Reductions() float64 {
	return each.Sum(w.ClassOf, func(class int) float64 {
		return float64(w.Fabric.Gamma.Of(w.Classes[class].reduced))
	})
}

// Within returns the time in ns that a useful schedule must not exceed.
func (w *Workload) Within() float64 {
	if w.Known == 0 {
		return math.Inf(1)
	}
	return w.Known
}

// Limit returns the time in ns that a schedule for a request must not exceed.
func (w *Workload) Limit(r *planner.Request) float64 {
	limit := w.Within()
	if r.Limit > 0 {
		limit = min(limit, float64(r.Limit))
	}
	return limit
}

// kind is a hash key: classes with the same demands share it, and few others do.
type kind struct {
	order, demands int
	first          flow.Demand
	pair, reduced  float64
}

func (c *Class) kind() kind {
	k := kind{order: c.Step.Group.Order(), demands: len(c.Demands), pair: c.pair, reduced: c.reduced}
	if len(c.Demands) > 0 {
		k.first = c.Demands[0]
	}
	return k
}

// shares reports whether a step whose first transfer is the class's, in memory, is the class's
// step.
func (c *Class) shares(step collective.Step) bool {
	return len(step.Base) == len(c.Step.Base) && step.Group.Equal(c.Step.Group)
}

// same reports whether two classes have the same demands in the same notation.
func (c *Class) same(d *Class) bool {
	return c.reduced == d.reduced && slices.Equal(c.Demands, d.Demands) && c.Step.Group.Equal(d.Step.Group)
}

func (w *Workload) newClass(step collective.Step) Class {
	c := Class{Step: step}
	c.reduced = plan.Reduced(w.Fabric, step, func(chunks collective.Chunks) float64 { return w.Space.Bytes(w.size, chunks) })
	pairs := make(map[[2]int]float64, len(step.Base))
	for _, t := range step.Base {
		amount := w.Space.Bytes(w.size, t.Chunks)
		c.Demands = append(c.Demands, flow.Demand{Src: t.Src, Dst: t.Dst, Amount: amount})
		// Images of two transfers can join the same pair, so compare them at their home node.
		k, home := step.Group.Locate(t.Src)
		pair := [2]int{home, step.Group.Back(k, t.Dst)}
		pairs[pair] += amount
		c.pair = max(c.pair, pairs[pair])
	}
	if n := w.Space.Nodes; len(step.Group.Dims) == 1 && step.Group.Stride[0] == 1 {
		for _, d := range c.Demands {
			c.Offsets = append(c.Offsets, arithmetic.Offset(d.Src, d.Dst, n))
		}
		if step.Group.Order() == n && len(pairs) == n-1 && !slices.ContainsFunc(c.Demands, func(d flow.Demand) bool { return d.Amount != c.pair }) {
			c.Uniform = c.pair
		}
	}
	c.Everybody = everybody(&w.Space, &c)
	return c
}

// All returns the demands of the whole step.
func (c *Class) All() []flow.Demand {
	if c.whole == nil {
		c.whole = c.under(topology.Translations{})
	}
	return c.whole
}

// under returns the demands that represent the step under a subgroup of its group.
func (c *Class) under(sub topology.Translations) []flow.Demand {
	if sub.Order() == c.Step.Group.Order() {
		return c.Demands
	}
	list := make([]flow.Demand, 0, len(c.Demands)*c.Step.Group.Order()/sub.Order())
	return slices.AppendSeq(list, c.each(sub))
}

// each yields the demands that represent the step under a subgroup of its group.
func (c *Class) each(sub topology.Translations) iter.Seq[flow.Demand] {
	if sub.Order() == c.Step.Group.Order() {
		return slices.Values(c.Demands)
	}
	if c.Step.Group.Masks() && sub.Trivial() {
		return c.masked
	}
	return func(yield func(flow.Demand) bool) {
		for _, k := range c.Step.Group.Cosets(sub) {
			for _, d := range c.Demands {
				if !yield(flow.Demand{Src: c.Step.Group.Apply(k, d.Src), Dst: c.Step.Group.Apply(k, d.Dst), Amount: d.Amount}) {
					return
				}
			}
		}
	}
}

// masked yields the demands of the whole step if the elements of its group are masks.
func (c *Class) masked(yield func(flow.Demand) bool) {
	all := c.Step.Group.Apply(c.Step.Group.Order()-1, 0)
	for mask := 0; ; mask = (mask - all) & all { // the next submask of all, in ascending order
		for _, d := range c.Demands {
			if !yield(flow.Demand{Src: d.Src ^ mask, Dst: d.Dst ^ mask, Amount: d.Amount}) {
				return
			}
		}
		if mask == all {
			return
		}
	}
}

// Transfers lists the transfers of the whole step of a class with their routes.
func (w *Workload) Transfers(r *Routed, class int) []plan.Routed {
	demands := w.Classes[class].under(r.Group)
	all := make([]plan.Routed, 0, len(demands)*r.Group.Order())
	for k := range r.Group.Order() {
		for b, d := range demands {
			all = append(all, plan.Routed{Bytes: d.Amount, Routes: plan.MoveRoutes(r.Group, k, r.Routes[b])})
		}
	}
	return all
}

// Sync returns the barrier of every change, in ns.
func (w *Workload) Sync() float64 { return float64(units.Time(w.Fabric.Sync.Time())) }
