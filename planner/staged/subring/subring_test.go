package subring

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// subringTolerance is for sums of at most a few hundred float64 values.
const subringTolerance = 1e-12

func mustSubring(t testing.TB, radix, phases int, share float64) *Model {
	t.Helper()
	s, err := New(radix, phases, share)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// printed is C(R) as ReTri §3.4 prints it, for any radix and share:
// s*alpha + (R+1)*y*(b^(s/(R+1)) - 1)/(b-1) + R*delta, y = alpha_h + beta*share*m.
func printed(radix, phases int, share float64, changes int, t Timing, size units.Bytes) float64 {
	segments := float64(changes + 1)
	y := float64(t.Delta.Time()) + share*float64(size)*8e9/float64(t.Bandwidth)
	hops := (math.Pow(float64(radix), float64(phases)/segments) - 1) / float64(radix-1)
	return float64(phases)*float64(t.Alpha.Time()) + segments*y*hops + float64(changes)*float64(t.Reconfig.Time())
}

// C(R) is the printed formula if R+1 divides the number of phases. Otherwise the printed formula
// counts fractions of phases and is less than any schedule takes.
func TestSubringCostsAreThePrintedOnesWhereSegmentsAreEqual(t *testing.T) {
	f := stagedtest.ScaleUp(81, 10*units.Microsecond)
	timing := TimingOf(&f)
	for _, kind := range []struct {
		radix int
		share float64
	}{{3, 1. / 3}, {2, 1. / 4}, {5, 1. / 5}, {7, 1. / 7}} {
		for phases := 1; phases <= 12; phases++ {
			s := mustSubring(t, kind.radix, phases, kind.share)
			costs := s.Costs(timing, units.MiB)
			if len(costs) != phases || s.Phases() != phases {
				t.Fatalf("radix %d: %d costs of %d phases", kind.radix, len(costs), phases)
			}
			for changes, got := range costs {
				want := printed(kind.radix, phases, kind.share, changes, timing, units.MiB)
				equal := stagedtest.Near(float64(got), want, subringTolerance)
				if phases%(changes+1) == 0 && !equal {
					t.Errorf("radix %d, %d phases: C(%d) = %v, printed %v", kind.radix, phases, changes, float64(got), want)
				}
				if phases%(changes+1) != 0 && (equal || float64(got) < want) {
					t.Errorf("radix %d, %d phases: C(%d) = %v, not above the printed %v", kind.radix, phases, changes, float64(got), want)
				}
			}
		}
	}
}

// onSegments returns the schedule of a collective with given circuits for its segments: two-way
// circulants of jumps times the distance of the segment's ring.
func onSegments(w *pricing.Workload, segments []Segment, jumps ...int) *pass.Schedule {
	n := w.Fabric.Nodes
	s := &pass.Schedule{Work: w}
	for _, segment := range segments {
		var graph *topology.Graph
		if 2*segment.Jump == n {
			graph = topology.DirectedCirculant(n, segment.Jump, segment.Jump)
		} else {
			graph = topology.Circulant(n, each.Of(jumps, func(a int) int { return a * segment.Jump })...)
		}
		c := pricing.GraphCandidate(graph)
		for range segment.Last - segment.First + 1 {
			s.Choice = append(s.Choice, c)
		}
	}
	return s
}

// priced makes a plan of a collective on segments and verifies it.
func priced(t *testing.T, r planner.Request, segments []Segment, jumps ...int) units.Time {
	t.Helper()
	p, err := onSegments(pricing.NewWorkload(&r, r.Collective.Steps), segments, jumps...).Build(t.Context(), &r, "test")
	if err != nil {
		t.Fatal(err)
	}
	stagedtest.Verify(t, p)
	// C(R) also counts a change between neighbours with the same rings.
	same := len(segments) - 1 - p.Reconfigurations
	for i := 1; i < len(segments); i++ {
		if segments[i].Jump == segments[i-1].Jump {
			same--
		}
	}
	if same != 0 {
		t.Fatalf("%d changes in segments %v", p.Reconfigurations, segments)
	}
	return p.Cost.Total() + units.Time(len(segments)-1-p.Reconfigurations)*r.Fabric.Reconfig.Base.Time()
}

// The system of §4 with 81 GPUs and its four phases: plans priced only from their routes take
// C(R), which is the printed formula for R = 0, 1, 3, and 6 hops of y for R = 2.
func TestPlansOf81NodesTakeWhatSubringSays(t *testing.T) {
	const n, phases = 81, 4
	hops := []float64{40, 8, 6, 4}
	for _, delay := range []units.Duration{units.Microsecond, units.Millisecond} {
		for _, size := range []units.Bytes{units.KiB, units.MiB, 256 * units.MiB} {
			f := stagedtest.ScaleUp(n, delay)
			r := stagedtest.Request(t, f, collective.AllToAll, "retri", size)
			timing := TimingOf(&f)
			s := mustSubring(t, 3, phases, 1./3)
			for changes, cost := range s.Costs(timing, size) {
				y := 1000 + float64(size)/3*8/400
				want := 4*1700 + hops[changes]*y + float64(changes)*float64(delay.Time())
				if phases%(changes+1) == 0 && !stagedtest.Near(printed(3, phases, 1./3, changes, timing, size), want, subringTolerance) {
					t.Errorf("%v: the formula gives %v, want %v", size, printed(3, phases, 1./3, changes, timing, size), want)
				}
				segments, err := s.Segments(changes)
				if err != nil {
					t.Fatal(err)
				}
				if plan := priced(t, r, segments, 1); !stagedtest.Near(float64(cost), want, subringTolerance) || !stagedtest.Near(float64(plan), want, subringTolerance) {
					t.Errorf("%v, %d changes: C(R) = %v, plan %v, want %v", size, changes, float64(cost), float64(plan), want)
				}
			}
		}
	}
}

// With 2q ports (§5, "Extension Beyond Rings") the radix is 2q+1, and the best routes on the
// circulants of jumps radix^k, 2*radix^k, .. take the time of the model.
func TestPlansOfMorePortsTakeWhatSubringSays(t *testing.T) {
	for _, c := range []struct{ ports, phases int }{{4, 1}, {4, 2}, {4, 3}, {6, 2}} {
		radix := c.ports + 1
		s := mustSubring(t, radix, c.phases, 1/float64(radix))
		f := stagedtest.ScaleUp(int(math.Pow(float64(radix), float64(c.phases))), 3*units.Microsecond)
		f.Ports = c.ports
		r := stagedtest.Request(t, f, collective.AllToAll, "retri", units.MiB)
		jumps := []int{1, 2, 3}[:c.ports/2]
		timing := TimingOf(&f)
		for changes, cost := range s.Costs(timing, units.MiB) {
			segments, err := s.Segments(changes)
			if err != nil {
				t.Fatal(err)
			}
			// Linear programs for routes are solved to a relative 1e-9 or better.
			if plan := priced(t, r, segments, jumps...); !stagedtest.Near(float64(plan), float64(cost), 1e-9) {
				t.Errorf("%d ports, %d nodes, %d changes: plan %v, C(R) = %v", c.ports, f.Nodes, changes, float64(plan), float64(cost))
			}
		}
	}
}

// ReTri §5 says that other numbers of nodes perform as the next power of three. They
// need not: 64 nodes take less than 81 for the same bytes per node, for every number of
// changes. But 80 nodes take more with a change before every phase: the block for the
// node opposite has no mirror image, so that 27/80 of the bytes go the same way.
func TestRetriOtherSizesDifferFromTheNextPower(t *testing.T) {
	for size := units.KiB; size <= 256*units.MiB; size *= 4 {
		for _, delay := range []units.Duration{units.Microsecond, 10 * units.Microsecond, units.Millisecond, 50 * units.Millisecond} {
			costs, best := map[int][]float64{}, map[int]float64{}
			for _, n := range []int{64, 80, 81} {
				f := stagedtest.ScaleUp(n, delay)
				costs[n] = exhaustive(stagedtest.Request(t, f, collective.AllToAll, "retri", size).Collective, TimingOf(&f), size)
				best[n] = slices.Min(costs[n])
			}
			for changes, next := range costs[81] {
				if !(costs[64][changes] < next) {
					t.Errorf("%v, %v, %d changes: 64 nodes take %v, 81 take %v", size, delay, changes, costs[64][changes], next)
				}
			}
			if !(best[64] < best[81]) {
				t.Errorf("%v, %v: 64 nodes take %v, 81 take %v", size, delay, best[64], best[81])
			}
			if !(costs[80][3] > costs[81][3]) {
				t.Errorf("%v, %v, 3 changes: 80 nodes take %v, 81 take %v", size, delay, costs[80][3], costs[81][3])
			}
		}
	}
}

// §4 compares ReTri on 81 nodes with Bridge on 64 and reports 1.2 to 2.1 times its speed
// from packet simulation. The cost model of §3.4, with the parameters of §4, gives less
// over the same sizes and delays. Without changes, phases are 6 to 4, hops 63 to 40 and
// bytes 63/4 to 40/3; with one before each phase, hops are 6 to 4 and bytes 6/4 to 4/3.
func TestModelOfRetriOverBridge(t *testing.T) {
	retri, bridge := mustSubring(t, 3, 4, 1./3), mustSubring(t, 2, 6, 1./4)
	least, most := math.Inf(1), 0.
	for _, delay := range []units.Duration{1, 10, 100, 1000, 10_000, 50_000} {
		for size := units.KiB; size <= 256*units.MiB; size *= 2 {
			f := stagedtest.ScaleUp(81, delay*units.Microsecond)
			_, ours := retri.Search(TimingOf(&f), size)
			_, theirs := bridge.Search(TimingOf(&f), size)
			least, most = min(least, float64(theirs/ours)), max(most, float64(theirs/ours))
		}
	}
	if !stagedtest.Near(least, 1.0697, 1e-3) || !stagedtest.Near(most, 1.5619, 1e-3) {
		t.Errorf("ReTri is %.4f to %.4f times as fast, want 1.0697 to 1.5619", least, most)
	}
}

func TestSubringRefusesWhatItCannotDo(t *testing.T) {
	for _, c := range []struct {
		radix, phases int
		share         float64
		want          string
	}{
		{1, 3, 0.5, "the radix must be 2 or more, not 1"},
		{3, 0, 0.5, "there must be 1 phase or more, not 0"},
		{3, -1, 0.5, "there must be 1 phase or more, not -1"},
		{3, 4, -1, "the share of a phase must be a number from 0 on, not -1"},
		{3, 4, math.NaN(), "not NaN"},
		{3, 4, math.Inf(1), "not +Inf"},
		{2, 54, 0.25, "54 phases of radix 2 are for more than 2^53 nodes"},
		{3, math.MaxInt, 0.25, "more than 2^53 nodes"},
		{math.MaxInt, 2, 0.25, "more than 2^53 nodes"},
	} {
		if _, err := New(c.radix, c.phases, c.share); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("radix %d, %d phases, share %v: %v, want %q", c.radix, c.phases, c.share, err, c.want)
		}
	}
	s := mustSubring(t, 3, 4, 1./3)
	for _, changes := range []int{-1, 4} {
		want := fmt.Sprintf("between 4 phases there are 0 to 3 changes, not %d", changes)
		if _, err := s.Cost(changes, Timing{}, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Cost(%d): %v, want %q", changes, err, want)
		}
		if _, err := s.Segments(changes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Segments(%d): %v, want %q", changes, err, want)
		}
	}
}

