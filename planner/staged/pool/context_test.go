package pool_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// A pool of thousands of GPUs has thousands of topologies, and each takes a while to make: once
// the context ends, no more than a few are added.
func TestPoolsOfThousandsOfGPUsHeedTheirContext(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 4096
	for _, ports := range []int{1, 4} {
		f.Ports = ports
		r := stagedtest.Request(t, f, collective.AllToAll, "shift", units.GiB)
		w := pricing.NewWorkload(&r, r.Collective.Steps)
		for _, asked := range []int{0, 1, 20, 300} {
			ctx := countdown.New(t.Context(), asked)
			if _, err := pool.Harvest(ctx, &r, w); !errors.Is(err, context.Canceled) {
				t.Fatalf("%d ports, %d questions: %v", ports, asked, err)
			}
			p := pool.New(&f)
			if _, err := p.AddEveryMatched(countdown.New(t.Context(), asked), w); !errors.Is(err, context.Canceled) || len(p.Candidates) > asked {
				t.Errorf("%d ports: %d topologies after %d questions, %v", ports, len(p.Candidates), asked, err)
			}
			if after := ctx.Asked() - asked; after > 8 {
				t.Errorf("%d ports: asked %d times more after %d questions", ports, after, asked)
			}
		}
	}
}
