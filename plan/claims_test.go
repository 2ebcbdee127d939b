package plan_test

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// us is a microsecond of model time.
const us = units.Time(1000)

var nan = units.Time(math.NaN())

// claimMutations do not change what a plan does, only what it claims about time.
var claimMutations = []mutation{
	{"a step starts while circuits change", rewired, "timing", `stage 2, step 1: starts at .*, before the circuits are up at`,
		func(p *plan.Plan) { p.Stages[1].Steps[0].Start -= us }},
	{"a step starts before the one before ends", mesh, "timing", `stage 1, step 2: starts at .*, before the step before ends at`,
		func(p *plan.Plan) { stepAt(p, 2).Start -= us }},
	{"circuits change while a step runs", rewired, "timing", `stage 2: circuits change at .*, while the step before runs until`,
		func(p *plan.Plan) { p.Stages[1].Start -= us }},
	{"too short a reconfiguration", rewired, "timing", `stage 2: the change takes 10\.00us, but 9\.000us are planned`,
		func(p *plan.Plan) { p.Stages[1].Reconfiguration -= us }},
	{"no time for the first circuits", rewired, "timing", `stage 1: the change takes 10\.00us, but 0ns are planned`, func(p *plan.Plan) {
		p.Fabric.Initial = fabric.InitialFree
		if err := p.Price(); err != nil {
			panic(err)
		}
		p.Fabric.Initial = fabric.InitialDark
	}},
	{"a plan that starts before time", mesh, "timing", `stage 1: circuits change at -`,
		func(p *plan.Plan) { p.Stages[0].Start = -us }},
	{"a start that is no time", mesh, "timing", `stage 1, step 1: starts at NaN`, func(p *plan.Plan) { stepAt(p, 1).Start = nan }},
	{"a stage that starts at no time", rewired, "timing", `stage 2: circuits change at NaN`,
		func(p *plan.Plan) { p.Stages[1].Start = nan }},
	{"a wait without end hides what overlaps", rewired, "timing", `stage 2, step 1: starts`, func(p *plan.Plan) {
		p.Stages[1].Start, p.Stages[1].Reconfiguration = math.MaxFloat64, math.MaxFloat64
	}},
	{"a wait that is not counted", rewired, "cost", `claims .*, but step 6 ends at`, func(p *plan.Plan) {
		for i := range p.Stages[1:] {
			stage := &p.Stages[1+i]
			stage.Start += 5 * us
			for j := range stage.Steps {
				stage.Steps[j].Start += 5 * us
			}
		}
	}},

	{"a step's start-up left out", mesh, "cost", `stage 1, step 2: claims`, func(p *plan.Plan) {
		earlier(p, 2, &stepAt(p, 2).Cost.Startup)
	}},
	{"a step's propagation left out", twoWay, "cost", `stage 1, step 3: claims`, func(p *plan.Plan) {
		earlier(p, 3, &stepAt(p, 3).Cost.Propagation)
	}},
	{"a step's transmission left out", twoWay, "cost", `stage 1, step 3: claims`, func(p *plan.Plan) {
		earlier(p, 3, &stepAt(p, 3).Cost.Transmission)
	}},
	{"a step's parts mixed up", mesh, "cost", `stage 1, step 2: claims`, func(p *plan.Plan) {
		c := &stepAt(p, 2).Cost
		c.Startup, c.Transmission = 0, c.Transmission+c.Startup
	}},
	{"too few hops", twoWay, "cost", `stage 1, step 3: claims .* hops 1, .*, 4 and`, func(p *plan.Plan) { stepAt(p, 3).Cost.Hops = 1 }},
	{"too little congestion", twoWay, "cost", `stage 1, step 3: claims .* congestion 1, .* and 2`,
		func(p *plan.Plan) { stepAt(p, 3).Cost.Congestion = 1 }},
	{"congestion that is no number", mesh, "cost", `stage 1, step 1: claims .* NaN`,
		func(p *plan.Plan) { stepAt(p, 1).Cost.Congestion = math.NaN() }},
	{"too little start-up in all", mesh, "cost", `claims start-up of 0ns, the plan has 3\.000us`, func(p *plan.Plan) { p.Cost.Startup = 0 }},
	{"too little propagation in all", mesh, "cost", `claims propagation of 0ns`, func(p *plan.Plan) { p.Cost.Propagation = 0 }},
	{"too little transmission in all", mesh, "cost", `claims transmission of`, func(p *plan.Plan) { p.Cost.Transmission /= 2; p.Bound /= 9 }},
	{"too little reconfiguration in all", rewired, "cost", `claims reconfiguration of 10\.00us, the plan has 50\.00us`,
		func(p *plan.Plan) { p.Cost.Reconfiguration = 10 * us }},
	{"a cost that is no number", mesh, "cost", `claims transmission of NaN`, func(p *plan.Plan) { p.Cost.Transmission = nan }},
	{"a cost without end", mesh, "cost", `claims transmission of`, func(p *plan.Plan) { p.Cost.Transmission = units.Time(math.Inf(1)) }},
	{"a little too low a cost", mesh, "cost", `claims transmission of`, func(p *plan.Plan) { p.Cost.Transmission *= 1 - 1e-6 }},
	{"too few reconfigurations", rewired, "cost", `claims 4 reconfigurations, the plan has 5`, func(p *plan.Plan) { p.Reconfigurations-- }},
	{"too many reconfigurations", mesh, "cost", `claims 1 reconfigurations, the plan has 0`, func(p *plan.Plan) { p.Reconfigurations++ }},

	{"a bound above the cost", mesh, "bound", `the bound .* is above the cost`, func(p *plan.Plan) { p.Bound = p.Cost.Total() * 1.001 }},
	{"a negative bound", mesh, "bound", `makes no sense`, func(p *plan.Plan) { p.Bound = -1 }},
	{"a bound that is no number", mesh, "bound", `makes no sense`, func(p *plan.Plan) { p.Bound = nan }},
}

// earlier removes a part of a step's cost, also from the total, and starts all later steps that
// much earlier: only the time of the step is wrong.
func earlier(p *plan.Plan, index int, part *units.Time) {
	gone := *part
	*part = 0
	for _, step := range p.Steps() {
		if step.Index > index {
			step.Start -= gone
		}
	}
}
