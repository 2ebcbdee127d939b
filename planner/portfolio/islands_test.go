package portfolio

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// TestNothingThatWinsIsLeftOut compares plans on islands, including those whose circuits stay,
// with the plans of a search that also lifts what cannot win.
func TestNothingThatWinsIsLeftOut(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range samples.Draws(2, 4) {
		f := fabric.Default()
		size := 2 + random.IntN(3)
		f.Nodes, f.Ports = size*(2+random.IntN(5)), 1+random.IntN(2)
		f.Island = fabric.Island{Size: size, Bandwidth: units.Bandwidth(400+random.IntN(8000)) * units.Gbps}
		f.Reconfig.Base = units.Duration(random.IntN(30)) * units.Microsecond
		f.Delta = units.Duration(random.IntN(3)) * 250 * units.Nanosecond
		if random.IntN(3) == 0 {
			f.Initial = fabric.InitialDark
		}
		op := collective.Operation{
			Op:   collective.Ops()[random.IntN(len(collective.Ops()))],
			Size: units.Bytes(1) << (8 + random.IntN(18)),
		}
		for _, stays := range []bool{false, true} {
			name := fmt.Sprintf("%s %d GPUs, islands of %d, %d ports, %d B, stays %v", op.Op, f.Nodes, size, f.Ports, op.Size, stays)
			find := func(all bool) *plan.Plan {
				s := NewSearch(Options{Planners: Planners(), Bare: true})
				s.scope.all = all
				r := Request{Fabric: f, Operations: []collective.Operation{op}}
				var made *plan.Plan
				var err error
				if stays {
					made, err = r.Staying(t.Context(), nil, s)
				} else {
					made, err = r.Fastest(t.Context(), Planners().Best(), s)
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return made
			}
			some, all := find(false).Cost.Total(), find(true).Cost.Total()
			if planner.Above(some, all) {
				t.Errorf("%s: %v, without leaving anything out %v", name, some, all)
			}
		}
	}
}

// TestSequencesUseIslands: the plan of a sequence of operations on islands is correct, never
// slower than without the islands, and never slower than its operations one by one with changes
// of circuits in between.
func TestSequencesUseIslands(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 5))
	for range samples.Draws(1, 2) {
		f := fabric.Default()
		size := 2 + random.IntN(3)
		f.Nodes, f.Ports = size*(1+random.IntN(3)), 1+random.IntN(2)
		f.Island = fabric.Island{Size: size, Bandwidth: units.Bandwidth(400+random.IntN(8000)) * units.Gbps}
		f.Reconfig.Base = units.Duration(random.IntN(30)) * units.Microsecond
		r := Request{Fabric: f}
		for range 2 + random.IntN(2) {
			r.Operations = append(r.Operations, collective.Operation{
				Op: collective.Ops()[random.IntN(len(collective.Ops()))], Size: units.Bytes(1) << (10 + random.IntN(14)),
			})
		}
		fastest := func(r Request) *plan.Plan {
			made, err := r.Fastest(t.Context(), Planners().Best(), NewSearch(Options{Planners: Planners(), Bare: true}))
			if err != nil {
				t.Fatalf("%+v on %d GPUs in islands of %d: %v", r.Operations, f.Nodes, size, err)
			}
			return made
		}
		whole := fastest(r)
		report, err := verify.Plan(t.Context(), whole)
		if err != nil || report.First() != nil {
			t.Fatalf("%v: %v, %v", r.Operations, report.First(), err)
		}
		flat := Request{Fabric: f.Flat(), Operations: r.Operations}
		if without := fastest(flat).Cost.Total(); planner.Above(whole.Cost.Total(), without) {
			t.Errorf("%v: %v, without islands %v", r.Operations, whole.Cost.Total(), without)
		}
		sum := f.Reconfig.Base.Time() * units.Time(len(r.Operations)-1)
		for i := range r.Operations {
			one := Request{Fabric: f, Operations: r.Operations[i : i+1]}
			one.Fabric.Initial = fabric.InitialFree
			sum += fastest(one).Cost.Total()
		}
		if f.Initial == fabric.InitialFree && planner.Above(whole.Cost.Total(), sum) {
			t.Errorf("%v: %v, one by one %v", r.Operations, whole.Cost.Total(), sum)
		}
	}
}

