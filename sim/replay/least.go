package replay

import (
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// LeastOf returns a lower bound on the packet-level time of any plan that takes the steps of a
// collective one after another, whole or in parts, over any circuits.
//
// With barriers the bound is bound.PerStep: in a step packets take the start-up, one
// propagation and the time of the busiest GPU's ports. If changes are not overlapped,
// bound.OfAlgorithm over all schedules holds as well, without the propagation over hops:
// packets hide all but one of these per step, but not the load of circuits. Without barriers,
// the bound is when the last GPU has received its data if every message had all ports of its
// receiver to itself and no circuit ever changed.
func LeastOf(f *fabric.Fabric, c *collective.Collective, size units.Bytes, timing Timing) units.Time {
	rounding := Resolution * units.Time(len(c.Steps)+1)
	if timing != Asynchronous {
		least := bound.PerStep(f, c, size)
		if f.Overlap.Kind == fabric.OverlapNone {
			near := *f.Ideal()
			propagation := near.Delta.Time() * units.Time(len(c.Steps))
			near.Delta = 0
			least = max(least, bound.OfAlgorithm(&near, c, size).Schedule+propagation)
		}
		return least - rounding
	}
	w := newWave(f)
	bytes := func(chunks collective.Chunks) float64 { return c.Space.Bytes(float64(size), chunks) }
	for _, step := range c.Steps {
		w.begin()
		for t := range step.All(c.Space) {
			w.message(t, bytes(t.Chunks), 1, f.Ports)
		}
		for u := range w.entered {
			began := w.entered[u]
			w.entered[u] = w.received(u)
			if w.reduces[u] > 0 { // if a step is divided, one part may be reduced while another is received
				w.entered[u] = max(w.entered[u], began, w.begins[u]+w.fabric.Delta.Time()+f.Gamma.Of(w.reduces[u]))
			}
		}
	}
	return w.last() - rounding
}

// LeastAsynchronous returns a lower bound on any simulation of a plan without barriers: when
// the last GPU would have received and reduced everything if messages of different GPUs did not
// meet on the way. Reconfigurations count if nothing overlaps them. If planes are independent,
// no GPU waits for the data of a step, and the bound is 0.
func LeastAsynchronous(p *plan.Plan) units.Time {
	if p.Independent {
		return 0
	}
	f := &p.Fabric
	w := newWave(f)
	before, count := (*topology.Graph)(nil), 0
	if up, err := f.InitialTopology(); err == nil {
		before = up
	}
	for stage, step := range p.Steps() {
		if before != nil && f.Overlap.Kind == fabric.OverlapNone && !p.Staggered() {
			w.rewire(before, stage.Topology, f.Reconfig.Delay(before, stage.Topology))
		}
		before = stage.Topology
		w.begin()
		w.step(p, stage.Topology, step)
		for u := range w.entered {
			w.entered[u] = w.received(u) + f.Gamma.Of(w.reduces[u])
		}
		count++
	}
	return w.last() - Resolution*units.Time(3*count)
}

// step sends the messages of a step over circuits. The images of a transfer differ from it only
// in their ends, so what they carry need not be computed.
func (w *wave) step(p *plan.Plan, over *topology.Graph, step *plan.Step) {
	type message struct {
		bytes          float64
		hops, circuits int
	}
	base := make([]message, len(step.Base))
	for i, t := range step.Base {
		m := message{bytes: p.Bytes(t.Chunks), hops: w.fabric.Nodes}
		ends := map[int32]bool{}
		for _, r := range t.Routes {
			m.hops = min(m.hops, len(r.Path)-1)
			if last := r.Path[len(r.Path)-2]; !ends[last] {
				ends[last] = true
				m.circuits += over.Count(int(last), t.Dst)
			}
		}
		if p.Staggered() || m.circuits == 0 {
			m.hops, m.circuits = 1, p.Fabric.Ports
		}
		base[i] = m
	}
	for k := range step.Group.Order() {
		for i, m := range base {
			t := step.Base[i].Transfer
			t.Src, t.Dst = step.Group.Apply(k, t.Src), step.Group.Apply(k, t.Dst)
			w.message(t, m.bytes, m.hops, m.circuits)
		}
	}
}

// wave tracks the earliest times at which GPUs go from step to step.
type wave struct {
	fabric  *fabric.Fabric // with its best circuits
	entered []units.Time   // when each GPU entered its step
	// Of the current step:
	begins  []units.Time // when the first message to each GPU can be sent
	comes   []units.Time // when the last message to each GPU arrives if it has the circuits to itself
	gets    []float64    // bytes that each GPU receives
	reduces []float64
}

func newWave(f *fabric.Fabric) *wave {
	return &wave{
		fabric: f.Ideal(), entered: make([]units.Time, f.Nodes), begins: make([]units.Time, f.Nodes),
		comes: make([]units.Time, f.Nodes), gets: make([]float64, f.Nodes), reduces: make([]float64, f.Nodes),
	}
}

// begin begins a step.
func (w *wave) begin() {
	clear(w.comes)
	clear(w.gets)
	clear(w.reduces)
}

// message adds a message of the step, which takes the given number of hops and enters its
// target over the given number of circuits.
func (w *wave) message(t collective.Transfer, bytes float64, hops, circuits int) {
	if bytes <= 0 || t.Src == t.Dst {
		return
	}
	begins := w.entered[t.Src] + w.fabric.Alpha.Time()
	if w.gets[t.Dst] == 0 || begins < w.begins[t.Dst] {
		w.begins[t.Dst] = begins
	}
	w.gets[t.Dst] += bytes
	comes := begins + w.fabric.Delta.Time()*units.Time(hops) + w.fabric.Bandwidth.Transmit(bytes/float64(circuits))
	w.comes[t.Dst] = max(w.comes[t.Dst], comes)
	if t.Action.Adds() {
		w.reduces[t.Dst] += bytes
	}
}

// received returns when a GPU has received everything of the step.
func (w *wave) received(u int) units.Time {
	if w.gets[u] == 0 {
		return w.entered[u]
	}
	all := w.begins[u] + w.fabric.Delta.Time() + w.fabric.Bandwidth.Transmit(w.gets[u]/float64(w.fabric.Ports))
	return max(w.entered[u], w.comes[u], all)
}

// rewire makes GPUs wait for their new circuits.
func (w *wave) rewire(before, next *topology.Graph, delay units.Time) {
	if before == next {
		return
	}
	left := slices.Clone(w.entered)
	for e := range next.Edges() {
		if e.Count > before.Count(e.From, e.To) {
			up := max(left[e.From], left[e.To]) + delay
			w.entered[e.From], w.entered[e.To] = max(w.entered[e.From], up), max(w.entered[e.To], up)
		}
	}
}

// last returns when the last GPU has finished.
func (w *wave) last() units.Time { return slices.Max(w.entered) }
