package comparing_test

import (
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// TestComparisonsAreSimulated: every row has the time that simulate finds for its plan with all
// transfers. The packets' fastest plan can differ from the model's: here it is static, whose
// hops the model charges one after the other.
func TestComparisonsAreSimulated(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 32, 2
	o := lightpath.Operation{Op: collective.AllReduce, Algorithm: "swing", Size: 4 * units.MiB}
	c, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Operation: o, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]units.Time{}
	for _, row := range c.Rows {
		times[row.Planner] = row.SimulatedNs
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}, Planner: row.Planner})
		if err != nil {
			t.Fatal(err)
		}
		s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
		if err != nil || s.CompletionNs != row.SimulatedNs {
			t.Errorf("%s: %v, and %+v in the comparison; %v", row.Planner, s.CompletionNs, row.SimulatedNs, err)
		}
	}
	if c.Rows[0].Planner == "static" || math.Abs(float64(times["static"]-84_710)) > 50 || math.Abs(float64(times["harvest"]-91_600)) > 50 {
		t.Errorf("%s is first; simulated %v", c.Rows[0].Planner, times)
	}
}

// TestLongComparisonsAreNotSimulatedUnasked: the row says why, and what to do.
func TestLongComparisonsAreNotSimulatedUnasked(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	r := lightpath.CompareRequest{Fabric: f, Operation: lightpath.Operation{Op: collective.AllReduce, Algorithm: "ring", Size: 4 * units.GiB}}
	for _, r.Simulate = range []bool{false, true} {
		c, err := lightpath.Compare(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range c.Rows {
			if known := row.SimulatedNs > 0; known != r.Simulate || known == strings.Contains(row.Unsimulated, "`simulate`") {
				t.Errorf("%+v", row)
			}
		}
	}
}

// TestPlansSayHowLongTheirPacketsTake: the summary has it, the file does not.
func TestPlansSayHowLongTheirPacketsTake(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	for size, want := range map[units.Bytes]string{units.MiB: `"simulated_ns": 32350.08,`, 4 * units.GiB: `"unsimulated": "1835008 packet-hops exceed 250000;`} {
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Planner: "static", Operations: []lightpath.Operation{
			{Op: collective.AllReduce, Algorithm: "ring", Size: size},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := lightpath.AddSimulated(t.Context(), p, false); err != nil {
			t.Fatal(err)
		}
		var summary, whole strings.Builder
		if err := p.EncodeSummary(&summary); err != nil || !strings.Contains(summary.String(), want) {
			t.Errorf("%v: no %s in %s; %v", size, want, summary.String(), err)
		}
		if err := p.Encode(&whole); err != nil || strings.Contains(whole.String(), "simulated") {
			t.Errorf("%v: in the file; %v", size, err)
		}
		if err := lightpath.AddSimulated(t.Context(), p, true); err != nil || p.Simulated <= 0 || p.Unsimulated != "" {
			t.Errorf("%v: asked for, %v, %q, %v", size, p.Simulated, p.Unsimulated, err)
		}
	}
}
