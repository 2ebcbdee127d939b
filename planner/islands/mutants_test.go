package islands_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// copied returns a plan whose stages, steps and transfers can be changed.
func copied(p *plan.Plan) *plan.Plan {
	other := *p
	other.Stages = slices.Clone(p.Stages)
	for i := range other.Stages {
		s := &other.Stages[i]
		s.Steps = slices.Clone(s.Steps)
		for j := range s.Steps {
			s.Steps[j].Unfold(p.Collective.Space)
			for k := range s.Steps[j].Base {
				t := &s.Steps[j].Base[k]
				t.Routes = slices.Clone(t.Routes)
			}
		}
	}
	return &other
}

// TestVerifierRefusesWrongTiers: the verifier refuses plans that use islands in an impossible way
// or claim wrong times for them.
func TestVerifierRefusesWrongTiers(t *testing.T) {
	f := inIslands(32, 1, 2)
	f.Reconfig.Base, f.Initial = units.Microsecond/10, fabric.InitialDark
	good := fastest(t, f, collective.AllReduce, 64<<20)
	if good.Reconfigurations < 2 {
		t.Fatalf("%d changes: the mutants need some", good.Reconfigurations)
	}
	electrical := func(p *plan.Plan, s *plan.Stage, x *plan.Transfer) bool {
		return len(x.Routes) == 1 && len(x.Routes[0].Path) == 2 && plan.Electrical(&p.Fabric, s.Topology, x.Src, x.Dst)
	}
	// eachStep calls change for one step after another until change reports success.
	eachStep := func(p *plan.Plan, change func(s *plan.Stage, step *plan.Step) bool) bool {
		for s, step := range p.Steps() {
			if change(s, step) {
				return true
			}
		}
		return false
	}
	for _, mutant := range []struct {
		name, check string
		change      func(p *plan.Plan) bool
	}{
		{"none", "", func(*plan.Plan) bool { return true }},
		{"a hop between islands without a circuit", "routes", func(p *plan.Plan) bool {
			return eachStep(p, func(s *plan.Stage, step *plan.Step) bool {
				for k := range step.Base {
					x := &step.Base[k]
					if electrical(p, s, x) {
						x.Dst = (x.Dst + 4) % 32
						x.Routes[0].Path = []int32{int32(x.Src), int32(x.Dst)}
						return s.Topology.Count(x.Src, x.Dst) == 0
					}
				}
				return false
			})
		}},
		{"an island over its rate", "timing cost", func(p *plan.Plan) bool {
			return eachStep(p, func(s *plan.Stage, step *plan.Step) bool {
				grounded := p.Grounded(s, step)
				if grounded {
					step.Cost.Transmission /= 2
				}
				return grounded
			})
		}},
		{"an island twice as fast", "cost", func(p *plan.Plan) bool { p.Fabric.Island.Bandwidth *= 2; return true }},
		{"a change that is not waited for", "timing", func(p *plan.Plan) bool {
			s := &p.Stages[len(p.Stages)-1]
			for j := range s.Steps {
				s.Steps[j].Start -= 80
			}
			return true
		}},
		{"a change charged for an island", "timing", func(p *plan.Plan) bool {
			for i := range p.Stages {
				for j := range p.Stages[i].Steps {
					p.Stages[i].Steps[j].Start += 100
				}
			}
			return p.Grounded(&p.Stages[0], &p.Stages[0].Steps[0])
		}},
		{"no islands", "routes", func(p *plan.Plan) bool { p.Fabric.Island = fabric.Island{}; return true }},
	} {
		p := copied(good)
		if !mutant.change(p) {
			t.Errorf("%s: nothing to change", mutant.name)
			continue
		}
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if first := report.First(); mutant.check == "" != report.OK || first != nil && !strings.Contains(mutant.check, first.Name) {
			t.Errorf("%s: %+v, want %q", mutant.name, first, mutant.check)
		}
	}
}
