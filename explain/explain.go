// Package explain says why a plan reconfigures when it does: what every reconfiguration saves
// and costs, and for which delays and sizes the plan stays its planner's best. Package iteration
// says what the time of an iteration is spent on.
package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/units"
)

// Schema names the JSON form of an explanation and its version.
const Schema = "lightpath.explain/v1"

// Explanation says why a plan reconfigures when it does.
type Explanation struct {
	Schema           string        `json:"schema"`
	Op               collective.Op `json:"op,omitempty"` // absent for iterations, like those below
	Algorithm        string        `json:"algorithm,omitempty"`
	Planner          string        `json:"planner,omitempty"`
	SizeBytes        int64         `json:"size_bytes,omitempty"`
	TotalNs          units.Time    `json:"total_ns"`
	Reconfigurations int           `json:"reconfigurations"`
	// Assumed lists what a HARVEST schedule does not contain and the request does not give.
	Assumed []string          `json:"assumed,omitempty"`
	Changes []Reconfiguration `json:"changes"` // of all planes together
	// Choices are the planner's other choices, and its best plans without them, if the planner
	// reports them.
	Choices []Choice `json:"choices,omitempty"`
	// OperationBound lists the parts of the bound for any plan.
	OperationBoundNs units.Time      `json:"operation_bound_ns,omitempty"`
	OperationBound   bound.Breakdown `json:"operation_bound,omitzero"`
	// Skips are the steps that planes skip, if planes reconfigure independently.
	Skips []Skip `json:"skips,omitempty"`
	// Planes describes each plane, if planes do not wait for one another.
	Planes []Plane `json:"planes,omitempty"`
	// Reconfig is the range of reconfiguration delays for which the planner makes no faster plan
	// than this one. Absent if time is not a line in the delay.
	Reconfig *DelayRange `json:"reconfig,omitempty"`
	// Size is the range of sizes for which the planner makes no faster plan than this one.
	// Absent if there is more than one size.
	Size *SizeRange `json:"size,omitempty"`
	// Iteration explains the plan of an iteration; Changes is then empty.
	Iteration *iteration.Explanation `json:"iteration,omitempty"`
}

// Iteration is the explanation of an iteration.
func Iteration(d *iteration.Document, x *iteration.Explanation) *Explanation {
	return &Explanation{Schema: Schema, TotalNs: d.Iteration, Reconfigurations: d.Reconfigurations, Changes: []Reconfiguration{}, Iteration: x}
}

// DelayRange is a range of delays; without an end if To is absent.
type DelayRange struct {
	FromNs units.Time  `json:"from_ns"`
	ToNs   *units.Time `json:"to_ns,omitempty"`
}

// SizeRange is a range of sizes; without an end if To is absent.
type SizeRange struct {
	FromBytes float64  `json:"from_bytes"`
	ToBytes   *float64 `json:"to_bytes,omitempty"`
}

// Choice is something that a plan has, and the planner's best plan without it.
type Choice struct {
	What   string `json:"what"`
	Needed bool   `json:"needed"` // the planner has no plan without it
	// Instead is the strategy of the planner's best plan without the choice, TotalNs its time
	// and Reconfigurations its number of reconfigurations; SavedNs is how much longer it takes.
	Instead          string     `json:"instead,omitempty"`
	TotalNs          units.Time `json:"total_ns,omitempty"`
	Reconfigurations int        `json:"reconfigurations,omitempty"`
	SavedNs          units.Time `json:"saved_ns,omitempty"`
}

// Reconfiguration is a change of circuits and the best way to do without it: either the circuits
// before it stay, or those after it are up earlier.
type Reconfiguration struct {
	Stage   int    `json:"stage"` // that the reconfiguration begins, from 1
	From    string `json:"from"`
	To      string `json:"to"`
	Steps   [2]int `json:"steps"`   // first and last of the stage
	Needed  bool   `json:"needed"`  // without the change, some pair is not connected
	Instead string `json:"instead"` // the alternative, empty if needed
	// Together is how many changes would go; more than one if neighbouring stages then have the
	// same circuits.
	Together int `json:"together"`
	// SavedNs is the communication time that the change saves, PaidNs what it costs, and
	// BreakEvenNs the reconfiguration delay at which the two are equal.
	SavedNs     units.Time `json:"saved_ns"`
	PaidNs      units.Time `json:"paid_ns"`
	BreakEvenNs units.Time `json:"break_even_ns"`
}

