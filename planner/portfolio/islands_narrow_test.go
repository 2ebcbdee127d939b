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

// TestLostPortsCostTheirShare: a plan around one lost port is correct, and never slower than if
// all GPUs at that place have lost the port. The first case has 32 GPUs, and 512 with -every, on
// which the loss of one of an island's eight ports once made plans take 1.75 times as long.
func TestLostPortsCostTheirShare(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 12))
	for i := range samples.Draws(2, 4) {
		f := fabric.Default()
		f.Nodes, f.Island = 32, fabric.Island{Size: 8, Bandwidth: 7200 * units.Gbps}
		if samples.Every() {
			f.Nodes = 512
		}
		op := collective.Operation{Op: collective.AllReduce, Size: units.MiB}
		place := 7
		if i > 0 {
			f.Island.Size = 2 + random.IntN(4)
			f.Nodes, f.Ports = f.Island.Size*(2+random.IntN(samples.Draws(6, 20))), 1+random.IntN(2)
			f.Duplex = random.IntN(3) == 0
			op.Op, op.Size = collective.Ops()[random.IntN(len(collective.Ops()))], units.Bytes(1)<<(12+random.IntN(12))
			place = random.IntN(f.Island.Size)
		}
		what := fmt.Sprintf("%s of %v, %d GPUs in islands of %d, %d ports, two-way %v, place %d", op.Op, op.Size, f.Nodes, f.Island.Size, f.Ports, f.Duplex, place)
		time := func(avoid string) units.Time {
			f := f
			if err := f.Set("avoid", avoid); err != nil {
				t.Fatal(err)
			}
			r := Request{Fabric: f, Operations: []collective.Operation{op}}
			made, err := r.Fastest(t.Context(), Planners().Best(), NewSearch(Options{Planners: Planners(), Bare: true}))
			if err != nil {
				t.Fatalf("%s without %s: %v", what, avoid, err)
			}
			if report, err := verify.Plan(t.Context(), made); err != nil || !report.OK {
				t.Errorf("%s without %s: %v, %v", what, avoid, report.First(), err)
			}
			return made.Cost.Total()
		}
		one, all := time(fmt.Sprintf("port:%d", place)), ""
		for u := place; u < f.Nodes; u += f.Island.Size {
			all += fmt.Sprintf(",port:%d", u)
		}
		if every := time(all[1:]); planner.Above(one, every) {
			t.Errorf("%s: %v, and %v without the ports of all islands", what, one, every)
		}
		if i == 0 {
			if whole := time(""); one > 1.2*whole {
				t.Errorf("%s: %v, and %v with all ports", what, one, whole)
			}
		}
	}
}
