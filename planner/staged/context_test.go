package staged

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// countdown is a context that is cancelled after left checks and counts the checks after that.
type countdown struct {
	context.Context
	lock        sync.Mutex
	left, asked int
}

func (c *countdown) Err() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.left > 0 {
		c.left--
		return nil
	}
	c.asked++
	return context.Canceled
}

// cancellable returns requests that exercise every path through the planners: the closed form,
// rings, a pool of graphs with flows to solve, a delay per pair of topologies, and a bulk step
// that is split.
func cancellable(t *testing.T) map[string]planner.Request {
	f := fabric.Default()
	f.Nodes = 8
	ports, each := f, f
	ports.Ports = 2
	each.Reconfig = fabric.Reconfig{Model: fabric.PerPort, Base: units.Microsecond, Each: units.Nanosecond}
	ports.Routing, each.Initial = flow.Optimal, fabric.InitialDark
	return map[string]planner.Request{
		"closed form":   stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", units.MiB),
		"rings":         stagedtest.Request(t, f, collective.AllToAll, "shift", units.MiB),
		"two ports":     stagedtest.Request(t, ports, collective.AllReduce, "swing", units.MiB),
		"delay by pair": stagedtest.Request(t, each, collective.AllToAll, "direct", units.MiB),
	}
}

func TestCancelledContextStopsEveryPlanner(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, r := range cancellable(t) {
		for _, p := range Planners() {
			if got, err := p.Plan(ctx, r); got != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %s: %v, %v", name, p.Name(), got, err)
			}
		}
	}
}

// Whenever the context ends while a planner runs, the planner returns the context's error and no
// plan, and checks the context only a few more times: it does not continue with the next part of
// its work.
func TestContextIsHeededAtAnyTime(t *testing.T) {
	const most = 4 + pass.SettleBatch // checks of the context on the way out
	for name, r := range cancellable(t) {
		for _, p := range Planners() {
			looks := 0
			for {
				ctx := &countdown{Context: context.Background(), left: looks}
				got, err := p.Plan(ctx, r)
				if ctx.asked == 0 {
					if got == nil || err != nil {
						t.Fatalf("%s: %s: not cancelled, but %v", name, p.Name(), err)
					}
					break
				}
				if got != nil || !errors.Is(err, context.Canceled) {
					t.Fatalf("%s: %s: cancelled after %d looks: %v, %v", name, p.Name(), looks, got, err)
				}
				if ctx.asked > most {
					t.Fatalf("%s: %s: looked %d times at a context that ended after %d", name, p.Name(), ctx.asked, looks)
				}
				looks += 1 + looks/25 // every moment at first, then every few
			}
			if looks < len(r.Collective.Steps) {
				t.Errorf("%s: %s: looked at the context %d times for %d steps", name, p.Name(), looks, len(r.Collective.Steps))
			}
		}
	}
}

// Progress is reported from the search, in order, and never beyond the total.
func TestProgressIsReported(t *testing.T) {
	r := cancellable(t)["rings"]
	calls := 0
	r.Progress = func(done, total int) {
		if total != len(r.Collective.Steps) || done != calls {
			t.Errorf("call %d: %d of %d", calls, done, total)
		}
		calls++
	}
	planWith(t, "harvest", r)
	if calls != len(r.Collective.Steps) {
		t.Errorf("%d calls for %d steps", calls, len(r.Collective.Steps))
	}
}

func TestMeaninglessRequestsAreRefused(t *testing.T) {
	for name, change := range map[string]func(r *planner.Request){
		"size":   func(r *planner.Request) { r.Size = 0 },
		"nodes":  func(r *planner.Request) { r.Fabric.Nodes = 9 },
		"fabric": func(r *planner.Request) { r.Fabric.Ports = 0 },
	} {
		r := cancellable(t)["rings"]
		change(&r)
		for _, p := range Planners() {
			if got, err := p.Plan(t.Context(), r); err == nil || got != nil || errors.Is(err, planner.ErrInfeasible) {
				t.Errorf("%s: %s: %v, %v", name, p.Name(), got, err)
			}
		}
	}
}
