package portfolio

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// fixedBlocks lists graphs of fixed links, with the GPUs of each block.
var fixedBlocks = []struct {
	links string
	size  int
}{{"K(4)", 4}, {"K(3)", 3}, {"Torus(2,3)", 6}, {"Q(2)", 4}, {"BiRing(2,5)", 5}, {"UniRing(1,4)", 4}, {"Kautz(2,1)", 6}, {"Mesh(3,2)", 6}}

// TestBlocksOfFixedLinksServe: whatever the graph of fixed links is, of blocks or of all GPUs,
// plans are correct and never slower than on circuits only or, if links join all pairs of GPUs in
// a block, than three phases.
func TestBlocksOfFixedLinksServe(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 61))
	for i := range samples.Draws(3, 12) {
		kind := fixedBlocks[random.IntN(len(fixedBlocks))]
		f := fabric.Default()
		f.Nodes, f.Ports = kind.size*(1+random.IntN(3)), 1+random.IntN(2)
		f.Fixed.Bandwidth = []units.Bandwidth{100, 400, 800}[random.IntN(3)] * units.Gbps
		f.Reconfig.Base = []units.Duration{0, 1000, 10_000}[random.IntN(3)] * units.Nanosecond
		if err := f.Set("fixed", kind.links); err != nil {
			t.Fatal(err)
		}
		op := collective.Operation{Op: collective.Ops()[random.IntN(len(collective.Ops()))], Size: units.Bytes(1) << (8 + random.IntN(16))}
		what := fmt.Sprintf("%d: %s of %v, %d GPUs, %d ports, links %s at %v, delay %v", i, op.Op, op.Size, f.Nodes, f.Ports, kind.links, f.Fixed.Bandwidth, f.Reconfig.Base)
		best := checked(t, what, Request{Fabric: f, Operations: []collective.Operation{op}}).Cost.Total()
		if without := checked(t, what, Request{Fabric: f.Unfixed(), Operations: []collective.Operation{op}}).Cost.Total(); planner.Above(best, without) {
			t.Errorf("%s: %v, without links %v", what, best, without)
		}
		if !strings.HasPrefix(kind.links, "K(") {
			continue
		}
		phase := func(bytes float64) units.Time {
			return f.FixedAlpha().Time() + f.FixedDelta().Time() + f.FixedBandwidth().Transmit(bytes)
		}
		each := float64(op.Size) / float64(kind.size) // over one link in a phase
		if f.Nodes == kind.size {
			three := phase(each)
			switch op.Op {
			case collective.AllReduce, collective.Broadcast, collective.RootReduce:
				three += phase(each)
			}
			if planner.Above(best, three) {
				t.Errorf("%s: %v, by links alone %v", what, best, three)
			}
			continue
		}
		like := f.Unfixed()
		like.Island = fabric.Island{Size: kind.size, Bandwidth: f.FixedBandwidth() * units.Bandwidth(kind.size-1)}
		s := NewSearch(Options{Planners: Planners(), Bare: true}).wholly()
		three := threePhasesOn(&like, op, func(rails fabric.Fabric, size units.Bytes) units.Time {
			made, err := (&Request{Fabric: rails, Operations: []collective.Operation{{Op: op.Op, Size: size}}}).Fastest(t.Context(), s.Planners().Best(), s)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return made.Cost.Total()
		})
		if planner.Above(best, three) {
			t.Errorf("%s: %v, in three phases %v", what, best, three)
		}
	}
}
