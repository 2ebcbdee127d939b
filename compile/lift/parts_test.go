package lift_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/units"
)

// partsOf counts the transfers that carry a part of a value.
func partsOf(p *plan.Plan) map[collective.Part]int {
	count := map[collective.Part]int{}
	for _, step := range p.Steps() {
		for t := range step.All(p.Collective.Space) {
			if t.Part != collective.WholePart {
				count[t.Part]++
			}
		}
	}
	return count
}

// Programs of windows of partial sums become windows of partial sums again: what is added up
// by itself is told from what is on its way.
func TestPartsOfSumsAreRecognised(t *testing.T) {
	seen := map[collective.Part]int{}
	for _, n := range []int{5, 7, 10, 11, 13, 17} {
		for ports := 1; ports <= 2; ports++ {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig.Base = n, ports, 0
			size := units.KiB
			if n == 17 { // own vectors, too
				f.Reconfig.Base, size = 2*units.Microsecond, 16*units.KiB
			}
			c := &collective.Collective{Op: collective.AllReduce, Algorithm: joint.Name, Nodes: n, Space: collective.SpaceOf(collective.AllReduce, n, 1)}
			p, err := joint.New().Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: size})
			if err != nil {
				t.Fatal(err)
			}
			for part, count := range partsOf(p) {
				seen[part] += count
			}
			for _, inPlace := range []bool{false, true} {
				low, err := lower.Lower(t.Context(), p, lower.Options{Limits: msccl.RCCL.Limits(), Protocol: program.Simple, InPlace: inPlace})
				if err != nil {
					t.Fatal(err)
				}
				lifted, err := lift.Lift(t.Context(), graphsOf(t, low.Programs), optionsFor(p))
				if err != nil {
					t.Errorf("%d GPUs, %d ports, %s: %v", n, ports, p.Strategy, err)
					continue
				}
				report, err := plan.Verify(t.Context(), lifted)
				if err != nil {
					t.Fatal(err)
				}
				if bad := report.First(); bad != nil {
					t.Errorf("%d GPUs, %d ports, %s: %s: %s", n, ports, p.Strategy, bad.Name, bad.Detail)
				}
				if lifted.CountSteps() != p.CountSteps() {
					t.Errorf("%d GPUs, %d ports, %s: %d steps, lifted %d", n, ports, p.Strategy, p.CountSteps(), lifted.CountSteps())
				}
			}
		}
	}
	if seen[collective.OwnPart] == 0 || seen[collective.ReceivedPart] == 0 {
		t.Errorf("plans with %v", seen)
	}
}
