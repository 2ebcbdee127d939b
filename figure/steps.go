package figure

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/units"
)

// Collective draws how much the busiest node sends in every step of an algorithm.
func Collective(l *exploring.AlgorithmSteps) (*chart.Scene, error) {
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("%s with %s on %d GPUs: what a GPU sends in every step", l.Op, l.Algorithm, l.Nodes),
			Subtitle: fmt.Sprintf("%s, laid out for %s per GPU", units.Count(len(l.Steps), "step"), units.Count(l.Ports, "port")),
			Source:   "Steps of the algorithm, for the GPU that sends most. It chooses no circuits; plan does that."},
		Label: "sent by the busiest GPU, of the size", Unit: chart.Percent, Parts: []string{"largest message", "other messages"},
	}
	for _, s := range l.Steps {
		if len(b.Names) == maxBars {
			b.Source += fmt.Sprintf(" The first %d of %d steps.", maxBars, len(l.Steps))
			break
		}
		b.Names = append(b.Names, fmt.Sprintf("%d  %s to %s", s.Index, units.Count(s.Transfers, "transfer"), units.Count(s.Peers, "peer")))
		b.Values = append(b.Values, []float64{s.Message, max(0, s.Sent-s.Message)})
	}
	if !slices.ContainsFunc(b.Values, func(v []float64) bool { return v[1] > 0 }) { // one message each
		b.Parts = b.Parts[:1]
		for i := range b.Values {
			b.Values[i] = b.Values[i][:1]
		}
	}
	return b.Scene()
}

// Schedule draws the time of every step of a schedule.
func Schedule(s *exploring.Schedule) (*chart.Scene, error) {
	optimal := "; no schedule takes less bandwidth"
	if !s.BandwidthOptimal {
		optimal = ""
	}
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("%s on %s: load of every step", s.Op, s.Expr),
			Subtitle: fmt.Sprintf("%d nodes of degree %d, %s, %s M/B in all%s", s.Nodes, s.Degree, units.Count(s.Steps, "step"), s.Bandwidth, optimal),
			Source:   "Exact, " + s.Method + ". M: size of all shards together, B: rate of all ports of a node."},
		Label: "load of the busiest circuit, in shards", Parts: []string{"busiest circuit"},
	}
	count := len(s.PerStep)
	if s.PerStepNs != nil {
		b.Label, b.Unit, b.Title = "time", chart.Seconds, fmt.Sprintf("%s on %s: time of every step", s.Op, s.Expr)
		b.Source, count = "Model time, with each circuit's own bandwidth and delay. Not a measurement.", len(s.PerStepNs)
	}
	for i := range min(count, maxBars) {
		value := 0.0
		if s.PerStepNs != nil {
			value = float64(s.PerStepNs[i])
		} else if v, ok := ratio(s.PerStep[i]); ok {
			value = v
		}
		b.Names, b.Values = append(b.Names, fmt.Sprintf("step %d", i+1)), append(b.Values, []float64{value})
	}
	if count > maxBars {
		b.Source += fmt.Sprintf(" The first %d of %d steps.", maxBars, count)
	}
	return b.Scene()
}
