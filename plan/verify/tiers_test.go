package verify_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/plantest"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// onFixedLinks returns a plan on circuits that change and on fixed links: some steps use only
// the latter.
func onFixedLinks(t *testing.T) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Initial, f.Reconfig.Base = 8, fabric.InitialDark, 8*units.Microsecond
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.Registry(staged.Planners()).Lookup("harvest")
	if err != nil {
		t.Fatal(err)
	}
	made, err := p.Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	if made.Reconfigurations < 2 {
		t.Fatalf("%d changes: the mutants need some", made.Reconfigurations)
	}
	if err := f.Set("fixed", "Mesh(8)"); err != nil {
		t.Fatal(err)
	}
	f.Fixed.Bandwidth, f.Fixed.Alpha, f.Fixed.Delta = 16000*units.Gbps, fabric.Own(300*units.Nanosecond), fabric.Own(100*units.Nanosecond)
	// A step at the beginning of a stage that needs no circuit runs while circuits change.
	for seed := range uint64(100) {
		made := plantest.Beside(t, rand.New(rand.NewPCG(seed, 5)), made, f)
		for i := range made.Stages {
			s := &made.Stages[i]
			if i == 0 || len(s.Steps) < 2 || !made.Grounded(s, &s.Steps[0]) || made.Grounded(s, &s.Steps[1]) {
				continue
			}
			if s.Steps[1].Start > s.Steps[0].Start+s.Steps[0].Cost.Total()+1000 {
				return made
			}
		}
	}
	t.Fatal("no plan has a step without circuits where they change")
	return nil
}

// TestVerifierRefusesWrongFixedLinks: plans that use fixed links that do not exist, or claim
// other times for them, are refused.
func TestVerifierRefusesWrongFixedLinks(t *testing.T) {
	good := onFixedLinks(t)
	grounded := func(p *plan.Plan) (int, *plan.Stage) {
		for i := range p.Stages {
			if s := &p.Stages[i]; i > 0 && len(s.Steps) > 1 && p.Grounded(s, &s.Steps[0]) {
				return i, s
			}
		}
		return 0, nil
	}
	later := func(p *plan.Plan, from int, by units.Time) {
		for i := from; i < len(p.Stages); i++ {
			p.Stages[i].Start += by
			for j := range p.Stages[i].Steps {
				p.Stages[i].Steps[j].Start += by
			}
		}
	}
	for _, mutant := range []struct {
		name, check string
		change      func(p *plan.Plan)
	}{
		{"none", "", func(*plan.Plan) {}},
		{"a fixed link that is not there", "routes", func(p *plan.Plan) {
			_, s := grounded(p)
			x := &s.Steps[0].Base[0]
			for v := range 8 {
				if v != x.Src && plan.TierOf(&p.Fabric, s.Topology, x.Src, v) == plan.NoWay {
					x.Dst, x.Routes = v, slices.Clone(x.Routes[:1])
					x.Routes[0].Path, x.Routes[0].Share = []int32{int32(x.Src), int32(v)}, 1
					return
				}
			}
		}},
		{"no fixed links", "routes", func(p *plan.Plan) { p.Fabric.Fixed = fabric.Fixed{} }},
		{"other fixed links", "routes", func(p *plan.Plan) {
			if err := p.Fabric.Set("fixed", "Mesh(4)"); err != nil {
				t.Fatal(err)
			}
		}},
		{"a failed link", "ports routes", func(p *plan.Plan) {
			_, s := grounded(p)
			path := s.Steps[0].Base[0].Routes[0].Path
			p.Fabric.Avoid = fabric.FailedLink(int(path[0]), int(path[1]), false)
		}},
		{"a fixed link over its rate", "timing cost", func(p *plan.Plan) {
			_, s := grounded(p)
			s.Steps[0].Cost.Transmission /= 2
		}},
		{"fixed links twice as fast", "cost", func(p *plan.Plan) { p.Fabric.Fixed.Bandwidth *= 2 }},
		{"a smaller start-up", "cost", func(p *plan.Plan) { p.Fabric.Fixed.Alpha = fabric.Own(0) }},
		{"a shorter way", "cost", func(p *plan.Plan) { p.Fabric.Fixed.Delta = fabric.Own(0) }},
		{"a change charged for fixed links", "timing", func(p *plan.Plan) {
			i, _ := grounded(p)
			start := p.Stages[i].Start
			later(p, i, 3000)
			p.Stages[i].Start = start
			p.Stages[i].Reconfiguration = 3000
			p.Cost.Reconfiguration += 3000
		}},
		{"a change not charged for circuits after fixed links", "timing cost", func(p *plan.Plan) {
			i, s := grounded(p)
			wait := units.Time(0)
			for j := 1; j < len(s.Steps); j++ {
				before := s.Steps[j-1].Start + s.Steps[j-1].Cost.Total()
				if wait = s.Steps[j].Start - before; wait > 1 {
					for k := j; k < len(s.Steps); k++ {
						s.Steps[k].Start -= wait
					}
					break
				}
			}
			later(p, i+1, -wait)
			p.Cost.Reconfiguration -= wait
		}},
	} {
		p := *good
		p.Stages = slices.Clone(good.Stages)
		for i := range p.Stages {
			p.Stages[i].Steps = slices.Clone(p.Stages[i].Steps)
			for j := range p.Stages[i].Steps {
				p.Stages[i].Steps[j].Base = slices.Clone(p.Stages[i].Steps[j].Base)
			}
		}
		mutant.change(&p)
		report, err := verify.Plan(t.Context(), &p)
		if err != nil {
			t.Fatal(err)
		}
		first := report.First()
		if mutant.check == "" != report.OK || first != nil && !strings.Contains(mutant.check, first.Name) {
			t.Errorf("%s: %+v, want %q", mutant.name, first, mutant.check)
		}
	}
}
