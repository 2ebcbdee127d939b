package staggered_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/plannertest"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/units"
)

// The contract of planners on fabrics with planes: for example, a shorter delay is never slower,
// and planning stops when its context ends.
func TestStaggeredKeepsTheContract(t *testing.T) {
	with := func(nodes, ports int, delay units.Duration, initial string) fabric.Fabric {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Initial = nodes, ports, initial
		f.Reconfig.Base, f.Overlap = delay, fabric.Overlap{Kind: fabric.OverlapPlanes}
		return f
	}
	s := plannertest.Of(staggered.New(harvest), plan.Known{})
	s.Covers = []plannertest.Subject{plannertest.Of(harvest, plan.Known{})}
	for _, c := range []plannertest.Case{
		{Name: "recursive doubling", Fabric: with(8, 2, 20*units.Microsecond, fabric.InitialFree), Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: 4 * units.MiB},
		{Name: "pairs", Fabric: with(8, 3, 30*units.Microsecond, fabric.InitialDark), Op: collective.AllReduce, Algorithm: "halving-doubling", Size: 4 * units.MiB},
		{Name: "shifts", Fabric: with(5, 2, 10*units.Microsecond, fabric.InitialFree), Op: collective.AllToAll, Algorithm: "shift", Size: 4 * units.MiB},
		{Name: "a tree", Fabric: with(8, 2, 10*units.Microsecond, fabric.InitialBase), Op: collective.Broadcast, Algorithm: "binomial", Size: units.MiB},
	} {
		plannertest.Run(t, s, c)
	}
}
