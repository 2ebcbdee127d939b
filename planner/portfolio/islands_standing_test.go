package portfolio

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// TestSequencesThatStayUseIslands: the best sequence of operations that changes no circuits is
// correct, indeed changes none, and is never slower than without the islands. The best sequence
// is never slower than that. On the first fabric it once took four times as long as now.
func TestSequencesThatStayUseIslands(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 81))
	for i := range samples.Draws(2, 6) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Island = 16, 2, fabric.Island{Size: 4, Bandwidth: 7200 * units.Gbps}
		r := Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}, {Op: collective.AllToAll, Size: 4 * units.MiB}}}
		if i > 0 {
			size := 2 + random.IntN(3)
			r.Fabric.Nodes, r.Fabric.Ports = size*(2+random.IntN(2)), 1+random.IntN(2)
			r.Fabric.Island = fabric.Island{Size: size, Bandwidth: units.Bandwidth(400+random.IntN(8000)) * units.Gbps}
			for k := range r.Operations {
				r.Operations[k] = collective.Operation{Op: collective.Ops()[random.IntN(len(collective.Ops()))], Size: units.Bytes(1) << (10 + random.IntN(14))}
			}
		}
		what := fmt.Sprintf("%d: %v then %v on %d GPUs, %d ports, islands %v", i, r.Operations[0].Op, r.Operations[1].Op, r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Island)
		s := NewSearch(Options{Planners: Planners(), Bare: true})
		stays, err := r.Staying(t.Context(), nil, s)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if report, err := verify.Plan(t.Context(), stays); err != nil || !report.OK || stays.Reconfigurations > 0 {
			t.Errorf("%s: %d changes, %v, %v", what, stays.Reconfigurations, report.First(), err)
		}
		if i == 0 && stays.Cost.Total() > 40_000 {
			t.Errorf("%s: %v", what, stays.Cost.Total())
		}
		flat := Request{Fabric: r.Fabric.Flat(), Operations: r.Operations}
		if without, err := flat.Staying(t.Context(), nil, s); err == nil && planner.Above(stays.Cost.Total(), without.Cost.Total()) {
			t.Errorf("%s: %v, without islands %v", what, stays.Cost.Total(), without.Cost.Total())
		}
		if best := checked(t, what, r).Cost.Total(); planner.Above(best, stays.Cost.Total()) {
			t.Errorf("%s: %v, and %v without a change", what, best, stays.Cost.Total())
		}
	}
}
