package plan_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// clone copies everything of a plan that a test may change.
func clone(p *plan.Plan) *plan.Plan {
	c := *p
	c.Stages = slices.Clone(p.Stages)
	for i := range c.Stages {
		c.Stages[i].Steps = slices.Clone(c.Stages[i].Steps)
		for j := range c.Stages[i].Steps {
			step := &c.Stages[i].Steps[j]
			step.Base = slices.Clone(step.Base)
			for t := range step.Base {
				step.Base[t] = cloneTransfer(step.Base[t])
			}
		}
	}
	return &c
}

func cloneTransfer(t plan.Transfer) plan.Transfer {
	t.Chunks = slices.Clone(t.Chunks)
	t.Routes = slices.Clone(t.Routes)
	for r := range t.Routes {
		t.Routes[r].Path = slices.Clone(t.Routes[r].Path)
	}
	return t
}

// expand lists every transfer of every step separately, without symmetry.
func expand(p *plan.Plan) *plan.Plan {
	c := clone(p)
	for _, step := range c.Steps() {
		var all []plan.Transfer
		for t := range step.All(p.Collective.Space) {
			all = append(all, cloneTransfer(t))
		}
		step.Base, step.Group = all, topology.Translations{}
	}
	return c
}

func symmetric(p *plan.Plan) bool {
	for _, step := range p.Steps() {
		if !step.Group.Trivial() {
			return true
		}
	}
	return false
}

// closeTo allows for sums that were added up in another order.
func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b)) }

// TestSymmetryIsOnlyAShorthand: a plan without its symmetry gets the same report and the same
// price.
func TestSymmetryIsOnlyAShorthand(t *testing.T) {
	folded := 0
	for _, m := range sweep().made {
		if !symmetric(m.plan) {
			continue
		}
		folded++
		e := expand(m.plan)
		want, got := mustVerify(t, m.plan), mustVerify(t, e)
		if !slices.Equal(got.Checks, want.Checks) {
			t.Errorf("%s: expanded\n%v\nsymmetric\n%v", m.name, got.Checks, want.Checks)
		}
		if err := e.Price(); err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if !closeTo(float64(e.Cost.Total()), float64(m.plan.Cost.Total())) || e.Reconfigurations != m.plan.Reconfigurations {
			t.Errorf("%s: expanded costs %+v, symmetric %+v", m.name, e.Cost, m.plan.Cost)
		}
		for i := range e.Stages {
			for j := range e.Stages[i].Steps {
				a, b := e.Stages[i].Steps[j].Cost, m.plan.Stages[i].Steps[j].Cost
				if a.Hops != b.Hops || !closeTo(a.Congestion, b.Congestion) || !closeTo(float64(a.Total()), float64(b.Total())) {
					t.Errorf("%s: stage %d, step %d: expanded %+v, symmetric %+v", m.name, i+1, j+1, a, b)
				}
			}
		}
	}
	if folded < len(sweep().made)/3 {
		t.Errorf("only %d of %d plans are symmetric", folded, len(sweep().made))
	}
}

// TestImagesKeepTheirRoutes: the routes of an image lead from its source to its target,
// with the shares of the original.
func TestImagesKeepTheirRoutes(t *testing.T) {
	for _, m := range sweep().made {
		for _, step := range m.plan.Steps() {
			i := 0
			for x := range step.All(m.plan.Collective.Space) {
				original := step.Base[i%len(step.Base)]
				i++
				for r, route := range x.Routes {
					if int(route.Path[0]) != x.Src || int(route.Path[len(route.Path)-1]) != x.Dst ||
						route.Share != original.Routes[r].Share || len(route.Path) != len(original.Routes[r].Path) {
						t.Fatalf("%s: step %d: %d->%d has the route %v", m.name, step.Index, x.Src, x.Dst, route)
					}
				}
			}
			if i != step.Len() {
				t.Fatalf("%s: step %d: %d transfers, Len is %d", m.name, step.Index, i, step.Len())
			}
		}
	}
}

// direct gives a transfer the one circuit from its source to its target.
func direct(t *plan.Transfer) {
	t.Routes = []flow.Route{{Path: []int32{int32(t.Src), int32(t.Dst)}, Share: 1}}
}

// stepAt returns step number i of the plan, from 1.
func stepAt(p *plan.Plan, i int) *plan.Step {
	for _, step := range p.Steps() {
		if i--; i == 0 {
			return step
		}
	}
	panic("no such step")
}
