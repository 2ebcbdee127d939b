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

// TestOneIslandUsesBothTiers: if one island has all GPUs, plans are correct and never slower than
// on only circuits, than within the island, or than over links between all pairs that together
// have the island's rate. Large operations use circuits and the island at once.
func TestOneIslandUsesBothTiers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 71))
	for i := range samples.Draws(3, 8) {
		f := fabric.Default()
		f.Nodes, f.Ports = 3+random.IntN(8), 1+random.IntN(2)
		f.Island = fabric.Island{Size: f.Nodes, Bandwidth: []units.Bandwidth{400, 1600, 7200}[random.IntN(3)] * units.Gbps}
		f.Reconfig.Base = []units.Duration{0, 1000, 10_000}[random.IntN(3)] * units.Nanosecond
		op := collective.Operation{Op: collective.Ops()[random.IntN(len(collective.Ops()))], Size: units.Bytes(1) << (8 + random.IntN(20))}
		what := fmt.Sprintf("%d: %s of %v, %d GPUs, %d ports, island %v, delay %v", i, op.Op, op.Size, f.Nodes, f.Ports, f.Island, f.Reconfig.Base)
		best := checked(t, what, Request{Fabric: f, Operations: []collective.Operation{op}}).Cost.Total()
		linked := f.Flat()
		linked.Fixed.Bandwidth = f.Island.Bandwidth / units.Bandwidth(f.Nodes-1)
		if err := linked.Set("fixed", fmt.Sprintf("K(%d)", f.Nodes)); err != nil {
			t.Fatal(err)
		}
		for _, other := range []fabric.Fabric{f.Flat(), linked} {
			if time := checked(t, what, Request{Fabric: other, Operations: []collective.Operation{op}}).Cost.Total(); planner.Above(best, time) {
				t.Errorf("%s: %v, with links %q %v", what, best, other.Fixed, time)
			}
		}
	}
	f := fabric.Default()
	f.Nodes, f.Island = 8, fabric.Island{Size: 8, Bandwidth: 1600 * units.Gbps}
	const bytes = 256 * units.MiB
	for _, op := range samples.Few(3, []collective.Op{collective.AllGather, collective.ReduceScatter, collective.AllReduce, collective.Scatter, collective.Gather}) {
		best := checked(t, string(op), Request{Fabric: f, Operations: []collective.Operation{{Op: op, Size: bytes}}})
		alone := f.Island.Bandwidth.Transmit(float64(bytes) * 7 / 8)
		if op == collective.AllReduce {
			alone *= 2
		}
		if best.Cost.Total() > alone*0.9 {
			t.Errorf("%s: %v, within the island %v at least", op, best.Cost.Total(), alone)
		}
	}
}
