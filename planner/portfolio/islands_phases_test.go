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

// TestNeverSlowerThanThreePhases: whatever latencies islands have, no operation is slower than in
// three phases whose transfers carry whole values: within islands, among GPUs at the same place,
// and within islands again.
func TestNeverSlowerThanThreePhases(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 51))
	latencies := []units.Duration{0, 10, 100, 500, 1000}
	for i := range samples.Draws(3, 15) {
		f := fabric.Default()
		f.Island = fabric.Island{
			Size: 2 + random.IntN(3), Bandwidth: []units.Bandwidth{400, 800, 3600, 7200}[random.IntN(4)] * units.Gbps,
			Alpha: fabric.Own(latencies[random.IntN(5)] * units.Nanosecond), Delta: fabric.Own(latencies[random.IntN(5)] * units.Nanosecond),
		}
		f.Nodes, f.Ports = f.Island.Size*(2+random.IntN(6)), 1+random.IntN(2)
		f.Reconfig.Base = []units.Duration{0, 100, 1000, 10_000, 1000_000}[random.IntN(5)] * units.Nanosecond
		op := collective.Operation{Op: collective.Ops()[random.IntN(len(collective.Ops()))], Size: units.Bytes(1) << (8 + random.IntN(16))}
		what := fmt.Sprintf("%d: %s of %v, %d GPUs, %d ports, islands %+v, delay %v", i, op.Op, op.Size, f.Nodes, f.Ports, f.Island, f.Reconfig.Base)
		best := checked(t, what, Request{Fabric: f, Operations: []collective.Operation{op}}).Cost.Total()
		s := NewSearch(Options{Planners: Planners(), Bare: true}).wholly()
		three := threePhasesOn(&f, op, func(rails fabric.Fabric, size units.Bytes) units.Time {
			r := Request{Fabric: rails, Operations: []collective.Operation{{Op: op.Op, Size: size}}}
			made, err := r.Fastest(t.Context(), s.Planners().Best(), s)
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

// threePhasesOn returns the time of an operation among GPUs at the same place on an ideal switch,
// plus the phases before and after it within islands.
func threePhasesOn(f *fabric.Fabric, op collective.Operation, find func(fabric.Fabric, units.Bytes) units.Time) units.Time {
	size := op.Size
	if op.Op != collective.AllToAll {
		each := units.Bytes(f.Island.Size)
		size = (size + each - 1) / each
	}
	others := float64(f.Island.Size-1) / float64(f.Island.Size)
	phase := f.IslandAlpha().Time() + f.IslandDelta().Time() + f.Island.Bandwidth.Transmit(float64(op.Size)*others)
	switch op.Op {
	case collective.AllReduce, collective.Broadcast, collective.RootReduce:
		phase *= 2
	}
	return find(f.Core(1), size) + phase
}
