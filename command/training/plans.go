package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// trainingPlans makes the plans of a minibatch on a fabric (train.Plans) and remembers them.
type trainingPlans struct {
	request *TrainRequest
	fabric  fabric.Fabric // with a first configuration that is free
	e       *command.Environment
	shared  *portfolio.Search // whose memory its plans share
	count   *Tally
	made    map[plannedCollective]*plan.Plan
	members map[family][]member // ascending
	named   map[*topology.Graph]namedGraph
	why     error  // there is no plan
	listed  bool   // graphs whose name says nothing stand as lists of their circuits
	skew    string // of all-to-alls
	skewed  map[string]GroupPlans
	// sequences are what is known of operations that follow one another, by ascending delay.
	sequences map[string][]sequence
	apart     map[string][]*plan.Plan // the plans of such operations
}

// Tally counts plans. It is ready to use, and may be shared by several that make plans at once.
type Tally struct {
	mutex sync.Mutex
	plans int
}

// Plans is how many there are.
func (t *Tally) Plans() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.plans
}

func (t *Tally) add() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.plans++
}

// say has a status heard, by one at a time.
func (t *Tally) say(e *command.Environment) func(text string) {
	if e.Status == nil {
		return nil
	}
	return func(text string) {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		e.Status(text)
	}
}

// plannedCollective is what a plan is for.
type plannedCollective struct {
	planner, base string
	algorithm     string // "": the one asked for
	op            collective.Op
	size          units.Bytes
	held          bool           // the base is up
	skew          string         // of an all-to-all
	split         bool           // routed over shortest paths, without a linear program
	delay         units.Duration // below 0: no reconfiguration
	limit         units.Time
}

func (r *TrainRequest) plansOn(f fabric.Fabric, count *Tally, e *command.Environment) *trainingPlans {
	f.Initial = fabric.InitialFree
	return &trainingPlans{request: r, fabric: f, e: e, shared: e.Search, count: count, made: map[plannedCollective]*plan.Plan{}, members: map[family][]member{}, named: map[*topology.Graph]namedGraph{}}
}

// plan makes a plan, nil if there is none.
func (t *trainingPlans) plan(ctx context.Context, key plannedCollective) (*plan.Plan, error) {
	if key.op == collective.AllToAll {
		key.skew = t.skew
	}
	if made, ok := t.made[key]; ok {
		return made, nil
	}
	families := t.families(&key)
	below := key
	var best *plan.Plan
	for i := range families {
		other, known, err := t.between(ctx, &families[i], below.limit)
		if err != nil {
			return nil, err
		}
		if other != nil && (best == nil || other.Cost.Total() < best.Cost.Total()) {
			best, below.limit = other, other.Cost.Total()
		}
		if known {
			t.made[key] = best
			return best, nil
		}
	}
	made, err := t.search(ctx, below)
	if err != nil {
		return nil, err
	}
	if best == nil || made != nil && made.Cost.Total() < best.Cost.Total() {
		best = made
	}
	t.remember(&key, families, best)
	t.made[key] = best
	return best, nil
}

// search looks for a plan, nil if there is none.
func (t *trainingPlans) search(ctx context.Context, key plannedCollective) (*plan.Plan, error) {
	operation, err := t.operation(key.op, key.size, key.skew)
	if err != nil {
		return nil, err
	}
	if key.op == collective.AllReduce {
		operation.Algorithm = t.request.Algorithm
	}
	if key.algorithm != "" {
		operation.Algorithm = key.algorithm
	}
	f := t.fabric
	if key.base != "" {
		f.Base = key.base
	}
	if key.held {
		f.Initial = fabric.InitialBase
	}
	if key.split {
		f.Routing = flow.ShortestSplit
	}
	f.Reconfig.Base = key.delay
	if key.delay < 0 {
		f = portfolio.Still(f)
	}
	made, err := planning.Plan(ctx, planning.PlanRequest{Fabric: f, Operations: []collective.Operation{operation}, Planner: key.planner},
		command.WithRegistry(t.e.Search.Planners()), command.WithKnown(t.e.Known), command.WithoutBaselines(), sharing(t.shared, key.limit),
		command.WithProgress(percent(t.count.say(t.e), fmt.Sprintf("plan %d, for %s of %v", t.count.Plans()+1, key.op, key.size))))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var named *field.Error
	switch {
	case errors.Is(err, planner.ErrBeyond):
	case errors.As(err, &named) && named.Path == "operations[0].algorithm":
		t.why = field.In("algorithm", named.Err)
	case errors.As(err, &named), errors.Is(err, planner.ErrInfeasible):
		t.why = err
	case err != nil:
		return nil, err
	default:
		t.count.add()
	}
	t.made[key] = made
	return made, nil
}

