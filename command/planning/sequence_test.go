package planning_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// If all reconfigurations take the same time, a sequence takes no longer than its operations
// planned separately with a reconfiguration between every two; some sequences take less.
func TestASequenceIsNeverSlowerThanItsPartsWithChangesBetween(t *testing.T) {
	t.Parallel()
	less, draws := 0, samples.Draws(2, 8)
	for seed := range uint64(draws) {
		random := rand.New(rand.NewPCG(15, seed))
		f := fabric.Default()
		f.Nodes, f.Ports = 4+random.IntN(9), 1+random.IntN(2)
		f.Reconfig.Base = units.Duration(100<<random.IntN(8)) * units.Nanosecond
		count := 2 + random.IntN(2)
		if !samples.Every() {
			count = 2 // three take seconds
		}
		ops := make([]lightpath.Operation, count)
		sum := units.Time(len(ops)-1) * f.LeastWait()
		for i := range ops {
			ops[i] = commandtest.DrawOperation(random)
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: ops[i : i+1]}, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			sum += p.Cost.Total()
		}
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: ops}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if p.Cost.Total() > sum*commandtest.Rounding {
			t.Errorf("%v on %+v: %v together, %v one by one", ops, f, p.Cost.Total(), sum)
		}
		if p.Cost.Total() < sum*(1-1e-6) {
			less++
		}
	}
	if less < draws/2 {
		t.Errorf("only %d of %d sequences share circuits", less, draws)
	}
}

// An allgather begins with the circuits that a reduce-scatter leaves up, so each of the two
// reconfigures only once. Such a plan can be written, read and explained.
func TestAnOperationBeginsWithTheCircuitsThatAreUp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"joint", lightpath.Auto} {
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: fabric.Default(), Planner: name, Operations: []lightpath.Operation{
			{Op: collective.ReduceScatter, Size: 64 * units.KiB}, {Op: collective.AllGather, Size: 64 * units.KiB},
		}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if p.Planner != "joint" || p.Reconfigurations != 2 || len(p.Stages) != 3 {
			t.Errorf("%s: %s with %d changes, %d stages", name, p.Planner, p.Reconfigurations, len(p.Stages))
		}
		e, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Changes) != 2 {
			t.Errorf("%d changes explained", len(e.Changes))
		}
	}
}

// A planner that makes its own steps refuses sequences with an operation that it cannot do.
func TestAComposerRefusesWhatItCannotDoInASequence(t *testing.T) {
	t.Parallel()
	_, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: fabric.Default(), Planner: "joint", Operations: []lightpath.Operation{
		{Op: collective.AllReduce, Size: units.KiB}, {Op: collective.AllToAll, Size: units.KiB},
	}})
	if err == nil || errors.Is(err, planner.ErrInfeasible) {
		t.Errorf("an all-to-all by joint: %v", err)
	}
}

// The baselines of a sequence are not faster than the sequence: operations are planned one after
// the other, and without reconfigurations a different plan for the first operation was once
// better for both.
func TestASequenceIsNotOvertakenByItsBaselines(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex, f.Initial = 7, 5, true, fabric.InitialBase
	f.Alpha, f.Reconfig.Base, f.Sync, f.Routing = 5*units.Microsecond, units.Microsecond, 2*units.Microsecond, flow.ShortestSplit
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Operations: []lightpath.Operation{{Op: collective.RootReduce, Size: 100}, {Op: collective.Scatter, Size: 100}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if static := p.Baselines.Static; p.Cost.Total() > static*commandtest.Rounding {
		t.Errorf("%v, static %v", p.Cost.Total(), static)
	}
}

// Independent planes never slow a sequence of operations, either. Some planes serve steps of one
// operation while others reconfigure for steps of the next.
func TestSequencesOnPlanesAreNeverSlower(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: 100 * units.Microsecond}
	r := lightpath.PlanRequest{Operations: []lightpath.Operation{
		{Op: collective.AllReduce, Algorithm: "halving-doubling", Size: 64 * units.MiB},
		{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: 32 * units.MiB},
	}}
	r.Fabric = f
	together, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	r.Fabric.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes}
	apart, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
	if err != nil || !apart.Staggered() || apart.Cost.Total() >= together.Cost.Total() {
		t.Errorf("%v, together %v, %v", apart.Cost.Total(), together.Cost.Total(), err)
	}
}

// An interrupted sequence leaves the best plan so far. It covers all operations, is verified, is
// never slower than a plan shown before, and never faster than the final plan.
func TestAnInterruptedSequenceLeavesItsBestPlan(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	request := lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{
		{Op: collective.AllReduce, Size: units.MiB}, {Op: collective.AllToAll, Size: 64 * units.KiB}, {Op: collective.AllGather, Size: units.MiB},
	}}
	whole, err := lightpath.Plan(t.Context(), request, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for asked := 16; ; asked *= 2 {
		var known any
		shown := units.Time(math.Inf(1))
		_, err := lightpath.Plan(countdown.New(t.Context(), asked), request, lightpath.WithoutBaselines(),
			lightpath.WithUnfinished(func(answer any, _ string) { known = answer }),
			lightpath.WithBetter(func(p *plan.Plan) {
				if time := p.Cost.Total(); time >= shown || len(p.Collective.Space.Sections) != 3 {
					t.Errorf("%v of %d operations is shown after %v", time, len(p.Collective.Space.Sections), shown)
				}
				shown = p.Cost.Total()
			}))
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		p, ok := known.(*plan.Plan)
		if !ok {
			continue
		}
		left++
		if time := p.Cost.Total(); time != shown || time < whole.Cost.Total()*(1-1e-9) {
			t.Errorf("after %d questions: %v is left, %v was shown, %v is the best", asked, time, shown, whole.Cost.Total())
		}
		if report, err := verify.Plan(t.Context(), p); err != nil || !report.OK {
			t.Errorf("after %d questions: %v, %v", asked, report.First(), err)
		}
	}
	if left == 0 {
		t.Error("nothing was ever left")
	}
}
