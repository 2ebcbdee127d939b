package lightbends

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// bendsWork returns a collective of Fig. 1 and 2: 64 GPUs with one port, 800 Gbps, 100 ns per
// hop, starting from a ring that is up.
func bendsWork(op collective.Op, algorithm string, alpha units.Duration) claim.Work {
	f := fabric.Default()
	f.Alpha, f.Delta, f.Initial = alpha, 100*units.Nanosecond, fabric.InitialBase
	return claim.Work{Fabric: f, Op: op, Algorithm: algorithm}
}

// bendsAlphas are latencies of a step; the paper does not state those of the figure.
var bendsAlphas = []units.Duration{100 * units.Nanosecond, 10 * units.Microsecond}

func lightBendsPanels() []claim.Panel {
	var panels []claim.Panel
	for _, c := range []struct {
		id, name  string
		op        collective.Op
		algorithm string
	}{
		{"recursive-doubling", "Recursive doubling", collective.AllReduce, "recursive-doubling"},
		{"swing", "Swing", collective.AllReduce, "swing"},
		{"alltoall", "All-to-all", collective.AllToAll, "shift"},
	} {
		for _, alpha := range bendsAlphas {
			f, work, ring := claim.Wide(), bendsWork(c.op, c.algorithm, alpha), "one port"
			switch c.id {
			case "alltoall":
				f = f.Every(2)
			case "swing": // by the convention
				work.Fabric.Ports, work.Fabric.Duplex, work.Ports, ring = 2, true, 1, "two ports on a two-way ring, one peer in a step"
			}
			panels = append(panels, claim.Panel{ID: fmt.Sprintf("light-bends/fig1/%s/alpha-%v", c.id, alpha), Source: "Light Bends, Fig. 1 and 2", Full: c.id == "alltoall",
				About: "64 GPUs with " + ring + ", 800 Gbps, 100 ns per hop. The author evaluates the model at the level of flows; flows are simulated here, too. Which alphas the figure has is not in the text.",
				Draw:  bendsPanel(work, c.name, fmt.Sprintf("64 GPUs, alpha %v, delta 100 ns", alpha), f)})
		}
	}
	return append(panels, claim.Panel{ID: "light-bends/better/allreduce", Source: "Light Bends, Fig. 1 and 2", Better: true,
		About: "The axes of the figures. The paper chooses, for every step of recursive doubling, between the ring and the step's own circuits; our best plan chooses the algorithm and all circuits. No plan of any algorithm is below the bound, in this cost model.",
		Draw: bendsWork(collective.AllReduce, "recursive-doubling",
			100*units.Nanosecond).BetterPanel(claim.Rival{Planner: "light-bends", Name: "Light Bends, recursive doubling"}, "Allreduce",
			"64 GPUs, 800 Gbps, alpha = delta = 100 ns, from a ring", claim.Wide(), 4*units.MiB)})
}

// bentField is the times of a field: in the model and by simulated flows.
type bentField struct{ model, flows [][]units.Time }

// bendsField plans every cell. Plans of one size with the same number of changes differ only in
// the delay, so their flows are simulated only once.
func bendsField(w claim.Work, ctx context.Context, planner string, f claim.Field) (bentField, error) {
	var b bentField
	for _, size := range f.Sizes {
		var model, simulated []units.Time
		known := map[int]units.Time{}
		for _, delay := range f.Delays {
			w.Size, w.Fabric.Reconfig = size, fabric.Reconfig{Model: fabric.Constant, Base: delay}
			p, err := w.Plan(ctx, planner)
			if err != nil {
				return b, err
			}
			model = append(model, p.Cost.Total())
			changes := units.Time(p.Reconfigurations) * delay.Time()
			if _, ok := known[p.Reconfigurations]; !ok {
				took, err := claim.SimulatedTime(ctx, p, sim.FlowLevel)
				if err != nil {
					return b, err
				}
				known[p.Reconfigurations] = took - changes
			}
			simulated = append(simulated, known[p.Reconfigurations]+changes)
		}
		b.model, b.flows = append(b.model, model), append(b.flows, simulated)
	}
	return b, nil
}

func bendsPanel(w claim.Work, name, setting string, f claim.Field) func(context.Context, claim.Best) ([]claim.Drawing, error) {
	return func(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
		var of [3]bentField
		for i, planner := range []string{"light-bends", "static", "every-step"} {
			var err error
			if of[i], err = bendsField(w, ctx, planner, f); err != nil {
				return nil, err
			}
		}
		var drawings []claim.Drawing
		for _, a := range claim.Against {
			title := fmt.Sprintf("%s: speed-up over %s", name, a.Over)
			drawings = append(drawings, claim.Drawing{Part: a.Part + "/model", Chart: f.SpeedupMap(title, setting+", "+claim.ByModel, "times of the model", func(i, j int) float64 {
				return float64(a.Of(of[1].model[i][j], of[2].model[i][j]) / of[0].model[i][j])
			})})
			drawings = append(drawings, claim.Drawing{Part: a.Part + "/flows",
				Chart: f.SpeedupMap(title, setting+", flow by flow", "the same plans replayed as flows that share circuits fairly", func(i, j int) float64 {
					return float64(a.Of(of[1].flows[i][j], of[2].flows[i][j]) / of[0].flows[i][j])
				})})
		}
		return drawings, nil
	}
}