// Skip is a run of steps that some planes do not serve, which gives these planes time to
// reconfigure.
type Skip struct {
	Planes []int  `json:"planes"` // from 1
	Steps  [2]int `json:"steps"`  // first and last
	From   string `json:"from"`   // circuits before the skip; empty if there are none
	To     string `json:"to"`     // circuits after it
	// SavedNs is how much longer the plan would take if these planes served these steps too, over
	// the best circuits and with the best shares.
	SavedNs units.Time `json:"saved_ns"`
}

// skips explains a plan whose planes reconfigure independently. It explains nothing if the
// plan's circuits are not those of its algorithm's steps.
func (e *Explanation) skips(ctx context.Context, p *plan.Plan) error {
	found, err := staggered.Skips(ctx, p)
	if err != nil {
		return ctx.Err()
	}
	for _, s := range found {
		e.Skips = append(e.Skips, Skip{Planes: s.Planes, Steps: [2]int{s.First, s.Last}, From: s.From, To: s.To, SavedNs: s.Saved})
	}
	return nil
}

// Plan says of each reconfiguration of a plan what it saves and costs, and for which
// delays and sizes the plan stays the best that its planner makes, if that is one of the
// planners given. The plan must be correct.
func Plan(ctx context.Context, p *plan.Plan, planners planner.Registry) (*Explanation, error) {
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	e := &Explanation{
		Schema: Schema, Op: p.Collective.Op, Algorithm: p.Collective.Algorithm, Planner: p.Planner,
		SizeBytes: int64(p.Collective.Size), TotalNs: p.Cost.Total(), Reconfigurations: p.Reconfigurations, Changes: []Reconfiguration{},
		OperationBound: p.OperationBound(),
	}
	e.OperationBoundNs = e.OperationBound.Total()
	if p.Independent {
		return e, e.independent(ctx, p, planners)
	}
	if p.Staggered() { // times are not linear in the delay or the size
		return e, e.skips(ctx, p)
	}
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	for k := range p.Stages {
		if before := up; before != nil && !before.Equal(p.Stages[k].Topology) {
			change, err := explainChange(ctx, p, k)
			if err != nil {
				return nil, err
			}
			change.From = before.Name()
			e.Changes = append(e.Changes, *change)
		}
		up = p.Stages[k].Topology
	}
	oracle, err := planners.Lookup(p.Planner)
	if err == nil && p.Fabric.Charge != fabric.ChargeChanges && planner.TraitsOf(oracle).Composes != nil {
		return e, nil // the planner does not plan by this clock
	}
	if err != nil || !plansAgain(ctx, p, oracle) {
		return e, nil // a planner that is not known here: only the changes can be explained
	}
	if choices := planner.TraitsOf(oracle).Choices; choices != nil {
		if err := e.explainChoices(ctx, p, choices); err != nil {
			return nil, err
		}
	}
	memory := flow.NewMemory()
	if e.Reconfig, err = delayRange(ctx, p, oracle, memory); err != nil {
		return nil, err
	}
	e.Size, err = sizeRange(ctx, p, oracle, memory)
	return e, err
}

// plansAgain reports whether a planner can be asked for another plan like this one: a planner
// that makes its own steps plans single operations, not sequences of them.
func plansAgain(ctx context.Context, p *plan.Plan, oracle planner.Planner) bool {
	c := planner.TraitsOf(oracle).Composes
	return c == nil || c.Supports(p.Laid(ctx).Collective, &p.Fabric) == nil
}

