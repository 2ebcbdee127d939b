package joint

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// A higher limit on reconfigurations never makes the best plan slower, no plan exceeds its limit,
// and the limit that equals the best plan's reconfigurations is enough for it.
func TestFewerChangesAreNeverFaster(t *testing.T) {
	for i, op := range ops {
		for j, n := range []int{5, 7, 8, 12, 16, 18} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			for ports := 1; ports <= 3; ports += 2 {
				for _, size := range []units.Bytes{units.KiB, 256 * units.KiB, 64 * units.MiB} {
					r := jointtest.Request(op, n, ports, size)
					r.Fabric.Reconfig.Base = 300 * units.Nanosecond
					best, _, err := bestOf(t.Context(), &r, free)
					if err != nil {
						t.Fatal(err)
					}
					before := units.Time(-1)
					most := len(best.Stages) - 1
					for changes := max(0, most-4); changes <= most; changes++ {
						p, _, err := bestOf(t.Context(), &r, digit.Limits{Changes: changes})
						if err != nil {
							t.Fatal(err)
						}
						if p == nil {
							continue
						}
						if got := len(p.Stages) - 1; got > changes {
							t.Errorf("%s n=%d ports=%d %v: %d changes, %d are allowed", op, n, ports, size, got, changes)
						}
						if total := p.Cost.Total(); before >= 0 && total > before*(1+1e-12) {
							t.Errorf("%s n=%d ports=%d %v: %v with %d changes, %v with fewer", op, n, ports, size, total, changes, before)
						}
						before = p.Cost.Total()
					}
					if before != best.Cost.Total() {
						t.Errorf("%s n=%d ports=%d %v: %v with %d changes, %v without a limit", op, n, ports, size, before, most, best.Cost.Total())
					}
				}
			}
		}
	}
}

// A plan without one of the planner's choices is correct, lacks that choice, and is no
// faster.
func TestChoicesAreLeftOut(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		op       collective.Op
		n, ports int
		size     units.Bytes
		delay    units.Duration
	}{
		{collective.AllReduce, 64, 1, 4 * units.MiB, 10 * units.Microsecond},
		{collective.AllReduce, 12, 1, 64 * units.KiB, 10 * units.Microsecond},
		{collective.AllReduce, 64, 1, units.KiB, 10 * units.Microsecond},
		{collective.AllReduce, 27, 4, units.KiB, 10 * units.Microsecond},
		{collective.AllReduce, 16, 4, 16 * units.KiB, 10 * units.Microsecond},
		{collective.AllReduce, 23, 3, 16 * units.KiB, 10 * units.Microsecond},
		{collective.AllReduce, 13, 1, units.KiB, 100 * units.Nanosecond},
		{collective.AllGather, 16, 2, units.MiB, 100 * units.Nanosecond},
		{collective.Broadcast, 16, 1, 64 * units.MiB, 100 * units.Nanosecond},
		{collective.RootReduce, 12, 2, units.KiB, units.Microsecond},
	} {
		r := jointtest.Request(c.op, c.n, c.ports, c.size)
		r.Fabric.Reconfig.Base = c.delay
		best, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		choices, err := planner.TraitsOf(New()).Choices(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range choices {
			what, _, _ := strings.Cut(choice.What, " of ")
			seen[what] = true
			p := choice.Without
			if p == nil {
				continue
			}
			if p.Cost.Total() < best.Cost.Total() {
				t.Errorf("%s without %s takes %v, less than %v", c.op, choice.What, p.Cost.Total(), best.Cost.Total())
			}
			report, err := verify.Plan(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if bad := report.First(); bad != nil {
				t.Errorf("%s without %s: %s: %s", c.op, choice.What, bad.Name, bad.Detail)
			}
			word := map[string]string{"exchanges": "exchange", "sums over walks": "sums over walks", "windows": "windows", "sums": "sums of balls", "digits": strings.Replace(choice.What, "digits", "digit", 1) + ":"}[what]
			if word != "" && strings.Contains(p.Strategy, word) || choice.Fewer && len(p.Stages) >= len(best.Stages) ||
				choice.What == "any reconfiguration" && len(p.Stages) > 1 {
				t.Errorf("%s without %s: %s, %d stages", c.op, choice.What, p.Strategy, len(p.Stages))
			}
		}
	}
	for _, what := range []string{"the reconfiguration", "so many reconfigurations", "any reconfiguration", "digits", "exchanges", "sub-digits", "circuits other than rings",
		"sums over walks", "windows", "sums", "whole copies down trees", "rotated circulants"} {
		if !seen[what] {
			t.Errorf("no plan has %s", what)
		}
	}
}

// A request for whole values gets a correct plan that carries no parts, even if the fastest plan
// has some.
func TestWholeValues(t *testing.T) {
	for _, ports := range []int{1, 2} {
		parts := false
		for n := 5; n <= 23; n++ {
			for _, whole := range []bool{false, true} {
				r := jointtest.Request(collective.AllReduce, n, ports, units.KiB)
				r.Fabric.Reconfig.Base, r.Whole = 100*units.Nanosecond, whole
				p, err := fastest(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if report, err := verify.Plan(t.Context(), p); err != nil || !report.OK {
					t.Errorf("n=%d ports=%d whole=%v: %v %v", n, ports, whole, report.First(), err)
				}
				for _, step := range p.Steps() {
					for i := range step.Base {
						if step.Base[i].Part == collective.WholePart {
							continue
						}
						if parts = true; whole {
							t.Errorf("n=%d ports=%d: a part %q", n, ports, step.Base[i].Part)
						}
					}
				}
			}
		}
		if !parts {
			t.Errorf("with %d ports no plan carries parts anyway", ports)
		}
	}
}

// More ports and shorter delays are not slower on five thousand GPUs, and no plan is faster than
// its bound.
func TestFiveThousandGPUsWithMoreAreNotSlower(t *testing.T) {
	for i, op := range []collective.Op{collective.Broadcast, collective.AllGather} {
		takes := func(ports int, delay units.Duration) units.Time {
			r := jointtest.Request(op, 5000, ports, 16*units.MiB)
			r.Fabric.Reconfig.Base = delay
			p, err := New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			time := p.Cost.Total()
			if least := bound.OfOperation(&r.Fabric, p.Collective.Section()).Total(); time < least*(1-1e-9) {
				t.Errorf("%s, %d ports, %v: takes %v, the bound is %v", op, ports, delay, time, least)
			}
			return time
		}
		one := takes(1, 10*units.Microsecond)
		if i == 0 || samples.Every() { // in turn
			if two := takes(2, 10*units.Microsecond); two > one*(1+1e-9) {
				t.Errorf("%s: %v with two ports, %v with one", op, two, one)
			}
		}
		if i > 0 || samples.Every() {
			if quick := takes(1, units.Microsecond); quick > one*(1+1e-9) {
				t.Errorf("%s: %v with delays of 1 us, %v with those of 10 us", op, quick, one)
			}
		}
	}
}
