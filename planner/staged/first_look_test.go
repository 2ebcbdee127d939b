package staged

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/units"
)

// The bound of the first look is never above the time of the plan.
func TestFirstLookIsBelowEveryPlan(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 1))
	said := 0
	for range samples.Draws(20, 60) {
		f := fabric.Default()
		f.Nodes, f.Ports = []int{4, 8, 9, 12, 16}[random.IntN(5)], 1+random.IntN(4)
		f.Reconfig.Base = units.Duration(random.IntN(3)) * units.Microsecond
		f.Duplex = random.IntN(3) == 0 && (f.Ports%2 == 0 || f.Ports == 1 && f.Nodes%2 == 0)
		if random.IntN(3) == 0 {
			f.Forwarding = fabric.StoreAndForward
		}
		if f.Validate() != nil {
			continue
		}
		for _, op := range []collective.Op{collective.AllToAll, collective.AllReduce} {
			for _, a := range algorithms.Algorithms() {
				c, err := algorithms.New(op, a.Name, f.Nodes, f.Ports)
				if err != nil {
					continue
				}
				r := planner.Request{Fabric: f, Collective: c, Size: units.Bytes(1 << (10 + random.IntN(15))), Bare: true}
				for _, p := range Planners() {
					glance := planner.TraitsOf(p).FirstLook
					if glance == nil {
						continue
					}
					made, err := p.Plan(t.Context(), r)
					if errors.Is(err, planner.ErrInfeasible) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					look := glance(r)
					if look > made.Cost.Total()*(1+pass.LimitTolerance) {
						t.Errorf("%s %s with %s on %+v: at least %v, but %v", op, a.Name, p.Name(), f, look, made.Cost.Total())
					}
					if look > 0 {
						said++
					}
				}
			}
		}
	}
	if said == 0 {
		t.Error("it never says anything")
	}
}
