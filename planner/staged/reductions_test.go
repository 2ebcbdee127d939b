package staged

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Every planner makes plans of every algorithm for reductions that the verifier accepts on data.
func TestPlansOfReductionsVerify(t *testing.T) {
	for _, algorithm := range []string{
		"bine", "bruck", "bruck:r=2", "bruck:r=5", "direct-exchange", "double-binary-tree:parts=1", "double-binary-tree:parts=2",
		"rabenseifner", "recursive-doubling", "swing", "trivance", "trivance-bandwidth", "two-way-ring",
	} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for i, n := range []int{8, 9, 16} {
				for j, ports := range []int{1, 2, 4} {
					for k, op := range []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.AllGather} {
						if (i+j+k)%2 > 0 && !samples.Every() {
							continue // in turn
						}
						c, err := algorithms.New(op, algorithm, n, ports)
						if err != nil {
							continue
						}
						tried++
						f := fabric.Default()
						f.Nodes, f.Ports = n, ports
						for _, p := range Planners() {
							at := fmt.Sprintf("%s of %s on %d GPUs with %d ports", p.Name(), op, n, ports)
							made, err := p.Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: 256 * units.KiB})
							if err != nil {
								t.Fatalf("%s: %v", at, err)
							}
							report, err := verify.Plan(t.Context(), made)
							if err != nil {
								t.Fatal(err)
							}
							if failed := report.First(); failed != nil {
								t.Fatalf("%s: check %s: %s", at, failed.Name, failed.Detail)
							}
						}
					}
				}
			}
			if tried == 0 {
				t.Error("there is nothing to plan")
			}
		})
	}
}
