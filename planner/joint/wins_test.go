package joint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// The planner uses rotated circulants where reconfiguring is quick, and predicts their time.
func TestRotatedCirculantsWinWhereRewiringIsQuick(t *testing.T) {
	for _, n := range []int{12, 13, 48} {
		r := jointtest.Request(collective.Broadcast, n, 1, 256*units.MiB)
		r.Fabric.Reconfig.Base = 100 * units.Nanosecond
		best := options(&r, free, never)[0]
		if best.uses().Cast != digit.Circulants {
			t.Errorf("n=%d: %v", n, best.uses().Cast)
		}
		p, err := best.plan(t.Context(), &r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, best.time)
	}
}

// On 128 GPUs with two ports whose circuits stay, links would carry 350 vectors in one step.
func TestCoversWinForSmallMessagesOnManyGPUs(t *testing.T) {
	for _, c := range []struct {
		n    int
		most float64 // us, as published in docs/joint.md
	}{{100, 6.2}, {128, 7.2}} {
		r := jointtest.Request(collective.AllReduce, c.n, 2, units.KiB)
		o := options(&r, free, never)[0]
		p, err := o.plan(t.Context(), &r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, o.time)
		if o.time > c.most*1000 {
			t.Errorf("%d GPUs: %.4g us, %s", c.n, o.time/1000, p.Strategy)
		}
		t.Logf("%d GPUs: %.4g us, %s", c.n, o.time/1000, p.Strategy)
	}
}

// 8 GPUs with four ports sum up 256 KiB in 4.15 us: three steps of one hop, and 7/16 of the
// vector.
func TestFacingPairsOfEight(t *testing.T) {
	r := jointtest.Request(collective.AllReduce, 8, 4, 256*units.KiB)
	p, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(p.Cost.Total()); got > 4147 {
		t.Errorf("%v ns by %s", got, p.Strategy)
	}
}

// With a port for every other GPU the trees have two levels: each piece goes to one GPU, which
// gives it to all others. The time is that of the closed form with the best number of pieces.
func TestCompleteGraphsBroadcastInTwoLevels(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		for n := 3; n <= 9; n++ {
			for _, op := range []collective.Op{collective.Broadcast, collective.RootReduce} {
				r := jointtest.Request(op, n, n-1, 4*units.MiB)
				r.Fabric.Duplex = duplex
				o := options(&r, free, never)[0]
				p, err := o.plan(t.Context(), &r)
				if err != nil {
					t.Fatal(err)
				}
				jointtest.Check(t, p, o.time)
				whole := float64(r.Fabric.Bandwidth.Transmit(float64(r.Size))) / float64(n-1)
				each := float64(r.Fabric.Alpha.Time() + r.Fabric.Delta.Time())
				inPieces := func(k int) float64 { return float64(k+1) * (each + whole/float64(k)) }
				best := inPieces(1)
				for k := 2; k < 200; k++ {
					best = min(best, inPieces(k))
				}
				if got := float64(p.Cost.Total()); got > best*(1+1e-12) {
					t.Errorf("%s, %d GPUs, duplex %v: %v ns, two levels take %v", op, n, duplex, got, best)
				}
			}
		}
	}
}

// An allgather among 100 GPUs with two ports uses a rotated torus.
func TestRotatedToriWinOnAHundredGPUs(t *testing.T) {
	r := jointtest.Request(collective.AllGather, 100, 2, 64*units.MiB)
	r.Fabric.Reconfig.Base = 100 * units.Microsecond
	if got := options(&r, free, never)[0].time; got > 350_200 {
		t.Errorf("100 GPUs: %v ns", got)
	}
}

// Without windows of partial sums, uneven groups win between two digits that are gathered.
func TestUnevenGroupsWinBetweenDigits(t *testing.T) {
	within := free
	within.NoWindows = true
	for _, n := range []int{35, 77} {
		for _, size := range []units.Bytes{128 * units.KiB, 256 * units.KiB} {
			r := jointtest.Request(collective.AllReduce, n, 1, size)
			r.Fabric.Reconfig.Base = 100 * units.Nanosecond
			if about := options(&r, within, never)[0].build().About; !strings.Contains(about, "exchange on rings of up to") {
				t.Errorf("%d GPUs, %v: %s", n, size, about)
			}
		}
	}
}