// TestMoreBandwidthAndPortsHelpOnIslands: with up to 8 islands, slightly more bandwidth of
// circuits makes no plan slower by more than 1% (chunks are whole, and one may not fit any more),
// and one more port makes none slower at all. In the first case, 101 Gbps once took 12% longer
// than 100 Gbps.
func TestMoreBandwidthAndPortsHelpOnIslands(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 7))
	for i := range samples.Draws(2, 4) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Bandwidth, f.Reconfig.Base = 8, 3, 100*units.Gbps, units.Millisecond
		f.Island = fabric.Island{Size: 4, Bandwidth: 900 * units.Gbps}
		op := collective.Operation{Op: collective.AllReduce, Size: 64_000_000}
		if i > 0 {
			f.Island.Size = 2 + 2*random.IntN(2)
			f.Nodes, f.Ports = f.Island.Size*(2+random.IntN(3)), 1+random.IntN(2)
			f.Bandwidth = units.Bandwidth(50+random.IntN(300)) * units.Gbps
			f.Reconfig.Base = units.Duration(1+random.IntN(1000)) * units.Microsecond
			op.Op = []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter}[random.IntN(3)]
			op.Size = 1_000_000 * units.Bytes(1+random.IntN(64))
		}
		time := func(f fabric.Fabric) units.Time {
			r := Request{Fabric: f, Operations: []collective.Operation{op}}
			made, err := r.Fastest(t.Context(), Planners().Best(), NewSearch(Options{Planners: Planners(), Bare: true}))
			if err != nil {
				t.Fatal(err)
			}
			return made.Cost.Total()
		}
		name := fmt.Sprintf("%s of %v, %d GPUs, islands of %d, %d ports of %v", op.Op, op.Size, f.Nodes, f.Island.Size, f.Ports, f.Bandwidth)
		least := time(f)
		more := f
		more.Ports++
		if wide := time(more); planner.Above(wide, least) {
			t.Errorf("%s: %v, with one more %v", name, least, wide)
		}
		for _, percent := range []units.Bandwidth{101, 105, 120} {
			faster := f
			faster.Bandwidth = f.Bandwidth / 100 * percent
			now := time(faster)
			if float64(now) > float64(least)*1.01 {
				t.Errorf("%s: %v, with %d%% of the bandwidth %v", name, least, percent, now)
			}
			least = min(least, now)
		}
	}
}

// TestPlansOnIslandsOfAnyLatencyAreCorrect: whatever start-ups and hops within islands take,
// every plan of the best planner is correct. On the first fabrics, windows of partial sums are
// the fastest on the core: a node has received what its GPUs do not have.
func TestPlansOnIslandsOfAnyLatencyAreCorrect(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(17, 11))
	latencies := []units.Duration{0, 10, 100, 500, 1000, 5000} // circuits have 500
	for i := range samples.Draws(3, 5) {
		f := fabric.Default()
		f.Island = fabric.Island{Size: 2 << (i % 2), Bandwidth: 3600 * units.Gbps}
		f.Nodes, f.Reconfig.Base = f.Island.Size*8, 100*units.Nanosecond
		alpha, delta, size := latencies[2], latencies[2], 64*units.KiB
		if i >= 2 {
			f.Island.Size = 2 + random.IntN(3)
			f.Nodes, f.Ports = f.Island.Size*(2+random.IntN(samples.Draws(4, 8))), 1+random.IntN(3)
			f.Island.Bandwidth = []units.Bandwidth{400, 800, 3600, 7200}[random.IntN(4)] * units.Gbps
			f.Reconfig.Base = []units.Duration{0, 10, 100, 500, 10_000}[random.IntN(5)] * units.Nanosecond
			alpha, delta = latencies[random.IntN(len(latencies))], latencies[random.IntN(len(latencies))]
			size = units.Bytes(1) << (10 + random.IntN(12))
		}
		f.Island.Alpha, f.Island.Delta = fabric.Own(alpha*units.Nanosecond), fabric.Own(delta*units.Nanosecond)
		for k, op := range collective.Ops() {
			if (i+k)%3 > 0 && !samples.Every() {
				continue // in turn: plans take up to seconds
			}
			r := Request{Fabric: f, Operations: []collective.Operation{{Op: op, Size: size}}}
			name := fmt.Sprintf("%s of %v, %d GPUs, %d ports, islands of %d, alpha %dns, delta %dns, delay %v", op, size, f.Nodes, f.Ports, f.Island.Size, alpha, delta, f.Reconfig.Base)
			made, err := r.Fastest(t.Context(), Planners().Best(), NewSearch(Options{Planners: Planners(), Bare: true}))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			report, err := verify.Plan(t.Context(), made)
			if err != nil || !report.OK {
				t.Errorf("%s by %s: %v, %v", name, made.Collective.Algorithm, report.First(), err)
			}
		}
	}
}

