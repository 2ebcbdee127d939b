package comparing_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// Under every delay model and kind of overlap, plan (auto over all algorithms) is never slower
// than a row of compare, and never slower than itself without overlap or with a larger delay.
func TestAutoIsNeverSlowerThanCompareUnderAnyDelayModel(t *testing.T) {
	t.Parallel()
	without := map[[2]uint64]units.Time{} // overlap, by model and draw
	for i, model := range []string{"%dns", "per-port:%dns+40ns", "per-circuit:%dns+70ns", "per-switch:%dns+900ns", "per-switch/1:%dns+900ns"} {
		for j, overlap := range []string{"none", "compute:2us", "ports", "circuits", "planes"} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			t.Run(model+" "+overlap, func(t *testing.T) {
				for _, draw := range samples.Few(1, []uint64{0, 1, 2, 3}) {
					compareUnder(t, model, overlap, [2]uint64{draw, uint64(i)}, without)
				}
			})
		}
	}
}

func compareUnder(t *testing.T, model, overlap string, which [2]uint64, without map[[2]uint64]units.Time) {
	t.Helper()
	rng := rand.New(rand.NewPCG(13+which[0], which[1]))
	f := fabric.Default()
	f.Nodes, f.Ports = 4+rng.IntN(3), 2+rng.IntN(2)
	f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[rng.IntN(3)]
	base := 500 << rng.IntN(6)
	f.Reconfig = reconfigOf(t, fmt.Sprintf(model, base))
	op := lightpath.Operation{Op: collective.Ops()[rng.IntN(len(collective.Ops()))], Size: units.KiB << rng.IntN(16)}
	if without[which] == 0 {
		without[which] = planned(t, f, op)
	}
	plain := without[which]
	var err error
	if f.Overlap, err = fabric.ParseOverlap(overlap); err != nil {
		t.Fatal(err)
	}
	ours := plain
	if f.Overlap != (fabric.Overlap{}) {
		ours = planned(t, f, op)
	}
	if ours > plain*(1+1e-9) {
		t.Errorf("%v, without overlap %v", ours, plain)
	}
	c, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: op}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	if best := c.Rows[0]; ours > best.TotalNs*(1+1e-9) {
		t.Errorf("auto takes %v, %s by %s %v", ours, best.Algorithm, best.Planner, best.TotalNs)
	}
	f.Reconfig = reconfigOf(t, fmt.Sprintf(model, base/3))
	if faster := planned(t, f, op); faster > ours*(1+1e-9) {
		t.Errorf("%v at a third of the delay, %v at all of it", faster, ours)
	}
}

func reconfigOf(t *testing.T, text string) fabric.Reconfig {
	t.Helper()
	r, err := fabric.ParseReconfig(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// planned returns the time of auto's plan.
func planned(t *testing.T, f fabric.Fabric, op lightpath.Operation) units.Time {
	t.Helper()
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{op}}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	return p.Cost.Total()
}
