package joint

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// A plan on the circuits that are up at the start is correct, takes the time that the search
// predicts, changes nothing, and is no faster than the plan that is returned. Joint used to
// ignore these circuits unless they were among its own networks: with 4 ports, 8 GPUs wired as a
// torus took 4.1 us to add up 6 529 bytes, and 2.3 us with 3 ports.
func TestWhatIsUpAtTheStartIsTried(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 9))
	pick := func(n int) int { return random.IntN(n) }
	tried := map[collective.Op]int{}
	for range samples.Draws(30, 60) {
		n := 4 + pick(14)
		ports := 2 + pick(4)
		r := jointtest.Request(ops[pick(len(ops))], n, ports, []units.Bytes{units.Bytes(n + pick(300)), 6529, 300 * units.KiB}[pick(3)])
		f := &r.Fabric
		f.Reconfig.Base, f.Initial = 20*units.Microsecond, fabric.InitialBase
		f.Duplex = pick(3) == 0
		if pick(4) == 0 {
			f.Forwarding = fabric.StoreAndForward
		}
		if f.Validate() != nil {
			continue
		}
		best, _, err := bestOf(t.Context(), &r, free)
		if err != nil {
			t.Fatal(err)
		}
		m := digit.NewMachine(f, ports, n)
		for _, o := range optionsUp(m, &r, free, 3, never) {
			p, err := o.plan(t.Context(), &r)
			if err != nil {
				t.Fatal(err)
			}
			tried[r.Collective.Op]++
			jointtest.Check(t, p, o.time)
			if p.Reconfigurations > 0 {
				t.Errorf("%s changes circuits on %+v", p.Strategy, *f)
			}
			if best.Cost.Total() > p.Cost.Total()*(1+1e-9) {
				t.Errorf("%s on %+v takes %v, the plan that is returned %v", p.Strategy, *f, p.Cost.Total(), best.Cost.Total())
			}
		}
	}
	for _, op := range ops {
		if op == collective.Scatter || op == collective.Gather {
			continue // groups change circuits
		}
		if tried[op] < 1 {
			t.Errorf("%s was tried %d times", op, tried[op])
		}
	}
}
