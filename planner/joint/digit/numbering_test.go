package digit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Steps with groups of their own stand for exactly the transfers that are listed if all steps
// have the same group. They are fewer, and they are verified.
func TestGroupsOfStepsStandForWhatIsListed(t *testing.T) {
	fewer := 0
	for _, c := range []struct {
		op           collective.Op
		nodes, ports int
		size         units.Bytes
		duplex       bool
		stores       fabric.Forwarding
	}{
		{collective.AllGather, 100, 2, 64 * units.MiB, false, fabric.CutThrough},
		{collective.AllReduce, 96, 4, 64 * units.MiB, false, fabric.CutThrough},
		{collective.AllReduce, 144, 4, 4 * units.MiB, true, fabric.CutThrough},
		{collective.AllReduce, 128, 2, units.KiB, false, fabric.CutThrough},
		{collective.ReduceScatter, 120, 3, 16 * units.MiB, false, fabric.CutThrough},
		{collective.AllGather, 96, 4, units.MiB, false, fabric.StoreAndForward},
	} {
		r := jointtest.Request(c.op, c.nodes, c.ports, c.size)
		r.Fabric.Duplex, r.Fabric.Forwarding = c.duplex, c.stores
		s := NewSearch(Question{
			Machine: NewMachine(&r.Fabric, c.ports, c.nodes), Limits: Limits{Changes: AnyChanges}, Keep: 3, Nodes: c.nodes,
			Bytes: float64(c.size), Stopped: func() bool { return false },
		})
		goal := AllGather
		if c.op == collective.AllReduce {
			goal = AllReduce
		}
		for _, found := range s.Solve(Task{Op: goal, Nodes: c.nodes, Scale: 1, Changes: AnyChanges}) {
			stores := c.stores == fabric.StoreAndForward
			one, parts, about := lay(found, c.op, stores, false)
			own, _, _ := lay(found, c.op, stores, true)
			space := collective.SpaceOf(c.op, c.nodes, parts)
			for i := range one {
				for j := range one[i].Steps {
					a, b := &one[i].Steps[j], &own[i].Steps[j]
					if len(b.Base) > len(a.Base) || a.Len() != b.Len() {
						t.Fatalf("%s, %s: %d transfers stand for %d, %d for %d", c.op, about, len(a.Base), a.Len(), len(b.Base), b.Len())
					}
					if len(b.Base) < len(a.Base) {
						fewer++
					}
					if !slices.Equal(inWords(a, space), inWords(b, space)) {
						t.Fatalf("%s, %s: stage %d, step %d differs", c.op, about, i+1, j+1)
					}
				}
			}
			jointtest.Check(t, jointtest.PlanOf(t, &r, own, space), found.Time)
		}
	}
	if fewer < 6 {
		t.Errorf("%d steps had fewer transfers: too few to say much", fewer)
	}
}

// inWords describes every transfer of a step.
func inWords(s *plan.Step, space collective.Space) []string {
	var all []string
	for t := range s.All(space) {
		ids := slices.Sorted(t.Chunks.All())
		all = append(all, fmt.Sprint(t.Src, t.Dst, t.Action, t.Part, ids, t.Routes))
	}
	slices.Sort(all)
	return all
}
