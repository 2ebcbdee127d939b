package plan_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// TestSequencesFallApart: the plan of every operation of a sequence is correct in itself, and
// together with the changes between them they take as long as the sequence.
func TestSequencesFallApart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 12))
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll}
	for i := range samples.Of(12) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Initial = []int{4, 6, 8}[random.IntN(3)], 1+random.IntN(2), fabric.InitialDark
		f.Reconfig.Base = []units.Duration{0, units.Microsecond, 20 * units.Microsecond}[random.IntN(3)]
		r := &portfolio.Request{Fabric: f}
		for range 2 + random.IntN(2) {
			r.Operations = append(r.Operations, collective.Operation{Op: ops[random.IntN(len(ops))], Size: units.Bytes(64<<(3*random.IntN(3))) * units.KiB})
		}
		s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
		whole, err := r.Fastest(t.Context(), s.Planners().Best(), s)
		if err != nil {
			t.Fatal(err)
		}
		apart, err := whole.Apart(t.Context())
		if err != nil || len(apart) != len(r.Operations) {
			t.Fatalf("%d: %v by %s: %d plans, %v", i, r.Operations, whole.Planner, len(apart), err)
		}
		sum := f.Reconfig.Base.Time() // of the first circuits
		for k, one := range apart {
			if report, err := verify.Plan(t.Context(), one); err != nil || !report.OK {
				t.Errorf("%d: operation %d of %v: %v, %v", i, k, r.Operations, report.First(), err)
			}
			sum += one.Cost.Total()
			if k > 0 && !apart[k-1].Stages[len(apart[k-1].Stages)-1].Topology.Equal(one.Stages[0].Topology) {
				sum += f.Reconfig.Base.Time()
			}
		}
		if total := whole.Cost.Total(); planner.Above(sum, total) || planner.Above(total, sum) {
			t.Errorf("%d: %v takes %v, and apart %v", i, r.Operations, total, sum)
		}
	}
}
