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
	type key struct {
		nodes, ports int
		twoWay       bool
	}
	var known = map[key]bool{{34, 3, false}: true, {35, 3, false}: true, {19, 4, false}: true}
	cases := []key{{45, 2, false}, {47, 2, false}, {33, 7, true}, {37, 8, true}, {53, 5, true}}
	for _, c := range [][2]int{{13, 3}, {16, 3}, {22, 3}, {26, 3}, {29, 3}, {31, 3}, {40, 3}, {17, 4}, {18, 4}, {26, 4}, {33, 4}, {46, 4}, {62, 4}} {
		cases = append(cases, key{c[0], c[1], false})
	}
	for _, size := range []units.Bytes{units.KiB, 16 * units.KiB} {
		for _, c := range samples.Few(4, cases) {
			least := units.Time(0)
			for n := c.nodes; n <= c.nodes+4; n++ {
				if known[key{n, c.ports, c.twoWay}] {
					continue
				}
				r := jointtest.Request(collective.AllReduce, n, c.ports, size)
				r.Fabric.Reconfig.Base, r.Fabric.Duplex = 100*units.Microsecond, c.twoWay
				p, err := New().Plan(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if n == c.nodes {
					least = p.Cost.Total()
				} else if least > longer*p.Cost.Total() {
					t.Errorf("%v on %d GPUs with %d ports (two-way: %v): %v, and on %d %v", size, c.nodes, c.ports, c.twoWay, least, n, p.Cost.Total())
				}
			}
		}
	}
}
