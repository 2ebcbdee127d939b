package lightbends

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// Paper lists claims of Addanki, "When Light Bends to the Collective Will". Its figures
// are heat maps without numbers in the text, whose latencies alpha are not stated there.
func Paper() claim.Paper {
	p := claim.Paper{Name: "light-bends", Title: "When Light Bends to the Collective Will"}
	p.Entries = append(p.Entries, claim.Entry{
		ID: "light-bends/eq7", Source: "Light Bends, Eq. 7", Quantity: "largest relative difference between the 0-1 program, solved by trying every choice, and planner light-bends, 54 settings of 8 to 16 GPUs",
		Sense: claim.AtMost, Tolerance: 1e-9, Reason: "rounding of float64", Recorded: claim.Matched,
		Why:  "on settings in which no two neighbouring steps have the same circuits and none has those of the base; elsewhere the planner pays only for circuits that change, where Eq. 7 pays for every step of its own",
		Ours: equation7,
	})
	for _, c := range []struct {
		name      string
		op        collective.Op
		algorithm string
		alphas    []units.Duration
	}{
		{"recursive-doubling", collective.AllReduce, "recursive-doubling", []units.Duration{100 * units.Nanosecond, 10 * units.Microsecond}},
		{"swing", collective.AllReduce, "swing", []units.Duration{100 * units.Nanosecond, 10 * units.Microsecond}},
		{"alltoall", collective.AllToAll, "shift", []units.Duration{100 * units.Nanosecond, 10 * units.Microsecond}},
	} {
		for _, alpha := range c.alphas {
			f := fabric.Default()
			f.Alpha, f.Delta, f.Initial = alpha, 100*units.Nanosecond, fabric.InitialBase
			w := claim.Work{Fabric: f, Op: c.op, Algorithm: c.algorithm}
			name := fmt.Sprintf("%s/alpha-%v", c.name, alpha)
			setting := fmt.Sprintf("%s on 64 GPUs, alpha %v, 1 KiB to 1 GiB, 10 ns to 10 ms: ", c.name, alpha)
			p.Entries = append(p.Entries,
				claim.Entry{ID: "light-bends/fig1/bvn/" + name, Source: "Light Bends, §3.4, Fig. 1a-1d",
					Quantity: setting + "largest speed-up over BvN, said to be orders of magnitude: two or more", Unit: "times", Published: 100,
					Sense: claim.AtLeast, Recorded: claim.Matched, Full: c.name == "alltoall",
					Ours: func(ctx context.Context) (float64, error) {
						g, err := bends(w, ctx)
						return g.overEvery, err
					}},
				claim.Entry{ID: "light-bends/fig1/static/" + name, Source: "Light Bends, §3.4, Fig. 1e-1h",
					Quantity: setting + "largest speed-up over the static ring, said to be substantial: taken as 2 or more", Unit: "times", Published: 2,
					Sense: claim.AtLeast, Recorded: claim.Matched, Full: c.name == "alltoall",
					Ours: func(ctx context.Context) (float64, error) {
						g, err := bends(w, ctx)
						return g.overStatic, err
					}},
				claim.Entry{ID: "light-bends/fig2/" + name, Source: "Light Bends, §3.4, Fig. 2",
					Quantity: setting + "cells more than 1% faster than both static and BvN, said to be some", Published: 1, Sense: claim.AtLeast,
					Recorded: claim.Matched, Full: c.name == "alltoall",
					Ours: func(ctx context.Context) (float64, error) {
						g, err := bends(w, ctx)
						return g.between, err
					}},
			)
		}
	}
	p.Panels = lightBendsPanels()
	return p
}

// bent is what planner light-bends gains over a coarse grid.
type bent struct {
	overEvery  float64 // largest
	overStatic float64 // largest
	between    float64 // cells in which both extremes lose
}

func bends(w claim.Work, ctx context.Context) (bent, error) {
	var b bent
	for _, size := range []units.Bytes{units.KiB, 32 * units.KiB, units.MiB, 32 * units.MiB, units.GiB} {
		for delay := 10 * units.Nanosecond; delay <= 10*units.Millisecond; delay *= 10 {
			w.Size, w.Fabric.Reconfig = size, fabric.Reconfig{Model: fabric.Constant, Base: delay}
			var times [3]units.Time
			for i, name := range []string{"light-bends", "static", "every-step"} {
				p, err := w.Plan(ctx, name)
				if err != nil {
					return b, err
				}
				times[i] = p.Cost.Total()
			}
			b.overStatic = max(b.overStatic, float64(times[1]/times[0]))
			b.overEvery = max(b.overEvery, float64(times[2]/times[0]))
			if float64(min(times[1], times[2])/times[0]) > 1.01 {
				b.between++
			}
		}
	}
	return b, nil
}

// equation7 compares the planner with the program.
func equation7(ctx context.Context) (float64, error) {
	worst := 0.0
	for _, c := range []struct {
		nodes, ports int
		base         string // differs from the circuits of all steps
		op           collective.Op
		algorithm    string
	}{
		{8, 1, "DC(8;3)", collective.ReduceScatter, "recursive-doubling"},
		{16, 1, "DC(16;1)", collective.ReduceScatter, "halving-doubling"},
		{8, 2, "", collective.AllToAll, "shift"},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Base, f.Initial = c.nodes, c.ports, c.base, fabric.InitialBase
		f.Routing = flow.Shortest // one flow per policy: nothing to choose
		for _, size := range []units.Bytes{units.KiB, 64 * units.KiB, 4 * units.MiB} {
			for delay := 100 * units.Nanosecond; delay <= 10*units.Millisecond; delay *= 10 {
				f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: delay}
				w := claim.Work{Fabric: f, Op: c.op, Algorithm: c.algorithm, Size: size}
				want, err := zeroOneProgram(w, ctx)
				if err != nil {
					return 0, err
				}
				p, err := w.Plan(ctx, "light-bends")
				if err != nil {
					return 0, err
				}
				worst = max(worst, math.Abs(float64(p.Cost.Total())/want-1))
			}
		}
	}
	return worst, nil
}

// zeroOneProgram solves Eq. 7 by trying every x: x_i = 1 puts step i on the base, x_0 = 1,
// and every step with x_i*x_(i-1) = 0 pays the delay. With d ports a step of its own has d
// parallel circuits.
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
