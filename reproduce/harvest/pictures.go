package harvest

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// harvestPanels returns the panels of Fig. 3, 5, 6, 8, 9 and 10 of HARVEST, and those that go
// beyond the paper.
func harvestPanels() []claim.Panel {
	panels := []claim.Panel{{ID: "harvest/fig3", Source: "HARVEST, Fig. 3", Draw: harvestFigure3,
		About: "Every number of changes is a line; the paper's black curve is the lowest of them at each delay. Its size and number of GPUs are not printed."}}
	five := harvestCollectives(500 * units.Nanosecond)
	titles := map[string]string{"recursive-doubling": "Recursive doubling", "swing": "Swing", "alltoall": "All-to-all"}
	for _, name := range []string{"recursive-doubling", "swing", "alltoall"} {
		panels = append(panels, claim.Panel{ID: "harvest/fig5/" + name, Source: "HARVEST, Fig. 5",
			About: "64 GPUs, 800 Gbps, alpha and delta 500 ns, as stated. The authors simulate packets; both clocks are drawn here, and neither has all of the figures that §6.2 prints: see the claims harvest/fig5.",
			Draw:  five[name].SpeedupPanel(titles[name], "64 GPUs, alpha = delta = 500 ns", claim.Wide(), true)})
	}
	panels = append(panels, claim.Panel{ID: "harvest/fig6", Source: "HARVEST, Fig. 6d",
		About: "The testbed of 8 GPUs by the fit of Fig. 7, pairwise exchange on a two-way ring: the reading of the model that comes nearest to the printed 3 times. The testbed ran the cyclic form, and its measured times give 3.3 (harvest/fig6b).",
		Draw:  testbed().SpeedupPanel("Recursive doubling", "8 GPUs, alpha 30.32 us, 85.11 Gbps", claim.Wide(), false)})
	for _, c := range multiPort() {
		panels = append(panels, claim.Panel{ID: "harvest/" + c.id, Source: c.source, About: c.about, Full: c.full,
			Draw: c.work.SpeedupPanel(c.name, c.setting, c.field, false)})
	}
	for _, c := range []struct {
		id, name, theirs string
		work             claim.Work
		field            claim.Field
	}{
		{"allreduce", "Allreduce", "recursive doubling", five["recursive-doubling"], claim.Wide()},
		{"alltoall", "All-to-all", "step by step", five["alltoall"], claim.Wide().Every(2)},
	} {
		panels = append(panels, claim.Panel{ID: "harvest/better/" + c.id, Source: "HARVEST, Fig. 3 and 5", Better: true,
			About: "The axes of Fig. 5 and Fig. 3. HARVEST takes an algorithm's steps as they are; here algorithm, circuits and changes are chosen together. No plan of any algorithm is below the bound, in this cost model.",
			Draw:  c.work.BetterPanel(claim.Rival{Planner: "harvest", Name: "HARVEST, " + c.theirs}, c.name, "64 GPUs, 800 Gbps, alpha = delta = 500 ns", c.field, 4*units.MiB)})
	}
	return panels
}

// testbed returns the reading of Fig. 6 that comes nearest.
func testbed() claim.Work {
	f := fabric.Default()
	f.Nodes, f.Alpha, f.Delta, f.Bandwidth = 8, 30320*units.Nanosecond, 0, 85_110_000_000
	f.Ports, f.Duplex = 2, true
	return claim.Work{Fabric: f, Op: collective.AllReduce, Algorithm: "halving-doubling", Ports: 1}
}

// harvestFigure3 draws time against delay, one line per number of changes.
func harvestFigure3(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
	w := harvestCollectives(500 * units.Nanosecond)["recursive-doubling"]
	w.Size = 4 * units.MiB
	c, err := w.Curve(ctx)
	if err != nil {
		return nil, err
	}
	lines := claim.DelayLines("Recursive doubling: schedules between BvN and static", "allreduce of 4 MiB on 64 GPUs, 800 Gbps, alpha = delta = 500 ns")
	lowest := chart.Line{Name: "HARVEST: the lowest"}
	for i, p := range c.Best {
		lines.Lines = append(lines.Lines, chart.Line{Name: fmt.Sprintf("%d changes", p.Reconfigurations), Dashed: true})
		for _, d := range claim.Decades(10*units.Nanosecond, 10*units.Millisecond) {
			claim.Add(&lines.Lines[i], d, c.Time(i, d))
		}
	}
	for _, d := range claim.Decades(10*units.Nanosecond, 10*units.Millisecond) {
		claim.Add(&lowest, d, c.At(d))
	}
	lines.Lines = append(lines.Lines, lowest)
	claim.CutOff(lines, claim.OffPage*float64(c.Static))
	return []claim.Drawing{{Part: "", Chart: lines}}, nil
}
