package synthesis

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/units"
)

// Whatever changes the result changes the key.
func TestKeysTellQuestionsApart(t *testing.T) {
	base := randomProblem(rand.New(rand.NewPCG(3, 4)), 5, 1, false)
	seen := map[Key]int{KeyOf(&base, &Options{}): -1}
	if KeyOf(&base, &Options{}) != KeyOf(&base, &Options{Progress: func(Progress) {}}) {
		t.Error("who listens makes a difference")
	}
	for i, change := range []func(p *Problem, o *Options){
		func(p *Problem, _ *Options) { p.Nodes++ },
		func(p *Problem, _ *Options) { p.Ports++ },
		func(p *Problem, _ *Options) { p.Duplex = true },
		func(p *Problem, _ *Options) { p.Alpha += units.Nanosecond },
		func(p *Problem, _ *Options) { p.Delta += units.Nanosecond },
		func(p *Problem, _ *Options) { p.Bandwidth++ },
		func(p *Problem, _ *Options) { p.Forwarding = "store-and-forward" },
		func(p *Problem, _ *Options) { p.Routing = flow.ShortestSplit },
		func(p *Problem, _ *Options) { p.CapTheta = true },
		func(p *Problem, _ *Options) { p.Steps = p.Steps[1:] },
		func(p *Problem, _ *Options) { p.Steps = append(p.Steps, p.Steps[0]) },
		func(p *Problem, _ *Options) {
			p.Steps = append([]Step{{Demands: []flow.Demand{{Src: 1, Dst: 2, Amount: 1}}}}, p.Steps...)
		},
		func(_ *Problem, o *Options) { o.Effort++ },
		func(_ *Problem, o *Options) { o.Work++ },
		func(_ *Problem, o *Options) { o.Seed++ },
	} {
		p, o := base, Options{}
		change(&p, &o)
		key := KeyOf(&p, &o)
		if other, ok := seen[key]; ok {
			t.Errorf("change %d has the key of %d", i, other)
		}
		seen[key] = i
	}
}
