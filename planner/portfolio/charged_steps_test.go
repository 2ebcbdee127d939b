package portfolio_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// With every planner, a request takes at least as long if steps are charged as if changes are.
// Plans are correct and not below their bounds, and the best of all planners is not slower than
// any.
func TestEveryPlannerWhereStepsAreCharged(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 7))
	registry := portfolio.Planners()
	made := map[string]int{}
	for range samples.Draws(1, 24) {
		s := portfolio.NewSearch(portfolio.Options{Planners: registry, Bare: true})
		f := fabric.Default()
		f.Nodes, f.Ports = 4+rng.IntN(5), 1+rng.IntN(3)
		f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[rng.IntN(3)]
		f.Reconfig.Base = units.Duration(math.Pow(10, 2+3*rng.Float64())) * units.Nanosecond
		op := []collective.Op{collective.AllReduce, collective.AllGather, collective.AllToAll, collective.Broadcast}[rng.IntN(4)]
		operations := []collective.Operation{{Op: op, Size: units.Bytes(1) << (10 + rng.IntN(14)), Algorithm: collective.Auto}}
		if rng.IntN(4) == 0 {
			operations = append(operations, collective.Operation{Op: collective.AllGather, Size: units.MiB, Algorithm: collective.Auto})
		}
		best, least := units.Time(0), units.Time(math.Inf(1))
		for _, p := range registry {
			times := map[fabric.Charge]units.Time{}
			for _, charge := range []fabric.Charge{fabric.ChargeChanges, fabric.ChargeSteps} {
				r := portfolio.Request{Operations: operations, Fabric: f}
				r.Fabric.Charge = charge
				found, err := r.Fastest(t.Context(), p, s)
				if err != nil {
					continue // same as for changes, or below
				}
				times[charge] = found.Cost.Total()
				if charge == fabric.ChargeSteps {
					made[found.Planner]++
					checkCharged(t, found, &r.Fabric)
				}
			}
			usual, steps := times[fabric.ChargeChanges], times[fabric.ChargeSteps]
			if (usual == 0) != (steps == 0) || steps < usual*(1-1e-9) {
				t.Errorf("%s, %v on %+v: %v where changes are charged, %v where steps are", p.Name(), operations, f, usual, steps)
			}
			if steps == 0 {
				continue
			}
			least = min(least, steps)
			if planner.TraitsOf(p).Best {
				best = steps
			}
		}
		if best > least*(1+1e-9) {
			t.Errorf("%v on %+v: the best of all takes %v, another planner %v", operations, f, best, least)
		}
	}
	if len(made) < 6 {
		t.Errorf("only these planners have plans: %v", made)
	}
}

// checkCharged verifies a plan for a fabric.
func checkCharged(t *testing.T, p *plan.Plan, f *fabric.Fabric) {
	t.Helper()
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if failed := report.First(); failed != nil {
		t.Errorf("%s: %s: %s", p.Planner, failed.Name, failed.Detail)
	}
	if !p.Fabric.Equal(*f) {
		t.Errorf("%s: the plan is for %+v, not %+v", p.Planner, p.Fabric, *f)
	}
	if p.Bound > p.Cost.Total()*(1+1e-9) {
		t.Errorf("%s: %v is below the bound %v", p.Planner, p.Cost.Total(), p.Bound)
	}
}

// A limit does not change plans within it.
func TestChargedStepsWithinALimit(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Charge, f.Initial = 8, 2, fabric.ChargeSteps, fabric.InitialBase
	r := portfolio.Request{Operations: []collective.Operation{{Op: collective.AllReduce, Size: units.MiB, Algorithm: collective.Auto}}, Fabric: f}
	s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners()})
	for _, p := range s.Planners() {
		ways, err := r.Ways(t.Context(), p, s)
		if err != nil {
			continue
		}
		for _, w := range ways {
			laid, err := w.Lay(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			asked := planner.Request{Fabric: f, Collective: laid.Collective, Size: laid.Size, Bare: true}
			made, err := w.Planner.Plan(t.Context(), asked)
			if err != nil {
				continue
			}
			asked.Limit = made.Cost.Total()
			if again, err := w.Planner.Plan(t.Context(), asked); err != nil || again.Cost != made.Cost {
				t.Errorf("%s, %s: within its own time %v, %v; want %v", p.Name(), w.Algorithm, again, err, made.Cost.Total())
			}
			asked.Limit = made.Cost.Total() / 2
			if _, err := w.Planner.Plan(t.Context(), asked); !errors.Is(err, planner.ErrBeyond) {
				t.Errorf("%s, %s: within half its time: %v", p.Name(), w.Algorithm, err)
			}
		}
	}
}

// The best of all planners is not slower than the fastest plan that does not reconfigure, even if
// a planner that makes its own steps would reconfigure if only changes were charged.
func TestChargedStepsAreNoReasonNotToStay(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Charge, f.Reconfig.Base = 8, fabric.ChargeSteps, 2*units.Microsecond
	s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
	for _, size := range samples.Few(3, []units.Bytes{units.KiB, 12_501, 66_667, 70_000, 300_001, units.MiB}) {
		r := portfolio.Request{Operations: []collective.Operation{{Op: collective.AllReduce, Size: size, Algorithm: collective.Auto}}, Fabric: f}
		best, err := r.Fastest(t.Context(), s.Planners().Best(), s)
		if err != nil {
			t.Fatal(err)
		}
		static, err := r.Staying(t.Context(), nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if best.Cost.Total() > static.Cost.Total()*(1+1e-9) {
			t.Errorf("%v: %v by %s, %v without rewiring by %s", size, best.Cost.Total(), best.Planner, static.Cost.Total(), static.Planner)
		}
	}
}
