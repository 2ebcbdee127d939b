package pass

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// exactly returns judgements of known costs, so that circuits are not examined.
func exactly(costs []float64) pricing.Judgements {
	known := make([]pricing.Judgement, len(costs))
	for i, cost := range costs {
		known[i] = pricing.Judgement{Looked: true, Exact: true, Cost: cost}
	}
	return pricing.JudgementsOf(known)
}

// exactCost returns the exact time of a step on a candidate, even if only a bound is known.
func exactCost(ctx context.Context, w *pricing.Workload, c *pricing.Candidate, index int) (float64, error) {
	cost, exact, err := w.Cost(ctx, c, index)
	if err != nil || exact {
		return cost, err
	}
	r, err := w.Route(ctx, c, &w.Classes[index], math.Inf(1))
	if err != nil {
		return 0, err
	}
	w.Settle(c, index, r)
	return c.Known.Of(index).Cost, nil
}

func TestLazySearchEqualsEagerSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	lazyCount, eagerCount := 0, 0
	for range samples.Of(30) {
		f := fabric.Default()
		f.Nodes = []int{6, 8, 12, 16}[rng.IntN(4)]
		f.Ports = 2 + rng.IntN(3)
		f.Delta = units.Duration(rng.IntN(2000)) * units.Nanosecond
		f.Reconfig.Base = units.Duration(rng.IntN(20000)) * units.Nanosecond
		op := []collective.Op{collective.AllReduce, collective.AllToAll}[rng.IntN(2)]
		able := algorithms.For(op, collective.Shape{Nodes: f.Nodes, Ports: f.Ports})
		r := stagedtest.Request(t, f, op, able[rng.IntN(len(able))].Name, units.Bytes(1+rng.IntN(1<<22)))

		total := func(eager bool) float64 {
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			p, err := pool.Harvest(context.Background(), &r, w)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range p.Candidates {
				for i := range w.Classes {
					cost, exact, err := w.Cost(t.Context(), c, i)
					if err != nil {
						t.Fatal(err)
					}
					if exact || !eager {
						continue
					}
					settled, err := exactCost(t.Context(), w, c, i)
					if err != nil {
						t.Fatal(err)
					}
					if settled < cost*(1-1e-9) {
						t.Errorf("%s: bound %v, time %v", c.Topology().Name(), cost, settled)
					}
				}
			}
			s, err := Search(t.Context(), &r, Problem{Work: w, Pool: p.Candidates})
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for _, c := range p.Candidates {
				for i := range w.Classes {
					if c.Known.Routed(i) != nil {
						count++
					}
				}
			}
			if eager {
				eagerCount += count
			} else {
				lazyCount += count
			}
			return s.Total
		}
		lazy, eager := total(false), total(true)
		if math.Abs(lazy-eager) > 1e-9*eager {
			t.Errorf("%s on %d nodes with %d ports: lazy %v, eager %v", r.Collective.Algorithm, f.Nodes, f.Ports, lazy, eager)
		}
	}
	if lazyCount*2 > eagerCount {
		t.Errorf("lazy search solved %d programs, eager %d", lazyCount, eagerCount)
	}
	t.Logf("lazy search solved %d programs, eager %d", lazyCount, eagerCount)
}
