package digit

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Facing pairs are correct and take the predicted time, by themselves and within digits, on
// one-way and two-way circuits.
func TestFacingPairsAreCorrectAndTakeThePredictedTime(t *testing.T) {
	for _, c := range []struct{ n, ports int }{{4, 2}, {6, 3}, {6, 4}, {8, 4}, {8, 6}, {4, 4}, {9, 6}, {12, 8}, {16, 8}, {10, 7}} {
		for mode := range 4 {
			r := jointtest.Request(collective.AllReduce, c.n, c.ports, 256*units.KiB)
			r.Fabric.Duplex = mode == 1
			if mode == 2 {
				r.Fabric.Forwarding = fabric.StoreAndForward
			}
			r.Fabric.CapTheta = mode == 3
			m := NewMachine(&r.Fabric, c.ports, c.n)
			all := m.facing(c.n)
			if len(all) == 0 {
				t.Errorf("%d points, %d ports: none", c.n, c.ports)
			}
			for _, p := range all {
				found := Solution{Digits: []digit{{c.n, func() *program { return p }}}, Time: m.Time(p.Shape, float64(r.Size))}
				laid := laidOut(t, &r, found)
				if len(laid.Stages) != 1 || laid.CountSteps() != 3 {
					t.Errorf("%d stages, %d steps", len(laid.Stages), laid.CountSteps())
				}
			}
		}
	}
}
