package planning_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Plan reports every better plan as it finds it, in words and as a plan of the requested fabric.
// Each is faster than the previous one, or as fast and first by name, and the last is the
// answer.
func TestTheBestPlanSoFarIsToldForEveryOperation(t *testing.T) {
	t.Parallel()
	var requests []lightpath.PlanRequest
	for _, op := range collective.Ops() {
		r := commandtest.Request()
		r.Fabric.Nodes, r.Fabric.Ports = 8, 2
		r.Operations = []lightpath.Operation{{Op: op, Size: 256 * units.KiB}}
		requests = append(requests, r)
	}
	for _, r := range append(requests, commandtest.UnusedPorts(t)...) {
		var told []units.Time
		var words []string
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines(),
			lightpath.WithStatus(func(text string) { words = append(words, text) }),
			lightpath.WithBetter(func(p *plan.Plan) {
				if !p.Fabric.Equal(r.Fabric) {
					t.Errorf("%s: the best so far is a plan for another fabric", r.Operations[0].Op)
				}
				told = append(told, p.Cost.Total())
				said := ""
				if len(words) > 0 {
					said = words[len(words)-1]
				}
				if !strings.Contains(said, p.Collective.Algorithm) || !strings.Contains(said, p.Cost.Total().String()) {
					t.Errorf("%s: %s with %s takes %v, but it said %q", r.Operations[0].Op, p.Collective.Algorithm, p.Planner, p.Cost.Total(), said)
				}
			}))
		if err != nil {
			t.Fatal(err)
		}
		if len(told) == 0 || !commandtest.EqualTimes(told[len(told)-1], p.Cost.Total()) {
			t.Errorf("%s: %v were told, the plan takes %v", r.Operations[0].Op, told, p.Cost.Total())
		}
		for i := 1; i < len(told); i++ {
			if told[i] > told[i-1]*commandtest.Rounding {
				t.Errorf("%s: %v came after %v", r.Operations[0].Op, told[i], told[i-1])
			}
		}
	}
}