// explainChange compares the plan with the plans that have no change before stage k.
func explainChange(ctx context.Context, p *plan.Plan, k int) (*Reconfiguration, error) {
	stage := &p.Stages[k]
	c := &Reconfiguration{
		Stage: k + 1, To: stage.Topology.Name(), Needed: true,
		Steps: [2]int{stage.Steps[0].Index, stage.Steps[len(stage.Steps)-1].Index},
	}
	best := units.Time(math.Inf(1))
	for _, way := range []struct {
		text     string
		from, to int // the steps of stage from run over the circuits of stage to
	}{{"stay on the circuits before", k, k - 1}, {"have these circuits up one stage earlier", k - 1, k}} {
		other, err := merged(ctx, p, way.from, way.to)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return nil, err
		}
		if together := p.Reconfigurations - other.Reconfigurations; together > 0 && other.Cost.Total() < best {
			best = other.Cost.Total()
			c.Instead = way.text
			c.compare(p, other)
		}
	}
	return c, nil
}

// compare fills in what the plan saves and costs over another with fewer changes.
func (c *Reconfiguration) compare(p, other *plan.Plan) {
	c.Needed, c.Together = false, p.Reconfigurations-other.Reconfigurations
	c.PaidNs = p.Cost.Reconfiguration - other.Cost.Reconfiguration
	c.SavedNs = other.Cost.Total() - p.Cost.Total() + c.PaidNs
	c.BreakEvenNs = max(0, p.Fabric.Reconfig.Base.Time()+(c.SavedNs-c.PaidNs)/units.Time(c.Together))
}

// explainChoices adds what the planner would do without each of its choices. If the steps need a
// change, that change is compared with the planner's best plan of other steps that has fewer
// changes.
func (e *Explanation) explainChoices(ctx context.Context, p *plan.Plan, find func(context.Context, planner.Request) ([]planner.Choice, error)) error {
	choices, err := find(ctx, again(p.Fabric, p.Laid(ctx), nil))
	if err != nil {
		return err
	}
	for _, c := range choices {
		other := c.Without
		if c.Fewer && other != nil && other.Reconfigurations < p.Reconfigurations {
			for i := range e.Changes {
				if change := &e.Changes[i]; change.Needed {
					change.Instead = fmt.Sprintf("the planner's best plan with %d: %s", other.Reconfigurations, other.Strategy)
					change.compare(p, other)
				}
			}
		}
		e.Choices = append(e.Choices, choiceOf(c.What, p, other))
	}
	return nil
}

// choiceOf compares a plan with the plan that makes another choice; if that is nil, the choice
// is needed.
func choiceOf(what string, p, other *plan.Plan) Choice {
	if other == nil {
		return Choice{What: what, Needed: true}
	}
	return Choice{
		What: what, Instead: other.Strategy, TotalNs: other.Cost.Total(), Reconfigurations: other.Reconfigurations,
		SavedNs: other.Cost.Total() - p.Cost.Total(),
	}
}

// merged returns the plan in which the steps of one stage run over the circuits of another;
// stage -1 is the circuits at the start.
func merged(ctx context.Context, p *plan.Plan, from, to int) (*plan.Plan, error) {
	if from < 0 {
		return nil, fmt.Errorf("%w: there is no stage before the first", planner.ErrInfeasible)
	}
	circuits, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	if to >= 0 {
		circuits = p.Stages[to].Topology
	}
	other := *p
	other.Stages = slices.Clone(p.Stages)
	stage := &other.Stages[from]
	steps := make([]collective.Step, len(stage.Steps))
	for i := range steps {
		steps[i] = stage.Steps[i].Unrouted()
	}
	request := planner.Request{Fabric: p.Fabric, Size: p.Collective.Size, Collective: &collective.Collective{
		Op: p.Collective.Op, Algorithm: p.Collective.Algorithm, Nodes: p.Fabric.Nodes, Space: p.Collective.Space, Steps: steps,
	}}
	stage.Topology = circuits
	if stage.Steps, err = staged.OnCircuits(ctx, request, steps, circuits); err != nil {
		return nil, err
	}
	for i := range other.Stages {
		if i != from {
			other.Stages[i].Steps = slices.Clone(other.Stages[i].Steps)
		}
	}
	return &other, other.PriceContext(ctx)
}
