package digit

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Windows after a scatter are correct and take the time that they take without it.
func TestWindowsBetweenScatterAndGather(t *testing.T) {
	made := map[bool]int{}
	for _, points := range []int{5, 7, 8, 11, 13, 17, 23} {
		for _, outer := range []int{2, 3} {
			for mode := range 4 {
				n := outer * points
				r := jointtest.Request(collective.AllReduce, n, 1+mode/2, 256*units.KiB)
				r.Fabric.Duplex, r.Fabric.Reconfig.Base = mode > 1, units.Microsecond
				if mode == 1 {
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				m := NewMachine(&r.Fabric, r.Fabric.Ports, n)
				for _, changes := range []int{0, 1, AnyChanges} {
					bytes := float64(r.Size) / float64(outer)
					var p *program
					if mode > 1 {
						p = m.twoSided(points, bytes, changes, 1e9, never)
					} else {
						p = newWindowSearch(&m, nil, points, bytes, 1e9).program(changes)
					}
					if p == nil {
						continue
					}
					within := p.afterScatter()
					if within == nil {
						continue
					}
					made[mode > 1]++
					scatter := m.ringFloor(outer).program(&m, ladder{scattered: []rung{{1, outer, 1}}}, false)
					if outer > 2 && mode > 1 {
						scatter = m.twoWayGather(outer, 1, bytes)
					}
					laidOut(t, &r, Solution{
						Digits: []digit{{outer, func() *program { return scatter }}, {points, func() *program { return within }}},
						Time:   2*(m.Time(scatter.Shape, bytes)+m.Wait) + m.Time(p.Shape, bytes),
					})
				}
			}
		}
	}
	if made[false] < 10 || made[true] < 10 {
		t.Errorf("%d one-way and %d two-way programs", made[false], made[true])
	}
}
