package portfolio

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/planner/pieces"
	"github.com/lightpath-net/lightpath/units"
)

// Task is an operation on a fabric, with everything needed to lay out its steps.
type Task struct {
	collective.Operation
	fabric *fabric.Fabric
	shape  collective.Shape
	size   units.Bytes
	// composers are the planners that make their own steps.
	composers []planner.Planner
	planners  planner.Registry // all
	// improver searches for its own circuits, also for the steps of composers; nil if no such
	// search is asked for.
	improver planner.Planner
	known    *algorithms.Registry // algorithms
	laid     *StepMemory
	// composedOnly omits the steps of algorithms if auto is asked.
	composedOnly bool
	// noPipelines omits algorithms whose number of pieces is open, if auto is asked.
	noPipelines bool
}

// NewTask returns the task for an operation on a fabric, or an error if the operation makes no
// sense there.
func NewTask(o collective.Operation, f *fabric.Fabric, s *Search) (*Task, error) {
	if err := o.Complete(f.Nodes); err != nil {
		return nil, err
	}
	t := &Task{Operation: o, fabric: f, size: o.Size, shape: collective.Shape{Nodes: f.Nodes, Ports: f.Ports}, known: s.options.Known, planners: s.Planners(), laid: s.memory.laid,
		composedOnly: s.scope.composed || s.scope.still && !RoutesSteps(o.Op, f), noPipelines: s.scope.noPipelines}
	if s.improves() {
		t.improver = s.Planners().Improver()
	}
	for _, p := range s.Planners() {
		if planner.TraitsOf(p).Composes != nil {
			t.composers = append(t.composers, p)
		}
	}
	members := t.members()
	if members != nil {
		if err := collective.CheckMembers(members, f.Nodes); err != nil {
			return nil, field.In("gpus", err)
		}
		t.shape.Nodes = len(members)
	}
	for _, u := range members {
		if f.Avoid.GPU(u) {
			why := "is to be avoided"
			if f.Avoid.HeldGPU(u) {
				why = "is held by another job"
			}
			return nil, field.Errorf("gpus", "GPU %d %s", u, why)
		}
	}
	demand, err := o.Bytes(t.shape.Nodes)
	if err != nil || demand == nil {
		return t, err
	}
	t.shape, t.size = algorithms.ExchangeShape(demand, f.Ports)
	return t, nil
}

// Carries returns the size of the operation, or the sum of its demand.
func (t *Task) Carries() units.Bytes { return t.size }

// members lists the GPUs that take part; nil if all do. Failed GPUs take no part.
func (t *Task) members() []int {
	if t.GPUs != nil {
		return t.GPUs
	}
	return t.fabric.Alive()
}

// Way is one way to carry out an operation: an algorithm with a planner, or a planner that makes
// its own steps.
type Way struct {
	Algorithm string
	Planner   planner.Planner
	Strategy  string // the name of a planner's variant; "" if it is none (planner.Variant)
	Lay       func(ctx context.Context) (collective.Sized, error)
	// As lays out the algorithm with options that the planner chose, if Lay leaves them open and
	// lists no steps.
	As func(ctx context.Context, algorithm string) (collective.Sized, error)

	// By is the planner that Planner asks. If Open is not nil, the algorithm leaves its number of
	// pieces open, and Planner asks By for every number. If Less is not nil, Planner asks By on
	// the restricted fabric. Searches over many delays at once ask By directly.
	By   planner.Planner
	Open *pieces.Algorithm
	Less *idle.Less
	// Outline, if not nil, is what is known of the steps without Lay, which takes long.
	Outline *bound.Outline
	// Core is the core for which Lay lays out steps, if GPUs share islands; nil: the GPUs
	// themselves.
	Core *islands.Core
}

// Ways lists the ways to carry out an operation with a planner: one if the algorithm is named,
// otherwise one for every algorithm that can do it.
func (t *Task) Ways(p planner.Planner) ([]Way, error) {
	traits := planner.TraitsOf(p)
	if traits.Applies != nil {
		if err := traits.Applies(t.fabric); err != nil {
			return nil, field.Errorf("planner", "%s makes no plan here: %v", p.Name(), err)
		}
	}
	if c := traits.Composes; c != nil {
		if !t.Open() && t.Algorithm != c.Algorithm {
			return nil, field.Errorf("algorithm", "planner %s makes its own steps, algorithm %s, not %s", p.Name(), c.Algorithm, t.Algorithm)
		}
		return t.composed(p)
	}
	for _, c := range t.composers {
		if !t.Open() && t.Algorithm == planner.TraitsOf(c).Composes.Algorithm {
			return t.byAlgorithm(c, p)
		}
	}
	names := []string{t.Algorithm}
	var outline *bound.Outline // of decompositions
	outlined := map[string]bool{}
	if t.Open() {
		names = nil
		for _, a := range t.known.For(t.Op, t.shape) {
			names = append(names, a.Name)
			if a.Decomposes() {
				outlined[a.Name] = true
			}
		}
		if len(outlined) > 0 {
			o := bound.OutlineOf(t.shape.Demand, t.shape.Ports)
			outline = &o
		}
		if len(names) == 0 {
			return nil, field.Errorf("op", "no algorithm does %s on %d nodes", t.Op, t.shape.Nodes)
		}
	}
	var ways []Way
	if t.composedOnly && traits.Best {
		names = nil
	}
	for _, name := range names {
		w, err := t.way(name, p)
		if err != nil {
			return nil, err
		}
		if outlined[name] {
			w.Outline = outline
		}
		if w.Open == nil || !t.noPipelines || !traits.Best {
			ways = append(ways, w)
		}
	}
	if t.Open() && traits.Best {
		for _, c := range t.composers {
			if more, err := t.byAlgorithm(c, p); err == nil {
				ways = append(ways, more...)
			}
		}
	}
	if len(ways) == 0 {
		return nil, fmt.Errorf("%w: no planner makes its own steps of %s here", planner.ErrInfeasible, t.Op)
	}
	return ways, nil
}

