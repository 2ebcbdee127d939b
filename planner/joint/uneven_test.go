package joint

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Exchanges for numbers that are no product are correct, take the predicted time, change
// circuits no more often than they may, and win for small messages on primes
// where there are no windows.
func TestUnevenGroupsExchange(t *testing.T) {
	won := 0
	for _, n := range []int{13, 17, 23, 29, 31, 46, 61, 97} {
		for _, delay := range []units.Duration{100 * units.Nanosecond, 2 * units.Microsecond, 10 * units.Microsecond} {
			for mode := range 3 {
				r := request(collective.AllReduce, n, 1+mode%2, units.KiB)
				r.Fabric.Reconfig.Base = delay
				if mode == 2 {
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				m := newMachine(&r.Fabric, r.Fabric.Ports, n)
				for _, changes := range []int{0, 1, anyChanges} {
					p := m.uneven(n, float64(r.Size), changes)
					if p == nil {
						continue
					}
					if p.changes > changes {
						t.Errorf("n=%d: %d changes, %d are allowed", n, p.changes, changes)
					}
					found := solution{digits: []digit{{n, func() *program { return p }}}, time: m.time(p.shape, float64(r.Size))}
					o := option{time: found.time, build: func() laidCast {
						stages, parts, about := found.build(collective.AllReduce, m.stores)
						return laidCast{stages: stages, space: collective.SpaceOf(collective.AllReduce, n, parts), about: about}
					}}
					laid, err := o.plan(&r)
					if err != nil {
						t.Fatal(err)
					}
					check(t, laid, o.time)
					if best := options(&r, limits{changes: anyChanges, noWindows: true}, never)[0].time; best >= o.time {
						won++
					}
				}
			}
		}
	}
	if won < 12 {
		t.Errorf("they win %d times", won)
	}
}

// What 61 GPUs take: 18 us and the vectors that pass, where a ring of all takes 30.5 us. That is what
// 64 take as two digits of 8, and rings of 8 and of 9 take 0.6 us more.
func TestSixtyOneGPUsAreNearlySixtyFour(t *testing.T) {
	r := request(collective.AllReduce, 61, 1, units.KiB)
	p, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if p.Cost.Total() > 18580 {
		t.Errorf("%v", p.Cost.Total())
	}
}
