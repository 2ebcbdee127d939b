package boundtest_test

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/bound/boundtest"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The fastest broadcast of 256 KiB to five GPUs with one port, as long as circuits stay: the root
// sends three hops far in its first step.
func ExampleFind() {
	f := fabric.Default()
	f.Nodes, f.Ports = 5, 1
	a := boundtest.Find(boundtest.Problem{Fabric: &f, Op: collective.Broadcast, Size: 256 * units.KiB}, units.Time(math.Inf(1)))
	fmt.Println(a.Lower, a.Steps)
	// Output: 9.243us [3 1 1]
}
