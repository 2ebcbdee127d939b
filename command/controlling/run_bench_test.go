package controlling_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// BenchmarkControl/step128 measures the time from a demand to circuits that are up, on 128
// ports. The run decides the step, turns its plan into a timetable on the port map, and
// computes, sends, reads back and journals the differences. The demands alternate, and their
// plans are known.
func BenchmarkControl(b *testing.B) {
	b.Run("step128", func(b *testing.B) {
		r := start(b, experts(b, 32, ""), 4)
		n := r.run(b)
		defer n.Close()
		demands := []collective.Demand{toward(32, 1), toward(32, 3)}
		for _, d := range demands {
			if _, err := n.Step(b.Context(), -1, d, nil); err != nil {
				b.Fatal(err)
			}
		}
		changed := 0
		for i := 0; b.Loop(); i++ {
			step, err := n.Step(b.Context(), -1, demands[i%2], nil)
			if err != nil {
				b.Fatal(err)
			}
			changed += step.Connects
		}
		b.ReportMetric(float64(changed)/float64(b.N), "circuits/op")
	})
}
