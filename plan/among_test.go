package plan_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// TestImagesOfAStep: whether the images of nodes are computed chunk by chunk or all at once,
// the transfers of a step are the translations of its base, and Among yields the wanted ones.
func TestImagesOfAStep(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 11))
	group := topology.Translation(2, 3, 4)
	n := group.Order()
	for _, op := range []collective.Op{collective.AllGather, collective.AllToAll, collective.AllReduce, collective.Broadcast} {
		for _, many := range []bool{false, true} {
			space := collective.SpaceOf(op, n, 3)
			step := plan.Step{Group: group}
			for range 3 {
				u, v := int32(random.IntN(n)), int32(random.IntN(n))
				ids := random.Perm(space.Chunks())[:1]
				if many {
					ids = random.Perm(space.Chunks())[:(1+space.Chunks())/2]
				}
				slices.Sort(ids)
				step.Base = append(step.Base, plan.Transfer{
					Transfer: collective.Transfer{Src: int(u), Dst: int(v), Chunks: collective.Of(ids), Action: collective.Copy},
					Routes:   []flow.Route{{Path: []int32{u, v}, Share: 1}},
				})
			}
			var want []plan.Transfer
			odd := func(src, dst int) bool { return (src+dst)%2 == 1 }
			all := slices.Collect(step.All(space))
			for k := range group.Order() {
				for _, x := range step.Base {
					x.Src, x.Dst = group.Apply(k, x.Src), group.Apply(k, x.Dst)
					x.Chunks, x.Routes = space.Translate(group, k, x.Chunks), plan.MoveRoutes(group, k, x.Routes)
					if at := len(want); !reflect.DeepEqual(all[at], x) {
						t.Fatalf("%s, transfer %d: %+v, want %+v", op, at, all[at], x)
					}
					want = append(want, x)
				}
			}
			want = slices.DeleteFunc(want, func(x plan.Transfer) bool { return !odd(x.Src, x.Dst) })
			if got := slices.Collect(step.Among(space, odd)); !reflect.DeepEqual(got, want) || len(want) == 0 && len(got) > 0 {
				t.Errorf("%s: %d transfers between some, want %d", op, len(got), len(want))
			}
		}
	}
}
