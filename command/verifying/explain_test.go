package verifying_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// The plan is the best at the ends of its ranges, and not beyond.
func TestExplainedRangesAreThoseOfThePlanner(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		change    func(*fabric.Fabric)
	}{
		{collective.AllReduce, "recursive-doubling", func(*fabric.Fabric) {}},
		{collective.AllReduce, "swing", func(f *fabric.Fabric) { f.Nodes, f.Initial = 16, fabric.InitialBase }},
		{collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) {
			f.Sync, f.Overlap = 2_000_000, fabric.Overlap{Kind: fabric.OverlapCompute, Compute: 5_000_000}
		}},
		{collective.AllToAll, "retri", func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Duplex = 27, 2, true }},
	} {
		f := fabric.Default()
		c.change(&f)
		request := lightpath.PlanRequest{
			Fabric: f, Planner: "harvest",
			Operations: []lightpath.Operation{{Op: c.op, Size: units.MiB, Algorithm: c.algorithm}},
		}
		p, err := lightpath.Plan(t.Context(), request, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		e, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
		if err != nil {
			t.Fatal(err)
		}
		changes := func(delay float64, size float64) int {
			r := request
			r.Operations = []lightpath.Operation{r.Operations[0]}
			r.Fabric.Reconfig.Base = units.Duration(math.Round(delay * 1000))
			r.Operations[0].Size = units.Bytes(math.Round(size))
			other, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			return other.Reconfigurations
		}
		delay := e.Reconfig
		for _, at := range []struct {
			ns   float64
			same bool
		}{
			{float64(delay.FromNs)*1.001 + 1, true}, {float64(delay.FromNs)*0.99 - 1, false},
			{end(delay.ToNs)*0.999 - 1, true}, {end(delay.ToNs)*1.01 + 1, false},
		} {
			if at.ns < 0 || at.ns > 1e9 {
				continue
			}
			if got := changes(at.ns, float64(units.MiB)); (got == p.Reconfigurations) != at.same {
				t.Errorf("%s: range %v..%v, but at %v the plan has %d changes, not %d",
					c.algorithm, delay.FromNs, delay.ToNs, at.ns, got, p.Reconfigurations)
			}
		}
		size := e.Size
		if size.FromBytes > float64(units.MiB) || size.ToBytes != nil && *size.ToBytes < float64(units.MiB) {
			t.Errorf("%s: the size is not within %v..%v", c.algorithm, size.FromBytes, size.ToBytes)
		}
		now := float64(f.Reconfig.Base.Time())
		if got := changes(now, size.FromBytes*1.001+1); got != p.Reconfigurations {
			t.Errorf("%s: sizes from %v, but just above it the plan has %d changes", c.algorithm, size.FromBytes, got)
		}
		if size.FromBytes > 100 {
			if got := changes(now, size.FromBytes*0.99); got == p.Reconfigurations {
				t.Errorf("%s: sizes from %v, but below it the plan is the same", c.algorithm, size.FromBytes)
			}
		}
	}
}

func end(t *units.Time) float64 {
	if t == nil {
		return 1e12
	}
	return float64(*t)
}

// If only the delay decides between one reconfiguration more or less, it breaks even at the end
// of the plan's range.
func TestChangesBreakEvenAboveTheDelayOfAnOptimalPlan(t *testing.T) {
	t.Parallel()
	r := commandtest.Request()
	r.Planner = "harvest" // whose circuits connect all GPUs in every stage
	p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "plan.json")
	if err := p.WriteFile(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	read, err := plan.ReadFile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: read})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Changes) != p.Reconfigurations || e.TotalNs != p.Cost.Total() {
		t.Errorf("%d changes explained, the plan has %d", len(e.Changes), p.Reconfigurations)
	}
	for _, c := range e.Changes {
		if c.Needed || c.SavedNs < c.PaidNs || c.BreakEvenNs < p.Fabric.Reconfig.Base.Time() {
			t.Errorf("stage %d: saves %v, costs %v, breaks even at %v: not worth its delay", c.Stage, c.SavedNs, c.PaidNs, c.BreakEvenNs)
		}
	}
}

// A reconfiguration is called needed if some pair has no path without it.
func TestNeededChangesAreSaidToBe(t *testing.T) {
	t.Parallel()
	r := commandtest.Request()
	r.Fabric.Nodes, r.Planner, r.Operations[0].Algorithm = 8, "every-step", "halving-doubling"
	p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	e, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Changes {
		if !c.Needed {
			t.Errorf("stage %d: matched circuits connect only their pairs, but %q", c.Stage, c.Instead)
		}
	}
}