// The time of 61 GPUs: rings of 8 and of 9 and one reconfiguration between them would take 18.5
// us plus the time of the vectors, while a single ring takes 30.5 us.
func TestSixtyOneGPUsAreNearlySixtyFour(t *testing.T) {
	r := jointtest.Request(collective.AllReduce, 61, 1, units.KiB)
	p, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if p.Cost.Total() > 19200 {
		t.Errorf("%v", p.Cost.Total())
	}
}

// The times of 5 to 17 GPUs with one port for 1 KiB, for which rings of digits were the best
// before.
func TestWindowsWinWhereNumbersAreNoProducts(t *testing.T) {
	for _, c := range []struct {
		n     int
		delay units.Duration
		most  float64 // ns
	}{
		{7, 0, 3031}, {11, 0, 3552}, {13, 0, 4041}, {17, 100 * units.Nanosecond, 4273},
	} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			r := jointtest.Request(collective.AllReduce, c.n, 1, units.KiB)
			r.Fabric.Reconfig.Base = c.delay
			p, err := New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(p.Cost.Total()); got > c.most {
				t.Errorf("%v ns, want %v", got, c.most)
			}
		})
	}
}

// On one or two two-way ports, rounds of calls are faster than pipelines where reconfiguring is
// quick, for any number of GPUs.
func TestRoundsOfCallsWinWhereRewiringIsQuick(t *testing.T) {
	for _, c := range []struct {
		op       collective.Op
		n, ports int
		size     units.Bytes
		wait     units.Duration
		most     units.Time // ns
	}{
		{collective.Broadcast, 13, 1, 8 * units.MiB, units.Microsecond, 142_800},
		{collective.Broadcast, 24, 1, 16 * units.MiB, units.Microsecond, 248_200},
		{collective.Broadcast, 12, 2, 64 * units.MiB, 100 * units.Nanosecond, 405_400},
		{collective.RootReduce, 24, 2, 16 * units.MiB, units.Microsecond, 142_800},
	} {
		r := jointtest.Request(c.op, c.n, c.ports, c.size)
		r.Fabric.Duplex, r.Fabric.Reconfig.Base = true, c.wait
		best := options(&r, free, never)[0]
		if best.uses().Cast != digit.Calls {
			t.Errorf("%s n=%d: %v", c.op, c.n, best.uses().Cast)
		}
		p, err := best.plan(t.Context(), &r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, best.time)
		if p.Cost.Total() > c.most {
			t.Errorf("%s n=%d: %v", c.op, c.n, p.Cost.Total())
		}
	}
}

// With one two-way port, small vectors are summed up by star addition chains: in a round less than
// by folding into a power of two. Plans are correct for all numbers of pairs.
func TestSumsOfPairsTakeFewRounds(t *testing.T) {
	for n := 6; n <= 40; n += 2 {
		r := jointtest.Request(collective.AllReduce, n, 1, units.KiB)
		r.Fabric.Duplex, r.Fabric.Reconfig.Base = true, 10*units.Microsecond
		best := options(&r, free, never)[0]
		p, err := best.plan(t.Context(), &r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, best.time)
		rounds := map[int]int{6: 3, 10: 4, 12: 4, 18: 5, 20: 5, 24: 5, 34: 6, 36: 6, 40: 6}
		if got, want := p.CountSteps(), rounds[n]; want > 0 && got != want {
			t.Errorf("n=%d: %d rounds, want %d", n, got, want)
		}
	}
	m, found := planner.NewMemory(), 0
	// Other plans may take as many rounds for these.
	for _, n := range []int{14, 22, 26, 28, 30, 46, 58, 78, 94} {
		r := jointtest.Request(collective.AllReduce, n, 1, units.KiB)
		r.Fabric.Duplex, r.Fabric.Reconfig.Base, r.Kept = true, 10*units.Microsecond, m
		for _, o := range optionsFor(&r, free, 30, never) {
			if p, err := o.plan(t.Context(), &r); err != nil {
				t.Fatal(err)
			} else if p != nil && strings.Contains(p.Strategy, "sums of [") {
				jointtest.Check(t, p, o.time)
				found++
			}
		}
	}
	if found < 9 {
		t.Errorf("%d plans", found)
	}
}

