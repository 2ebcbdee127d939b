package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// symmetricDirect returns the time of the all-to-all of all GPUs that sends everything at
// once over a base topology that looks the same from every GPU: what GPU 0 sends stands for
// all. It is what planner static takes, which follows the rotations of the algorithm: on a
// torus these are no symmetry of the circuits, and its program is larger by a side of the
// torus squared. It reports false where the base is of another kind, or not up at the start
// for nothing.
func symmetricDirect(ctx context.Context, f *fabric.Fabric, size units.Bytes) (units.Time, bool, error) {
	base, err := f.BaseTopology()
	if err != nil {
		return 0, false, nil // there is no plan
	}
	group, ok := base.Symmetry()
	up, err := f.InitialTopology()
	if err != nil || !ok || f.Avoid != "" || f.Links != "" || up != nil && !up.Equal(base) {
		return 0, false, nil
	}
	pair := float64(size) / float64(f.Nodes)
	demands := make([]flow.Demand, f.Nodes-1)
	for i := range demands {
		demands[i] = flow.Demand{Src: 0, Dst: i + 1, Amount: pair}
	}
	time := func(l flow.Load) float64 { return float64(plan.CostOf(f, l, pair, 0).Total()) }
	routed, err := flow.Fastest(ctx, flow.Problem{Graph: base, Demands: demands, Group: group}, f.Routing, time)
	if err != nil {
		return 0, false, err
	}
	return units.Time(time(routed.Load)), true, nil
}
