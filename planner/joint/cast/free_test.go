package cast

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// If steps cost nothing but their bytes, pipelines have a limited number of pieces, and are still
// close to what endless pieces would take.
func TestFreeStepsLimitPieces(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		for ports := 1; ports <= 4; ports++ {
			const n, size = 5, 64 * units.MiB
			r := jointtest.Request(collective.Broadcast, n, ports, size)
			r.Fabric.Duplex, r.Fabric.Alpha, r.Fabric.Delta, r.Fabric.Reconfig.Base = duplex, 0, 0, 10*units.Microsecond
			m := digit.NewMachine(&r.Fabric, ports, n)
			s := digit.NewSearch(digit.Question{
				Machine: m, Limits: digit.Limits{Changes: digit.AnyChanges}, Keep: 1, Nodes: n, Bytes: float64(size),
				Stopped: func() bool { return false },
			})
			best := math.Inf(1)
			for _, c := range pipelineCasts(s, n, float64(size)) {
				best = min(best, c.Time)
				if l := c.Build(); l.Space.Parts > ports*ports*(freePieces+1) {
					t.Errorf("%d ports, two-way %v: %s has %d pieces", ports, duplex, c.About, l.Space.Parts)
				}
			}
			least := float64(r.Fabric.Bandwidth.Transmit(float64(size))) / float64(ports)
			if !duplex && best > 1.01*least {
				t.Errorf("%d ports: %v ns, endless pieces take %v", ports, best, least)
			}
		}
	}
}
