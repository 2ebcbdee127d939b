package digit

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Sums of balls are correct, and take the counted time and no less than was predicted before: on
// one-way and two-way circuits, and with messages that are stored and forwarded.
func TestBallsAreCorrectAndTakeThePredictedTime(t *testing.T) {
	tried := 0
	for i, c := range []struct {
		points, ports int
		duplex        bool
	}{{9, 2, false}, {11, 2, false}, {23, 2, false}, {14, 3, false}, {20, 3, false}, {37, 3, false}, {31, 4, false}, {56, 4, true}} {
		r := jointtest.Request(collective.AllReduce, c.points, c.ports, units.MiB)
		r.Fabric.Duplex = c.duplex
		if i%2 == 1 {
			r.Fabric.Forwarding = fabric.StoreAndForward
		}
		m := NewMachine(&r.Fabric, c.ports, c.points)
		for _, sk := range m.networks(c.points) {
			if sk.symmetric() || sk.Diameter > 4 {
				continue
			}
			for _, p := range m.ballings(sk) {
				least := p.Shape
				if p.settleOne(false, never); p.Load >= impossible {
					continue // too many side sums
				}
				tried++
				t.Run(fmt.Sprintf("%d points/%d ports/%s", c.points, c.ports, p.about), func(t *testing.T) {
					if p.Load < least.Load || p.Hops != least.Hops {
						t.Errorf("%+v, predicted %+v or more", p.Shape, least)
					}
					stages, parts, _ := Stages(Solution{Digits: []digit{{c.points, func() *program { return p }}}}, collective.AllReduce, i%2 == 1)
					made := jointtest.PlanOf(t, &r, stages, collective.SpaceOf(collective.AllReduce, c.points, parts))
					jointtest.Check(t, made, m.Time(p.Shape, float64(r.Size)))
				})
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d sums", tried)
	}
}
