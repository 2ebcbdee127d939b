package simulating_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// TestBarriersCost: a simulation without barriers states how much longer it takes with barriers,
// explains the difference to the plan by this, and equals plan's result with the same timing. In
// a broadcast down two trees, GPUs near the roots need not wait for GPUs at the leaves.
func TestBarriersCost(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 12, 2
	gained := 0
	for _, algorithm := range []string{"double-binary-tree", "recursive-doubling", "two-way-ring"} {
		for _, planner := range []string{"static", "every-step", "harvest"} {
			r := lightpath.PlanRequest{
				Fabric: f, Planner: planner, Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: algorithm, Size: units.MiB}},
				PacketOptions: lightpath.PacketOptions{Timing: replay.Asynchronous},
			}
			p, err := lightpath.Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p, Timing: replay.Asynchronous})
			if err != nil {
				t.Fatal(err)
			}
			with, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
			if err != nil || with.BarriersCostNs != nil || with.Timing != replay.Barrier {
				t.Fatal(err)
			}
			if s.CompletionNs != p.Simulated || math.Abs(float64(s.CompletionNs+*s.BarriersCostNs-with.CompletionNs)) > 1e-6 {
				t.Errorf("%s, %s: %v, in the plan %v; %v with barriers, which cost %v", algorithm, planner, s.CompletionNs, p.Simulated, with.CompletionNs, *s.BarriersCostNs)
			}
			sum := s.PredictedNs
			for _, part := range s.Explanation {
				sum += part.Ns
			}
			if math.Abs(float64(sum-s.CompletionNs)) > 0.01 {
				t.Errorf("%s, %s: explained %v of %v", algorithm, planner, sum, s.CompletionNs)
			}
			if *s.BarriersCostNs > 0 {
				gained++
			}
			if last := s.Steps[len(s.Steps)-1]; last.EndNs != s.CompletionNs {
				t.Errorf("%s, %s: the last step ends at %v", algorithm, planner, last.EndNs)
			}
		}
	}
	if gained == 0 {
		t.Error("barriers never cost anything")
	}
}

// TestWhatAsynchronousSimulationsCannot: an unsupported option is refused, and the error names
// its field.
func TestWhatAsynchronousSimulationsCannot(t *testing.T) {
	t.Parallel()
	for field, r := range map[string]lightpath.SimulateRequest{
		"timing":    {PlanID: "x", Timing: "luck"},
		"level":     {PlanID: "x", Timing: replay.Asynchronous, Level: sim.FlowLevel},
		"orbit":     {PlanID: "x", Timing: replay.Asynchronous, Orbit: true},
		"jitter_ns": {PlanID: "x", Timing: replay.Asynchronous, Jitter: 1},
	} {
		var named *lightpath.FieldError
		if err := r.Complete(); !errors.As(err, &named) || named.Path != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
