package planning_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// At 4096 GPUs, every planner returns the error of its context whenever the context ends, after
// at most a few more checks: it begins no further part of its work. It may also report that it
// has no plan, or finish before that many checks. The late parts of a search are tested at 1024
// GPUs.
func TestPlannersOfThousandsOfGPUsHeedTheirContext(t *testing.T) {
	t.Parallel()
	// On the way out every part of a search asks once more before it is given up.
	const most = 1000
	f := fabric.Default()
	f.Ports = 4
	for i, p := range lightpath.Planners() {
		name := p.Name()
		for j, op := range []collective.Op{collective.AllToAll, collective.AllReduce} {
			for k, c := range []struct{ nodes, left int }{{4096, 40}, {1024, 3000}} {
				if (i+j+k)%2 > 0 && !samples.Every() {
					continue // in turn: some take a second
				}
				left := c.left
				f.Nodes = c.nodes
				ctx := countdown.New(threads.Limit(t.Context(), 1), left)
				_, err := lightpath.Plan(ctx, lightpath.PlanRequest{
					Operations: []lightpath.Operation{{Op: op, Size: units.GiB}}, Fabric: f, Planner: name,
				})
				var wrong *field.Error // the planner does not do this operation
				if ctx.Asked() <= left || errors.Is(err, planner.ErrInfeasible) || errors.As(err, &wrong) {
					continue
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s %s: the context ended after %d questions: %v", name, op, left, err)
				}
				if after := ctx.Asked() - left; after > most {
					t.Errorf("%s %s: asked %d times more after %d questions", name, op, after, left)
				}
			}
		}
	}
}

// Baselines heed their context, too: a ring of thousands of GPUs that reconfigures before every
// step has thousands of steps to price, and looking for fewer steps takes the same time.
func TestBaselinesOfThousandsOfGPUsHeedTheirContext(t *testing.T) {
	t.Parallel()
	const most = 1000
	f := fabric.Default()
	f.Nodes, f.Ports = 4096, 4
	f.Reconfig.Base = 25 * units.Millisecond
	r := portfolio.Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}}}
	for _, left := range []int{0, 3000, 12000} {
		ctx := countdown.New(threads.Limit(t.Context(), 1), left)
		_, err := r.Extremes(ctx, nil, portfolio.NewSearch(portfolio.Options{Planners: lightpath.Planners()}))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the context ended after %d questions: %v", left, err)
		}
		if ctx.After() > most {
			t.Errorf("asked %d times more after %d questions", ctx.After(), left)
		}
	}
}
