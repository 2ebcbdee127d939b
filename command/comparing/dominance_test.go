package comparing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// seedBase makes these requests different from those of other tests.
const seedBase = 14

// Auto is never slower than a named choice: any algorithm with any planner, any strategy, any
// number of topologies or chunk size of an exchange. This holds under every model of the delay,
// overlap, start, forwarding and cap, on two-way circuits, around failures, for some GPUs and
// for uneven demands. An option of one planner applies to auto too, and auto is not slower than
// that planner. Compare has a row for auto's plan.
func TestAutoIsNeverSlowerThanAnythingByName(t *testing.T) {
	t.Parallel()
	compared, draws := 0, samples.Draws(8, 16)
	for seed := range uint64(draws) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seedBase, seed))
			f, o := commandtest.DrawFabric(random), commandtest.DrawOperation(random)
			if f.Validate() != nil {
				return
			}
			if random.IntN(4) == 0 && f.Alive() == nil {
				o.GPUs = random.Perm(f.Nodes)[:2+random.IntN(f.Nodes-1)]
			}
			r := lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}
			name := fmt.Sprintf("%s of %v on %v of %+v", o.Op, o.Size, o.GPUs, f)
			best, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
			if errors.Is(err, planner.ErrInfeasible) {
				if rows, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: o}, lightpath.WithoutBaselines()); err == nil && len(rows.Rows) > 0 {
					t.Errorf("%s: no plan, but %s with %s has one", name, rows.Rows[0].Algorithm, rows.Rows[0].Planner)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: o}, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if first := all.Rows[0]; first.TotalNs > best.Cost.Total()*commandtest.Rounding {
				t.Errorf("%s: auto takes %v with %s by %s, which has no row: the fastest takes %v", name, best.Cost.Total(), best.Collective.Algorithm,
					best.Planner, first.TotalNs)
			}
			for _, row := range all.Rows {
				compared++
				if best.Cost.Total() > row.TotalNs*commandtest.Rounding {
					t.Errorf("%s: auto takes %v with %s by %s, %s by %s %s takes %v", name, best.Cost.Total(), best.Collective.Algorithm,
						best.Planner, row.Algorithm, row.Planner, row.Strategy, row.TotalNs)
				}
			}
			for _, with := range drawOptions(random, o.Op, o.Size) {
				named := r
				named.Options, named.Planner = with.Options, with.Planner
				p, err := lightpath.Plan(t.Context(), named, lightpath.WithoutBaselines())
				if errors.Is(err, planner.ErrInfeasible) {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %+v: %v", name, with, err)
				}
				compared++
				other := best
				if with.Planner == "harvest" { // a search that auto makes when it is asked to
					named.Planner = lightpath.Auto
					if other, err = lightpath.Plan(t.Context(), named, lightpath.WithoutBaselines()); err != nil {
						t.Fatal(err)
					}
				}
				if other.Cost.Total() > p.Cost.Total()*commandtest.Rounding {
					t.Errorf("%s: auto takes %v with %s by %s, %+v takes %v", name, other.Cost.Total(), other.Collective.Algorithm, other.Planner, with, p.Cost.Total())
				}
			}
		})
	}
	if compared < 20*draws {
		t.Errorf("only %d plans were compared", compared)
	}
}

// drawOptions returns random valid options of single planners.
func drawOptions(random *rand.Rand, op collective.Op, size units.Bytes) []lightpath.PlanRequest {
	if op != collective.AllToAll {
		return []lightpath.PlanRequest{{Planner: "harvest", Options: []lightpath.PlannerOptions{&lightpath.HarvestOptions{
			// The budget is for each algorithm and number of pieces.
			Synthesis: staged.SynthesisSearch, Budget: 10 * units.Millisecond,
		}}}}
	}
	return []lightpath.PlanRequest{
		{Planner: "exchange", Options: []lightpath.PlannerOptions{&lightpath.ExchangeOptions{Stages: 1 + random.IntN(4)}}},
		{Planner: "exchange", Options: []lightpath.PlannerOptions{&lightpath.ExchangeOptions{Chunk: size / units.Bytes(2+random.IntN(40))}}},
	}
}
