package plan_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// planned makes a plan of 8 MiB that must exist.
func planned(t testing.TB, planning string, op collective.Op, algorithm string, change func(f *fabric.Fabric)) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes = 8
	change(&f)
	c, err := algorithms.New(op, algorithm, f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range staged.Planners() {
		if p.Name() == planning {
			made, err := p.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: 8 * units.MiB})
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
	}
	t.Fatalf("no planner %s", planning)
	return nil
}

// The plans that mutations start from. All are symmetric.
const (
	mesh    = "mesh"    // K(8), one stage, every pair has a circuit: Bine allreduce
	rewired = "rewired" // one port, dark at the start, circuits of each step: recursive doubling
	twoWay  = "two-way" // duplex ring of 8, one stage, routes of several hops: recursive doubling
	blocks  = "blocks"  // K(8): all-to-all in one bulk step
)

func goodPlan(t testing.TB, name string) *plan.Plan {
	t.Helper()
	switch name {
	case mesh:
		return planned(t, "static", collective.AllReduce, "bine", func(f *fabric.Fabric) {
			f.Ports, f.Routing = 7, flow.Shortest
		})
	case rewired:
		return planned(t, "every-step", collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) {
			f.Initial = fabric.InitialDark
		})
	case twoWay:
		return planned(t, "static", collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) {
			f.Ports, f.Duplex, f.Routing = 2, true, flow.ShortestSplit
		})
	default:
		return planned(t, "static", collective.AllToAll, "direct", func(f *fabric.Fabric) {
			f.Ports, f.Routing = 7, flow.Shortest
		})
	}
}

// mutation breaks a good plan in one way.
type mutation struct {
	name   string
	of     string
	check  string // the first check that must fail
	detail string // regular expression for what it must say
	apply  func(p *plan.Plan)
}

// honest prices the plan after the change, so that only what it does is wrong, not its claims.
func honest(change func(p *plan.Plan)) func(p *plan.Plan) {
	return func(p *plan.Plan) {
		change(p)
		if err := p.Price(); err != nil {
			panic(fmt.Sprintf("the change breaks the routes: %v", err))
		}
	}
}

// TestVerifyCatchesMutations breaks plans in every way that comes to mind, both in the
// symmetric form, in which a change affects all images, and transfer by transfer.
func TestVerifyCatchesMutations(t *testing.T) {
	names, proven := map[string]bool{}, map[string]bool{} // each form of each plan is proven once
	for _, m := range slicesOf(formMutations, dataMutations, routeMutations, claimMutations) {
		if names[m.name] {
			t.Errorf("two mutations are called %q", m.name)
		}
		names[m.name] = true
		for form, shape := range map[string]func(*plan.Plan) *plan.Plan{"symmetric": clone, "expanded": expand} {
			t.Run(m.name+"/"+form, func(t *testing.T) {
				p := shape(goodPlan(t, m.of))
				if of := m.of + form; !proven[of] {
					if report := mustVerify(t, p); !report.OK {
						t.Fatalf("the plan was broken before: %+v", report.First())
					}
					proven[of] = true
				}
				m.apply(p)
				report := mustVerify(t, p)
				if report.OK {
					t.Fatal("nothing is noticed")
				}
				first := report.First()
				if first.Name != m.check || !regexp.MustCompile(m.detail).MatchString(first.Detail) {
					t.Errorf("%s: %q, want %s: %q", first.Name, first.Detail, m.check, m.detail)
				}
				for _, c := range report.Checks {
					if strings.Contains(c.Detail, "\n") {
						t.Errorf("%s: %q has several lines", c.Name, c.Detail)
					}
				}
			})
		}
	}
	t.Logf("%d mutations", len(names))
}

func slicesOf(lists ...[]mutation) []mutation {
	var all []mutation
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func TestVerifyStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if report, err := verify.Plan(ctx, goodPlan(t, mesh)); err == nil {
		t.Errorf("a cancelled verification reports %v", report)
	}
}

func TestVerifyDoesNotChangeThePlan(t *testing.T) {
	for _, name := range []string{mesh, rewired, twoWay, blocks} {
		p := goodPlan(t, name)
		before := encoded(t, p)
		mustVerify(t, p)
		if encoded(t, p) != before {
			t.Errorf("%s: verification changed the plan", name)
		}
	}
}

// encoded is the JSON of a plan.
func encoded(t testing.TB, p *plan.Plan) string {
	t.Helper()
	var b strings.Builder
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
