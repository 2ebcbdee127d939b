package staged

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// drawFabric returns a random valid fabric of 2 to 20 nodes.
func drawFabric(rng *rand.Rand) fabric.Fabric {
	f := fabric.Default()
	f.Nodes = 2 + rng.IntN(19)
	if rng.IntN(2) == 0 {
		f.Nodes = 2 << rng.IntN(4) // all algorithms apply
	}
	f.Ports = 1 + rng.IntN(4)
	f.Duplex = rng.IntN(4) == 0
	f.Bandwidth = units.Gbps * pick(rng, units.Bandwidth(25), 100, 800, 1600)
	f.Alpha = drawTime(rng, 2000)
	f.Delta = drawTime(rng, 2000)
	f.Reconfig.Model = pick(rng, fabric.Constant, fabric.PerPort, fabric.PerCircuit)
	f.Reconfig.Base = drawTime(rng, 50_000)
	if f.Reconfig.Model != fabric.Constant {
		f.Reconfig.Each = drawTime(rng, 500)
	}
	f.Forwarding = pick(rng, fabric.CutThrough, fabric.StoreAndForward)
	f.Routing = pick(rng, flow.Optimal, flow.Shortest, flow.ShortestSplit)
	back := topology.DirectedCirculant(f.Nodes, f.Nodes-1).Name()
	f.Initial = pick(rng, fabric.InitialFree, fabric.InitialDark, fabric.InitialBase, back)
	if f.Validate() != nil {
		f.Initial = fabric.InitialFree // a one-way ring or no base at all on a duplex fabric
	}
	return f
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// drawTime returns a random time of up to most nanoseconds, often 0.
func drawTime(rng *rand.Rand, most int) units.Duration {
	if rng.IntN(5) == 0 {
		return 0
	}
	// Half of the times are of the order of most, half anywhere below.
	return units.Nanosecond * units.Duration(pick(rng, rng.IntN(most), 1+int(math.Pow(float64(most), rng.Float64()))))
}

func drawCollective(t *testing.T, rng *rand.Rand, n, ports int) *collective.Collective {
	t.Helper()
	op := pick(rng, collective.Ops()...)
	c, err := algorithms.New(op, pick(rng, algorithms.For(op, collective.Shape{Nodes: n, Ports: ports})...).Name, n, ports)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// On every fabric and collective: HARVEST's pool includes the choices of Light Bends, which
// include both extremes (light-bends §3.3, HARVEST §4), so their times are in that order; none is
// below the bound; every plan is correct; and the total of the dynamic program is the cost of the
// plan. Every seed is a separate test that can run alone.
func TestPlannersAreOrderedBoundedAndCorrect(t *testing.T) {
	for seed := range uint64(propertySeeds) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, seed))
			f := drawFabric(rng)
			r := planner.Request{Fabric: f, Collective: drawCollective(t, rng, f.Nodes, f.Ports), Size: 1 + units.Bytes(rng.IntN(1<<rng.IntN(25)))}
			total := map[string]float64{}
			for _, p := range Planners() {
				s, ok := p.(strategy)
				if !ok {
					s = p.(extreme).strategy
				}
				total[p.Name()] = checkStrategy(t, s, r)
			}
			if t.Failed() {
				t.Fatalf("%s by %s of %v on %+v", r.Collective.Op, r.Collective.Algorithm, r.Size, f)
			}
			const slack = 1 + 1e-9
			extremes := min(total["static"], total["every-step"])
			if _, err := f.BaseTopology(); err != nil {
				extremes = total["every-step"] // nothing else is possible without a base
			} else if total["light-bends"] > extremes*slack {
				t.Errorf("light-bends is above an extreme: %v on %+v", total, f)
			}
			if total["harvest"] > min(total["light-bends"], extremes)*slack {
				t.Errorf("harvest is above another: %v on %+v", total, f)
			}
		})
	}
}

// propertySeeds is the number of random requests.
const propertySeeds = 60

// checkStrategy plans, checks the plan and returns its time, or +Inf if there is none.
func checkStrategy(t *testing.T, s strategy, r planner.Request) float64 {
	t.Helper()
	chosen, err := s.choose(t.Context(), &r, newVariants(&r))
	if errors.Is(err, planner.ErrInfeasible) {
		return math.Inf(1)
	}
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	p, err := s.Plan(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	if !stagedtest.Near(float64(p.Cost.Total()), chosen.Total, 1e-9) {
		t.Errorf("%s: the schedule promises %v, the plan takes %v", s.name, chosen.Total, float64(p.Cost.Total()))
	}
	bounds := bound.OfAlgorithm(&r.Fabric, r.Collective, r.Size)
	if p.Bound != bounds.Schedule || bounds.PerStep > bounds.Schedule {
		t.Errorf("%s: bound %v of %+v", s.name, p.Bound, bounds)
	}
	if p.Bound > p.Cost.Total() && !stagedtest.Near(p.Bound, p.Cost.Total(), 1e-9) {
		t.Errorf("%s: cost %v is below the bound %v", s.name, float64(p.Cost.Total()), float64(p.Bound))
	}
	for name, baseline := range map[string]units.Time{"static": p.SameAlgorithm.Static, "every-step": p.SameAlgorithm.EveryStep} {
		if s.name == name && baseline != p.Cost.Total() && !stagedtest.Near(baseline, p.Cost.Total(), 1e-9) {
			t.Errorf("%s: its own baseline is %v, the plan takes %v", name, baseline, p.Cost.Total())
		}
	}
	for i := 1; i < len(p.Stages); i++ {
		if p.Stages[i].Topology.Equal(p.Stages[i-1].Topology) {
			t.Errorf("%s: stages %d and %d have the same circuits", s.name, i, i+1)
		}
	}
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if failed := report.First(); failed != nil {
		t.Errorf("%s: check %s: %s", s.name, failed.Name, failed.Detail)
	}
	return float64(p.Cost.Total())
}
