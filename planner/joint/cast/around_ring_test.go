package cast

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Broadcasts of pieces around a ring both ways, and of copies down a tree in coarse steps, are
// correct. So are the reductions that reverse them. All take the predicted time.
func TestBroadcastsOnTwoWayRings(t *testing.T) {
	for i, nodes := range []int{3, 4, 7, 8, 12} {
		for _, ports := range []int{2, 3, 4} {
			for j, size := range []units.Bytes{units.KiB, 256 * units.KiB, 16 * units.MiB} {
				if (i+ports+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				for _, mode := range []string{"", "stores", "capped"} {
					r := jointtest.Request(collective.Broadcast, nodes, ports, size)
					r.Fabric.Duplex, r.Fabric.CapTheta = true, mode == "capped"
					if mode == "stores" {
						r.Fabric.Forwarding = fabric.StoreAndForward
					}
					q := digit.Question{
						Machine: digit.NewMachine(&r.Fabric, ports, nodes), Limits: digit.Limits{Changes: digit.AnyChanges},
						Keep: 1, Nodes: nodes, Bytes: float64(size), Stopped: never,
					}
					all := aroundCasts(digit.NewSearch(q), nodes, float64(size))
					for _, g := range []*topology.Graph{topology.Circulant(nodes, 1), topology.Hypercube(3)} {
						if g.Nodes() == nodes && (ports >= 3 || g.Nodes() != 8) {
							all = append(all, levelCasts(digit.NewSearchOn(q, g), nodes, float64(size))...)
						}
					}
					for _, c := range all {
						l := c.Build()
						jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), c.Time)
						back := r
						back.Collective = &collective.Collective{Op: collective.RootReduce, Algorithm: "joint", Nodes: nodes}
						jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), collective.SpaceOf(collective.RootReduce, nodes, l.Space.Parts)), c.Time)
					}
				}
			}
		}
	}
}

// No way to merge levels gives faster steps of copies down the tree.
func TestLevelsAreMergedAsByEnumeration(t *testing.T) {
	g := topology.Circulant(13, 1)
	for _, size := range []units.Bytes{64, units.KiB, 16 * units.KiB, units.MiB} {
		r := jointtest.Request(collective.Broadcast, 13, 2, size)
		r.Fabric.Duplex = true
		s := digit.NewSearchOn(digit.Question{
			Machine: digit.NewMachine(&r.Fabric, 2, 13), Limits: digit.Limits{Changes: digit.AnyChanges}, Keep: 1, Nodes: 13, Bytes: float64(size), Stopped: never,
		}, g)
		tree, _ := treeOn(g)
		_, got := tree.merged(s, float64(size))
		least := got * 2
		for set := range 1 << (tree.depth - 1) { // the levels at which steps other than the last end
			var ends []int
			for level := 1; level <= tree.depth; level++ {
				if level == tree.depth || set>>(level-1)&1 == 1 {
					ends = append(ends, level)
				}
			}
			l := Laid{Space: collective.SpaceOf(collective.Broadcast, 13, 1)}
			p := jointtest.PlanOf(t, &r, []plan.Stage{{Topology: g, Steps: tree.copies(ends)}}, l.Space)
			least = min(least, float64(p.Cost.Total()))
		}
		if got > least*(1+1e-9) || got < least*(1-1e-9) {
			t.Errorf("%v: %v ns, by enumeration %v", size, got, least)
		}
	}
}
