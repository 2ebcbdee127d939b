package portfolio

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// The fastest all-to-all that does not reconfigure is one plan, whoever asks for it: at every
// delay it is the static baseline, to the last bit, and the plan of the best of all planners if
// that does not reconfigure. Harvest by name has no faster one.
func TestWhatDoesNotRewireHasOneAnswer(t *testing.T) {
	for _, shape := range samples.Few(1, []struct{ nodes, ports int }{{65, 2}, {81, 3}}) {
		r := Request{Operations: []collective.Operation{{Op: collective.AllToAll, Size: 8 * units.MB}}}
		var first units.Time
		stayed := 0
		for i, delay := range []units.Duration{0, 10 * units.Microsecond, 25 * units.Millisecond} {
			r.Fabric = fabric.Default()
			r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Reconfig.Base = shape.nodes, shape.ports, delay
			if !r.settled() {
				t.Fatalf("%+v: it is not settled", shape)
			}
			s := NewSearch(Options{Planners: Planners()})
			static, err := r.Staying(t.Context(), nil, s)
			if err != nil {
				t.Fatal(err)
			}
			if first == 0 {
				first = static.Cost.Total()
			}
			if static.Cost.Total() != first || static.Reconfigurations != 0 {
				t.Errorf("%+v at %v: %v and %d changes, at another delay %v", shape, delay, static.Cost.Total(), static.Reconfigurations, first)
			}
			for _, bare := range []bool{false, true} {
				if bare != (i%2 > 0) && !samples.Every() {
					continue // in turn: each takes seconds
				}
				search := NewSearch(Options{Planners: Planners(), Bare: bare})
				made, err := r.Fastest(t.Context(), search.Planners().Best(), search)
				if err != nil {
					t.Fatal(err)
				}
				if made.Reconfigurations == 0 {
					stayed++
				}
				if took := made.Cost.Total(); took > first || made.Reconfigurations == 0 && took != first {
					t.Errorf("%+v at %v: %v with %d changes, the best without takes %v", shape, delay, took, made.Reconfigurations, first)
				}
			}
		}
		if stayed == 0 {
			t.Errorf("%+v: every plan rewires", shape)
		}
		// The plan of the planner with the largest pool, asked by name, with slow changes.
		s := NewSearch(Options{Planners: Planners(), Bare: true})
		made, err := r.Fastest(t.Context(), s.Planners().Improver(), s)
		if err == nil && made.Reconfigurations == 0 && made.Cost.Total() < first*(1-1e-9) {
			t.Errorf("%+v: %s with %s takes %v, the best of all %v", shape, made.Collective.Algorithm, made.Planner, made.Cost.Total(), first)
		}
	}
}

// Callers that ask for a remembered plan again cannot change it.
func TestSettledPlansAreCopies(t *testing.T) {
	r := Request{Fabric: fabric.Default(), Operations: []collective.Operation{{Op: collective.AllToAll, Size: units.MB}}}
	r.Fabric.Nodes, r.Fabric.Ports = 72, 2
	s := NewSearch(Options{Planners: Planners()})
	var made [2]*plan.Plan
	for i := range made {
		var err error
		if made[i], err = r.Staying(t.Context(), nil, s); err != nil {
			t.Fatal(err)
		}
	}
	made[0].Among, made[0].Cost.Startup = "others", 1
	if made[1].Among != "" || made[1].Cost.Startup == 1 || made[1].Fabric.Reconfig != r.Fabric.Reconfig {
		t.Errorf("%q, %v, %v", made[1].Among, made[1].Cost, made[1].Fabric.Reconfig)
	}
}
