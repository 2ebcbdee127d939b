package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// explained simulates a plan and prints what explains the difference.
func explained(t *testing.T, p *plan.Plan, level sim.Level, o sim.Options) string {
	t.Helper()
	o.Forwarding = p.Fabric.Forwarding
	result, err := sim.Run(t.Context(), level, replay.Program(p), o)
	if err != nil {
		t.Fatal(err)
	}
	var calm []sim.PhaseResult
	if o.Skew != (sim.Skew{}) {
		o.Skew = sim.Skew{}
		again, err := sim.Run(t.Context(), level, replay.Program(p), o)
		if err != nil {
			t.Fatal(err)
		}
		calm = again.Phases
	}
	explanation, err := replay.Explain(p, level, o, result.Phases, calm)
	if err != nil {
		t.Fatal(err)
	}
	checkSum(t, "in all", explanation.Total, result.Completion.Time()-p.Cost.Total())
	return fmt.Sprint(explanation.Total)
}

// TestEveryCause has plans whose differences can be computed by hand. A byte takes 10ps.
func TestEveryCause(t *testing.T) {
	fabricOf := func(nodes, ports int, edit func(f *fabric.Fabric)) fabric.Fabric {
		f := fabric.Default()
		f.Nodes, f.Ports = nodes, ports
		if edit != nil {
			edit(&f)
		}
		return f
	}
	for _, c := range []struct {
		name, operation, planner string
		fabric                   fabric.Fabric
		size                     units.Bytes
		level                    sim.Level
		options                  sim.Options
		want                     string
	}{
		{
			// Whole bytes, one hop: nothing differs.
			"none", "allreduce/ring", "static", fabricOf(8, 1, nil), units.MiB, sim.PacketLevel, sim.Options{}, "[]",
		},
		{
			// 30 steps of 62.5 bytes, for which 63 are sent.
			"rounding", "allreduce/ring", "static", fabricOf(16, 1, nil), 1000, sim.PacketLevel, sim.Options{}, "[{rounding 150.0ps}]",
		},
		{
			// Routes of 1, 2, 4, 4, 2 and 1 hops, all messages longer than a hop.
			"hidden propagation", "allreduce/recursive-doubling", "static", fabricOf(8, 1, nil), 4 * units.MiB, sim.PacketLevel, sim.Options{},
			"[{hidden propagation -4.000us}]",
		},
		{
			// Flow by flow, all messages of a step are done together.
			"none flow by flow", "allreduce/recursive-doubling", "static", fabricOf(8, 1, nil), 4 * units.MiB, sim.FlowLevel, sim.Options{}, "[]",
		},
		{
			// Two circuits to the same peer take half the time, which the plan does not
			// use: half of 14/8 MiB.
			"theta cap", "allreduce/recursive-doubling", "every-step", fabricOf(8, 2, func(f *fabric.Fabric) { f.CapTheta = true }), units.MiB,
			sim.PacketLevel, sim.Options{}, "[{theta cap -9.175us}]",
		},
		{
			// Each of 14 steps ends when the latest GPU, by 90.72ns, is done.
			"jitter", "allreduce/ring", "static", fabricOf(8, 1, nil), units.MiB, sim.PacketLevel,
			sim.Options{Skew: sim.Skew{Node: 100 * units.Nanosecond, Seed: 3}}, "[{jitter 1.270us}]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := makePlan(t, c.fabric, c.operation, c.size, c.planner, "", "")
			if got := explained(t, p, c.level, c.options); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestPacketsAreForwardedNotMessages: with store-and-forward, a plan sends a message of 16
// packets over three hops one after another; in packets, only the last one is sent three times.
// A packet takes 10.24ns.
func TestPacketsAreForwardedNotMessages(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Forwarding = 8, fabric.StoreAndForward
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Planner: "static", Operations: []lightpath.Operation{
		{Op: collective.Broadcast, Algorithm: "binomial", Size: 16 * units.KiB, GPUs: []int{0, 3}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		if got := explained(t, p, level, sim.Options{Packet: units.KiB}); got != "[{serialisation -307.2ns}]" {
			t.Errorf("%s: %s", level, got)
		}
	}
}

// TestCausesAreDescribed: every cause has a description for people.
func TestCausesAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []replay.Cause{
		replay.Rounding, replay.Serialisation, replay.Cap, replay.Hidden, replay.Queueing, replay.Sharing, replay.Jitter,
	} {
		about := c.About()
		if about == "" || len(about) > 50 || seen[about] || strings.Contains(about, "\n") {
			t.Errorf("%s: %q", c, about)
		}
		seen[about] = true
	}
	if replay.Cause("magic").About() != "" {
		t.Error("magic")
	}
}

// TestExplainNeedsThePhasesOfThePlan: another number of phases is an error.
func TestExplainNeedsThePhasesOfThePlan(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 4
	p := makePlan(t, f, "allreduce/ring", units.KiB, "static", "", "")
	if _, err := replay.Explain(p, sim.PacketLevel, sim.Options{}, nil, nil); err == nil || !strings.Contains(err.Error(), "for 6 steps") {
		t.Error(err)
	}
}
