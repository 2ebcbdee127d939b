package reproduce

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// harvestPanels draws Fig. 3, 5, 6, 8, 9 and 10 of HARVEST, and what is better.
func harvestPanels() []Panel {
	panels := []Panel{{ID: "harvest/fig3", Source: "HARVEST, Fig. 3", Draw: harvestFigure3,
		About: "Every number of changes is a line; the paper's black curve is the lowest of them at each delay. Its size and number of GPUs are not printed."}}
	five := harvestCollectives(500 * units.Nanosecond)
	titles := map[string]string{"recursive-doubling": "Recursive doubling", "swing": "Swing", "alltoall": "All-to-all"}
	for _, name := range []string{"recursive-doubling", "swing", "alltoall"} {
		panels = append(panels, Panel{ID: "harvest/fig5/" + name, Source: "HARVEST, Fig. 5",
			About: "64 GPUs, 800 Gbps, alpha and delta 500 ns, as stated. The authors simulate packets; both clocks are drawn here, and neither has all of the figures that §6.2 prints: see the claims harvest/fig5.",
			Draw:  five[name].speedupPanel(titles[name], "64 GPUs, alpha = delta = 500 ns", wide(), true)})
	}
	panels = append(panels, Panel{ID: "harvest/fig6", Source: "HARVEST, Fig. 6d",
		About: "The testbed of 8 GPUs by the fit of Fig. 7, pairwise exchange on a two-way ring: the reading of the model that comes nearest to the printed 3 times. The testbed ran the cyclic form, and its measured times give 3.3 (harvest/fig6b/measured).",
		Draw:  testbed().speedupPanel("Recursive doubling", "8 GPUs, alpha 30.32 us, 85.11 Gbps", wide(), false)})
	for _, c := range multiPort() {
		panels = append(panels, Panel{ID: "harvest/" + c.id, Source: c.source, About: c.about, Full: c.full,
			Draw: c.work.speedupPanel(c.name, c.setting, c.field, false)})
	}
	for _, c := range []struct {
		id, name, theirs string
		work             work
		field            field
	}{
		{"allreduce", "Allreduce", "recursive doubling", five["recursive-doubling"], wide()},
		{"alltoall", "All-to-all", "step by step", five["alltoall"], wide().every(2)},
	} {
		panels = append(panels, Panel{ID: "harvest/better/" + c.id, Source: "HARVEST, Fig. 3 and 5", Better: true,
			About: "The axes of Fig. 5 and Fig. 3. HARVEST takes an algorithm's steps as they are; here algorithm, circuits and changes are chosen together. No plan of any algorithm is below the bound, in this cost model.",
			Draw:  c.work.betterPanel(rival{"harvest", "HARVEST, " + c.theirs}, c.name, "64 GPUs, 800 Gbps, alpha = delta = 500 ns", c.field, 4*units.MiB)})
	}
	return panels
}

// testbed is the reading of Fig. 6 that comes nearest.
func testbed() work {
	f := fabric.Default()
	f.Nodes, f.Alpha, f.Delta, f.Bandwidth = 8, 30320*units.Nanosecond, 0, 85_110_000_000
	f.Ports, f.Duplex = 2, true
	return work{fabric: f, op: collective.AllReduce, algorithm: "halving-doubling", ports: 1}
}

// harvestFigure3 draws time against delay, a line for each number of changes.
func harvestFigure3(ctx context.Context, _ Best) ([]Drawing, error) {
	w := harvestCollectives(500 * units.Nanosecond)["recursive-doubling"]
	w.size = 4 * units.MiB
	c, err := w.curve(ctx)
	if err != nil {
		return nil, err
	}
	lines := delayLines("Recursive doubling: schedules between BvN and static", "allreduce of 4 MiB on 64 GPUs, 800 Gbps, alpha = delta = 500 ns")
	lowest := chart.Line{Name: "HARVEST: the lowest"}
	for i, p := range c.best {
		lines.Lines = append(lines.Lines, chart.Line{Name: fmt.Sprintf("%d changes", p.Reconfigurations), Dashed: true})
		for _, d := range decades(10*units.Nanosecond, 10*units.Millisecond) {
			add(&lines.Lines[i], d, c.time(i, d))
		}
	}
	for _, d := range decades(10*units.Nanosecond, 10*units.Millisecond) {
		add(&lowest, d, c.at(d))
	}
	lines.Lines = append(lines.Lines, lowest)
	cutOff(lines, offPage*float64(c.static))
	return []Drawing{{"", lines}}, nil
}