// way returns the way of an algorithm with a planner. If the algorithm leaves its number of
// pieces open, the planner chooses the best.
func (t *Task) way(name string, p planner.Planner) (Way, error) {
	w := Way{Algorithm: name, Planner: p, By: p, Lay: func(ctx context.Context) (collective.Sized, error) { return t.Lay(ctx, name) }}
	open, err := t.laid.piecesOf(t.known, t.Op, name, t.shape.Ports, t.members(), t.fabric.Nodes)
	if err != nil {
		return w, field.In("algorithm", err)
	}
	if open == nil {
		return w, nil
	}
	layouts := t.pieces(open)
	w.Planner, w.Open, w.As = layouts.Plan(p), &layouts, t.Lay
	w.Lay = func(context.Context) (collective.Sized, error) {
		return collective.Sized{Collective: Unlaid(t.Op, name, t.fabric.Nodes, t.members(), nil), Size: t.size}, nil
	}
	return w, nil
}

// pieces returns the layouts of an algorithm whose number of pieces is open.
func (t *Task) pieces(open *algorithms.Pieces) pieces.Algorithm {
	return pieces.Algorithm{
		Pieces: open, Known: t.known, Static: t.planners.Baseline(plan.Static), EveryStep: t.planners.Baseline(plan.EveryStep),
	}
}

// Lay lays out the steps of an algorithm.
func (t *Task) Lay(ctx context.Context, name string) (collective.Sized, error) {
	if t.GPUs != nil || t.shape.Demand != nil {
		return t.lay(ctx, name)
	}
	key := stepsKey{t.Op, name, t.fabric.Nodes, t.fabric.Ports, t.fabric.Avoid.String()}
	made, err := t.laid.whole(key, func() (collective.Sized, error) { return t.lay(ctx, name) })
	made.Size = t.size // no layout depends on the size
	return made, err
}

func (t *Task) lay(ctx context.Context, name string) (collective.Sized, error) {
	made := collective.Sized{Size: t.size}
	var err error
	if t.shape.Demand != nil {
		made, err = t.laid.of(ctx, t.known, name, t.shape.Demand, t.shape.Ports)
	} else {
		made.Collective, err = t.known.New(t.Op, name, t.shape.Nodes, t.shape.Ports)
	}
	if err := ctx.Err(); err != nil {
		return made, err
	}
	if err != nil {
		return made, field.In("algorithm", err)
	}
	made.Collective, err = made.On(t.members(), t.fabric.Nodes)
	return made, err
}

// Unlaid returns an operation whose steps a planner chooses. members are the GPUs that take part,
// nil for all; demand is what each has for each other, nil if all amounts are equal.
func Unlaid(op collective.Op, algorithm string, nodes int, members []int, demand collective.Demand) *collective.Collective {
	space := collective.SpaceOf(op, nodes, 1)
	space.Members, space.Sizes = members, demand
	return &collective.Collective{Op: op, Algorithm: algorithm, Nodes: nodes, Space: space}
}

// composed returns the way of a planner that makes its own steps, if the planner supports the
// operation.
func (t *Task) composed(p planner.Planner) ([]Way, error) {
	c := planner.TraitsOf(p).Composes
	work := Unlaid(t.Op, c.Algorithm, t.fabric.Nodes, t.members(), t.shape.Demand)
	if err := c.Supports(work, t.fabric); err != nil {
		return nil, field.In("planner", err)
	}
	by := chargedBy(p, t.fabric)
	return []Way{{Algorithm: c.Algorithm, Planner: by, By: by, Lay: func(context.Context) (collective.Sized, error) {
		return collective.Sized{Collective: work, Size: t.size}, nil
	}}}, nil
}

// byAlgorithm lists the ways to carry out an operation with the steps that planner c composes:
// with the circuits of c and, if a search for topologies is asked for, with the circuits that it
// finds.
func (t *Task) byAlgorithm(c, p planner.Planner) ([]Way, error) {
	best := planner.TraitsOf(p).Best
	improves := t.improver != nil && (best || p.Name() == t.improver.Name())
	if !best && !improves {
		reason := fmt.Sprintf("planner %s cannot run algorithm %s; use planner %s", p.Name(), planner.TraitsOf(c).Composes.Algorithm, c.Name())
		if other := t.planners.Improver(); other != nil {
			reason += fmt.Sprintf("; %s has %s look for better circuits for its steps", planner.TraitsOf(other).Improves.How, other.Name())
		}
		return nil, field.Errorf("algorithm", "%s", reason)
	}
	ways, err := t.composed(c)
	if err != nil || !improves {
		return ways, err
	}
	better := ways[0]
	better.By = stepsOf{t.improver, chargedBy(c, t.fabric)}
	better.Planner = better.By
	if !best {
		return []Way{better}, nil
	}
	return append(ways, better), nil
}
