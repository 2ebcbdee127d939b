package training_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// TestPlansOfOthersAreAsFast: a plan that was made for another delay or size, and is used instead
// of a search, is as fast as what the search finds, to a thousandth for sizes, and is correct.
func TestPlansOfOthersAreAsFast(t *testing.T) {
	t.Parallel()
	e := command.NewRun(nil)
	f := fabric.Default()
	f.Ports = 2
	compare := func(what string, slack float64, remembered, alone *plan.Plan) {
		t.Helper()
		switch {
		case remembered == nil && alone == nil:
		case remembered == nil || alone == nil:
			t.Errorf("%s: one has no plan: %v, %v", what, remembered == nil, alone == nil)
		case float64(remembered.Cost.Total()) > float64(alone.Cost.Total())*(1+slack):
			t.Errorf("%s: %v, by a search %v", what, remembered.Cost.Total(), alone.Cost.Total())
		default:
			report, err := verify.Plan(t.Context(), remembered)
			if err != nil || !report.OK {
				t.Errorf("%s: %v, %v", what, report.First(), err)
			}
		}
	}
	count, fresh := &training.Tally{}, &training.Tally{}
	f.Nodes = 8
	plans := training.PlansOn(f, count, e)
	for _, delay := range []units.Duration{0, units.Millisecond, 20 * units.Microsecond, 2 * units.Microsecond, 500 * units.Microsecond, 100 * units.Nanosecond, 5 * units.Microsecond, 300 * units.Nanosecond} {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllToAll} {
			made, err := plans.For(t.Context(), delay, op, 8*units.MiB, 0)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := training.PlansOn(f, fresh, e).For(t.Context(), delay, op, 8*units.MiB, 0)
			if err != nil {
				t.Fatal(err)
			}
			compare(delay.String()+" "+string(op), 1e-6, made, alone)
		}
	}
	if count.Plans() >= fresh.Plans() {
		t.Errorf("%d plans were made, %d without a memory", count.Plans(), fresh.Plans())
	}
	count, fresh = &training.Tally{}, &training.Tally{}
	f.Nodes, f.Reconfig.Base = 24, 10*units.Microsecond
	plans = training.PlansOn(f, count, e)
	for _, size := range []units.Bytes{64 * units.MiB, 512 * units.MiB, 100 * units.MiB, 300 * units.MiB, 301*units.MiB + 17} {
		made, err := plans.Hold(t.Context(), collective.AllReduce, size)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := training.PlansOn(f, fresh, e).Hold(t.Context(), collective.AllReduce, size)
		if err != nil {
			t.Fatal(err)
		}
		compare(size.String(), 1.1e-3, made, alone)
	}
	if count.Plans() >= fresh.Plans() {
		t.Errorf("%d plans were made, %d without a memory", count.Plans(), fresh.Plans())
	}
}
