package plan_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Pricing a plan with many steps on the same circuits stops as soon as its context ends,
// whenever that is.
func TestPriceHeedsItsContext(t *testing.T) {
	const nodes, steps = 64, 500
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, 1
	p := &plan.Plan{Fabric: f, Collective: plan.Collective{
		Op: collective.AllGather, Size: units.MiB, Space: collective.SpaceOf(collective.AllGather, nodes, 1),
	}}
	stage := plan.Stage{Topology: topology.DirectedCirculant(nodes, 1)}
	for i := range steps {
		stage.Steps = append(stage.Steps, plan.Step{Group: topology.Rotations(nodes, 1), Base: []plan.Transfer{{
			Transfer: collective.Transfer{Src: 0, Dst: 1, Action: collective.Copy, Chunks: collective.Single(i % nodes)},
			Routes:   []flow.Route{{Path: []int32{0, 1}, Share: 1}},
		}}})
	}
	p.Stages = []plan.Stage{stage}
	whole := countdown.New(t.Context(), 1<<30)
	if err := p.PriceContext(whole); err != nil {
		t.Fatal(err)
	}
	if whole.Asked() < steps {
		t.Errorf("%d questions for %d steps", whole.Asked(), steps)
	}
	total := p.Cost.Total()
	if err := p.Price(); err != nil || p.Cost.Total() != total {
		t.Errorf("takes %v, and %v without a context: %v", total, p.Cost.Total(), err)
	}
	for _, left := range []int{0, 1, 2, 77, whole.Asked() - 1} {
		ctx := countdown.New(t.Context(), left)
		if err := p.PriceContext(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the context ended after %d questions: %v", left, err)
		}
		if ctx.After() > 1 {
			t.Errorf("asked %d times after %d questions", ctx.After(), left)
		}
	}
}
