package exchange

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// odd is an odd number of GPUs with one two-way port each.
func odd(nodes int, size units.Bytes, reconfig string) setting {
	return setting{nodes: nodes, ports: 1, size: size, set: map[string]string{"reconfig": reconfig, "duplex": "true"}}
}

// Plans for an odd number of GPUs are proven, made in each of the three ways. The variant with only
// these has the best of them, too, whatever the fabric is like at the start.
func TestComposedPlansAreProven(t *testing.T) {
	made := make([]int, 3)
	for i := range samples.Of(24) {
		s := odd(5+2*(i%12), units.Bytes(1)<<(10+5*(i%4)), []string{"100ns", "1us", "10us", "100us", "per-circuit:1us+100ns"}[i%5])
		s.set["initial"] = []string{"free", "dark"}[i/2%2]
		if i%6 == 5 {
			s.set["forwarding"] = "store-and-forward"
		}
		p := s.planned(t, Options{})
		best := units.Time(math.Inf(1))
		for k, way := range []func(*composer, context.Context) error{(*composer).digits, (*composer).fold, (*composer).leaveOut} {
			r := s.request(t)
			c := &composer{exchanger: exchanger{memory: strategy.NewMemory()}, request: &r}
			if !composesOn(&r.Fabric, s.nodes) {
				continue // delays that depend on what changes
			}
			if err := way(c, t.Context()); err != nil {
				t.Fatal(err)
			}
			if c.best == nil {
				continue
			}
			made[k]++
			stagedtest.Verify(t, c.best)
			best = min(best, c.best.Cost.Total())
		}
		if p.Cost.Total() > best*(1+1e-9) {
			t.Errorf("%v: %v by %s, composed %v", s, p.Cost.Total(), p.Strategy, best)
		}
		if p.Cost.Total() < best*(1-1e-9) {
			continue
		}
		only, err := exchanger{fewer: true, memory: strategy.NewMemory()}.Plan(t.Context(), s.request(t))
		if err != nil || !stagedtest.Near(only.Cost.Total(), p.Cost.Total(), 1e-9) {
			t.Errorf("%v: %v by %s, and only composed: %v", s, p.Cost.Total(), p.Strategy, err)
		}
		limited := s.request(t)
		limited.Limit = p.Cost.Total()
		if again, err := New(Options{}).Plan(t.Context(), limited); err != nil || again.Strategy != p.Strategy || again.Cost.Total() != p.Cost.Total() {
			t.Errorf("%v: within its own time: %v", s, err)
		}
	}
	if slices.Min(made) < 3 {
		t.Errorf("%d plans by digits, by folding and by leaving one out", made)
	}
}

// A plan for large messages that leaves out a GPU takes at most an eighth longer than one for one
// GPU more: the other ways have nearly the same loads. Small messages need a stage or two more.
func TestLeavingOneOutCostsLittle(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		size     units.Bytes
		reconfig string
		before   float64 // us, by digits or by folding
	}{{31, 256 * units.KiB, "10us", 82.1}, {61, 64 * units.MiB, "30us", 2532}, {101, 16 * units.MiB, "10us", 1103}, {81, 16 * units.MiB, "30us", 863.5}} {
		s := odd(c.nodes, c.size, c.reconfig)
		p := s.planned(t, Options{})
		more := odd(c.nodes+1, c.size, c.reconfig).planned(t, Options{})
		if c.size > units.MiB && p.Cost.Total() > 1.125*more.Cost.Total() ||
			float64(p.Cost.Total()) > c.before*1000 {
			t.Errorf("%v: %v by %s, one GPU more takes %v", s, p.Cost.Total(), p.Strategy, more.Cost.Total())
		}
	}
}

// By digits, the time is that of both plans and a change between them.
func TestDigitsTakeTheTimeOfBothPlans(t *testing.T) {
	for _, c := range []struct{ low, high int }{{3, 3}, {3, 5}, {3, 7}, {5, 9}} {
		s := odd(c.low*c.high, 4*units.MiB, "10us")
		low, high := odd(c.low, s.size, "10us").planned(t, Options{}), odd(c.high, s.size, "10us").planned(t, Options{})
		p := s.planned(t, Options{})
		most := low.Cost.Total() + high.Cost.Total() + p.Fabric.LeastBarrier()
		if p.Cost.Total() > most*(1+1e-9) {
			t.Errorf("%v: %v by %s, and the digits take %v", s, p.Cost.Total(), p.Strategy, most)
		}
		stages, parts := byDigits(low, high)
		made := *p
		made.Stages, made.Collective.Space.Parts, made.Slots = stages, parts, 0
		if err := made.PriceContext(t.Context()); err != nil || !stagedtest.Near(made.Cost.Total(), most, 1e-9) {
			t.Errorf("%v: %v, want %v: %v", s, made.Cost.Total(), most, err)
		}
		stagedtest.Verify(t, &made)
	}
}

// Little data takes two stages more than for one GPU less, and no less time for a longer delay.
func TestFoldsTakeTwoMoreStages(t *testing.T) {
	for _, nodes := range []int{7, 11, 13, 23} {
		before := (*plan.Plan)(nil)
		for _, reconfig := range []string{"30us", "10us", "3us", "1us", "300ns"} {
			s := odd(nodes, units.KiB, reconfig)
			p := s.planned(t, Options{})
			less := odd(nodes-1, units.KiB, reconfig).planned(t, Options{})
			if reconfig == "30us" && len(p.Stages) > len(less.Stages)+2 {
				t.Errorf("%v: %d stages by %s, and %d for a GPU less", s, len(p.Stages), p.Strategy, len(less.Stages))
			}
			if before != nil && p.Cost.Total() > before.Cost.Total() {
				t.Errorf("%v: %v, more than with a longer delay: %v", s, p.Cost.Total(), before.Cost.Total())
			}
			before = p
		}
	}
}

// Some GPUs of a fabric take no longer than a fabric of only these.
func TestSomeGPUsAreComposedAsAllAre(t *testing.T) {
	for _, members := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {9, 3, 7, 1, 0, 8, 5}, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}} {
		for _, size := range []units.Bytes{16 * units.KiB, units.MiB} {
			alone := odd(len(members), size, "10us")
			some := odd(20, size, "10us")
			some.members = members
			if got, want := some.planned(t, Options{}).Cost.Total(), alone.planned(t, Options{}).Cost.Total(); got > want*(1+1e-9) {
				t.Errorf("%v: %v, alone %v", some, got, want)
			}
		}
	}
}
