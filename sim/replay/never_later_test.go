package replay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// drawPlan draws a fabric and a plan for it, or nil if there is none.
func drawPlan(t *testing.T, r rng) (name string, p *plan.Plan) {
	t.Helper()
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 3+r.IntN(10), 1+r.IntN(4), r.IntN(3) == 0
	f.Forwarding = both[r.IntN(len(both))]
	f.Delta = units.Duration(1+r.IntN(3)*300_000) * units.Picosecond
	f.Alpha = units.Duration(r.IntN(3)) * 200 * units.Nanosecond
	f.Sync = units.Duration(r.IntN(3)) * 100 * units.Nanosecond
	if r.IntN(3) == 0 {
		f.Gamma = fabric.Gamma{Time: 50 * units.Microsecond, Per: units.MiB}
	}
	if r.IntN(4) == 0 {
		f.Initial = fabric.InitialFree
	}
	reconfig, overlap := pick("500ns", "2us", "20us", "per-port:1us+100ns", "per-circuit:1us+20ns", "per-switch:1us+300ns"), pick("", "compute:1us", "ports", "circuits", "planes")
	by := pick("static", "every-step", "light-bends", "harvest", "direct-connect", "exchange", "joint", "staggered")
	if overlap == "planes" {
		by = pick("staggered", "exchange")
	}
	operation := pick("allreduce/recursive-doubling", "allreduce/ring", "alltoall/direct", "broadcast/binomial", "reduce/binomial",
		"allreduce/double-binary-tree", "allgather/bfb", "scatter/binomial", "allgather/bruck", "alltoall/retri")
	if overlap == "planes" && by == "exchange" {
		operation = "alltoall/direct"
	}
	size := units.Bytes(1 + r.IntN(200_000))
	name = fmt.Sprint(by, " ", operation, " ", size, " on ", f.Nodes, "x", f.Ports, " ", reconfig, " ", overlap, " ", f.Forwarding)
	var err error
	if f.Reconfig, err = fabric.ParseReconfig(reconfig); err != nil {
		t.Fatal(err)
	}
	if overlap != "" {
		if f.Overlap, err = fabric.ParseOverlap(overlap); err != nil {
			t.Fatal(err)
		}
	}
	if f.Validate() != nil {
		return name, nil
	}
	return name, makePlan(t, f, operation, size, by, "", "")
}

// TestAsynchronousIsNeverLater: no plan, by any planner on random fabrics, ends later without
// barriers than with them, and neither does any step.
func TestAsynchronousIsNeverLater(t *testing.T) {
	plans, sooner, seen := 0, 0, map[string]int{}
	draws := 120
	if samples.Every() {
		draws = 300
	}
	for seed := range uint64(draws) {
		r := rng{rand.New(rand.NewPCG(seed, 31))}
		name, p := drawPlan(t, r)
		if p == nil {
			continue
		}
		pace := replay.Paces()[r.IntN(3)]
		o := sim.Options{Packet: units.Bytes(500 + r.IntN(4000)), Forwarding: p.Fabric.Forwarding}
		with, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, pace), o)
		if err != nil {
			t.Fatal(name, err)
		}
		without, err := replay.RunAsynchronous(t.Context(), p, pace, o)
		if err != nil {
			t.Errorf("seed %d, %s, pace %s: %v", seed, name, pace, err)
			continue
		}
		plans++
		checkLeast(t, fmt.Sprintf("seed %d, %s, pace %s", seed, name, pace), p, with.Completion.Time(), without.Completion.Time())
		seen[p.Planner]++
		seen[string(p.Fabric.Overlap.Kind)]++
		if p.Independent {
			seen["independent"]++
		}
		if without.Completion < with.Completion {
			sooner++
		}
		if without.Completion > with.Completion {
			t.Errorf("seed %d, %s, pace %s: %v, with barriers %v", seed, name, pace, without.Completion, with.Completion)
		}
		for i := range with.Phases {
			if without.Phases[i].End > with.Phases[i].End {
				t.Errorf("seed %d, %s, pace %s, packets of %v: step %d of %d ends at %v, with barriers at %v",
					seed, name, pace, o.Packet, i+1, len(with.Phases), without.Phases[i].End, with.Phases[i].End)
				break
			}
		}
	}
	t.Logf("%d plans, %d sooner: %v", plans, sooner, seen)
	if plans < draws*13/30 || sooner < draws/6 || len(seen) < 12 {
		t.Errorf("%d plans, %d sooner without barriers: %v", plans, sooner, seen)
	}
}

// checkLeast checks that packets take no less than the lower bounds for the plan and for all
// plans with its algorithm.
func checkLeast(t *testing.T, name string, p *plan.Plan, with, without units.Time) {
	t.Helper()
	least := replay.LeastAsynchronous(p)
	if least > without {
		t.Errorf("%s: %v without barriers, but at least %v", name, without, least)
	}
	listed := *p // with every transfer listed
	listed.Stages = slices.Clone(p.Stages)
	for i := range listed.Stages {
		listed.Stages[i].Steps = slices.Clone(p.Stages[i].Steps)
		for j := range listed.Stages[i].Steps {
			listed.Stages[i].Steps[j].Unfold(p.Collective.Space)
		}
	}
	if all := replay.LeastAsynchronous(&listed); all != least {
		t.Errorf("%s: at least %v, and %v with every transfer listed", name, least, all)
	}
	c, err := algorithms.New(p.Collective.Op, p.Collective.Algorithm, p.Fabric.Nodes, p.Fabric.Ports)
	if err != nil || p.Collective.Size == 0 {
		return // a planner's own steps
	}
	for timing, took := range map[replay.Timing]units.Time{replay.Barrier: with, replay.Asynchronous: without} {
		if least := replay.LeastOf(&p.Fabric, c, p.Collective.Size, timing); least > took {
			t.Errorf("%s, %s: %v, but with %s at least %v", name, timing, took, p.Collective.Algorithm, least)
		}
	}
}
