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
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/units"
)

// grids are layouts with islands: blocks of the grid, parts of a digit, and neither (6 of 3x4).
var grids = []struct {
	layout       string
	nodes, ports int
	islands      []int
}{
	{"2x4", 8, 2, []int{2, 4}}, {"4x2", 8, 2, []int{2, 4}}, {"4x2:1,2", 8, 3, []int{2}}, {"3x3", 9, 2, []int{3}},
	{"4x4", 16, 2, []int{2, 4, 8}}, {"4x4:2,2", 16, 4, []int{4}}, {"8x2", 16, 2, []int{2, 4}}, {"2x2x4", 16, 3, []int{4, 8}},
	{"3x4", 12, 2, []int{4, 6}}, {"2x2x3", 12, 3, []int{3, 6}}, {"cubes:1x1x2", 8, 5, []int{2, 4}},
	{"table:0,1;0,1;1,2;1,2;2,0;2,0", 6, 2, []int{2, 3}},
}

// drawnGrid returns a random fabric with islands and switches, and an operation.
func drawnGrid(t *testing.T, random *rand.Rand) (fabric.Fabric, collective.Operation) {
	t.Helper()
	g := grids[random.IntN(len(grids))]
	f := fabric.Default()
	f.Nodes, f.Ports = g.nodes, g.ports
	f.Island = fabric.Island{Size: g.islands[random.IntN(len(g.islands))], Bandwidth: []units.Bandwidth{800, 3200, 7200}[random.IntN(3)] * units.Gbps}
	f.Reconfig.Base = []units.Duration{0, units.Microsecond, 10 * units.Microsecond, units.Millisecond}[random.IntN(4)]
	f.Duplex = random.IntN(4) == 0
	if err := f.Set("switches", g.layout); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	ops := collective.Ops()
	return f, collective.Operation{Op: ops[random.IntN(len(ops))], Size: units.Bytes(1) << (8 + random.IntN(19))}
}

// TestIslandsOnSwitchesAreNeverSlower: with islands on grids, cubes and tables, the best plan is
// not slower than without the islands, than three phases (within islands, among GPUs at the same
// place, within islands again) if there are switches for them, or than any plan in the
// comparison.
func TestIslandsOnSwitchesAreNeverSlower(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 31))
	phased := 0
	for range samples.Draws(1, 6) {
		f, op := drawnGrid(t, random)
		what := fmt.Sprintf("%s of %v on %s, islands of %d at %v, two-way %v, delay %v", op.Op, op.Size, f.Layout.Short(), f.Island.Size, f.Island.Bandwidth, f.Duplex, f.Reconfig.Base)
		s := NewSearch(Options{Planners: Planners(), Bare: true})
		find := func(f fabric.Fabric, size units.Bytes) units.Time {
			r := Request{Fabric: f, Operations: []collective.Operation{{Op: op.Op, Size: size}}}
			made, err := r.Fastest(t.Context(), s.Planners().Best(), s)
			if err != nil {
				return 0
			}
			report, err := verify.Plan(t.Context(), made)
			if err != nil || !report.OK {
				t.Errorf("%s: %v %v", what, report.First(), err)
			}
			return made.Cost.Total()
		}
		best := find(f, op.Size)
		if best == 0 {
			t.Errorf("%s: no plan", what)
			continue
		}
		if flat := find(f.Flat(), op.Size); flat > 0 && planner.Above(best, flat) {
			t.Errorf("%s: %v, without islands %v", what, best, flat)
		}
		if three := threePhases(&f, op, find); three > 0 {
			if phased++; planner.Above(best, three) {
				t.Errorf("%s: %v, in three phases %v", what, best, three)
			}
		}
		least, by := comparedLeast(t, f, op, s)
		if least > 0 && planner.Above(best, least) {
			t.Errorf("%s: %v, compared are %v by %s", what, best, least, by)
		}
	}
	if phased == 0 {
		t.Error("nothing was planned in phases")
	}
}

// threePhases returns the time of an operation among GPUs at the same place, plus the phases
// before and after it within islands; 0: no switches join only these GPUs.
func threePhases(f *fabric.Fabric, op collective.Operation, find func(fabric.Fabric, units.Bytes) units.Time) units.Time {
	all := islands.Cores(f)
	rails := all[len(all)-1]
	if rails.Span != 1 || rails.Fabric.Ports == f.Ports { // not a grid of whole islands
		return 0
	}
	core := find(rails.Fabric, rails.Size(f, op.Op, op.Size))
	if core == 0 {
		return 0
	}
	others := float64(f.Island.Size-1) / float64(f.Island.Size)
	phase := f.IslandAlpha().Time() + f.IslandDelta().Time() + f.Island.Bandwidth.Transmit(float64(op.Size)*others)
	switch op.Op {
	case collective.AllReduce, collective.Broadcast, collective.RootReduce:
		phase *= 2
	}
	return core + phase
}

// comparedLeast returns the time of the fastest plan in the comparison, and its planner.
func comparedLeast(t *testing.T, f fabric.Fabric, op collective.Operation, s *Search) (least units.Time, by string) {
	t.Helper()
	r := Request{Fabric: f, Operations: []collective.Operation{op}}
	all, err := r.Compared(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, ways := range all {
		for _, w := range ways {
			laid, err := w.Lay(t.Context())
			if err != nil {
				continue
			}
			made, err := w.Planner.Plan(t.Context(), planner.Request{Fabric: f, Collective: laid.Collective, Size: laid.Size, Bare: true})
			if err == nil && (least == 0 || made.Cost.Total() < least) {
				least, by = made.Cost.Total(), fmt.Sprintf("%s of %s", w.Planner.Name(), made.Collective.Algorithm)
				if w.Core != nil {
					by += fmt.Sprintf(" (span %d of %d)", w.Core.Span, f.Island.Size)
				}
			}
		}
	}
	return least, by
}