// A link without bandwidth makes every schedule take infinitely long, and has no other effect.
func TestSubringWithoutBandwidth(t *testing.T) {
	s := mustSubring(t, 3, 4, 1./3)
	if changes, total := s.Search(Timing{}, units.MiB); changes != 0 || !math.IsInf(float64(total), 1) {
		t.Errorf("%d changes, %v", changes, total)
	}
}

// In units of y, 81 nodes take 40, 8, 6, 4 for R = 0..3: at a delay of 2y, R = 1, 2 and 3 are
// equally good, and at 32y, R = 0 and 1. Ties go to fewer changes.
func TestSubringTiesGoToFewerChanges(t *testing.T) {
	s := mustSubring(t, 3, 4, 1./3)
	for _, c := range []struct {
		delay   units.Duration
		changes int
	}{{1999, 3}, {2000, 1}, {2001, 1}, {31999, 1}, {32000, 0}} {
		timing := Timing{Delta: units.Microsecond, Reconfig: c.delay * units.Nanosecond, Bandwidth: units.Tbps}
		if changes, _ := s.Search(timing, 0); changes != c.changes {
			t.Errorf("%d ns: %d changes, want %d", c.delay, changes, c.changes)
		}
	}
}

func TestSubringSearchAllocatesNothing(t *testing.T) {
	f := stagedtest.ScaleUp(81, 10*units.Microsecond)
	s := mustSubring(t, 3, 4, 1./3)
	timing := TimingOf(&f)
	size := units.Bytes(1)
	allocations := testing.AllocsPerRun(200, func() {
		size = size*3%units.GiB + 1
		s.Search(timing, size)
	})
	if allocations != 0 {
		t.Errorf("%v allocations per search", allocations)
	}
}
