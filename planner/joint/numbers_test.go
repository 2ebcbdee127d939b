package joint

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// A small allreduce on circuits that stay takes little longer than on a few GPUs more, also for
// some numbers of GPUs without small factors. docs/joint.md names numbers for which that is not so.
func TestTheseNumbersAreNotMuchSlowerThanLargerOnes(t *testing.T) {
	const longer = 1.2
	var known = map[[2]int]bool{{34, 3}: true, {35, 3}: true, {19, 4}: true}
	for _, size := range []units.Bytes{units.KiB, 16 * units.KiB} {
		for _, c := range samples.Few(4, [][2]int{{45, 2}, {47, 2}, {13, 3}, {16, 3}, {22, 3}, {26, 3}, {29, 3}, {31, 3}, {40, 3}, {17, 4}, {18, 4}, {26, 4}, {33, 4}, {46, 4}, {62, 4}}) {
			least := units.Time(0)
			for n := c[0]; n <= c[0]+4; n++ {
				if known[[2]int{n, c[1]}] {
					continue
				}
				r := jointtest.Request(collective.AllReduce, n, c[1], size)
				r.Fabric.Reconfig.Base = 100 * units.Microsecond
				p, err := New().Plan(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if n == c[0] {
					least = p.Cost.Total()
				} else if least > longer*p.Cost.Total() {
					t.Errorf("%v on %d GPUs with %d ports: %v, and on %d %v", size, c[0], c[1], least, n, p.Cost.Total())
				}
			}
		}
	}
}
