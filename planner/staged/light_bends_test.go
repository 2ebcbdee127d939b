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
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// zeroOneProgram solves Eq. 7 of "When Light Bends to the Collective Will" by trying
// every x: x_i = 1 puts step i on the base topology, x_0 = 1; the constraints leave
// z_i = x_i*x_(i-1) as the only choice, and every step with z_i = 0 pays alpha_r. It
// returns the least time and the number of steps on their own circuits.
//
// With d ports a matched step has d parallel circuits, so its theta is d.
func zeroOneProgram(t *testing.T, r *planner.Request) (total float64, matched int) {
	t.Helper()
	f := &r.Fabric
	base, err := f.BaseTopology()
	if err != nil {
		t.Fatal(err)
	}
	chunk := r.Collective.Space.Bytes(float64(r.Size), collective.Single(0))
	steps := len(r.Collective.Steps)
	onBase, onMatched := make([]float64, steps), make([]float64, steps)
	for i, step := range r.Collective.Steps {
		var demands []flow.Demand
		bytes := 0.0
		for transfer := range step.All(r.Collective.Space) {
			bytes = chunk * float64(transfer.Chunks.Len())
			demands = append(demands, flow.Demand{Src: transfer.Src, Dst: transfer.Dst, Amount: bytes})
		}
		routed, err := flow.Solve(t.Context(), flow.Problem{Graph: base, Demands: demands}, f.Routing)
		if err != nil {
			t.Fatal(err)
		}
		// delta*l_i(G) + beta*m_i/theta(G, M_i), and delta*1 + beta*m_i*1.
		onBase[i] = float64(f.Delta.Time()*units.Time(routed.Load.Hops) + f.Bandwidth.Transmit(routed.Load.Peak))
		onMatched[i] = float64(f.Delta.Time() + f.Bandwidth.Transmit(bytes/float64(f.Ports)))
	}
	total = math.Inf(1)
	for x := range 1 << steps {
		sum, own, before := float64(steps)*float64(f.Alpha.Time()), 0, 1
		for i := range steps {
			now := x >> i & 1
			if z := now * before; z == 0 {
				sum += float64(f.Reconfig.Base.Time())
			}
			if now == 1 {
				sum += onBase[i]
			} else {
				sum += onMatched[i]
				own++
			}
			before = now
		}
		if sum < total {
			total, matched = sum, own
		}
	}
	return total, matched
}

// On instances in which no two consecutive steps have the same circuits and none has those of the
// base, charging changes is the same as charging steps with z_i = 0.
func TestLightBendsEqualsItsZeroOneProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	mixed := 0 // instances whose best schedule has both kinds of steps
	for _, instance := range []struct {
		nodes, ports int
		base         string // differs from all matched topologies
		op           collective.Op
		algorithm    string
	}{
		{8, 1, "DC(8;3)", collective.ReduceScatter, "recursive-doubling"},
		{32, 1, "DC(32;5)", collective.AllGather, "recursive-doubling"},
		{64, 1, "DC(64;63)", collective.ReduceScatter, "recursive-doubling"},
		{16, 1, "DC(16;1)", collective.ReduceScatter, "halving-doubling"},
		{32, 1, "DC(32;1)", collective.AllGather, "swing"},
		{8, 2, "", collective.AllToAll, "shift"},
		{13, 2, "", collective.AllToAll, "shift"},
		{12, 2, "C(12;5)", collective.AllToAll, "shift"},
		{8, 2, "C(8;3)", collective.AllGather, "recursive-doubling"},
	} {
		for range samples.Draws(12, 25) {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Base, f.Initial = instance.nodes, instance.ports, instance.base, fabric.InitialBase
			f.Routing = flow.Shortest // one flow per policy: nothing to choose
			f.Alpha = units.Duration(rng.IntN(1000)) * units.Nanosecond
			f.Delta = units.Duration(rng.IntN(1000)) * units.Nanosecond
			f.Reconfig.Base = units.Duration(math.Pow(10, 1+4*rng.Float64())) * units.Nanosecond
			r := stagedtest.Request(t, f, instance.op, instance.algorithm, units.Bytes(1)<<(8+rng.IntN(16)))
			distinctCircuits(t, &r)
			want, matched := zeroOneProgram(t, &r)
			if matched > 0 && matched < len(r.Collective.Steps) {
				mixed++
			}
			p := planWith(t, "light-bends", r)
			if !stagedtest.Near(float64(p.Cost.Total()), want, 1e-9) {
				t.Fatalf("%+v, %v, %v: plan %v, Eq. 7 %v", instance, f.Reconfig, r.Size, p.Cost.Total(), want)
			}
		}
	}
	if mixed < samples.Draws(10, 20) {
		t.Errorf("only %d instances have both kinds of steps", mixed)
	}
}

// distinctCircuits fails the test if two consecutive steps have the same circuits, or
// a step those of the base.
func distinctCircuits(t *testing.T, r *planner.Request) {
	t.Helper()
	before, err := r.Fabric.BaseTopology()
	if err != nil {
		t.Fatal(err)
	}
	base := before
	for i, step := range r.Collective.Steps {
		g, err := topology.Matched(r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Duplex, step.Pairs(), "")
		if err != nil {
			t.Fatal(err)
		}
		if g.Equal(base) || g.Equal(before) {
			t.Fatalf("step %d has the circuits of the base or of the step before", i+1)
		}
		before = g
	}
}

// The deviation from the paper: circuits that stay as they are cost nothing here. The
// allreduce has the offset n/2 twice in a row, and its first and last steps match the
// default base, the ring.
func TestLightBendsChargesChangesNotMatchedSteps(t *testing.T) {
	const change = 10.0 // ns: so cheap that every step has its own circuits
	for _, deviation := range []struct {
		base string
		free float64 // changes that Eq. 7 charges although nothing changes
	}{
		{"DC(16;3)", 1}, // offsets 8 and 8 in a row
		{"DC(16;8)", 1}, // the same; the base itself does not connect all pairs
		{"DC(16;1)", 2}, // and the first step is on the base already, matched or not
	} {
		t.Run(fmt.Sprint(deviation.base), func(t *testing.T) {
			f := fabric.Default()
			f.Nodes, f.Base, f.Initial = 16, deviation.base, fabric.InitialBase
			f.Reconfig.Base = 10 * units.Nanosecond
			r := stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", units.MiB)
			steps := float64(len(r.Collective.Steps))
			p := planWith(t, "light-bends", r)
			// Eq. 7 with x = 0 throughout: s*alpha + delta*s + s*alpha_r + beta*sum(m_i).
			bytes := 2 * float64(r.Size) * 15 / 16
			all := steps*(500+500+change) + float64(f.Bandwidth.Transmit(bytes))
			if want := all - deviation.free*change; !stagedtest.Near(float64(p.Cost.Total()), want, 1e-12) {
				t.Errorf("plan %v, want %v = %v less %v changes", p.Cost.Total(), want, all, deviation.free)
			}
			if want := int(steps - deviation.free); p.Reconfigurations != want {
				t.Errorf("%d reconfigurations, want %d", p.Reconfigurations, want)
			}
		})
	}
}
