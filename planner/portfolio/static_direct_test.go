package portfolio

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// The transfers of GPU 0 stand for all: the time is that of planner static.
func TestSymmetricDirectEqualsPlannerStatic(t *testing.T) {
	static, err := planner.Registry(staged.Planners()).Lookup("static")
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, nodes := range []int{6, 8, 12, 16} {
		for _, ports := range []int{1, 2, 3, 4} {
			for _, routing := range []flow.Policy{flow.Optimal, flow.ShortestSplit} {
				for _, initial := range []string{fabric.InitialFree, fabric.InitialBase, fabric.InitialDark} {
					f := fabric.Default()
					f.Nodes, f.Ports, f.Routing, f.Initial = nodes, ports, routing, initial
					cost, ok, err := symmetricDirect(t.Context(), &f, units.MiB)
					got := cost.Total()
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						continue
					}
					answered++
					c, err := algorithms.New(collective.AllToAll, "direct", nodes, ports)
					if err != nil {
						t.Fatal(err)
					}
					want, err := static.Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(float64(got-want.Cost.Total())) > 1e-9*float64(got) {
						t.Errorf("%d nodes, %d ports, %s, initially %s: %v, static takes %v", nodes, ports, routing, initial, got, want.Cost.Total())
					}
				}
			}
		}
	}
	if answered < 30 {
		t.Errorf("answered %d times only", answered)
	}
}

// A time that is already known equals that of planning again: the time of the plan itself, of a
// baseline, or of the same algorithm.
func TestStaticDirectKnowsWhatPlanningAgainFinds(t *testing.T) {
	known := 0
	for _, nodes := range []int{5, 8, 12} {
		for _, ports := range []int{1, 2, 3} {
			for _, name := range []string{"static", "harvest", "every-step"} {
				f := fabric.Default()
				f.Nodes, f.Ports = nodes, ports
				if nodes == 8 && ports == 3 {
					f.Base = "Q(3)"
				}
				r := Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllToAll, Algorithm: "direct", Size: units.MiB}}}
				registry := planner.Registry(staged.Planners())
				s := NewSearch(Options{Planners: registry})
				by, err := registry.Lookup(name)
				if err != nil {
					t.Fatal(err)
				}
				p, err := r.Fastest(t.Context(), by, s)
				if err != nil {
					t.Fatal(err)
				}
				got, err := StaticDirect(t.Context(), p, nil, registry)
				if err != nil {
					t.Fatal(err)
				}
				if p.SameAlgorithm.Static > 0 || p.Planner == "static" {
					known++
				}
				forgotten := *p
				forgotten.SameAlgorithm.Static, forgotten.Planner = 0, "another"
				want, err := StaticDirect(t.Context(), &forgotten, nil, registry)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(float64(got-want)) > 1e-9*float64(want) {
					t.Errorf("%d nodes, %d ports, %s: %v is known, planning again finds %v", nodes, ports, name, got, want)
				}
			}
		}
	}
	if known < 20 {
		t.Errorf("known %d times only", known)
	}
}

// Above MostWhole GPUs, the fastest plan that does not reconfigure is not slower than the direct
// one on the base, which is not among the ways that are tried there.
func TestFastestWithoutRewiringIsNoSlowerThanStaticDirect(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = MostWhole+4, 4 // a torus of 1025 x 4
	r := Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllToAll, Size: units.MiB}}}
	if !r.exchangesMany() {
		t.Fatal("it is an exchange of many GPUs")
	}
	s := NewSearch(Options{Planners: staged.Planners()})
	direct, ok, err := symmetricDirect(t.Context(), &f, units.MiB)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	got, err := r.basedExchange(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got.Cost.Total() > direct.Total() {
		t.Errorf("%v, direct takes %v", got.Cost.Total(), direct.Total())
	}
	r.Operations[0].GPUs = collective.Members{0, 1}
	if r.exchangesMany() {
		t.Error("it is an exchange of two GPUs")
	}
}
