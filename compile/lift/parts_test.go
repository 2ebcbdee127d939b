package lift_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/topology"
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

// composed is the planner's plan of an allreduce.
func composed(t *testing.T, n, ports int, duplex bool) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex, f.Reconfig.Base = n, ports, duplex, 0
	if duplex && n%2 > 0 {
		f.Reconfig.Base = 100 * units.Microsecond
	}
	c := &collective.Collective{Op: collective.AllReduce, Algorithm: joint.Name, Nodes: n, Space: collective.SpaceOf(collective.AllReduce, n, 1)}
	p, err := joint.New().Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: units.KiB})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withOwn returns a handmade allreduce of seven GPUs: a GPU receives the vectors of the two GPUs
// behind it, then the sum of the GPU three behind and the own vector of the GPU six behind.
func withOwn(t *testing.T) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes = 7
	p := &plan.Plan{Fabric: f, Provenance: plan.Provenance{Planner: "hand"}, Collective: plan.Collective{
		Op: collective.AllReduce, Algorithm: "windows", Size: units.KiB, Space: collective.SpaceOf(collective.AllReduce, 7, 1),
	}}
	for _, jump := range []int{1, 3} {
		step := plan.Step{Group: topology.Rotations(7, 1)}
		for hops := 1; hops <= 2; hops++ {
			x := plan.Transfer{
				Transfer: collective.Transfer{Dst: hops * jump, Action: collective.Reduce, Chunks: collective.Every(0, 1, 7)},
				Routes:   []flow.Route{{Path: []int32{0, int32(jump), int32(2 * jump)}[:hops+1], Share: 1}},
			}
			if hops*jump == 6 {
				x.Part = collective.OwnPart
			}
			step.Base = append(step.Base, x)
		}
		p.Stages = append(p.Stages, plan.Stage{Topology: topology.DirectedCirculant(7, jump), Steps: []plan.Step{step}})
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Programs with windows of partial sums are lifted to windows of partial sums again: lift
// distinguishes data that is summed separately from data in transit.
func TestPartsOfSumsAreRecognised(t *testing.T) {
	plans := []*plan.Plan{withOwn(t)}
	for _, n := range []int{5, 7, 10, 11, 12, 13, 17} {
		for ports := 1; ports <= 2; ports++ {
			plans = append(plans, composed(t, n, ports, false))
		}
		plans = append(plans, composed(t, n, 2, true))
	}
	seen := map[collective.Part]int{}
	for _, p := range plans {
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
				t.Errorf("%d GPUs, %s: %v", p.Fabric.Nodes, p.Strategy, err)
				continue
			}
			report, err := verify.Plan(t.Context(), lifted)
			if err != nil {
				t.Fatal(err)
			}
			if bad := report.First(); bad != nil {
				t.Errorf("%d GPUs, %s: %s: %s", p.Fabric.Nodes, p.Strategy, bad.Name, bad.Detail)
			}
			if lifted.CountSteps() != p.CountSteps() {
				t.Errorf("%d GPUs, %s: %d steps, lifted %d", p.Fabric.Nodes, p.Strategy, p.CountSteps(), lifted.CountSteps())
			}
		}
	}
	if seen[collective.SidePart(1, true)] == 0 || seen[collective.SidePart(1, false)] == 0 {
		t.Errorf("no side sums in %v", seen)
	}
	if seen[collective.OwnPart] == 0 || seen[collective.ReceivedPart] == 0 {
		t.Errorf("plans with %v", seen)
	}
}
