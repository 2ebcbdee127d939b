package portfolio_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// TestPresetsOfBuiltFabricsHavePlans: there is a plan for an allreduce on a slice of every named
// fabric with islands, fixed links or many switches.
func TestPresetsOfBuiltFabricsHavePlans(t *testing.T) {
	type slice struct {
		name  string
		nodes int
	}
	slices := []slice{{"nvl8", 32}, {"infinitehbd", 16}, {"rails-400g", 32}}
	slices = append(slices, samples.Few(1, []slice{{"ironwood-like", 64}, {"rails-800g", 32}, {"tpu-v4-pod", 128}, {"nvl72", 144}})...)
	for _, part := range slices {
		name := part.name
		f := fabric.Default()
		if err := f.ApplyPreset(name); err != nil {
			t.Fatal(err)
		}
		f.Nodes = part.nodes
		if err := f.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
		r := portfolio.Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: 16 * units.MiB}}}
		p, err := r.Fastest(t.Context(), s.Planners().Best(), s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		report, err := verify.Plan(t.Context(), p)
		if err != nil || report.First() != nil {
			t.Errorf("%s: %v %+v", name, err, report.First())
		}
	}
}