// A single reconfiguration is enough for an allreduce of n = G h GPUs in 2(h+G-2) steps that each
// move a shard of 1/h of the vector.
func TestChainsThatCrossTakeASingleReconfiguration(t *testing.T) {
	taken := false
	for n := 4; n <= 130; n++ {
		for _, size := range []units.Bytes{256 * units.KiB, units.MiB, 4 * units.MiB} {
			r := jointtest.Request(collective.AllReduce, n, 1, size)
			o := options(&r, free, never)[0]
			hop := float64(r.Fabric.Alpha.Time() + r.Fabric.Delta.Time())
			for groups := 2; groups*groups <= n; groups++ {
				if n%groups > 0 {
					continue
				}
				shards := float64(n / groups)
				steps := 2 * (shards + float64(groups) - 2)
				most := float64(r.Fabric.Reconfig.Base) + steps*(hop+float64(r.Fabric.Bandwidth.Transmit(float64(size)))/shards)
				if o.time > most*(1+1e-12) {
					t.Errorf("%d GPUs, %v: %v ns, %d chains take %v", n, size, o.time, groups, most)
				}
			}
			taken = taken || strings.Contains(o.build().About, "crossing chains")
		}
	}
	if !taken {
		t.Error("no plan has crossing chains")
	}
}

// Auto's plans are no slower than plans made by hand.
func TestChainsThatCrossAgainstPlansByHand(t *testing.T) {
	for n, most := range map[int]float64{16: 46_972, 18: 48_467, 20: 50_972, 24: 51_593} {
		r := jointtest.Request(collective.AllReduce, n, 1, units.MiB)
		p, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, float64(p.Cost.Total()))
		if got := float64(p.Cost.Total()); got > most {
			t.Errorf("%d GPUs: %v ns", n, got)
		}
	}
}

// Scatters and gathers in groups. The times are those of plans made by hand, or lower.
func TestGroupsAgainstPlansByHand(t *testing.T) {
	for _, op := range []collective.Op{collective.Scatter, collective.Gather} {
		for _, c := range []struct {
			n     int
			size  units.Bytes
			delay units.Duration
			most  float64 // us
		}{{64, units.MiB, units.Microsecond, 11.162}, {100, 4 * units.MiB, 3 * units.Microsecond, 29.763}, {125, 8 * units.MiB, units.Microsecond, 48.108}} {
			r := jointtest.Request(op, c.n, 2, c.size)
			r.Fabric.Duplex, r.Fabric.Reconfig.Base = true, c.delay
			p, err := New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			jointtest.Check(t, p, float64(p.Cost.Total()))
			if got := float64(p.Cost.Total()); got > c.most*1000 {
				t.Errorf("%s, %d GPUs: %v ns", op, c.n, got)
			}
		}
	}
}

// Windows take part between a scatter and a gather.
func TestWindowsWinBetweenDigits(t *testing.T) {
	for _, c := range []struct {
		n     int
		size  units.Bytes
		delay units.Duration
		most  float64 // us
	}{{33, 256 * units.KiB, 300 * units.Nanosecond, 9.77}, {64, 512 * units.KiB, 3 * units.Microsecond, 23.54}, {96, 64 * units.KiB, 100 * units.Nanosecond, 7.22}} {
		r := jointtest.Request(collective.AllReduce, c.n, 2, c.size)
		r.Fabric.Duplex, r.Fabric.Reconfig.Base = true, c.delay
		o := options(&r, free, never)[0]
		p, err := o.plan(t.Context(), &r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, o.time)
		if o.time > c.most*1000 {
			t.Errorf("%d GPUs, %v: %v ns", c.n, c.size, o.time)
		}
	}
}
