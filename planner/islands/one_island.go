package islands

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Alone turns a plan for a flat fabric into one within the island that has all GPUs: hops over
// circuits become hops in the island, and nothing is reconfigured.
func Alone(ctx context.Context, p *plan.Plan, f *fabric.Fabric) (*plan.Plan, error) {
	if f.Islands() != 1 || p.Staggered() || p.Independent {
		return nil, fmt.Errorf("%w: several islands, or planes", planner.ErrInfeasible)
	}
	made := *p
	made.Fabric, made.Slots, made.Synthesis = *f, 0, nil
	made.Baselines, made.SameAlgorithm, made.Among, made.StaticAmong = plan.Baselines{}, plan.Baselines{}, "", ""
	made.Collective.Algorithm = Algorithm(f, p.Collective.Algorithm)
	stage := plan.Stage{Topology: topology.New(f.Nodes, "none", nil)}
	for i := range p.Stages {
		stage.Steps = append(stage.Steps, p.Stages[i].Steps...)
	}
	made.Stages = []plan.Stage{stage}
	if err := made.PriceContext(ctx); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	return &made, nil
}

// Switched lists flat fabrics that stand for the island that has all GPUs: an electrical switch
// acts like one whose circuits change in no time, with its rate divided over any number of ports.
func Switched(f *fabric.Fabric) []fabric.Fabric {
	var all []fabric.Fabric
	for ports := f.Nodes - 1; ports > 0; ports /= 2 {
		flat := f.Flat()
		flat.Ports, flat.Bandwidth = ports, f.Island.Bandwidth/units.Bandwidth(ports)
		flat.Alpha, flat.Delta = f.IslandAlpha(), f.IslandDelta()
		flat.Reconfig = fabric.Reconfig{Model: fabric.Constant}
		flat.Overlap, flat.Sync, flat.Initial, flat.Base, flat.Duplex = fabric.Overlap{}, 0, fabric.InitialFree, "", false
		flat.Avoid, flat.Spares, flat.Links = fabric.Failures{}, fabric.Spares{}, fabric.Links{}
		flat.Layout, flat.Radix = layout.Layout{}, 0
		if flat.Bandwidth > 0 && flat.Validate() == nil {
			all = append(all, flat)
		}
	}
	return all
}

// fine is the number of slices into which steps beside circuits are divided.
const fine = 16

// whole is the number of parts into which data is divided among tiers.
const whole = 64

// Divide returns the part of the data, in 64ths, that takes as long over circuits as the rest
// takes beside them, given plans for all of the data; 0: dividing does not pay.
func Divide(circuits, beside *plan.Plan) int {
	a, b := circuits.Cost, beside.Cost
	latency := (b.Total() - b.Transmission) - (a.Total() - a.Transmission)
	share := float64(latency+b.Transmission) / float64(a.Transmission+b.Transmission)
	return int(max(0, min(whole-1, math.Floor(share*whole))))
}

// Part returns the size of some 64ths of an operation.
func Part(size units.Bytes, part int) units.Bytes {
	return max(1, arithmetic.CeilDiv(size*units.Bytes(part), whole))
}

// JoinTiers joins a plan for some 64ths of the data over circuits and a plan for the rest that
// needs no circuits. Steps of the second plan run slice by slice while circuits send.
func JoinTiers(ctx context.Context, circuits, beside *plan.Plan, part int, f *fabric.Fabric, size units.Bytes) (*plan.Plan, error) {
	s, z := circuits.Collective.Space, beside.Collective.Space
	if s.Kind != z.Kind || s.Kind != collective.Blocks && s.Kind != collective.Pairs && s.Kind != collective.Whole ||
		s.Members != nil || z.Members != nil || s.Sizes != nil || circuits.Staggered() || circuits.Independent || part <= 0 || part >= whole {
		return nil, fmt.Errorf("%w: plans that cannot share their data", planner.ErrInfeasible)
	}
	rest := whole - part
	each := arithmetic.LCM(reduced(s.Parts, part), reduced(z.Parts*fine, rest)) // units in a 64th
	if each*whole > collective.MaxParts || each*whole*s.Chunks()/max(1, s.Parts) > mostItems {
		return nil, fmt.Errorf("%w: too many parts", planner.ErrInfeasible)
	}
	j := &joining{
		ctx: ctx, fabric: f, circuits: circuits, beside: beside,
		space: collective.Space{Kind: s.Kind, Nodes: s.Nodes, Parts: each * whole},
		first: cutting{s, each * part / s.Parts, 0}, second: cutting{z, each * rest / z.Parts, each * part},
	}
	return j.plan(size)
}

// reduced returns n divided by its greatest common divisor with by.
func reduced(n, by int) int { return arithmetic.LCM(n, by) / by }

// cutting says into which units a chunk is cut.
type cutting struct {
	space  collective.Space
	units  int // units in a part
	offset int // number of the first unit
}

// chunks returns units from..to-1 of chunks.
func (c cutting) chunks(all collective.Chunks, parts, from, to int) collective.Chunks {
	var ids []int
	for id := range all.All() {
		first := id/c.space.Parts*parts + c.offset + id%c.space.Parts*c.units
		for x := from; x < to; x++ {
			ids = append(ids, first+x)
		}
	}
	return collective.Of(ids)
}

