package staged

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// Steps that share their transfers are split once: they share the memory of their parts, which
// equal the parts of steps that share nothing.
func TestStepsThatShareTransfersShareTheirParts(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Duplex = 8, true
	r := stagedtest.Request(t, f, collective.Broadcast, "chain:parts=40", units.MiB)
	for _, c := range []*collective.Collective{r.Collective, alternating(r.Collective)} {
		listed := *c
		listed.Steps = nil
		for _, s := range c.Steps {
			s.Base = append([]collective.Transfer(nil), s.Base...)
			listed.Steps = append(listed.Steps, s)
		}
		classOf := pricing.NewWorkload(&r, c.Steps).ClassOf
		got, changed, err := split(t.Context(), &f, c, classOf)
		if err != nil || !changed {
			t.Fatalf("changed %v, %v", changed, err)
		}
		want, _, err := split(t.Context(), &f, &listed, classOf)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d parts, want %d; %v", len(got), len(want), err)
		}
		lists := func(steps []collective.Step) int {
			seen := map[*collective.Transfer]bool{}
			for _, s := range steps {
				seen[&s.Base[0]] = true
			}
			return len(seen)
		}
		if shared := lists(c.Steps) < len(c.Steps); shared != (lists(got) < len(got)) {
			t.Errorf("%d parts with %d lists, of %d steps with %d", len(got), lists(got), len(c.Steps), lists(c.Steps))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := newVariants(&r)
	if _, err := v.split(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if parts, err := v.split(t.Context()); err != nil || parts == nil {
		t.Errorf("asked again: %v", err)
	}
}

// alternating repeats two steps from the middle of a collective.
func alternating(c *collective.Collective) *collective.Collective {
	a := *c
	middle := len(c.Steps) / 2
	a.Steps = nil
	for range 10 {
		a.Steps = append(a.Steps, c.Steps[middle], c.Steps[middle+1])
	}
	return &a
}
