package figure

import (
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
)

// Train draws what a minibatch is made of, and when the network does which collective.
func Train(t *lightpath.Training) (*chart.Scene, error) {
	caption := chart.Caption{Title: fmt.Sprintf("A minibatch of %s on %d GPUs: %v", t.Trace, t.Network.Nodes, t.MinibatchNs), Source: "Simulated from the trace, collectives with the times of the model. Not a measurement."}
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
		Bound: float64(t.BoundNs), BoundName: "no way to put gradients together is faster",
	}
	if t.AllToAllNs == 0 {
		b.Parts = b.Parts[:5]
		for i := range b.Values {
			b.Values[i] = b.Values[i][:5]
		}
	}
	parts, err := b.Scene()
	if err != nil || len(t.Collectives) == 0 {
		return parts, err
	}
	g := &chart.Gantt{
		Caption: chart.Caption{Title: "When the network does what", Subtitle: fmt.Sprintf("%.0f%% of the communication is hidden behind computation", 100*t.Overlap), Source: caption.Source},
		Label:   "time", Rows: []string{"network"}, Kinds: []string{"allreduce", "alltoall", "ready, but the network is busy"},
	}
	for _, c := range t.Collectives {
		kind := 0
		if c.Op == collective.AllToAll {
			kind = 1
		}
		tip := fmt.Sprintf("%s of %d bytes, from layer %s: %v", c.Op, c.Bytes, c.First, c.EndNs-c.StartNs)
		g.Spans = append(g.Spans, chart.Span{Row: 0, From: float64(c.StartNs), To: float64(c.EndNs), Kind: kind, Text: c.First, Tip: tip})
		if c.StartNs > c.ReadyNs {
			g.Rows = []string{"network", "queue"}
			g.Spans = append(g.Spans, chart.Span{Row: 1, From: float64(c.ReadyNs), To: float64(c.StartNs), Kind: 2, Tip: tip})
		}
	}
	when, err := g.Scene()
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 1, parts, when), nil
}
