package planning_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// No plan without reconfiguration, by any planner, is faster than the static baseline: a static
// plan that auto chooses is its own baseline, and no static plan of a named planner is faster.
func TestNoPlanThatStaysBeatsTheStaticBaseline(t *testing.T) {
	t.Parallel()
	initials := []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}
	for i, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll} {
		for _, ports := range []int{1 + i%2} {
			both := []string{initials[0], initials[1+i/2]}
			if !samples.Every() {
				both = both[i%2:][:1] // in turn
			}
			for _, initial := range both {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Initial = 6, ports, initial
				r := lightpath.PlanRequest{Operations: []lightpath.Operation{{Op: op, Size: units.MiB}}, Fabric: f}
				where := fmt.Sprintf("%s at %d ports, initially %s", op, ports, initial)
				best, err := lightpath.Plan(t.Context(), r)
				if err != nil {
					t.Fatal(where, err)
				}
				static := best.Baselines.Static
				if static == 0 || best.Cost.Total() > static*(1+1e-9) {
					t.Errorf("%s: auto takes %v, the static baseline %v", where, best.Cost.Total(), static)
				}
				r.Fabric.Reconfig.Base = units.Second
				for _, r.Planner = range []string{"static", "light-bends", "harvest", "joint", "direct-connect", "exchange"} {
					other, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
					if err != nil {
						continue // it is not for this operation
					}
					if other.Reconfigurations == 0 && other.Cost.Total() < static*(1-1e-9) {
						t.Errorf("%s: %s with %s stays and takes %v, the baseline %v", where, other.Collective.Algorithm, r.Planner, other.Cost.Total(), static)
					}
				}
				r.Fabric.Reconfig.Base = f.Reconfig.Base
				r.Planner = "every-step"
				other, err := lightpath.Plan(t.Context(), r)
				if err != nil {
					t.Fatal(where, err)
				}
				if other.Baselines.Static != static {
					t.Errorf("%s: the baseline is %v beside %s, and %v beside auto", where, other.Baselines.Static, r.Planner, static)
				}
			}
		}
	}
}
