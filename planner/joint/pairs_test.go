package joint

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// With one two-way port, an even number of GPUs gathers, and scatters sums, in the least time of
// any plan.
func TestNoPlanGathersFasterThanInPairs(t *testing.T) {
	for i, op := range []collective.Op{collective.AllGather, collective.ReduceScatter} {
		for j, n := range []int{6, 8, 10, 12, 20, 26, 48, 50, 90, 122, 1000} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			for _, size := range []units.Bytes{units.KiB, 256 * units.KiB, 16 * units.MiB} {
				for _, delay := range []units.Duration{100 * units.Nanosecond, 100 * units.Microsecond} {
					r := jointtest.Request(op, n, 1, size)
					r.Fabric.Reconfig.Base, r.Fabric.Duplex = delay, true
					o := options(&r, free, never)[0]
					p, err := o.plan(t.Context(), &r)
					if err != nil {
						t.Fatal(err)
					}
					jointtest.Check(t, p, o.time)
					if got, bound := p.Cost.Total(), p.OperationBound().Total(); got > bound*(1+1e-9) {
						t.Errorf("%s, %d GPUs, %v, %v: %v, and the bound is %v", op, n, size, delay, got, bound)
					}
				}
			}
		}
	}
}

// Plans in pairs are correct and take the predicted time, for any number of GPUs, as digits of a
// larger number, and with store-and-forward.
func TestPlansInPairsAreCorrect(t *testing.T) {
	for i, op := range []collective.Op{collective.AllGather, collective.ReduceScatter, collective.AllReduce} {
		for j, n := range []int{3, 5, 6, 7, 9, 10, 15, 18, 22, 25, 30, 51} {
			for ports := 1; ports <= 3; ports++ {
				if (i+j+ports)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				for _, size := range []units.Bytes{units.KiB, 16 * units.MiB} {
					for _, delay := range []units.Duration{0, 100 * units.Microsecond} {
						for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
							t.Run(fmt.Sprintf("%s/n=%d/ports=%d/%v/%v/%v", op, n, ports, size, delay, forwarding), func(t *testing.T) {
								r := jointtest.Request(op, n, ports, size)
								r.Fabric.Reconfig.Base, r.Fabric.Duplex, r.Fabric.Forwarding = delay, true, forwarding
								all := options(&r, free, never)
								p, err := all[0].plan(t.Context(), &r)
								if err != nil {
									t.Fatal(err)
								}
								jointtest.Check(t, p, all[0].time)
							})
						}
					}
				}
			}
		}
	}
}

// With one two-way port and long delays, an odd number of GPUs takes one reconfiguration more
// than a larger even number, and sums up as quickly as it gathers.
func TestOddNumbersTakeOneRoundMore(t *testing.T) {
	for n, rounds := range map[int]int{3: 3, 5: 4, 7: 4, 9: 5, 15: 5, 17: 6, 33: 7, 51: 7, 63: 7, 127: 8} {
		for _, op := range []collective.Op{collective.AllGather, collective.ReduceScatter, collective.AllReduce} {
			r := jointtest.Request(op, n, 1, units.KiB)
			r.Fabric.Reconfig.Base, r.Fabric.Duplex = 100*units.Microsecond, true
			p, err := New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Stages) != rounds {
				t.Errorf("%s, %d GPUs: %d rounds, want %d", op, n, len(p.Stages), rounds)
			}
		}
	}
}

// Star addition chains take part at sizes between: the halves of the vector that GPUs exchange
// first are summed up by a chain. The times are those of plans made by hand.
func TestStarChainsAsInnerDigitsAgainstPlansByHand(t *testing.T) {
	for _, c := range []struct {
		n     int
		size  units.Bytes
		delay units.Duration
		most  float64 // us
	}{
		{20, units.MiB, 10 * units.Microsecond, 87.5}, {80, units.MiB, 10 * units.Microsecond, 117.9}, {48, units.MiB, 10 * units.Microsecond, 103.8},
		{40, units.MiB, 3 * units.Microsecond, 55.3}, {24, 2 * units.MiB, 10 * units.Microsecond, 114.3}, {36, units.MiB, 3 * units.Microsecond, 55.8},
	} {
		r := jointtest.Request(collective.AllReduce, c.n, 1, c.size)
		r.Fabric.Reconfig.Base, r.Fabric.Duplex = c.delay, true
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

// With one two-way port, an odd number of GPUs has rounds in which a message is small, so the one
// that is left out misses little.
func TestOddNumbersMeetInSmallRounds(t *testing.T) {
	for _, c := range []struct {
		n    int
		most float64 // us
	}{{17, 263.3}, {55, 282.4}} {
		for _, op := range []collective.Op{collective.AllGather, collective.ReduceScatter} {
			r := jointtest.Request(op, c.n, 1, 16*units.MiB)
			r.Fabric.Duplex = true
			o := options(&r, free, never)[0]
			p, err := o.plan(t.Context(), &r)
			if err != nil {
				t.Fatal(err)
			}
			jointtest.Check(t, p, o.time)
			if o.time > c.most*1000 {
				t.Errorf("%s, %d GPUs: %v ns", op, c.n, o.time)
			}
		}
	}
}
