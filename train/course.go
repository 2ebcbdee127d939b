package train

import (
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Plans makes plans for the collectives of a minibatch on one fabric. The first configuration
// of each plan is free, whatever the fabric says about its start. Methods return nil if there
// is no such plan.
type Plans interface {
	// Static returns the plan that leaves the base topology up.
	Static(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// On returns the fastest known plan that leaves a topology up.
	On(ctx context.Context, g *topology.Graph, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// Hold returns the fastest plan without a reconfiguration, on any topology.
	Hold(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// For returns the fastest plan for a reconfiguration delay, with that delay. Plans that take
	// longer than the limit need not be found.
	For(ctx context.Context, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error)
}

// Course is a minibatch with the changes of its circuits.
type Course struct {
	Result
	Changes   int        // between collectives
	ChangesNs units.Time // their total time, partly while the passes compute
	Within    int        // reconfigurations within collectives
	// Stays is the topology that is up throughout, nil if circuits change.
	Stays *topology.Graph
}

// Fastest finds a fast course for a minibatch on a fabric. It considers
//
//   - lineups, which say which gradients are grouped, and in which order: if the base topology
//     stays up, if some other topology does, and if every collective has its own best plan and
//     finds its circuits up;
//   - for every collective of a lineup: plans on each of these topologies, its best plan
//     without a reconfiguration, and its best plans for this and longer delays;
//
// and takes the fastest combination of a lineup with plans for its collectives, including
// changes of circuits between them (lineup.fastest). So it is never slower than staying on the
// base topology. Plans are made for the delays of a fixed list, from the last one that is at
// most the fabric's. So a longer delay has fewer candidates, none of them shorter, and is never
// faster.
func Fastest(ctx context.Context, t *Trace, f *fabric.Fabric, plans Plans, o Options) (*Course, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	s := &search{trace: t, fabric: f, plans: plans, options: o, circuits: newCircuits(f), known: map[planKey]*candidates{}}
	progress := o.Progress
	s.options.Progress = nil
	initial := -1
	up, err := f.InitialTopology()
	if err != nil {
		return nil, err
	}
	if up != nil {
		initial = s.circuits.of(up)
	}
	if err := s.collect(ctx); err != nil {
		return nil, err
	}
	lineups, err := s.lineups(ctx)
	if err != nil {
		return nil, err
	}
	if len(lineups) == 0 {
		return nil, ErrNoPlan
	}
	var best *state
	var of *lineup
	for i, u := range lineups {
		if err := s.prepare(ctx, u); err != nil {
			return nil, err
		}
		last, err := u.fastest(ctx, s.circuits, initial, func(op collective.Op, size units.Bytes) []Choice { return s.known[planKey{op, size}].choices })
		if err != nil {
			return nil, err
		}
		if best == nil || u.end(last) < of.end(best) || u.end(last) == of.end(best) && last.changes < best.changes {
			best, of = last, u
		}
		if progress != nil {
			progress(i+1, len(lineups))
		}
	}
	return s.course(of, best), nil
}

// course returns the result of a choice of plans.
func (s *search) course(u *lineup, last *state) *Course {
	c := &Course{Result: *u.result(last)}
	for at := last; at.before != nil; at = at.before {
		c.Within += at.choice.Changes
		if at.before.up >= 0 && at.before.up != s.circuits.of(at.choice.First) {
			c.Changes++
			c.ChangesNs += at.wait
		}
		c.Stays = at.choice.First
	}
	if c.Changes+c.Within > 0 {
		c.Stays = nil
	}
	return c
}

// search has what is known about the candidates.
type search struct {
	trace    *Trace
	fabric   *fabric.Fabric
	plans    Plans
	options  Options
	circuits *circuits
	stay     []*topology.Graph // topologies that may stay up
	known    map[planKey]*candidates
}

// ErrNoPlan says that some collective has no plan.
var ErrNoPlan = errors.New("no plan")

// collect finds topologies that may stay up: the base, and those of the best plans without a
// reconfiguration for the smallest and the largest collectives.
func (s *search) collect(ctx context.Context) error {
	add := func(g *topology.Graph) {
		if !slices.ContainsFunc(s.stay, g.Equal) {
			s.stay = append(s.stay, g)
		}
	}
	if base, err := s.fabric.BaseTopology(); err == nil {
		add(base)
	}
	for _, key := range s.probes() {
		made, err := s.plans.Hold(ctx, key.op, key.size)
		if err != nil {
			return err
		}
		if made != nil {
			add(made.Stages[0].Topology)
		}
	}
	return nil
}

// probes returns the smallest and the largest possible collectives.
func (s *search) probes() []planKey {
	var all []planKey
	add := func(op collective.Op, size units.Bytes) {
		if key := (planKey{op, size}); size > 0 && !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	least, most, exchange := units.Bytes(0), units.Bytes(0), units.Bytes(0)
	for i := range s.trace.Layers {
		l := &s.trace.Layers[i]
		if l.Bytes > 0 && (least == 0 || l.Bytes < least) {
			least = l.Bytes
		}
		most, exchange = max(most, l.Bytes), max(exchange, l.Exchange)
	}
	add(collective.AllToAll, exchange)
	add(collective.AllReduce, s.trace.Totals().Bytes)
	add(collective.AllReduce, most)
	add(collective.AllReduce, least)
	return all
}

// lineups simulates the minibatch with each kind of plans.
func (s *search) lineups(ctx context.Context) ([]*lineup, error) {
	var all []*lineup
	add := func(cost Cost) error {
		r, err := Simulate(ctx, s.trace, cost, s.options)
		switch {
		case errors.Is(err, ErrNoPlan):
			return nil
		case err != nil:
			return err
		}
		if next := lineupOf(s.trace, r); !slices.ContainsFunc(all, next.same) {
			all = append(all, next)
		}
		return nil
	}
	time := func(p *plan.Plan, err error) (units.Time, error) {
		switch {
		case err != nil:
			return 0, err
		case p == nil:
			return 0, ErrNoPlan
		}
		return p.Cost.Total(), nil
	}
	if err := add(func(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
		return time(s.plans.Static(ctx, op, size))
	}); err != nil {
		return nil, err
	}
	for _, g := range s.stay {
		if err := add(func(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
			return time(s.plans.On(ctx, g, op, size))
		}); err != nil {
			return nil, err
		}
	}
	for _, delay := range delaysFrom(s.fabric.Reconfig.Base) {
		changes := false
		if err := add(func(ctx context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
			c, err := s.candidates(ctx, planKey{op, size})
			if err != nil {
				return 0, err
			}
			least := c.least
			if time, ok := c.changing[delay]; ok {
				changes, least = true, min(least, time)
			}
			return least, nil
		}); err != nil {
			return nil, err
		}
		if !changes {
			break // no plan for a longer delay does so either
		}
	}
	return all, nil
}
