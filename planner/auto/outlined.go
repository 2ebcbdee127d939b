package auto

import (
	"context"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// outlined returns a lower bound on the time of a way that is not laid out. A planner that
// reconfigures before every step sends everything directly, so it has at least one set of
// circuits for each of the fewest steps.
func (t *task) outlined(f *fabric.Fabric, o *bound.Outline) units.Time {
	least := o.PerStep(f)
	if t.traits.Baseline == plan.EveryStep && f.Fixed.IsZero() {
		least += units.Time(o.Steps-1) * f.LeastWait()
	}
	return least
}

// layOut lays out the ways that their outlines do not rule out, in parallel, and bounds them.
func (c *contest) layOut(ctx context.Context, ways []task) error {
	var open []*task
	for i := range ways {
		if t := &ways[i]; !c.lost(t.bound) {
			open = append(open, t)
		}
	}
	errs := make([]error, len(open))
	threads.Each(ctx, len(open), func(i int) { errs[i] = open[i].layOut(ctx) })
	for i, t := range open {
		if err := ctx.Err(); err != nil {
			return err
		}
		if errs[i] != nil {
			return errs[i]
		}
		t.bound = max(t.bound, bound.PerStep(&c.request.Fabric, t.Collective, t.Size))
		if err := c.bound(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// layOut lays out a way, once.
func (t *task) layOut(ctx context.Context) (err error) {
	if t.lay != nil {
		if t.Sized, err = t.lay(ctx); err == nil {
			t.lay = nil
		}
	}
	return err
}
