package figure

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/training"
)

// Train draws the parts of a minibatch, and when the network does which collective.
func Train(t *training.Training) (*chart.Scene, error) {
	caption := chart.Caption{Title: fmt.Sprintf("A minibatch of %s on %d GPUs: %v", t.Trace, t.Network.Nodes, t.MinibatchNs),
		Source: "Simulated from the trace, collectives with the times of the model. Not a measurement."}
	if p := t.Network.Planned; p != nil {
		caption.Subtitle = machine(&p.Fabric)
	} else if c := t.Network.Circuits; c != nil {
		caption.Subtitle = fmt.Sprintf("%s, circuits stay", c.Topology)
	}
	b := &chart.Bars{
		Caption: caption, Label: "time", Unit: chart.Seconds,
		Parts: []string{"forward", "backward", "passes wait", "after the passes", "allreduce", "alltoall"},
		Names: []string{"minibatch", "network"},
		Values: [][]float64{
			{float64(t.ForwardNs), float64(t.BackwardNs), float64(t.StalledNs), max(0, float64(t.ExposedNs-t.StalledNs)), 0, 0},
			{0, 0, 0, 0, float64(t.AllReduceNs), float64(t.AllToAllNs)},
		},
		Bound: float64(t.BoundNs), BoundName: boundName(t),
	}
	for k := len(b.Parts) - 1; k >= 0; k-- { // only parts that exist get a colour
		if b.Values[0][k] == 0 && b.Values[1][k] == 0 {
			b.Parts = slices.Delete(b.Parts, k, k+1)
			for i := range b.Values {
				b.Values[i] = slices.Delete(b.Values[i], k, k+1)
			}
		}
	}
	parts, err := b.Scene()
	if err != nil || len(t.Collectives) == 0 {
		return parts, err
	}
	g := &chart.Gantt{
		Caption: chart.Caption{Title: "When the network does what", Subtitle: fmt.Sprintf("%.0f%% of the communication is hidden behind computation", 100*t.Overlap), Source: caption.Source},
		Label:   "time", Rows: []string{"network"},
	}
	kinds := map[string]int{}
	kindOf := func(name string) int {
		if _, ok := kinds[name]; !ok {
			kinds[name] = len(g.Kinds)
			g.Kinds = append(g.Kinds, name)
		}
		return kinds[name]
	}
	for _, c := range t.Collectives {
		tip := fmt.Sprintf("%s of %d bytes, from layer %s: %v", c.Op, c.Bytes, c.First, c.EndNs-c.StartNs)
		g.Spans = append(g.Spans, chart.Span{Row: 0, From: float64(c.StartNs), To: float64(c.EndNs), Kind: kindOf(string(c.Op)), Text: c.First, Tip: tip})
		if c.StartNs > c.ReadyNs {
			g.Rows = []string{"network", "queue"}
			g.Spans = append(g.Spans, chart.Span{Row: 1, From: float64(c.ReadyNs), To: float64(c.StartNs), Kind: kindOf("ready, but the network is busy"), Tip: tip})
		}
	}
	when, err := g.Scene()
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 1, parts, when), nil
}

// boundName names what the bound of a minibatch covers.
func boundName(t *training.Training) string {
	if p := t.Network.Planned; p != nil && p.Planner == collective.Auto {
		return "no plans for this fabric are faster"
	}
	return "no way to put gradients together is faster"
}
