package portfolio

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// TestBoundsOfGPUsWithoutTheirIsland: if an electrical switch has failed, no plan is faster than
// the bound, which counts what one of the switch's GPUs receives over its ports.
func TestBoundsOfGPUsWithoutTheirIsland(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 13))
	for range samples.Draws(3, 6) {
		f := fabric.Default()
		f.Island = fabric.Island{Size: 2 + random.IntN(3), Bandwidth: units.Bandwidth(400+random.IntN(8000)) * units.Gbps}
		f.Nodes, f.Ports = f.Island.Size*(2+random.IntN(3)), 1+random.IntN(2)
		f.Avoid, _ = fabric.ParseFailures(fmt.Sprintf("island:%d", random.IntN(f.Islands())))
		op := collective.Operation{Op: collective.Ops()[random.IntN(len(collective.Ops()))], Size: units.Bytes(1) << (12 + random.IntN(12))}
		what := fmt.Sprintf("%s of %v, %d GPUs, %d ports, islands %v, without %v", op.Op, op.Size, f.Nodes, f.Ports, f.Island, f.Avoid)
		r := Request{Fabric: f, Operations: []collective.Operation{op}}
		made, err := r.Fastest(t.Context(), Planners().Best(), NewSearch(Options{Planners: Planners(), Bare: true}))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		least := made.OperationBound().Total()
		if planner.Above(least, made.Cost.Total()) {
			t.Errorf("%s: the bound is %v, a plan takes %v", what, least, made.Cost.Total())
		}
		if lone := f.Bandwidth.Transmit(float64(op.Size) / float64(f.Ports)); op.Op == collective.AllReduce && least < lone {
			t.Errorf("%s: the bound is %v, a GPU receives for %v", what, least, lone)
		}
	}
}
