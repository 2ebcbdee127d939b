package idle_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/units"
)

// rounding is the relative difference that sums of the same times in another order may have.
const rounding = 1e-9

// requests draws fabrics that can be left partly unused, with an allreduce.
func requests(t *testing.T, count int, visit func(name string, r planner.Request)) {
	for seed := range uint64(count) {
		random := rand.New(rand.NewPCG(141, seed))
		f := fabric.Default()
		f.Nodes, f.Ports = 4+random.IntN(5), 2+random.IntN(3)
		f.Reconfig = []fabric.Reconfig{
			{Model: fabric.Constant, Base: units.Microsecond},
			{Model: fabric.PerPort, Base: units.Microsecond, Each: 100 * units.Nanosecond},
			{Model: fabric.PerCircuit, Base: 300 * units.Nanosecond, Each: 100 * units.Nanosecond},
			{Model: fabric.PerSwitch, Base: 300 * units.Nanosecond, Each: units.Microsecond},
			{Model: fabric.PerSwitch, Base: 300 * units.Nanosecond, Each: units.Microsecond, Switches: f.Ports},
		}[random.IntN(5)]
		f.Overlap.Kind = []fabric.OverlapKind{fabric.OverlapNone, fabric.OverlapPorts, fabric.OverlapCircuits, fabric.OverlapPlanes}[random.IntN(4)]
		f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase, fmt.Sprintf("K(%d)", f.Nodes)}[random.IntN(4)]
		f.CapTheta = random.IntN(3) == 0
		if f.Validate() != nil {
			continue
		}
		c, err := algorithms.New(collective.AllReduce, []string{"ring", "bruck", "recursive-doubling"}[random.IntN(3)], f.Nodes, f.Ports)
		if err != nil {
			t.Fatal(err)
		}
		visit(fmt.Sprintf("seed %d: %s on %+v", seed, c.Algorithm, f), planner.Request{Fabric: f, Collective: c, Size: 1000 << random.IntN(12), Bare: true})
	}
}

// A plan that leaves ports unused takes the same time on the fabric with fewer ports, whatever is
// up at the start and whatever hides changes. So a limit on that fabric is one on this fabric,
// and the best plan there is the best here. It is verified on the whole fabric, and its bound
// holds on the whole fabric.
func TestPlansTakeTheSameWithPortsUnused(t *testing.T) {
	planners := append(staged.Planners(), staggered.New(staged.Harvest(staged.HarvestOptions{})), joint.New())
	checked := 0
	requests(t, 60, func(name string, r planner.Request) {
		for _, less := range idle.Of(&r.Fabric, false) {
			for _, p := range planners {
				if traits := planner.TraitsOf(p); traits.Applies != nil && traits.Applies(&r.Fabric) != nil {
					continue
				}
				asked, narrow := r, r
				if c := planner.TraitsOf(p).Composes; c != nil {
					asked.Collective = &collective.Collective{Op: collective.AllReduce, Algorithm: c.Algorithm, Nodes: r.Fabric.Nodes, Space: collective.SpaceOf(collective.AllReduce, r.Fabric.Nodes, 1)}
					narrow = asked
				}
				narrow.Fabric = less.On(r.Fabric)
				there, thereErr := p.Plan(t.Context(), narrow)
				here, err := less.Planner(p).Plan(t.Context(), asked)
				if errors.Is(thereErr, planner.ErrInfeasible) && errors.Is(err, planner.ErrInfeasible) {
					continue
				}
				if err != nil || thereErr != nil {
					t.Errorf("%s: %s with %+v: %v there, %v here", name, p.Name(), less, thereErr, err)
					continue
				}
				checked++
				if a, b := float64(there.Cost.Total()), float64(here.Cost.Total()); math.Abs(a-b) > rounding*b {
					t.Errorf("%s: %s takes %v on %+v, %v on the whole", name, p.Name(), there.Cost.Total(), less, here.Cost.Total())
				}
				if !here.Fabric.Equal(r.Fabric) {
					t.Errorf("%s: %s has a plan for another fabric", name, p.Name())
				}
				report, err := verify.Plan(t.Context(), here)
				if err != nil {
					t.Fatal(err)
				}
				if bad := report.First(); bad != nil {
					t.Errorf("%s: %s with %+v: %s: %s", name, p.Name(), less, bad.Name, bad.Detail)
				}
			}
		}
	})
	if checked < 200 {
		t.Errorf("only %d plans were checked", checked)
	}
}
