package digit

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Crossing chains are correct and take the predicted time, by themselves and within digits, with
// steps of one hop and of several.
func TestCrossingChainsAreCorrectAndTakeThePredictedTime(t *testing.T) {
	for _, c := range []struct{ n, groups, ports int }{{4, 2, 1}, {6, 2, 1}, {16, 2, 1}, {9, 3, 1}, {15, 3, 2}, {20, 4, 1}, {35, 5, 3}, {36, 6, 1}} {
		for mode := range 3 {
			r := jointtest.Request(collective.AllReduce, c.n, c.ports, 256*units.KiB)
			if mode == 1 {
				r.Fabric.Forwarding = fabric.StoreAndForward
			}
			r.Fabric.CapTheta = mode == 2
			m := NewMachine(&r.Fabric, c.ports, c.n)
			size := c.n / c.groups
			for _, steps := range []int{1, 2, size} {
				x := crossing{
					groups: c.groups, size: size, width: c.ports,
					along: rung{1, size, min(steps, size-1)}, over: rung{1, c.groups, min(steps, c.groups-1)},
				}
				p := x.program(&m, m.ringFloor(c.n))
				laidWithin(t, &r, &m, p, 1)
				outer := digit{2, func() *program { return m.ringFloor(2).program(&m, ladder{scattered: []rung{{1, 2, 1}}}, false) }}
				within := jointtest.Request(collective.AllReduce, 2*c.n, c.ports, 256*units.KiB)
				within.Fabric.Forwarding, within.Fabric.CapTheta = r.Fabric.Forwarding, r.Fabric.CapTheta
				laidOut(t, &within, Solution{
					Digits: []digit{outer, {c.n, func() *program { return p }}},
					Time:   2*(m.Time(outer.Make().Shape, float64(r.Size)/2)+m.Wait) + m.Time(p.Shape, float64(r.Size)/2),
				})
			}
		}
	}
}
