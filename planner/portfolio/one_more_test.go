package portfolio

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// One more GPU means neither much more work nor a much slower plan. Above 4096 GPUs, a scatter
// down a tree, whose time has a known upper bound, was once planned before the one that sends
// everything at once: 13 steps on each of thousands of translates of the base.
func TestOneMoreGPUIsLittleMoreWork(t *testing.T) {
	for i, op := range []collective.Op{collective.Scatter, collective.Gather} {
		sizes := []units.Bytes{64 * units.KiB, 64 * units.MiB}
		if !samples.Every() {
			sizes = sizes[i : i+1] // one reverses the other: small and large in turn
		}
		for _, size := range sizes {
			var asked [2]int
			var took [2]units.Time
			for i := range asked {
				f := fabric.Default()
				f.Nodes, f.Ports = 4096+i, 4
				ctx := countdown.New(t.Context(), 1<<40)
				s := NewSearch(Options{Planners: Planners(), Bare: true})
				r := Request{Operations: []collective.Operation{{Op: op, Size: size}}, Fabric: f}
				p, err := r.Fastest(ctx, s.Planners().Best(), s)
				if err != nil {
					t.Fatal(err)
				}
				asked[i], took[i] = ctx.Asked(), p.Cost.Total()
			}
			if asked[1] > 10*asked[0] {
				t.Errorf("%s of %v: %d questions with 4097 GPUs, %d with 4096", op, size, asked[1], asked[0])
			}
			if planner.Above(took[1], took[0]*1.01) {
				t.Errorf("%s of %v: %v with 4097 GPUs, %v with 4096", op, size, took[1], took[0])
			}
		}
	}
}