// sharing is an option for plans that share what they remember, with a limit to their time.
func sharing(remembers *portfolio.Search, limit units.Time) command.Option {
	return func(o *command.Environment) {
		o.Shares = func(s *portfolio.Search) *portfolio.Search { return s.Sharing(remembers, limit) }
	}
}

// Static implements train.Plans. On larger fabrics On has what is as fast or nearly, and
// TrainRequest.static the rest.
func (t *trainingPlans) Static(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	if t.request.Algorithm == collective.Auto && dearStatic(&t.fabric) {
		return nil, nil
	}
	return t.plan(ctx, plannedCollective{planner: t.static(), op: op, size: size, delay: -1})
}

// static names the planner that stays on the base.
func (t *trainingPlans) static() string {
	if p := t.e.Search.Planners().Baseline(plan.Static); p != nil {
		return p.Name()
	}
	return string(plan.Static) // which the request is told is not there
}

// On implements train.Plans: an all-to-all by planner static; an allreduce by the schedules of
// planners that make their own steps on one topology, as a direct exchange, or with the algorithm
// that was asked for.
func (t *trainingPlans) On(ctx context.Context, g *topology.Graph, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	about := t.about(g)
	if !about.stands {
		return nil, nil
	}
	static := plannedCollective{planner: t.static(), base: about.base, op: op, size: size, delay: -1, split: !about.alike && t.fabric.Routing == flow.Optimal}
	if op != collective.AllReduce || t.request.Algorithm != collective.Auto {
		return t.plan(ctx, static)
	}
	var best *plan.Plan
	for _, p := range t.e.Search.Planners() {
		traits := planner.TraitsOf(p)
		if traits.Composes == nil || traits.Circuits != planner.CircuitsStay {
			continue
		}
		scheduled := static
		scheduled.planner, scheduled.split = p.Name(), false
		made, err := t.plan(ctx, scheduled)
		if err != nil {
			return nil, err
		}
		if best == nil || made != nil && made.Cost.Total() < best.Cost.Total() {
			best = made
		}
	}
	static.algorithm = algorithms.Direct(op) // in two steps
	other, err := t.plan(ctx, static)
	if best == nil || other != nil && other.Cost.Total() < best.Cost.Total() {
		best = other
	}
	return best, err
}

// namedGraph is whether the name of a topology stands for it as the base of a fabric, and
// whether it looks the same from every GPU.
type namedGraph struct {
	stands, alike bool
	base          string // that is the graph
}

// mostListed is the number of circuits up to which a graph stands as their list, and longestName
// the length of that up to which it may be the name of a topology in a plan without islands.
const (
	mostListed  = 512
	longestName = 1000
)

func (t *trainingPlans) about(g *topology.Graph) namedGraph {
	n, ok := t.named[g]
	if !ok {
		based := t.fabric
		names := []string{g.Name()}
		if t.listed && g.Bundles() <= mostListed {
			if list := topology.EdgesOf(g).String(); len(list) <= longestName || !t.fabric.Island.IsZero() {
				names = append(names, list)
			}
		}
		for _, name := range names {
			based.Base = name
			if built, err := based.BaseTopology(); err == nil && built.Equal(g) {
				n.stands, n.base = true, name
				break
			}
		}
		_, n.alike = g.Symmetry()
		t.named[g] = n
	}
	return n
}

// Hold implements train.Plans.
func (t *trainingPlans) Hold(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	return t.plan(ctx, plannedCollective{planner: collective.Auto, op: op, size: size, delay: -1})
}

// For implements train.Plans.
func (t *trainingPlans) For(ctx context.Context, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	return t.plan(ctx, plannedCollective{planner: collective.Auto, op: op, size: size, delay: delay, limit: limit})
}

