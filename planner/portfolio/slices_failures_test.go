package portfolio

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// A failed GPU and a failed circuit between others leave a fabric with one GPU fewer and that
// failed circuit, and plans are as fast as on it. With the original numbering, few circuits fit
// around the failures.
func TestAFailedGPUAndCircuitLeaveASmallerFabric(t *testing.T) {
	t.Parallel()
	type failure struct{ nodes, ports, gone, from, to int }
	for _, c := range samples.Few(2, []failure{
		{8, 2, 5, 3, 4}, {8, 2, 0, 3, 4}, {9, 2, 5, 3, 4}, {12, 1, 7, 7, 8}, {12, 4, 11, 2, 9}, {128, 2, 64, 5, 6},
	}) {
		ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast}
		if c.nodes >= 128 {
			ops = ops[:1]
		}
		for _, op := range ops {
			failed := func(nodes int, text string) units.Time {
				f := fabric.Default()
				f.Nodes, f.Ports = nodes, c.ports
				if err := f.Set("avoid", text); err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%s on %d GPUs without %s", op, nodes, text)
				made := proven(t, what, f, collective.Operation{Op: op, Size: units.MiB})
				if made == nil {
					t.Fatalf("%s: no plan", what)
				}
				return made.Cost.Total()
			}
			renumbered := func(u int) int {
				if u > c.gone {
					return u - 1
				}
				return u
			}
			both := fmt.Sprintf("gpu:%d,link:%d-%d", c.gone, c.from, c.to)
			alone := fmt.Sprintf("link:%d-%d", renumbered(c.from), renumbered(c.to))
			if c.from == c.gone {
				alone = ""
			}
			got, want := failed(c.nodes, both), failed(c.nodes-1, alone)
			if got > want*(1+1e-9) {
				t.Errorf("%s on %d GPUs without %s takes %v, on one fewer without %q %v", op, c.nodes, both, got, alone, want)
			}
		}
	}
}
