package staged

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// If steps are charged, light-bends takes the time of Eq. 7 on every instance, even if
// consecutive steps have the same circuits or those of the base.
func TestLightBendsIsItsZeroOneProgramWhereStepsAreCharged(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	mixed, slower := 0, 0
	for _, instance := range []struct {
		nodes, ports int
		base         string
		op           collective.Op
		algorithm    string
	}{
		{8, 1, "", collective.AllReduce, "ring"},
		{6, 1, "DC(6;5)", collective.AllReduce, "ring"},
		{16, 1, "", collective.AllReduce, "recursive-doubling"},
		{16, 1, "DC(16;3)", collective.AllReduce, "recursive-doubling"},
		{32, 1, "DC(32;5)", collective.AllGather, "recursive-doubling"},
		{16, 1, "", collective.AllReduce, "halving-doubling"},
		{32, 1, "", collective.AllReduce, "swing"},
		{8, 2, "", collective.AllToAll, "shift"},
		{13, 2, "", collective.AllToAll, "shift"},
		{8, 2, "C(8;3)", collective.AllReduce, "recursive-doubling"},
		{9, 2, "", collective.AllGather, "ring"},
	} {
		for range samples.Draws(12, 25) {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Base, f.Initial = instance.nodes, instance.ports, instance.base, fabric.InitialBase
			f.Charge = fabric.ChargeSteps
			f.Routing = flow.Shortest // one flow per policy: nothing to choose
			f.Alpha = units.Duration(rng.IntN(1000)) * units.Nanosecond
			f.Delta = units.Duration(rng.IntN(1000)) * units.Nanosecond
			f.Reconfig.Base = units.Duration(math.Pow(10, 1+4*rng.Float64())) * units.Nanosecond
			r := stagedtest.Request(t, f, instance.op, instance.algorithm, units.Bytes(1)<<(8+rng.IntN(16)))
			want, matched := zeroOneProgram(t, &r)
			if matched > 0 && matched < len(r.Collective.Steps) {
				mixed++
			}
			p := planWith(t, nameLightBends, r)
			if !stagedtest.Near(float64(p.Cost.Total()), want, 1e-9) {
				t.Fatalf("%+v, %v, %v: plan %v, Eq. 7 %v", instance, f.Reconfig, r.Size, p.Cost.Total(), want)
			}
			r.Fabric.Charge = fabric.ChargeChanges
			if usual := planWith(t, nameLightBends, r); p.Cost.Total() > usual.Cost.Total()*(1+1e-9) {
				slower++
			}
		}
	}
	if mixed < samples.Draws(20, 40) || slower < samples.Draws(20, 40) {
		t.Errorf("only %d instances have both kinds of steps, and %d are slower than where changes are charged", mixed, slower)
	}
}

// With every planner of this package, a request takes at least as long if steps are charged as if
// changes are. It takes the same time if the plan for changes has no two consecutive steps on the
// same circuits other than the base. Price, verify and the simulator agree.
func TestChargedStepsAreNeverFaster(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	same, slower := 0, 0
	for range samples.Draws(60, 120) {
		r := drawCharged(t, rng)
		for _, p := range Planners() {
			r.Fabric.Charge = fabric.ChargeChanges
			usual, err := p.Plan(t.Context(), r)
			if err != nil {
				continue
			}
			r.Fabric.Charge = fabric.ChargeSteps
			made, err := p.Plan(t.Context(), r)
			if err != nil {
				t.Fatalf("%s on %+v: %v", p.Name(), r.Fabric, err)
			}
			stagedtest.Verify(t, made)
			if dark := simulatedWait(t, made); !stagedtest.Near(dark, made.Cost.Reconfiguration, 1e-9) {
				t.Errorf("%s on %v: in the simulation circuits are dark for %v, in the plan for %v", p.Name(), r.Fabric, dark, made.Cost.Reconfiguration)
			}
			switch ratio := float64(made.Cost.Total() / usual.Cost.Total()); {
			case ratio < 1-1e-9:
				t.Errorf("%s on %v: %v where steps are charged, %v where changes are", p.Name(), r.Fabric, made.Cost.Total(), usual.Cost.Total())
			case ratio > 1+1e-9:
				slower++
				if changesCircuits(t, usual) {
					t.Errorf("%s on %v: %v where steps are charged, %v where changes are, without a step to pay more for", p.Name(), r.Fabric, made.Cost.Total(), usual.Cost.Total())
				}
			default:
				same++
			}
			// The plan for changes is one of the candidates.
			usual.Fabric.Charge = fabric.ChargeSteps
			if err := usual.Price(); err != nil {
				t.Fatal(err)
			}
			if made.Cost.Total() > usual.Cost.Total()*(1+1e-9) {
				t.Errorf("%s on %v: %v, but the plan for changes takes %v", p.Name(), r.Fabric, made.Cost.Total(), usual.Cost.Total())
			}
		}
	}
	if same < samples.Draws(20, 40) || slower < samples.Draws(20, 40) {
		t.Errorf("%d plans take the same, %d longer", same, slower)
	}
}

