package replay_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/plantest"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// besideCircuits draws islands and fixed links for a fabric, and makes transfers of its plan
// use them.
func besideCircuits(t *testing.T, r rng, p *plan.Plan) *plan.Plan {
	t.Helper()
	f := p.Fabric
	for _, size := range []int{3, 4, 2, 5} {
		if f.Nodes%size == 0 && r.IntN(3) > 0 {
			f.Island = fabric.Island{Size: size, Bandwidth: units.Bandwidth(1+r.IntN(20)) * 100 * units.Gbps}
			if r.IntN(2) == 0 {
				f.Island.Alpha, f.Island.Delta = fabric.Own(units.Duration(1+r.IntN(900))*units.Nanosecond), fabric.Own(units.Duration(1+r.IntN(900))*units.Nanosecond)
			}
			break
		}
	}
	if links := fmt.Sprintf("Mesh(%d)", f.Nodes); f.Island.IsZero() || r.IntN(3) > 0 {
		if f.Nodes%3 == 0 && r.IntN(2) == 0 {
			links = "Ring(3)"
		}
		if err := f.Set("fixed", links); err != nil {
			t.Fatal(err)
		}
		f.Fixed.Bandwidth = units.Bandwidth(r.IntN(20)) * 100 * units.Gbps
		if r.IntN(2) == 0 {
			f.Fixed.Alpha, f.Fixed.Delta = fabric.Own(units.Duration(1+r.IntN(900))*units.Nanosecond), fabric.Own(units.Duration(1+r.IntN(900))*units.Nanosecond)
		}
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	return plantest.Beside(t, r.Rand, p, f)
}

// TestPacketsOverAllTiers: plans whose transfers use circuits, fixed links and islands at
// random are correct by the verifier's own count; packets take at least the time of the busiest
// link or GPU; and no step ends later without barriers than with them.
func TestPacketsOverAllTiers(t *testing.T) {
	plans, grounded, seen := 0, 0, map[string]int{}
	draws := 120
	if samples.Every() {
		draws = 250
	}
	for seed := range uint64(draws) {
		r := rng{rand.New(rand.NewPCG(seed, 77))}
		name, p := drawPlan(t, r)
		if p == nil || p.Staggered() {
			continue
		}
		p = besideCircuits(t, r, p)
		name = fmt.Sprintf("seed %d, %s, islands %v, fixed %v", seed, name, p.Fabric.Island, p.Fabric.Fixed)
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if first := report.First(); first != nil && first.Name != "algorithm" && first.Name != "bound" && first.Name != "claims" {
			t.Errorf("%s: %+v", name, first)
			continue
		}
		o := sim.Options{Packet: units.Bytes(500 + r.IntN(4000)), Forwarding: p.Fabric.Forwarding}
		pace := replay.Paces()[r.IntN(3)]
		with, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, pace), o)
		if err != nil {
			t.Fatal(name, err)
		}
		without, err := replay.RunAsynchronous(t.Context(), p, pace, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		plans++
		seen[p.Planner]++
		seen[string(p.Fabric.Overlap.Kind)]++
		for s, step := range p.Steps() {
			if p.Grounded(s, step) {
				grounded++
			}
		}
		if least, err := replay.Least(p, o.Packet); err != nil || least > with.Completion.Time() {
			t.Errorf("%s: %v, but at least %v (%v)", name, with.Completion, least, err)
		}
		for i := range with.Phases {
			if without.Phases[i].End > with.Phases[i].End {
				t.Errorf("%s, pace %s: step %d of %d ends at %v, with barriers at %v", name, pace, i+1, len(with.Phases), without.Phases[i].End, with.Phases[i].End)
				break
			}
		}
	}
	t.Logf("%d plans, %d steps without circuits: %v", plans, grounded, seen)
	if plans < draws/4 || grounded < 10 || len(seen) < 9 {
		t.Errorf("%d plans, %d steps without circuits: %v", plans, grounded, seen)
	}
}
