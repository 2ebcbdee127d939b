package exchange

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/apart"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Planes that reconfigure independently need not wait for one another if no chunk is passed on
// from one topology to the next. A one-port schedule in which every chunk uses only one
// topology is a set of matchings in any order, which package apart spreads over the planes.

// independent returns the faster of the given plan, if there is one, and a plan whose planes do
// not wait for one another, if the fabric and the options allow that.
func (x exchanger) independent(ctx context.Context, r planner.Request, together *plan.Plan, otherwise error) (*plan.Plan, error) {
	beyond := errors.Is(otherwise, planner.ErrBeyond)
	if otherwise != nil && !beyond && !errors.Is(otherwise, planner.ErrInfeasible) {
		return nil, otherwise
	}
	f := &r.Fabric
	if f.CanStagger() != nil || f.Ports < 2 || !f.Open() || x.options.Stages > 0 || x.options.Chunk > 0 {
		return together, otherwise
	}
	t, err := newTask(&r, x.options, x.memory)
	if err != nil {
		return nil, err
	}
	t.copies = 1 // every plane has a circuit of each GPU
	s := &spreader{task: t, model: f.Reconfig.Remembering(), best: spread{time: units.Time(math.Inf(1))}}
	if together != nil {
		s.best.time = together.Cost.Total()
	}
	if err := s.search(ctx); err != nil {
		return nil, err
	}
	if s.best.turns == nil {
		return together, otherwise
	}
	made, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	if together != nil && made.Cost.Total() >= together.Cost.Total()*(1-tie) {
		return together, nil // of equals the one that needs less of the switches
	}
	if err := r.Beyond(made.Cost.Total()); err != nil {
		return together, cmp.Or(otherwise, err)
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}

// spreader looks for the matchings that end first when they are spread over planes.
type spreader struct {
	*task
	model fabric.Changes
	unit  float64 // bytes of an amount
	best  spread
}

// spread is a division of matchings among planes.
type spread struct {
	strategy string
	route    strategy.Route
	turns    [][]apart.Turn // nil: none is better
	lengths  [][]float64    // of turns, ns; nil: by their shares
	time     units.Time
}

// search looks at the one-port schedules of all suitable strategies.
func (s *spreader) search(ctx context.Context) error {
	demand, unit, err := s.amounts()
	if err != nil {
		return err
	}
	s.unit = unit
	p := s.problem(demand, unit)
	p.Ports, p.Fluid, p.Progress = 1, true, nil
	names := strategy.Alone()
	if chosen := string(s.options.Strategy); chosen != "" && chosen != strategy.Auto {
		names = slices.DeleteFunc(names, func(name string) bool { return name != chosen })
	} else {
		p.Sparing = true
	}
	for _, name := range names {
		p.Strategy = name
		err := strategy.Search(ctx, p, s.worth, func(c *strategy.Candidate) error {
			route, err := c.Route(ctx)
			if err != nil {
				return err
			}
			return s.look(ctx, c.Strategy, route)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// worth reports whether a number of matchings that send the given amounts in total may be
// better than the best so far. On all planes together, each matching takes a start-up and a
// hop, and each but the first of a plane takes a reconfiguration.
func (s *spreader) worth(stages, slots int) bool {
	f := &s.request.Fabric
	planes := f.Ports
	busy := units.Time(max(stages, planes))*(f.Alpha.Time()+f.Delta.Time()) + f.Bandwidth.Transmit(float64(slots)*s.unit)
	busy += units.Time(max(0, stages-planes)) * f.WaitAlone(f.Reconfig.Least())
	floor := busy / units.Time(planes)
	return s.request.Beyond(floor) == nil && floor*(1+tie) < s.best.time
}

// charges is the number of charges for a turn to try: four times what a plane has to send, and
// 2, 4, 8, .. times less. They do not depend on reconfiguration delays, so that the best
// division is never slower with a shorter delay.
const charges = 14

// look spreads the stages of a route, if they are independent of one another, over any number
// of planes, with more or fewer of the stages split.
func (s *spreader) look(ctx context.Context, name string, route strategy.Route) error {
	f := &s.request.Fabric
	loads := stageLoads(route)
	if !independentStages(route) || f.Forwarding == fabric.StoreAndForward && slices.ContainsFunc(loads, func(l stageLoad) bool { return l.hops > 1 }) {
		return nil
	}
	m := &matchings{spreader: s, route: route, fixed: make([]units.Time, len(loads)), sends: make([]float64, len(loads))}
	sum := 0.0
	for i, l := range loads {
		bytes := l.most * s.unit
		if route.Ways != nil {
			bytes = l.most * s.pair
		}
		m.fixed[i], m.sends[i] = f.Alpha.Time()+units.Time(l.hops)*f.Delta.Time(), float64(f.Bandwidth.Transmit(bytes))
		sum += m.sends[i]
	}
	pairs, seen := m.direct(loads), map[string]bool{}
	for planes := 1; planes <= f.Ports; planes++ {
		for k := range charges {
			if err := ctx.Err(); err != nil {
				return err
			}
			turns := s.whole(apart.Spread(m.sends, planes, math.Ldexp(sum/float64(planes), 2-k)))
			if turns == nil {
				continue
			}
			s.take(spread{strategy: name, route: route, turns: turns, time: m.time(turns)})
			if key := structure(turns); pairs != nil && !seen[key] {
				seen[key] = true
				better, lengths, time := m.lengths(pairs, turns)
				s.take(spread{strategy: name, route: route, turns: better, lengths: lengths, time: time})
			}
		}
	}
	return nil
}

// take keeps a division if it is the best so far.
func (s *spreader) take(found spread) {
	if found.time < s.best.time*(1-tie) {
		s.best = found
		s.request.Say("exchange: %v with strategy %s, planes that do not wait for one another: %d", found.time, found.strategy, len(found.turns))
	}
}

// independentStages reports whether every chunk uses only one stage.
func independentStages(r strategy.Route) bool {
	one := func(hops []model.Leg) bool {
		return !slices.ContainsFunc(hops, func(l model.Leg) bool { return l.Stage != hops[0].Stage })
	}
	if r.Ways != nil {
		return !slices.ContainsFunc(r.Ways.Legs, func(legs []model.Leg) bool { return !one(legs) })
	}
	for i := range r.Flows.Parts {
		if !one(r.Flows.Parts[i].Hops) {
			return false
		}
	}
	return true
}

// whole rounds shares to whole parts of a pair if pairs do not differ. A pair has a part for
// every port. It returns nil if rounding would leave a turn nothing to send, or leave something
// to send without a turn.
func (s *spreader) whole(turns [][]apart.Turn) [][]apart.Turn {
	if s.sizes != nil {
		return turns
	}
	parts := float64(s.request.Fabric.Ports)
	left := map[int]float64{}
	for _, list := range turns {
		for i := range list {
			t := &list[i]
			if _, ok := left[t.Match]; !ok {
				left[t.Match] = 1
			}
			t.Share = min(math.Round(t.Share*parts)/parts, left[t.Match])
			left[t.Match] -= t.Share
			if t.Share == 0 {
				return nil
			}
		}
	}
	for _, rest := range left {
		if rest > 1/(2*parts) {
			return nil
		}
	}
	return turns
}

// matchings holds the stages of a route with their times.
type matchings struct {
	*spreader
	route  strategy.Route
	fixed  []units.Time // start-up and hops of a turn
	sends  []float64    // ns of all bytes
	graphs []*topology.Graph
}

// time returns the time until the last plane has done its turns.
func (m *matchings) time(turns [][]apart.Turn) units.Time {
	last := units.Time(0)
	for _, list := range turns {
		at, before := units.Time(0), -1
		for _, t := range list {
			at += m.change(before, t.Match) + m.fixed[t.Match] + units.Time(t.Share*m.sends[t.Match])
			before = t.Match
		}
		last = max(last, at)
	}
	return last
}

// change returns how long a plane is dark between two matchings, or before its first.
func (m *matchings) change(from, to int) units.Time {
	f := &m.request.Fabric
	if from < 0 && f.Initial == fabric.InitialFree {
		return 0
	}
	if delay, uniform := f.Reconfig.Uniform(); uniform {
		return f.WaitAlone(delay)
	}
	if m.graphs == nil {
		m.graphs = make([]*topology.Graph, len(m.sends)+1)
		m.graphs[len(m.sends)] = topology.New(f.Nodes, "dark", nil)
	}
	if from < 0 {
		from = len(m.sends)
	}
	for _, i := range []int{from, to} {
		if m.graphs[i] == nil {
			m.graphs[i] = m.topology(m.route, i)
		}
	}
	return f.WaitAlone(m.model.Delay(m.graphs[from], m.graphs[to]))
}
