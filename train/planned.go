package train

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// PlannedCount counts plans and reconfigurations of collectives.
type PlannedCount struct {
	Plans int `json:"plans"` // number of plans made
	// ForBound counts the plans that only the bound needed; there is one other plan for every
	// operation and size of a collective.
	ForBound int `json:"plans_for_bound,omitempty"`
	// Changes are the reconfigurations between one collective and the next, and ChangesNs their
	// time, which counts as part of the later one. Planner auto starts them as soon as the earlier
	// collective has ended, possibly before the later one is ready.
	Changes   int        `json:"changes"`
	ChangesNs units.Time `json:"changes_ns"`
}

// Planned computes the times of collectives that are planned on a fabric, making plans when
// they are needed.
type Planned struct {
	fabric   fabric.Fabric
	make     func(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)
	count    *PlannedCount
	made     map[planKey]*madePlan
	envelope *envelope.Lazy[units.Bytes] // of allreduces
	up       *topology.Graph             // circuits after the last collective, nil before the first
}

// NewPlanned returns the costs of collectives on a fabric. It counts, and makes plans by
// calling a function, once for every operation and size that it needs.
func NewPlanned(f fabric.Fabric, count *PlannedCount, plan func(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)) *Planned {
	p := &Planned{fabric: f, make: plan, count: count, made: map[planKey]*madePlan{}}
	p.envelope = envelope.NewLazy(p.line)
	return p
}

type planKey struct {
	op   collective.Op
	size units.Bytes
}

// madePlan is what is kept of a plan.
type madePlan struct {
	total, transmission units.Time // transmission includes reduction
	first, last         *topology.Graph
}

// straight reports whether the time of a plan is linear in the size. It is not if the delay of
// a reconfiguration is hidden by what is being sent.
func (p *Planned) straight() bool {
	kind := p.fabric.Overlap.Kind
	return kind != fabric.OverlapPorts && kind != fabric.OverlapCircuits && kind != fabric.OverlapPlanes
}

// plan makes a plan, or returns one made earlier for the same key.
func (p *Planned) plan(ctx context.Context, key planKey) (*madePlan, error) {
	if m, ok := p.made[key]; ok {
		return m, nil
	}
	made, err := p.make(ctx, key.op, key.size)
	if err != nil {
		return nil, fmt.Errorf("%s of %v: %w", key.op, key.size, err)
	}
	m := &madePlan{
		total: made.Cost.Total(), transmission: made.Cost.Bytes(),
		first: made.Stages[0].Topology, last: made.Stages[len(made.Stages)-1].Topology,
	}
	p.made[key] = m
	p.count.Plans++
	return m, nil
}

// line returns the time of the best plan for an allreduce, as a function of the size.
func (p *Planned) line(ctx context.Context, size units.Bytes) (envelope.Line, error) {
	m, err := p.plan(ctx, planKey{collective.AllReduce, size})
	if err != nil {
		return envelope.Line{}, err
	}
	return m.line(size), nil
}

// line returns the time of a plan as a function of the size.
func (m *madePlan) line(size units.Bytes) envelope.Line {
	return envelope.Line{Fixed: float64(m.total - m.transmission), Slope: float64(m.transmission) / float64(size)}
}

// Alone returns the cost of a single collective, for callers that compare sizes. For an
// allreduce it may come from a plan for another size, as a linear function of the size.
func (p *Planned) Alone(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
	before := p.count.Plans
	defer func() { p.count.ForBound += p.count.Plans - before }()
	if op == collective.AllReduce && p.straight() {
		time, _, err := p.envelope.At(ctx, size)
		return units.Time(time), err
	}
	m, err := p.plan(ctx, planKey{op, size})
	if err != nil {
		return 0, err
	}
	return m.total, nil
}

// Next returns the cost of a collective after the previous one, by a plan for exactly its size.
// If the fabric says that the first configuration of a plan is free, that holds only for the
// first collective: the others change the circuits that are up. Any other start is part of
// every plan.
func (p *Planned) Next(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
	m, err := p.plan(ctx, planKey{op, size})
	if err != nil {
		return 0, err
	}
	if op == collective.AllReduce && p.straight() {
		p.envelope.Learn(size, m.line(size))
	}
	time, f := m.total, &p.fabric
	if p.up != nil && f.Initial == fabric.InitialFree && !p.up.Equal(m.first) {
		change := f.Wait(p.up, m.first, f.Hidden(p.up, m.first, 0))
		p.count.Changes++
		p.count.ChangesNs += change
		time += change
	}
	p.up = m.last
	return time, nil
}
