package train

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Options say how gradients are sent.
type Options struct {
	// Bucket collects gradients, from the last layer on, until there are this many bytes, and
	// allreduces them when the last of them is ready. With 0, all gradients that are ready go
	// together as soon as the network is free.
	Bucket units.Bytes
	// AllToAllFirst lets an all-to-all, for which computation waits, overtake gradients that wait
	// for the network. Otherwise the network works in order of arrival.
	AllToAllFirst bool
	// Progress, if not nil, is called with the number of layers done in both passes.
	Progress func(done, total int)
}

// Result has the times of one minibatch.
type Result struct {
	MinibatchNs units.Time `json:"minibatch_ns"`
	ForwardNs   units.Time `json:"forward_ns"`  // computation of the forward pass
	BackwardNs  units.Time `json:"backward_ns"` // and of the backward pass
	ComputeNs   units.Time `json:"compute_ns"`  // of both

	AllReduceNs     units.Time `json:"allreduce_ns"`
	AllToAllNs      units.Time `json:"alltoall_ns"`
	CommunicationNs units.Time `json:"communication_ns"` // of both
	// ExposedNs is the communication that no computation hides: how much longer the minibatch
	// takes than its computation. StalledNs is the part during which the passes wait for
	// all-to-alls; the rest comes after the backward pass.
	ExposedNs units.Time `json:"exposed_ns"`
	StalledNs units.Time `json:"stalled_ns"`
	// Overlap is the fraction of the communication that is not exposed, 0 if there is none.
	Overlap float64 `json:"overlap"`

	AllReduces     int   `json:"allreduces"`
	AllReduceBytes int64 `json:"allreduce_bytes"`
	AllToAlls      int   `json:"alltoalls"`
	AllToAllBytes  int64 `json:"alltoall_bytes"`

	Collectives []Collective `json:"collectives"` // in the order in which the network does them
}

// Collective is a collective that the network has completed.
type Collective struct {
	Op     collective.Op `json:"op"`
	First  string        `json:"first"` // the layer in it that the pass visits first
	Last   string        `json:"last"`
	Layers int           `json:"layers"` // number of layers with gradients in it
	Bytes  int64         `json:"bytes"`
	// ReadyNs is when all of its data was ready.
	ReadyNs units.Time `json:"ready_ns"`
	// StartNs is when the network begins with it: first with the reconfiguration that it needs, if
	// any, which may begin before the data is ready.
	StartNs units.Time `json:"start_ns"`
	EndNs   units.Time `json:"end_ns"`
}

// Simulate computes a minibatch: the forward pass from the first layer to the last, the
// backward pass from the last to the first. It asks for one cost per collective; the rest
// takes O(layers).
func Simulate(ctx context.Context, t *Trace, cost Cost, o Options) (*Result, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if o.Bucket < 0 {
		return nil, fmt.Errorf("bucket: %d bytes; want 0 or more", o.Bucket)
	}
	m := &minibatch{network: network{cost: cost, merge: o.Bucket == 0, done: []Collective{}}, options: o}
	if err := m.run(ctx, t); err != nil {
		return nil, err
	}
	return m.result(t), nil
}

// minibatch is the progress of the computation.
type minibatch struct {
	network
	options Options
	now     units.Time // time of the computation so far
	stalled units.Time
	bucket  *bucket // nil unless gradients are collected in buckets
}

func (m *minibatch) run(ctx context.Context, t *Trace) error {
	if m.options.Bucket > 0 {
		m.bucket = newBucket(m.options.Bucket, t)
	}
	total := 2 * len(t.Layers)
	for i := range t.Layers {
		l := &t.Layers[i]
		if err := m.layer(ctx, l, l.Forward); err != nil {
			return err
		}
		m.report(i+1, total)
	}
	for i := range t.Layers {
		l := &t.Layers[len(t.Layers)-1-i]
		if err := m.layer(ctx, l, l.Backward); err != nil {
			return err
		}
		if l.Bytes > 0 {
			m.release(l)
		}
		m.report(len(t.Layers)+i+1, total)
	}
	return m.advance(ctx, func(units.Time) bool { return true })
}

func (m *minibatch) report(done, total int) {
	if m.options.Progress != nil {
		m.options.Progress(done, total)
	}
}

