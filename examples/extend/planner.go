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

// OnLadder is a planner that stays on the Moebius ladder, whatever the fabric's base is.
type OnLadder struct {
	Families *topology.Registry // that know the ladder
}

// Name implements planner.Planner.
func (OnLadder) Name() string { return "on-ladder" }

// About implements planner.Planner.
func (OnLadder) About() string { return "one topology throughout: the Moebius ladder" }

// Plan implements planner.Planner: it routes over the circuits that it chooses and lets
// plan.Price compute the time.
func (l OnLadder) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	circuits, err := l.Families.Parse(fmt.Sprintf("Ladder(%d)", r.Fabric.Nodes))
	if err == nil {
		err = r.Fabric.Fits(circuits)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	steps, err := staged.OnCircuits(ctx, r, r.Collective.Steps, circuits)
	if err != nil {
		return nil, err
	}
	p := &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: l.Name()}, Stages: []plan.Stage{{Topology: circuits, Steps: steps}},
		Collective: plan.Collective{
			Op: r.Collective.Op, Algorithm: r.Collective.Algorithm, Size: r.Size, Space: r.Collective.Space,
		},
		Bound: bound.OfAlgorithm(&r.Fabric, r.Collective, r.Size).Schedule,
	}
	return p, p.Price()
}
