package staged

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// The schedules that the authors of HARVEST publish for the setting of §6.1 and Fig. 5
// (64 GPUs with one 800 Gbps port, alpha = delta = 500 ns): their completion times, in
// ns, and numbers of reconfigurations.
func TestHarvestPublishedSchedules(t *testing.T) {
	const tolerance = 5e-5 // the largest difference of the eight is 5.4e-6
	for _, published := range []struct {
		op               collective.Op
		algorithm        string
		size             units.Bytes
		reconfig         string
		total            units.Time
		reconfigurations int
	}{
		{collective.AllReduce, "recursive-doubling", 16 * units.KiB, "10ns", 12422.561, 10},
		{collective.AllReduce, "recursive-doubling", 16 * units.KiB, "1us", 19430.084, 4},
		{collective.AllReduce, "recursive-doubling", 16 * units.KiB, "10us", 40552.998, 2},
		{collective.AllReduce, "recursive-doubling", 16 * units.KiB, "100us", 69983.031, 0},
		{collective.AllReduce, "recursive-doubling", 4 * units.MiB, "10us", 156615.557, 4},
		{collective.AllReduce, "recursive-doubling", units.GiB, "1ms", 28831014.338, 6},
		{collective.AllToAll, "shift", 16 * units.KiB, "10us", 383180.192, 12},
		{collective.AllToAll, "shift", 4 * units.MiB, "100us", 1260408.344, 3},
	} {
		t.Run(fmt.Sprintf("%s/%s/%s", published.algorithm, published.size, published.reconfig), func(t *testing.T) {
			f := fabric.Default()
			f.Reconfig = stagedtest.Reconfig(t, published.reconfig)
			p := planWith(t, "harvest", stagedtest.Request(t, f, published.op, published.algorithm, published.size))
			if !stagedtest.Near(p.Cost.Total(), published.total, tolerance) {
				t.Errorf("total %v, published %v", float64(p.Cost.Total()), float64(published.total))
			}
			if p.Reconfigurations != published.reconfigurations {
				t.Errorf("%d reconfigurations, published %d", p.Reconfigurations, published.reconfigurations)
			}
			stagedtest.Verify(t, p)
		})
	}
}

// Eq. 8 of HARVEST is the time of steps a..b (from 1) of the reduce-scatter on the ring
// that matches step a: alpha*c + delta*(2^c - 1) + beta*m*c/2^a for c = b-a+1 steps.
// A plan that is priced from its routes alone costs the same.
func TestEquation8IsThePriceOfAnInterval(t *testing.T) {
	for n := 8; n <= 64; n *= 2 {
		f := fabric.Default()
		f.Nodes = n
		f.Alpha, f.Delta = 700*units.Nanosecond, 300*units.Nanosecond
		r := stagedtest.Request(t, f, collective.ReduceScatter, "recursive-doubling", 3*units.MiB)
		steps := len(r.Collective.Steps)
		for a := 1; a <= steps; a++ {
			for b := a; b <= steps; b++ {
				w := pricing.NewWorkload(&r, r.Collective.Steps[a-1:b])
				s := &pass.Schedule{Work: w, Choice: make([]*pricing.Candidate, b-a+1)}
				for i := range s.Choice {
					s.Choice[i] = pricing.RingCandidate(n, 1<<(a-1), 1)
				}
				p, err := s.Build(t.Context(), &r, "test")
				if err != nil {
					t.Fatal(err)
				}
				c := float64(b - a + 1)
				beta := float64(f.Bandwidth.Transmit(1))
				want := plan.Cost{
					Startup:      units.Time(700 * c),
					Propagation:  units.Time(300 * float64(int(1)<<(b-a+1)-1)),
					Transmission: units.Time(beta * float64(r.Size) * c / float64(int(1)<<a)),
				}
				if p.Cost.Startup != want.Startup || p.Cost.Propagation != want.Propagation ||
					!stagedtest.Near(p.Cost.Transmission, want.Transmission, 1e-12) || p.Cost.Reconfiguration != 0 {
					t.Fatalf("n=%d, steps %d..%d: priced %+v, Eq. 8 gives %+v", n, a, b, p.Cost, want)
				}
			}
		}
	}
}
