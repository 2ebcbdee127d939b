package plannertest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/plannertest"
	"github.com/lightpath-net/lightpath/units"
)

type makePlan = func(ctx context.Context, c plannertest.Case) (*plan.Plan, error)

// The suite would be worth nothing if it passed everything. So every clause is broken by a
// subject of its own, and found broken.
func TestTheSuiteFindsEveryBrokenClause(t *testing.T) {
	static, err := lightpath.Planners().Lookup("static")
	if err != nil {
		t.Fatal(err)
	}
	honest := plannertest.Of(static, plan.Known{})
	c := plannertest.Cases()[0]
	// after changes plans that were made honestly.
	after := func(change func(c plannertest.Case, p *plan.Plan)) makePlan {
		return func(ctx context.Context, c plannertest.Case) (*plan.Plan, error) {
			p, err := honest.Plan(ctx, c)
			if err == nil {
				change(c, p)
			}
			return p, err
		}
	}
	slower := func(c plannertest.Case, p *plan.Plan) { p.Cost.Startup += units.Time(1e6) }
	calls := 0
	for clause, lie := range map[string]makePlan{
		"correct": after(func(_ plannertest.Case, p *plan.Plan) { p.Cost.Startup /= 2 }),
		"bounded": after(func(_ plannertest.Case, p *plan.Plan) { p.Bound = 2 * p.Cost.Total() }),
		"deterministic": after(func(_ plannertest.Case, p *plan.Plan) {
			calls++
			p.Baselines.Direct = units.Time(calls)
		}),
		"cancelled": func(_ context.Context, c plannertest.Case) (*plan.Plan, error) {
			return honest.Plan(context.Background(), c)
		},
		"foretold": after(slower),
		"covering": after(slower),
		"delay": after(func(c plannertest.Case, p *plan.Plan) {
			if c.Fabric.Reconfig.Base == 0 {
				slower(c, p)
			}
		}),
		"overlap": func(ctx context.Context, c plannertest.Case) (*plan.Plan, error) {
			if c.Fabric.Overlap.Kind == fabric.OverlapCircuits {
				return nil, planner.ErrInfeasible
			}
			return honest.Plan(ctx, c)
		},
		"circuits": after(func(at plannertest.Case, p *plan.Plan) {
			if at.Fabric.Reconfig.Base > c.Fabric.Reconfig.Base {
				slower(at, p)
			}
		}),
		"effort": honest.Plan,
		"ports": after(func(c plannertest.Case, p *plan.Plan) {
			if c.Fabric.Ports == 2 {
				slower(c, p)
			}
		}),
	} {
		s := plannertest.Subject{Name: clause, Plan: lie, Ports: clause == "ports", Circuits: honest.Circuits}
		switch clause {
		case "foretold":
			s.Foretell = honest.Foretell
		case "covering":
			s.Covers = []plannertest.Subject{honest}
		case "effort":
			s.More = []plannertest.Subject{{Name: "more", Plan: after(slower)}}
		}
		broken, err := plannertest.Broken(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(broken, clause) {
			t.Errorf("%s: found broken %v", clause, broken)
		}
	}
	if broken, err := plannertest.Broken(t.Context(), honest, c); err != nil || len(broken) > 0 {
		t.Errorf("an honest planner breaks %v, %v", broken, err)
	}
	if len(plannertest.Clauses()) != 11 {
		t.Errorf("%v: some are not tested here", plannertest.Clauses())
	}
}
