package pass

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// overlapping calls a test for patterns on which circuits stay up through changes.
func overlapping(t *testing.T, check func(name string, r planner.Request)) {
	for _, model := range []string{"200ns", "3us", "per-port:500ns+100ns", "per-circuit:500ns+300ns", "per-switch:500ns+1us"} {
		for _, initial := range []string{"free", "dark", "base"} {
			for seed := range uint64(6) {
				f := fabric.Default()
				f.Nodes, f.Initial, f.Reconfig, f.Ports = 5+int(seed%2), initial, stagedtest.Reconfig(t, model), 1+int(seed%3)
				f.Overlap.Kind = fabric.OverlapCircuits
				if seed%2 == 1 {
					f.Forwarding = fabric.StoreAndForward
				}
				if seed > 3 {
					f.Sync = 300 * units.Nanosecond
				}
				check(fmt.Sprintf("%s %s pattern %d", model, initial, seed), stagedtest.Recurring(f, seed))
			}
		}
	}
}

// A search that drops states that cannot end before the best schedule without overlap finds the
// same time as a search without a limit, with as many changes. It is never slower than without
// overlap.
func TestALimitDoesNotChangeTheAnswer(t *testing.T) {
	shorter := 0
	overlapping(t, func(name string, r planner.Request) {
		find := func(run passer) *Schedule {
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			p, err := pool.Harvest(context.Background(), &r, w)
			if err != nil {
				t.Fatal(err)
			}
			delay, err := newDelays(t.Context(), w, p.Candidates)
			if err != nil {
				t.Fatal(err)
			}
			s, err := repeated(t.Context(), func(int, int) {}, math.Inf(1), run, &Problem{Work: w, Pool: p.Candidates, delay: delay})
			if err != nil {
				t.Fatal(name, err)
			}
			return s
		}
		without, all := find(plain), find(carriedWithin(math.Inf(1)))
		limited := find(carriedWithin(without.Total * (1 + LimitTolerance)))
		tight := find(carriedWithin(all.Total * (1 + LimitTolerance)))
		for _, s := range []*Schedule{limited, tight} {
			if !stagedtest.Near(s.Total, all.Total, 1e-12) || changesOf(s) != changesOf(all) {
				t.Errorf("%s: %v in %d changes, without a limit %v in %d", name, s.Total, changesOf(s), all.Total, changesOf(all))
			}
		}
		if all.Total > without.Total*(1+1e-12) {
			t.Errorf("%s: %v with overlap, %v without", name, all.Total, without.Total)
		}
		if all.Total < without.Total*(1-1e-9) {
			shorter++
		}
	})
	if shorter < 10 {
		t.Errorf("overlap helped in %d cases: the test shows little", shorter)
	}
}

// No step ends before the bound computed without routes, whatever is left of the change.
func TestWhatMustWaitIsABound(t *testing.T) {
	met := 0
	overlapping(t, func(name string, r planner.Request) {
		w := pricing.NewWorkload(&r, r.Collective.Steps)
		p, err := pool.Harvest(context.Background(), &r, w)
		if err != nil {
			t.Fatal(err)
		}
		pool := p.Candidates[max(0, len(p.Candidates)-8):]
		d, err := newDelays(t.Context(), w, pool)
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range pool {
			for class := range w.Classes {
				if cost, _, err := w.Cost(t.Context(), c, class); err != nil || math.IsInf(cost, 1) {
					continue
				}
				routed, err := w.Route(t.Context(), c, &w.Classes[class], math.Inf(1))
				if err != nil {
					t.Fatal(err)
				}
				w.Settle(c, class, routed)
				for from := range pool {
					if from == j || !d.shares(from, j) {
						continue
					}
					late := d.lateOf(from, j, class)
					for _, dark := range []float64{1, 300, 2000, 50_000} {
						took := float64(routed.Cost.Total() + d.mixed(from, j, class).Wait(units.Time(dark)))
						least := late.least(w, dark)
						if least > took*(1+1e-12) {
							t.Errorf("%s: %d to %d, class %d, dark for %v: takes %v, said to take at least %v", name, from, j, class, dark, took, least)
						}
						if stagedtest.Near(least, took, 1e-9) {
							met++
						}
					}
				}
			}
		}
	})
	if met == 0 {
		t.Error("the bound was never met")
	}
}
