package joint

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Exchanges for numbers that are no product are correct, take the predicted time and change
// circuits no more often than they may.
func TestUnevenGroupsExchange(t *testing.T) {
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
					laidAlone(t, &r, &m, p)
				}
			}
		}
	}
}

// Windows of partial sums are the first that is done: between two digits that are gathered it is
// uneven groups that win.
func TestUnevenGroupsWinBetweenDigits(t *testing.T) {
	for _, n := range []int{35, 77} {
		for _, size := range []units.Bytes{128 * units.KiB, 256 * units.KiB} {
			r := request(collective.AllReduce, n, 1, size)
			r.Fabric.Reconfig.Base = 100 * units.Nanosecond
			if about := options(&r, free, never)[0].build().about; !strings.Contains(about, "exchange on rings of up to") {
				t.Errorf("%d GPUs, %v: %s", n, size, about)
			}
		}
	}
}

// What 61 GPUs take: rings of 8 and of 9 and one change between would be 18.5 us and the vectors
// that pass, where a ring of all takes 30.5 us.
func TestSixtyOneGPUsAreNearlySixtyFour(t *testing.T) {
	r := request(collective.AllReduce, 61, 1, units.KiB)
	p, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if p.Cost.Total() > 19200 {
		t.Errorf("%v", p.Cost.Total())
	}
}

// laidAlone returns the plan of an exchange among all GPUs, which is correct and takes the predicted time.
func laidAlone(t *testing.T, r *planner.Request, m *machine, p *program) *plan.Plan {
	t.Helper()
	n := r.Fabric.Nodes
	found := solution{digits: []digit{{n, func() *program { return p }}}, time: m.time(p.shape, float64(r.Size))}
	o := option{time: found.time, build: func() laidCast {
		stages, parts, about := stagesOf(found, collective.AllReduce, m.stores)
		return laidCast{stages: stages, space: collective.SpaceOf(collective.AllReduce, n, parts), about: about}
	}}
	laid, err := o.plan(r)
	if err != nil {
		t.Fatal(err)
	}
	check(t, laid, o.time)
	return laid
}
