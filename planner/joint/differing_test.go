package joint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// If the best plan for all circuits needs a failed circuit however GPUs are numbered, there are
// other plans around it.
func TestPlansAroundFailuresAreNotThoseOfOneChoice(t *testing.T) {
	for _, c := range []struct {
		op           collective.Op
		nodes, ports int
		size         units.Bytes
		avoid        string
		most         units.Time // ns
	}{
		{collective.AllReduce, 7, 1, units.KiB, "link:0-1", 3062},
		{collective.AllReduce, 5, 1, units.KiB, "link:0-1", 2603},
		{collective.AllReduce, 5, 1, 64 * units.KiB, "link:0-1", 6122},
		{collective.AllGather, 6, 3, 4 * units.MiB, "link:5-0,link:4-0,link:3>0", 14655},
	} {
		r := jointtest.Request(c.op, c.nodes, c.ports, c.size)
		r.Fabric.Reconfig.Base, r.Fabric.Avoid = 0, fabrictest.Failures(c.avoid)
		p, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if jointtest.Check(t, p, float64(p.Cost.Total())); p.Cost.Total() > c.most {
			t.Errorf("%v of %d GPUs without %s takes %v: %s", c.op, c.nodes, c.avoid, p.Cost.Total(), p.Provenance.Strategy)
		}
		r.Limit = p.Cost.Total()
		if again, err := New().Plan(t.Context(), r); err != nil || again.Cost != p.Cost {
			t.Errorf("within what it takes: %v", err)
		}
		r.Limit /= 2
		if _, err := New().Plan(t.Context(), r); !errors.Is(err, planner.ErrBeyond) {
			t.Errorf("within half of it: %v", err)
		}
	}
}

// Around failures a shorter delay is never worse.
func TestPlansAroundFailuresAreNotSlowerForShorterDelays(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range samples.Draws(35, 150) {
		n, ports := 4+random.IntN(9), 1+random.IntN(3)
		op := []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast}[random.IntN(3)]
		size := []units.Bytes{units.KiB, 64 * units.KiB, 4 * units.MiB}[random.IntN(3)]
		var failed []string
		for range 1 + random.IntN(3) {
			u := random.IntN(n)
			failed = append(failed, fmt.Sprintf("link:%d%c%d", u, "->"[random.IntN(2)], (u+1+random.IntN(n-1))%n))
		}
		last := units.Time(0)
		for _, delay := range []units.Duration{0, 100 * units.Nanosecond, units.Microsecond, 10 * units.Microsecond} {
			r := jointtest.Request(op, n, ports, size)
			r.Fabric.Reconfig.Base, r.Fabric.Avoid = delay, fabrictest.Failures(strings.Join(failed, ","))
			p, err := New().Plan(t.Context(), r)
			if errors.Is(err, planner.ErrInfeasible) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.Cost.Total() < last-1e-6*last {
				t.Errorf("%v of %v, %d GPUs, %d ports without %s: %v with a delay of %v, with a shorter one %v", op, size, n, ports, failed, p.Cost.Total(), delay, last)
			}
			last = p.Cost.Total()
		}
	}
}