// simulatedWait simulates a plan and returns how long all transfers waited for circuits.
func simulatedWait(t *testing.T, p *plan.Plan) units.Time {
	t.Helper()
	var phases []*sim.Phase
	program := func(yield func(*sim.Phase, error) bool) {
		for phase, err := range replay.Program(p) {
			phases = append(phases, phase)
			if !yield(phase, err) {
				return
			}
		}
	}
	if _, err := sim.Run(t.Context(), sim.FlowLevel, program, sim.Options{Forwarding: p.Fabric.Forwarding}); err != nil {
		t.Fatal(err)
	}
	wait := units.Time(0)
	for _, phase := range phases {
		wait += phase.Reconfiguration.Time()
	}
	return wait
}

// drawCharged returns a random small request on a fabric whose steps may be charged.
func drawCharged(t *testing.T, rng *rand.Rand) planner.Request {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 4+rng.IntN(6), 1+rng.IntN(3)
	f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase, fmt.Sprintf("DC(%d;2)", f.Nodes)}[rng.IntN(4)]
	f.Sync = units.Duration(rng.IntN(2)) * 300 * units.Nanosecond
	f.Reconfig.Base = units.Duration(math.Pow(10, 1+4*rng.Float64())) * units.Nanosecond
	ops := []struct {
		op        collective.Op
		algorithm string
	}{
		{collective.AllReduce, "ring"}, {collective.AllGather, "bruck"}, {collective.AllToAll, "shift"},
		{collective.ReduceScatter, "ring"}, {collective.Broadcast, "binomial"}, {collective.AllToAll, "direct"},
	}
	o := ops[rng.IntN(len(ops))]
	return stagedtest.Request(t, f, o.op, o.algorithm, units.Bytes(1)<<(8+rng.IntN(16)))
}

// changesCircuits reports whether every step except the first has other circuits than the step
// before or those of the base, and the first pays only if circuits change.
func changesCircuits(t *testing.T, p *plan.Plan) bool {
	t.Helper()
	base, err := p.Fabric.BaseTopology()
	if err != nil {
		t.Fatal(err)
	}
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		t.Fatal(err)
	}
	for stage := range p.Steps() {
		if up != nil && up.Equal(stage.Topology) && !stage.Topology.Equal(base) {
			return false
		}
		up = stage.Topology
	}
	return true
}

// The frontier over all delays is that of plans for single delays.
func TestFrontierWhereStepsAreCharged(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 7))
	for range samples.Draws(15, 30) {
		r := drawCharged(t, rng)
		r.Fabric.Charge = fabric.ChargeSteps
		points, err := Frontier(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			r.Fabric.Reconfig.Base = units.Duration(math.Pow(10, 5*rng.Float64())) * units.Nanosecond
			made := planWith(t, nameHarvest, r)
			delay, best := r.Fabric.Reconfig.Base.Time(), units.Time(math.Inf(1))
			for _, p := range points {
				best = min(best, p.Communication+units.Time(p.Reconfigurations)*delay)
			}
			if !stagedtest.Near(best, made.Cost.Total(), 1e-9) {
				t.Errorf("%v: the frontier has %v, the plan takes %v", r.Fabric, best, made.Cost.Total())
			}
		}
	}
}