func TestExplainRefusesWrongPlansAndStops(t *testing.T) {
	t.Parallel()
	p, err := lightpath.Plan(t.Context(), commandtest.Request(), lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lightpath.Explain(ctx, lightpath.ExplainRequest{Plan: p}); err == nil {
		t.Error("it went on")
	}
	p.Stages[0].Steps[0].Base[0].Routes[0].Path = []int32{0, 5}
	if _, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p}); err == nil {
		t.Error("a route over nothing was explained")
	}
	var empty plan.Plan
	if _, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: &empty}); err == nil {
		t.Error("an empty plan was explained")
	}
}

// For a plan made of digits, explain compares every reconfiguration with the planner's best plan
// that has fewer, and every choice with the best plan without it.
func TestChoicesOfAPlanAreExplained(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: "joint", Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.KiB}},
	}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	e, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Changes) != 1 || len(e.Choices) == 0 {
		t.Fatalf("%d changes and %d choices", len(e.Changes), len(e.Choices))
	}
	c := e.Changes[0]
	if c.Needed || c.PaidNs != f.Reconfig.Base.Time() || c.SavedNs <= c.PaidNs || c.Together != 1 {
		t.Errorf("%+v", c)
	}
	// The only change breaks even where the planner's other plan is as fast.
	if to := end(e.Reconfig.ToNs); math.Abs(to-float64(c.BreakEvenNs)) > 1 {
		t.Errorf("it breaks even at %v, and the plan is the best up to %v", c.BreakEvenNs, to)
	}
	for _, choice := range e.Choices {
		if choice.Needed || choice.SavedNs < 0 || choice.TotalNs != p.Cost.Total()+choice.SavedNs || choice.Instead == "" {
			t.Errorf("%+v", choice)
		}
	}
	if e.OperationBoundNs != e.OperationBound.Total() || e.OperationBoundNs > p.Cost.Total() {
		t.Errorf("the bound %v is not the sum of its parts or above the time %v", e.OperationBoundNs, p.Cost.Total())
	}
}

// For planes that reconfigure independently, explain states which planes skip which steps, and
// that skipping saves time.
func TestExplainSaysWhichPlanesSkipWhichSteps(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 3
	f.Reconfig.Base, f.Overlap = 20*units.Microsecond, fabric.Overlap{Kind: fabric.OverlapPlanes}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: "staggered", Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "halving-doubling", Size: 4 * units.MiB}},
	})
	if err != nil || !p.Staggered() {
		t.Fatal(p, err)
	}
	why, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
	if err != nil || len(why.Skips) == 0 || len(why.Changes) > 0 {
		t.Fatalf("%+v, %v", why, err)
	}
	skipped := 0
	for _, s := range why.Skips {
		for step := s.Steps[0]; step <= s.Steps[1]; step++ {
			for _, plane := range s.Planes {
				skipped++
				if p.Stages[step-1].Lanes[plane-1].Circuits != nil {
					t.Errorf("plane %d is said to skip step %d", plane, step)
				}
			}
		}
	}
	saved := units.Time(0)
	for _, s := range why.Skips {
		saved += s.SavedNs
	}
	for i := range p.Stages {
		for _, lane := range p.Stages[i].Lanes {
			if lane.Circuits == nil {
				skipped--
			}
		}
	}
	if skipped != 0 || saved <= 0 {
		t.Errorf("%d more are said than are, %v saved", skipped, saved)
	}
}

// Explain describes independent planes one by one, and compares them with the best plan that
// reconfigures all planes together.
func TestPlanesApartAreExplainedByWhatEachDoes(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 8, 3, units.Microsecond
	f.Overlap.Kind = fabric.OverlapPlanes
	var p *plan.Plan
	for seed := uint64(1); p == nil || !p.Independent; seed++ {
		if seed > 40 {
			t.Fatal("no plan has planes apart")
		}
		var err error
		p, err = lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Fabric: f, Planner: "exchange",
			Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: 16 * units.MiB, Generator: "random", Seed: &seed}},
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	turns, last := 0, units.Time(0)
	for _, plane := range e.Planes {
		turns += plane.Turns
		last = max(last, plane.EndsNs)
		if busy := plane.StartupNs + plane.SendsNs + plane.DarkNs; busy > plane.EndsNs*(1+1e-9) || busy < plane.EndsNs*(1-1e-9) {
			t.Errorf("plane %d is busy for %v and ends at %v", plane.Plane, busy, plane.EndsNs)
		}
	}
	if len(e.Planes) != 3 || turns != len(p.Stages) || math.Abs(float64(last/p.Cost.Total())-1) > 1e-9 {
		t.Errorf("%d turns on %d planes until %v, want %d on 3 until %v", turns, len(e.Planes), last, len(p.Stages), p.Cost.Total())
	}
	if len(e.Choices) != 1 || e.Choices[0].SavedNs <= 0 || e.Choices[0].TotalNs <= p.Cost.Total() {
		t.Errorf("without: %+v", e.Choices)
	}
}