// TestSmallOperationsOnIslandsAreNotSlower: operations of few bytes for which plans in the
// comparison, or in three phases, were once faster than the best plan.
func TestSmallOperationsOnIslandsAreNotSlower(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op           collective.Op
		nodes, ports int
		size         units.Bytes
		island       fabric.Island
		delay        units.Duration
		phases       units.Time // time of three phases; 0: not faster than the comparison
	}{
		{collective.Scatter, 16, 2, 4 * units.KiB, fabric.Island{Size: 8, Bandwidth: 800 * units.Gbps}, 10 * units.Microsecond, 0},
		{collective.Scatter, 16, 1, 4 * units.KiB, fabric.Island{Size: 8, Bandwidth: 7200 * units.Gbps}, 10 * units.Microsecond, 0},
		{collective.Gather, 16, 2, 4 * units.KiB, fabric.Island{Size: 8, Bandwidth: 800 * units.Gbps}, 10 * units.Microsecond, 2037},
		{collective.AllToAll, 12, 1, 4 * units.KiB, fabric.Island{Size: 6, Bandwidth: 800 * units.Gbps}, 10 * units.Microsecond, 0},
		{collective.ReduceScatter, 16, 3, 64 * units.KiB, fabric.Island{
			Size: 4, Bandwidth: 400 * units.Gbps, Alpha: fabric.Own(100 * units.Nanosecond), Delta: fabric.Own(50 * units.Nanosecond),
		}, units.Microsecond, 2174},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Island, f.Reconfig.Base = c.nodes, c.ports, c.island, c.delay
		if c.op == collective.Scatter && c.ports == 1 && !samples.Every() {
			continue // like the one before
		}
		s, op := NewSearch(Options{Planners: Planners(), Bare: true}), collective.Operation{Op: c.op, Size: c.size}
		made, err := (&Request{Fabric: f, Operations: []collective.Operation{op}}).Fastest(t.Context(), Planners().Best(), s)
		if err != nil {
			t.Fatal(err)
		}
		if report, err := verify.Plan(t.Context(), made); err != nil || !report.OK {
			t.Errorf("%s: %v, %v", c.op, report.First(), err)
		}
		if c.phases > 0 && made.Cost.Total() > c.phases+1 {
			t.Errorf("%s on %d GPUs: %v, in three phases %v", c.op, c.nodes, made.Cost.Total(), c.phases)
		}
		if c.phases > 0 && !samples.Every() {
			continue // the comparison never had a faster one
		}
		if least, by := comparedLeast(t, f, op, s); planner.Above(made.Cost.Total(), least) {
			t.Errorf("%s on %d GPUs, %d ports: %v, compared are %v by %s", c.op, c.nodes, c.ports, made.Cost.Total(), least, by)
		}
	}
}
