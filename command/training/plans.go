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
	fabric  fabric.Fabric // whose first circuits are free
	e       *command.Run
	shared  *portfolio.Search // whose memory the plans share
	count   *Tally
	made    map[plannedCollective]*plan.Plan
	members map[family][]member // ascending
	named   map[*topology.Graph]namedGraph
	why     error  // why there is no plan
	listed  bool   // graphs without a usable name stand as lists of their circuits
	skew    string // of all-to-alls
	skewed  map[string]GroupPlans
	// sequences are the known results for sequences of operations, by ascending delay.
	sequences map[string][]sequence
	apart     map[string][]*plan.Plan // the plans of such sequences, operation by operation
}

// Tally counts plans. Its zero value is ready to use, and concurrent planners may share it.
type Tally struct {
	mutex sync.Mutex
	plans int
}

// Plans returns the count.
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

// say returns a function that reports a status, one caller at a time.
func (t *Tally) say(e *command.Run) func(text string) {
	if e.Status == nil {
		return nil
	}
	return func(text string) {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		e.Status(text)
	}
}

// plannedCollective is the key of a plan.
type plannedCollective struct {
	planner, base string
	algorithm     string // "": as requested
	op            collective.Op
	size          units.Bytes
	held          bool           // the plan stays on the base
	skew          string         // of an all-to-all
	split         bool           // routed over shortest paths, without a linear program
	delay         units.Duration // below 0: no reconfiguration
	limit         units.Time
}

func (r *TrainRequest) plansOn(f fabric.Fabric, count *Tally, e *command.Run) *trainingPlans {
	f.Initial = fabric.InitialFree
	return &trainingPlans{request: r, fabric: f, e: e, shared: e.Search, count: count, made: map[plannedCollective]*plan.Plan{}, members: map[family][]member{}, named: map[*topology.Graph]namedGraph{}}
}

// plan makes a plan or finds it in memory; nil if there is none.
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

// search searches for a plan; nil if there is none.
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
	made, err := planning.PlanIn(ctx, planning.PlanRequest{Fabric: f, Operations: []collective.Operation{operation}, Planner: key.planner}, sharing(t.shared, key.limit,
		command.WithRegistry(t.e.Search.Planners()), command.WithKnown(t.e.Known), command.WithoutBaselines(),
		command.WithProgress(percent(t.count.say(t.e), fmt.Sprintf("plan %d, for %s of %v", t.count.Plans()+1, key.op, key.size)))))
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

// sharing returns a run for a plan that shares its memory with others, with a limit on its time.
func sharing(remembers *portfolio.Search, limit units.Time, options ...command.Option) *command.Run {
	e := command.NewRun(options)
	return e.Searching(e.Search.Sharing(remembers, limit))
}

// Static implements train.Plans. On larger fabrics, On has plans that are as fast or nearly so,
// and TrainRequest.static covers the rest.
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
	return string(plan.Static) // the request then reports that it is unknown
}

// On implements train.Plans. It plans an all-to-all with planner static. For an allreduce it
// tries the schedules of planners that make their own steps on one topology, a direct exchange,
// and the requested algorithm.
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

// namedGraph says whether the name of a topology can stand for it as the base of a fabric, and
// whether it looks the same from every GPU.
type namedGraph struct {
	stands, alike bool
	base          string // the base that is the graph
}

// mostListed is the number of circuits up to which a list of circuits stands for a graph, and
// longestName is the length up to which the list may be the name of a topology in a plan without
// islands.
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

// fastest finds the fastest course of a minibatch, on all ports or on fewer. Because all ports
// can do whatever fewer can, the course is never slower than on fewer ports, nor than with
// planner static.
func (r *TrainRequest) fastest(ctx context.Context, answer *Training, e *command.Run) error {
	p := &TrainingPlanned{Fabric: r.Fabric, Planner: r.Planner, Algorithm: r.Algorithm}
	answer.Network = TrainingNetwork{Nodes: r.Fabric.Nodes, Planned: p}
	var best *train.Course
	var why error
	used := r.Fabric.Ports
	count := &Tally{}
	for ports := r.Fabric.Ports; ports > 0; ports-- {
		f := r.Fabric.Narrowed(ports, r.Fabric.Duplex)
		if ports < r.Fabric.Ports && f.Validate() != nil {
			continue // the base needs more ports
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
			why = cmp.Or(why, plans.why)
		case err != nil:
			return err
		case best == nil || course.MinibatchNs < best.MinibatchNs:
			best, used = course, ports
		}
		if r.Algorithm != collective.Auto || !dearStatic(&f) {
			continue // already among those tried
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

// leastTimes returns a lower bound for all plans for a collective, whatever their circuits.
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

// Ground returns the fastest plan without circuits, for a group within one island.
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

// mostHeld is the number of GPUs up to which all planners are tried for plans on the circuits
// that are up.
const mostHeld = 16

// On returns the fastest known plan that keeps a topology.
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

// From returns the fastest plan for a given reconfiguration delay when a topology is up. It
// returns nil unless the plan begins with that topology, changes it and is within the limit.
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

// Together lists the topologies of the fastest plan for a sequence of operations at a given
// reconfiguration delay. If a shorter and a longer delay have the same topologies, so do the
// delays between them: see families.go.
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

// InSequence makes the fastest plan for a sequence of operations at a given reconfiguration
// delay, and returns the plan of each operation. It returns nil if there is none, or if the plan
// cannot be split by operation. If dark is set, no circuits are up before the first operation.
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

// sequence is the topologies of the fastest plan for a sequence of operations.
type sequence struct {
	delay  units.Duration
	graphs []*topology.Graph
}

// PlansOn makes plans for collectives of a group on a fabric, by any algorithm, and counts them.
// GroupPlans for different fabrics, or for different skews, may be used concurrently.
func PlansOn(f fabric.Fabric, count *Tally, e *command.Run) GroupPlans {
	r := &TrainRequest{Algorithm: collective.Auto}
	plans := r.plansOn(f, count, e)
	plans.listed, plans.shared, plans.skewed = true, e.Search.Apart(), map[string]GroupPlans{}
	plans.sequences, plans.apart = map[string][]sequence{}, map[string][]*plan.Plan{}
	return GroupPlans{plans}
}
