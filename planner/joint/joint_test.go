package joint

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Every plan that the search chooses is correct, and takes as long as predicted.
func TestPlansAreCorrectAndTakeThePredictedTime(t *testing.T) {
	for i, op := range ops {
		for j, n := range []int{2, 3, 5, 8, 12, 16, 18, 27} {
			for ports := 1; ports <= 4; ports++ {
				if (i+j+ports)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				for _, size := range []units.Bytes{units.KiB, units.MiB, units.GiB} {
					for _, delay := range []units.Duration{100 * units.Nanosecond, 10 * units.Microsecond} {
						t.Run(fmt.Sprintf("%s/n=%d/ports=%d/%v/%v", op, n, ports, size, delay), func(t *testing.T) {
							r := jointtest.Request(op, n, ports, size)
							r.Fabric.Reconfig.Base = delay
							s := options(&r, free, never)[0]
							p, err := s.plan(t.Context(), &r)
							if err != nil {
								t.Fatal(err)
							}
							jointtest.Check(t, p, s.time)
						})
					}
				}
			}
		}
	}
}

// The plans are no slower than those of a prototype for 64 GPUs.
func TestFiguresOfThePrototype(t *testing.T) {
	for _, c := range []struct {
		op    collective.Op
		ports int
		size  units.Bytes
		delay units.Duration
		most  float64 // us
	}{
		{collective.AllReduce, 1, units.KiB, 10 * units.Microsecond, 18.6},
		{collective.AllReduce, 1, 64 * units.KiB, 10 * units.Microsecond, 29.2},
		{collective.AllReduce, 1, 4 * units.MiB, 10 * units.Microsecond, 129.0},
		{collective.AllReduce, 4, units.KiB, 10 * units.Microsecond, 2.5},
		{collective.Broadcast, 1, units.GiB, 100 * units.Nanosecond, 11300},
		{collective.RootReduce, 1, units.GiB, 100 * units.Nanosecond, 11300},
		{collective.Broadcast, 4, units.KiB, 10 * units.Microsecond, 2.2},
	} {
		r := jointtest.Request(c.op, 64, c.ports, c.size)
		r.Fabric.Reconfig.Base = c.delay
		s := options(&r, free, never)[0]
		p, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, s.time)
		if got := float64(p.Cost.Total()) / 1000; got > c.most+0.05 {
			t.Errorf("%s %d ports %v %v: %.4g us, want %.4g", c.op, c.ports, c.size, c.delay, got, c.most)
		} else {
			t.Logf("%.4g us", got)
		}
	}
}

// A reduce-scatter and an allgather that do not mirror each other each take at least the time of
// the best gather, plus a reconfiguration between them if circuits differ. No chosen allreduce
// takes more than twice the best gather, except on one-way circuits that are not their own
// reversal, and there by less than 1%.
func TestHalvesThatDoNotMirrorDoNotWin(t *testing.T) {
	for i, n := range []int{8, 12, 27, 36} {
		for j, ports := range []int{1, 2, 4} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			for _, size := range []units.Bytes{units.KiB, 256 * units.KiB, 4 * units.MiB, units.GiB} {
				for _, delay := range []units.Duration{100 * units.Nanosecond, 10 * units.Microsecond, 100 * units.Microsecond} {
					var times [2]float64
					for i, op := range []collective.Op{collective.AllReduce, collective.AllGather} {
						r := jointtest.Request(op, n, ports, size)
						r.Fabric.Reconfig.Base = delay
						times[i] = options(&r, free, never)[0].time
					}
					if times[0] > 2*times[1]*1.01 {
						t.Errorf("n=%d ports=%d %v %v: %v ns, two gathers take %v", n, ports, size, delay, times[0], 2*times[1])
					}
				}
			}
		}
	}
}

// Of plans that take equally long, the one with the fewest reconfigurations is chosen: if a wait
// equals two start-ups and hops, a ring of 4 takes as long as two digits of 2 and the
// reconfiguration between them.
func TestOfEqualTimesFewerChangesAreChosen(t *testing.T) {
	r := jointtest.Request(collective.AllReduce, 8, 1, units.MiB)
	r.Fabric.Reconfig.Base = units.Microsecond
	p, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	fewer, _, err := bestOf(t.Context(), &r, digit.Limits{Changes: len(p.Stages) - 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Stages) != 3 || fewer.Cost.Total() <= p.Cost.Total() {
		t.Errorf("%v with %d changes, and %v with fewer", p.Cost.Total(), len(p.Stages)-1, fewer.Cost.Total())
	}
}