// fastest finds the fastest course of a minibatch, on all ports or on fewer: what fewer can do, all
// can, and so it is never slower than on fewer, nor than planner static.
func (r *TrainRequest) fastest(ctx context.Context, answer *Training, e *command.Environment) error {
	p := &TrainingPlanned{Fabric: r.Fabric, Planner: r.Planner, Algorithm: r.Algorithm}
	answer.Network = TrainingNetwork{Nodes: r.Fabric.Nodes, Planned: p}
	var best *train.Course
	var why error
	used := r.Fabric.Ports
	count := &Tally{}
	for ports := r.Fabric.Ports; ports > 0; ports-- {
		f := r.Fabric.Narrowed(ports, r.Fabric.Duplex)
		if ports < r.Fabric.Ports && f.Validate() != nil {
			continue // its base needs more
		}
		least, err := train.Bound(ctx, r.Trace, leastTimes(&f))
		if err != nil {
			return err
		}
		if ports == r.Fabric.Ports {
			answer.BoundNs = least
		}
		if best != nil && best.MinibatchNs <= least {
			continue
		}
		plans := r.plansOn(f, count, e)
		course, err := train.Fastest(ctx, r.Trace, &f, plans, train.Options{
			Bucket: r.Bucket, AllToAllFirst: r.AllToAllFirst, Progress: e.Progress,
		})
		switch {
		case errors.Is(err, train.ErrNoPlan):
			if why == nil {
				why = plans.why
			}
		case err != nil:
			return err
		case best == nil || course.MinibatchNs < best.MinibatchNs:
			best, used = course, ports
		}
		if r.Algorithm != collective.Auto || !dearStatic(&f) {
			continue // it is one of those
		}
		than := units.Time(0)
		if best != nil {
			than = best.MinibatchNs
		}
		static, err := r.static(ctx, f, than, e)
		if err != nil {
			return err
		}
		if static != nil {
			best, used = static, ports
		}
	}
	p.Plans = count.Plans()
	if used < r.Fabric.Ports {
		p.PortsUsed = used
	}
	if best == nil {
		return why
	}
	answer.Result = best.Result
	p.Changes, p.ChangesNs, p.Within = best.Changes, best.ChangesNs, best.Within
	if best.Stays != nil {
		p.Stays = best.Stays.Name()
	}
	return nil
}

// leastTimes is the time that no plan for a collective can beat, whatever its circuits.
func leastTimes(f *fabric.Fabric) train.Cost {
	free := *f
	free.Initial = fabric.InitialFree
	return func(_ context.Context, op collective.Op, size units.Bytes) (units.Time, error) {
		space := collective.SpaceOf(op, f.Nodes, 1)
		space.Members = f.Alive()
		return bound.OfOperation(&free, &collective.Section{Op: op, Size: size, Space: space}).Total(), nil
	}
}

// GroupPlans makes plans for the collectives of one group of GPUs.
type GroupPlans struct{ *trainingPlans }

// Skewed implements iteration.Plans.
func (t GroupPlans) Skewed(skew string) iteration.Plans {
	other, ok := t.skewed[skew]
	if !ok {
		other = PlansOn(t.fabric, t.count, t.e)
		other.skew = skew
		t.skewed[skew] = other
	}
	return other
}

// operation is a collective, with the bytes of every pair if they differ.
func (t *trainingPlans) operation(op collective.Op, size units.Bytes, skew string) (collective.Operation, error) {
	demand, err := workload.Demand(skew, t.fabric.Nodes, size)
	return collective.Operation{Op: op, Size: size, Demand: demand}, err
}

// Ground is the fastest plan within an island that has the whole group, without circuits.
func (t GroupPlans) Ground(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	skew := ""
	if op == collective.AllToAll {
		skew = t.skew
	}
	operation, err := t.operation(op, size, skew)
	if err != nil {
		return nil, err
	}
	r := &portfolio.Request{Operations: []collective.Operation{operation}, Fabric: t.fabric}
	made, err := r.Grounded(ctx, t.shared)
	if made != nil {
		t.count.add()
	}
	return made, err
}

// mostHeld is the number of GPUs up to which all planners are asked for plans on circuits that are
// up.
const mostHeld = 16