// layer computes a layer in one direction, between its all-to-alls if it has any.
func (m *minibatch) layer(ctx context.Context, l *Layer, compute units.Duration) error {
	if err := m.exchange(ctx, l); err != nil {
		return err
	}
	m.now += compute.Time()
	return m.exchange(ctx, l)
}

// exchange does an all-to-all, for which computation waits. All gradients that wait for the
// network are ready by now and none becomes ready meanwhile. So either they all go first or, if
// they have not started by now, they all wait.
func (m *minibatch) exchange(ctx context.Context, l *Layer) error {
	if l.Exchange == 0 {
		return nil
	}
	before := func(start units.Time) bool { return !m.options.AllToAllFirst || start < m.now }
	if err := m.advance(ctx, before); err != nil {
		return err
	}
	end, err := m.carry(ctx, Collective{
		Op: collective.AllToAll, First: l.Name, Last: l.Name, Layers: 1, Bytes: int64(l.Exchange), ReadyNs: m.now,
	})
	m.stalled += end - m.now
	m.now = end
	return err
}

// release hands over the gradients of a layer, by themselves or in their bucket.
func (m *minibatch) release(l *Layer) {
	group := Collective{
		Op: collective.AllReduce, First: l.Name, Last: l.Name, Layers: 1, Bytes: int64(l.Bytes), ReadyNs: m.now,
	}
	if m.bucket != nil {
		var full bool
		if group, full = m.bucket.add(group); !full {
			return
		}
	}
	m.waiting = append(m.waiting, group)
}

func (m *minibatch) result(t *Trace) *Result {
	totals := t.Totals()
	r := &Result{
		MinibatchNs: max(m.now, m.free), StalledNs: m.stalled, Collectives: m.done,
		ForwardNs: totals.Forward.Time(), BackwardNs: totals.Backward.Time(), ComputeNs: totals.Compute().Time(),
	}
	for i := range m.done {
		c := &m.done[i]
		if c.Op == collective.AllToAll {
			r.AllToAlls++
			r.AllToAllBytes += c.Bytes
			r.AllToAllNs += c.EndNs - c.StartNs
			continue
		}
		r.AllReduces++
		r.AllReduceBytes += c.Bytes
		r.AllReduceNs += c.EndNs - c.StartNs
	}
	r.CommunicationNs = r.AllReduceNs + r.AllToAllNs
	r.ExposedNs = m.stalled + max(0, m.free-m.now)
	if r.CommunicationNs > 0 {
		r.Overlap = max(0, 1-float64(r.ExposedNs/r.CommunicationNs))
	}
	return r
}

// network does one collective at a time.
type network struct {
	cost Cost
	free units.Time // when it has done everything it was given
	// waiting are gradients that it was not given yet, in the order in which they became ready.
	// With merge, all that are ready when the network takes one are sent together with it.
	waiting []Collective
	merge   bool
	done    []Collective
}

// advance gives the network the waiting gradients, one after another, as long as it may start
// on them.
func (n *network) advance(ctx context.Context, may func(start units.Time) bool) error {
	for len(n.waiting) > 0 {
		start := max(n.free, n.waiting[0].ReadyNs)
		if !may(start) {
			return nil
		}
		next := n.waiting[0]
		n.waiting = n.waiting[1:]
		for n.merge && len(n.waiting) > 0 && n.waiting[0].ReadyNs <= start {
			next.join(&n.waiting[0])
			n.waiting = n.waiting[1:]
		}
		if _, err := n.carry(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// join adds gradients that became ready later.
func (c *Collective) join(later *Collective) {
	c.Last, c.ReadyNs = later.Last, later.ReadyNs
	c.Layers += later.Layers
	c.Bytes += later.Bytes
}

// carry does a collective as soon as the network is free.
func (n *network) carry(ctx context.Context, c Collective) (end units.Time, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	takes, err := n.cost(ctx, c.Op, units.Bytes(c.Bytes))
	if err != nil {
		return 0, err
	}
	if !(takes >= 0) || math.IsInf(float64(takes), 0) {
		return 0, fmt.Errorf("%s of %v: a cost of %v; want a time of 0 or more", c.Op, units.Bytes(c.Bytes), takes)
	}
	c.StartNs = max(n.free, c.ReadyNs)
	n.free = c.StartNs + takes
	c.EndNs = n.free
	n.done = append(n.done, c)
	return n.free, nil
}
