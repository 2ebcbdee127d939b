package extend

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/topology"
)

// Jumping is a planner with an option of its own: it stays on a one-way ring with shortcuts, and
// the option says how far the shortcuts jump.
type Jumping struct{ JumpOptions }

// JumpOptions are the options of Jumping. Each field becomes a flag of plan and a field of its
// requests and their schema, as its tags say; a smaller number than the least is refused.
type JumpOptions struct {
	Jump int `json:"jump,omitempty" help:"planner jumping: how far shortcuts jump, ${D}" default:"3" least:"2"`
}

// Complete implements planner.Options.
func (o *JumpOptions) Complete() error {
	if o.Jump == 0 {
		o.Jump = 3
	}
	return nil
}

// Name implements planner.Planner.
func (Jumping) Name() string { return "jumping" }

// About implements planner.Planner.
func (Jumping) About() string { return "one topology throughout: a ring with shortcuts" }

// Traits implements planner.Described.
func (j Jumping) Traits() planner.Traits {
	return planner.Traits{
		Circuits: planner.CircuitsStay,
		Options:  planner.Takes(j.JumpOptions, func(o JumpOptions) planner.Planner { return Jumping{o} }),
	}
}

// Plan implements planner.Planner.
func (j Jumping) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := j.Complete(); err != nil { // j is a copy
		return nil, err
	}
	n := r.Fabric.Nodes
	if n <= j.Jump {
		return nil, fmt.Errorf("%w: %d GPUs and a jump of %d", planner.ErrInfeasible, n, j.Jump)
	}
	circuits := topology.DirectedCirculant(n, 1, j.Jump)
	if err := r.Fabric.Fits(circuits); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	steps, err := staged.OnCircuits(ctx, r, r.Collective.Steps, circuits)
	if err != nil {
		return nil, err
	}
	p := &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: j.Name()}, Stages: []plan.Stage{{Topology: circuits, Steps: steps}},
		Collective: plan.Collective{
			Op: r.Collective.Op, Algorithm: r.Collective.Algorithm, Size: r.Size, Space: r.Collective.Space,
		},
		Bound: bound.OfAlgorithm(&r.Fabric, r.Collective, r.Size).Schedule,
	}
	return p, p.Price()
}
