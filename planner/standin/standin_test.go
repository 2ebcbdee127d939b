package standin_test

import (
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/standin"
	"github.com/lightpath-net/lightpath/units"
)

// Stand-in fabrics are valid and have equal circuits. Better circuits leave them the same, unless
// the circuits become as good as the fabric's.
func TestFabricsThatStandIn(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Avoid = 8, 2, fabric.FailedLink(0, 3, true)
	f.Links = fabrictest.Links("0>1:200Gbps,2>3:1600Gbps,4>5:+2us")
	all := standin.Fabrics(&f)
	f.Links = fabrictest.Links("0>1:600Gbps,2>3:3200Gbps,4>5:+1us")
	again := standin.Fabrics(&f)
	if len(all) != 7 || len(again) != len(all) {
		t.Fatalf("%d and %d fabrics, want 7", len(all), len(again))
	}
	for i, alike := range all {
		if err := alike.Validate(); err != nil || !alike.Links.IsZero() || alike.Nodes != f.Nodes {
			t.Errorf("%d: %+v, %v", i, alike, err)
		}
		if !again[i].Equal(alike) {
			t.Errorf("%d: %+v, with better circuits %+v", i, alike, again[i])
		}
	}
	if !all[0].Avoid.Equal(f.Avoid) || !all[1].Avoid.IsZero() {
		t.Errorf("around %q, and as if %q had failed", all[0].Avoid, all[1].Avoid)
	}
	if worse, every := all[5].Avoid.String(), all[6].Avoid.String(); worse != "link:0-3,link:0>1,link:4>5" || every != "link:0-3,link:0>1,link:2>3,link:4>5" {
		t.Errorf("done without %s and %s", worse, every)
	}
}

// A plan that takes longer than the limit is given up; a plan within it is the same as without a
// limit.
func TestLimitOnCircuitsThatDiffer(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Links = 6, fabrictest.Links("0>1:400Gbps+2us,4>5:300Gbps")
	c := &collective.Collective{Op: collective.AllReduce, Algorithm: joint.Name, Nodes: 6, Space: collective.SpaceOf(collective.AllReduce, 6, 1)}
	r := planner.Request{Fabric: f, Collective: c, Size: units.MiB}
	made, err := joint.New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Limit = made.Cost.Total()
	if same, err := joint.New().Plan(t.Context(), r); err != nil || same.Cost != made.Cost {
		t.Errorf("within its own time: %v, %v", same, err)
	}
	for _, part := range []units.Time{0.99, 0.01} {
		r.Limit = made.Cost.Total() * part
		if _, err := joint.New().Plan(t.Context(), r); !errors.Is(err, planner.ErrBeyond) {
			t.Errorf("within %v of %v: %v", r.Limit, made.Cost.Total(), err)
		}
	}
}

// One failed circuit costs a ring nothing, because others are as good: rings of any jump that
// leads to all GPUs, or with GPUs that change places. What such a ring sends is still the
// operation.
func TestFailedCircuitCostsARingNothing(t *testing.T) {
	for _, nodes := range []int{4, 5, 6, 8, 12} {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce} {
			for _, failed := range []string{"", "link:0>1", "link:1>2,link:3>0"} {
				f := fabric.Default()
				f.Nodes, f.Reconfig.Base, f.Avoid = nodes, units.Millisecond, fabrictest.Failures(failed)
				c := &collective.Collective{Op: op, Algorithm: joint.Name, Nodes: nodes, Space: collective.SpaceOf(op, nodes, 1)}
				r := planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB}
				p, err := joint.New().Plan(t.Context(), r)
				if err != nil {
					t.Fatalf("%s on %d without %s: %v", op, nodes, failed, err)
				}
				if report, err := verify.Plan(t.Context(), p); err != nil || report.First() != nil {
					t.Errorf("%s on %d without %s: %v, %+v", op, nodes, failed, err, report.First())
				}
				r.Fabric.Avoid = fabric.Failures{}
				if intact, err := joint.New().Plan(t.Context(), r); err != nil || p.Cost.Total() > intact.Cost.Total()*(1+1e-9) {
					t.Errorf("%s on %d without %s: %v, else %v, %v", op, nodes, failed, p.Cost.Total(), intact.Cost.Total(), err)
				}
			}
		}
	}
}
