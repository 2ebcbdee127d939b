package exchange

import (
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// TestStepsHaveTheFastestRoutes: a plan that says that its routes are optimal has steps that no
// other routes between the same GPUs make faster, by the exact linear program.
func TestStepsHaveTheFastestRoutes(t *testing.T) {
	looked := 0
	for _, nodes := range []int{8, 10, 13}[:samples.Of(3)] {
		for ports := 2; ports <= 3; ports++ {
			for _, demand := range []string{"", "random", "moe:4"} {
				for _, name := range []string{strategy.Auto, strategy.Static, strategy.Relay, strategy.Match} {
					s := setting{nodes: nodes, ports: ports, size: 1 << 20, demand: demand, set: map[string]string{"reconfig": "3us"}}
					p := s.planned(t, Options{Strategy: Strategy(name)})
					if p == nil {
						continue
					}
					looked++
					if p.Approximate {
						t.Errorf("%v, %s: routes may not be optimal", s, name)
					}
					for i := range p.Stages {
						if least := leastOfStep(t, p, &p.Stages[i]); float64(p.Stages[i].Steps[0].Cost.Total()) > least*(1+1e-9) {
							t.Errorf("%v, %s: stage %d takes %v, other routes %v ns", s, name, i+1, p.Stages[i].Steps[0].Cost.Total(), least)
						}
					}
				}
			}
		}
	}
	if looked < 18 {
		t.Errorf("only %d plans", looked)
	}
}

// leastOfStep returns the time of the only step of a stage with the fastest routes. All transfers
// are listed: the program knows no symmetry that the plan has.
func leastOfStep(t *testing.T, p *plan.Plan, stage *plan.Stage) float64 {
	t.Helper()
	var demands []flow.Demand
	for x := range stage.Steps[0].All(p.Collective.Space) {
		demands = append(demands, flow.Demand{Src: x.Src, Dst: x.Dst, Amount: p.Bytes(x.Chunks)})
	}
	r, err := flow.Fastest(t.Context(), flow.Problem{Graph: stage.Topology, Demands: demands, Exact: true}, flow.Optimal, func(l flow.Load) float64 {
		return float64(plan.CostOf(&p.Fabric, l, 1, 0).Total())
	})
	if err != nil {
		t.Fatal(err)
	}
	return float64(plan.CostOf(&p.Fabric, r.Load, 1, 0).Total())
}