// joining is the state of joining two plans.
type joining struct {
	ctx              context.Context
	fabric           *fabric.Fabric
	circuits, beside *plan.Plan
	space            collective.Space
	first, second    cutting
	steps            []plan.Step // the steps beside circuits
	at, slice        int         // the next of these steps, and its next slice
	elapsed, sent    units.Time  // time that circuits have sent, and that slices beside them have
}

// plan makes the joined plan.
func (j *joining) plan(size units.Bytes) (*plan.Plan, error) {
	made := &plan.Plan{
		Fabric: *j.fabric, Provenance: j.circuits.Provenance,
		Collective: plan.Collective{
			Op: j.circuits.Collective.Op, Size: size, Space: j.space,
			Algorithm: j.beside.Collective.Algorithm + " beside " + j.circuits.Collective.Algorithm,
		},
	}
	made.Slots, made.Synthesis, made.Strategy = 0, nil, ""
	for i := range j.beside.Stages {
		for k := range j.beside.Stages[i].Steps {
			step := j.beside.Stages[i].Steps[k]
			step.Unfold(j.beside.Collective.Space)
			step.Cost = j.beside.Stages[i].Steps[k].Cost
			j.steps = append(j.steps, step)
		}
	}
	for i := range j.circuits.Stages {
		stage := plan.Stage{Topology: j.circuits.Stages[i].Topology}
		for k := range j.circuits.Stages[i].Steps {
			if err := j.ctx.Err(); err != nil {
				return nil, err
			}
			step := j.circuits.Stages[i].Steps[k]
			time := step.Cost.Transmission
			step.Unfold(j.circuits.Collective.Space)
			for t := range step.Base {
				x := &step.Base[t]
				x.Chunks = j.first.chunks(x.Chunks, j.space.Parts, 0, j.first.units)
			}
			step.Base = append(slices.Clone(step.Base), j.next(time, i == len(j.circuits.Stages)-1 && k == len(j.circuits.Stages[i].Steps)-1, stage.Topology)...)
			stage.Steps = append(stage.Steps, plan.Step{Base: step.Base})
		}
		made.Stages = append(made.Stages, stage)
	}
	last := &made.Stages[len(made.Stages)-1]
	for j.at < len(j.steps) {
		j.elapsed = units.Time(math.Inf(1)) // room for the rest of a step
		last.Steps = append(last.Steps, plan.Step{Base: j.next(0, true, last.Topology)})
	}
	if err := made.PriceContext(j.ctx); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	return made, nil
}

// next returns slices of the next step beside circuits: as many as keep up with the time that
// circuits have sent, or, in the last step over circuits (last), all that remain if no other step
// follows. The following step beside circuits waits for the next step over circuits.
func (j *joining) next(time units.Time, last bool, circuits *topology.Graph) []plan.Transfer {
	if j.at == len(j.steps) {
		return nil
	}
	step := &j.steps[j.at]
	j.elapsed += time
	count := fine - j.slice
	if one := step.Cost.Transmission / fine; one > 0 && !(last && j.at == len(j.steps)-1) {
		count = int(min(units.Time(count), max(1, units.Time(math.Round(float64((j.elapsed-j.sent)/one))))))
		j.sent += units.Time(count) * one
	}
	from, to := j.slice, j.slice+count
	var list []plan.Transfer
	for _, t := range step.Base {
		t.Chunks = j.second.chunks(t.Chunks, j.space.Parts, from*j.second.units/fine, to*j.second.units/fine)
		t.Routes = j.around(t.Routes, circuits)
		list = append(list, t)
	}
	if j.slice = to; to == fine {
		j.at, j.slice = j.at+1, 0
	}
	return list
}

// around routes hops within the island through other GPUs if a circuit joins the two ends.
// Otherwise such a hop would take the circuit.
func (j *joining) around(all []flow.Route, circuits *topology.Graph) []flow.Route {
	if j.fabric.Island.IsZero() {
		return all
	}
	var made []flow.Route
	for _, r := range all {
		list := []flow.Route{{Path: r.Path[:1:1], Share: r.Share}}
		for h := 1; h < len(r.Path); h++ {
			list = j.hop(list, int(r.Path[h-1]), int(r.Path[h]), circuits)
		}
		made = append(made, list...)
	}
	return made
}

// hop appends a hop from u to v to every route.
func (j *joining) hop(list []flow.Route, u, v int, circuits *topology.Graph) []flow.Route {
	var over []int
	if circuits.Count(u, v) > 0 {
		for w := range j.fabric.Nodes {
			if w != u && w != v && circuits.Count(u, w) == 0 && circuits.Count(w, v) == 0 {
				over = append(over, w)
			}
		}
	}
	var made []flow.Route
	for _, r := range list {
		if len(over) == 0 {
			made = append(made, flow.Route{Path: append(slices.Clone(r.Path), int32(v)), Share: r.Share})
		}
		for _, w := range over {
			made = append(made, flow.Route{Path: append(slices.Clone(r.Path), int32(w), int32(v)), Share: r.Share / float64(len(over))})
		}
	}
	return made
}
