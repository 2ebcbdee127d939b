package lightbends

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// convention is the convention of all claims.
const convention = "Swing runs on a two-way ring: its GPUs have two ports, with one peer in a step, where §3.4 has a single link. On the one-way ring that a single link allows, the steps back go 43 to 63 hops. Every step on circuits of its own pays the delay, as in Eq. 7. The text varies alpha without naming values: 100 ns and 10 us are looked at."

// Paper lists claims of Addanki, "When Light Bends to the Collective Will". Its figures are heat
// maps without numbers in the text, which does not state their latencies alpha, either.
func Paper() claim.Paper {
	p := claim.Paper{Name: "light-bends", Title: "When Light Bends to the Collective Will", Convention: convention}
	p.Entries = append(p.Entries, claim.Entry{
		ID: "light-bends/eq7", Source: "Light Bends, Eq. 7", Quantity: "largest relative difference between the 0-1 program, solved by trying every choice, and planner light-bends where steps are charged (fabric setting charge), 108 settings of 8 to 64 GPUs",
		Sense: claim.AtMost, Tolerance: 1e-9, Reason: "rounding of float64", Recorded: claim.Matched,
		Why:  "every step on circuits of its own pays, also after a step with the same circuits, as in Eq. 7. By default only circuits that change are paid for, which is never slower; the figures are computed from Eq. 7 itself",
		Ours: equation7,
	})
	p.Entries = append(p.Entries, figures()...)
	p.Entries = append(p.Entries, outlook())
	p.Panels = lightBendsPanels()
	return p
}

// equation7 compares the planner with the program.
func equation7(ctx context.Context) (float64, error) {
	worst := 0.0
	for _, c := range []struct {
		nodes, ports int
		base         string
		op           collective.Op
		algorithm    string
	}{
		{8, 1, "DC(8;3)", collective.ReduceScatter, "recursive-doubling"},
		{16, 1, "DC(16;1)", collective.ReduceScatter, "halving-doubling"},
		{8, 2, "", collective.AllToAll, "shift"},
		// Neighbouring steps have the same circuits, or the circuits of the base.
		{8, 1, "", collective.AllReduce, "ring"},
		{16, 1, "", collective.AllReduce, "swing"},
		{64, 1, "", collective.AllReduce, "recursive-doubling"},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Base, f.Initial = c.nodes, c.ports, c.base, fabric.InitialBase
		f.Charge = fabric.ChargeSteps
		f.Routing = flow.Shortest // one flow per policy: nothing to choose
		for _, size := range []units.Bytes{units.KiB, 64 * units.KiB, 4 * units.MiB} {
			for delay := 100 * units.Nanosecond; delay <= 10*units.Millisecond; delay *= 10 {
				f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: delay}
				w := claim.Work{Fabric: f, Op: c.op, Algorithm: c.algorithm, Size: size}
				want, err := zeroOneProgram(w, ctx)
				if err != nil {
					return 0, err
				}
				got, err := w.Time(ctx, "light-bends")
				if err != nil {
					return 0, err
				}
				worst = max(worst, math.Abs(float64(got)/want-1))
			}
		}
	}
	return worst, nil
}

// zeroOneProgram solves Eq. 7 by trying every x: x_i = 1 puts step i on the base, x_0 = 1, and
// every step with x_i*x_(i-1) = 0 pays the delay. With d ports, a step on its own circuits has d
// parallel ones.
func zeroOneProgram(w claim.Work, ctx context.Context) (float64, error) {
	r, err := w.Request()
	if err != nil {
		return 0, err
	}
	f := &r.Fabric
	base, err := f.BaseTopology()
	if err != nil {
		return 0, err
	}
	chunk := r.Collective.Space.Bytes(float64(r.Size), collective.Single(0))
	steps := len(r.Collective.Steps)
	onBase, own := make([]float64, steps), make([]float64, steps)
	for i, step := range r.Collective.Steps {
		var demands []flow.Demand
		bytes := 0.0
		for t := range step.All(r.Collective.Space) {
			bytes = chunk * float64(t.Chunks.Len())
			demands = append(demands, flow.Demand{Src: t.Src, Dst: t.Dst, Amount: bytes})
		}
		routed, err := flow.Solve(ctx, flow.Problem{Graph: base, Demands: demands}, f.Routing)
		if err != nil {
			return 0, err
		}
		onBase[i] = float64(f.Delta.Time()*units.Time(routed.Load.Hops) + f.Bandwidth.Transmit(routed.Load.Peak))
		own[i] = float64(f.Delta.Time() + f.Bandwidth.Transmit(bytes/float64(f.Ports)))
	}
	best := math.Inf(1)
	for x := range 1 << steps {
		sum, before := float64(steps)*float64(f.Alpha.Time()), 1
		for i := range steps {
			now := x >> i & 1
			if now*before == 0 {
				sum += float64(f.Reconfig.Base.Time())
			}
			if now == 1 {
				sum += onBase[i]
			} else {
				sum += own[i]
			}
			before = now
		}
		best = min(best, sum)
	}
	return best, nil
}