// On is the fastest plan known that leaves a topology up.
func (t GroupPlans) On(ctx context.Context, g *topology.Graph, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	best, err := t.trainingPlans.On(ctx, g, op, size)
	about := t.about(g)
	if err != nil || !about.stands || t.fabric.Nodes > mostHeld {
		return best, err
	}
	made, err := t.plan(ctx, plannedCollective{planner: collective.Auto, base: about.base, op: op, size: size, delay: -1, held: true})
	if err != nil || made == nil || made.Reconfigurations > 0 || !made.Stages[0].Topology.Equal(g) {
		return best, err
	}
	if best == nil || made.Cost.Total() < best.Cost.Total() {
		best = made
	}
	return best, nil
}

// From is the fastest plan where a topology is up and a reconfiguration has a delay, if it begins
// with that topology, changes it and does not take longer than a limit; nil otherwise.
func (t GroupPlans) From(ctx context.Context, g *topology.Graph, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	about := t.about(g)
	if !about.stands || t.fabric.Nodes > mostHeld {
		return nil, nil
	}
	made, err := t.plan(ctx, plannedCollective{planner: collective.Auto, base: about.base, op: op, size: size, delay: delay, held: true, limit: limit})
	if err != nil || made == nil || made.Reconfigurations == 0 || !made.Stages[0].Topology.Equal(g) {
		return nil, err
	}
	return made, nil
}

// Together lists the topologies of the fastest plan for operations that follow one another, where
// a reconfiguration has a delay. Topologies that are the same for a shorter and a longer one are
// those of delays between them: see families.go.
func (t GroupPlans) Together(ctx context.Context, delay units.Duration, operations []collective.Operation) ([]*topology.Graph, error) {
	key := fmt.Sprint(operations)
	list := t.sequences[key]
	at, known := slices.BinarySearchFunc(list, delay, func(s sequence, delay units.Duration) int { return cmp.Compare(s.delay, delay) })
	same := func(a, b []*topology.Graph) bool {
		return slices.EqualFunc(a, b, func(g, h *topology.Graph) bool { return g.Name() == h.Name() && g.Equal(h) })
	}
	if known || at > 0 && at < len(list) && same(list[at-1].graphs, list[at].graphs) {
		return list[at].graphs, nil
	}
	f := t.fabric
	f.Reconfig.Base = delay
	made, err := planning.Plan(ctx, planning.PlanRequest{Fabric: f, Operations: operations},
		command.WithRegistry(t.e.Search.Planners()), command.WithKnown(t.e.Known), command.WithoutBaselines())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s := sequence{delay: delay}
	if err == nil { // else there is none
		t.count.add()
		for i := range made.Stages {
			s.graphs = append(s.graphs, made.Stages[i].Topology)
		}
	}
	t.sequences[key] = slices.Insert(list, at, s)
	return s.graphs, nil
}

// InSequence makes the fastest plan for operations that follow one another, where a reconfiguration
// has a delay, and returns the plan of each of them; nil if there is none, or it does not fall
// apart. In the dark, no circuits are up before the first.
func (t GroupPlans) InSequence(ctx context.Context, dark bool, delay units.Duration, operations []collective.Operation) ([]*plan.Plan, error) {
	key := fmt.Sprint(dark, delay, operations)
	if made, ok := t.apart[key]; ok {
		return made, nil
	}
	f := t.fabric
	f.Reconfig.Base = delay
	if dark {
		f.Initial = fabric.InitialDark
	}
	made, err := planning.Plan(ctx, planning.PlanRequest{Fabric: f, Operations: operations},
		command.WithRegistry(t.e.Search.Planners()), command.WithKnown(t.e.Known), command.WithoutBaselines())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var list []*plan.Plan
	if err == nil { // else there is none
		t.count.add()
		if list, err = made.Apart(ctx); err != nil {
			return nil, err
		}
	}
	t.apart[key] = list
	return list, nil
}

// sequence is the topologies of the fastest plan for operations that follow one another.
type sequence struct {
	delay  units.Duration
	graphs []*topology.Graph
}

// PlansOn makes plans for collectives of a group on a fabric, by any algorithm, and counts them.
// Those for different fabrics, or for different skews, may be used side by side.
func PlansOn(f fabric.Fabric, count *Tally, e *command.Environment) GroupPlans {
	r := &TrainRequest{Algorithm: collective.Auto}
	plans := r.plansOn(f, count, e)
	plans.listed, plans.shared, plans.skewed = true, e.Search.Apart(), map[string]GroupPlans{}
	plans.sequences, plans.apart = map[string][]sequence{}, map[string][]*plan.Plan{}
	return GroupPlans{plans}
}
