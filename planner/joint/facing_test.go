package joint

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Facing pairs are correct and take the predicted time, by themselves and within digits, on one-way
// and two-way circuits.
func TestFacingPairsAreCorrectAndTakeThePredictedTime(t *testing.T) {
	for _, c := range []struct{ n, ports int }{{4, 2}, {6, 3}, {6, 4}, {8, 4}, {8, 6}, {4, 4}, {9, 6}, {12, 8}, {16, 8}, {10, 7}} {
		for mode := range 4 {
			r := request(collective.AllReduce, c.n, c.ports, 256*units.KiB)
			r.Fabric.Duplex = mode == 1
			if mode == 2 {
				r.Fabric.Forwarding = fabric.StoreAndForward
			}
			r.Fabric.CapTheta = mode == 3
			m := newMachine(&r.Fabric, c.ports, c.n)
			all := m.facing(c.n)
			if len(all) == 0 {
				t.Errorf("%d points, %d ports: none", c.n, c.ports)
			}
			for _, p := range all {
				found := solution{digits: []digit{{c.n, func() *program { return p }}}, time: m.time(p.shape, float64(r.Size))}
				o := option{time: found.time, build: func() laidCast {
					stages, parts, about := stagesOf(found, collective.AllReduce, m.stores)
					return laidCast{stages: stages, space: collective.SpaceOf(collective.AllReduce, c.n, parts), about: about}
				}}
				laid, err := o.plan(&r)
				if err != nil || laid == nil {
					t.Fatalf("%d points, %d ports, mode %d: %v %v", c.n, c.ports, mode, laid, err)
				}
				check(t, laid, o.time)
				if len(laid.Stages) != 1 || laid.CountSteps() != 3 {
					t.Errorf("%d stages, %d steps", len(laid.Stages), laid.CountSteps())
				}
			}
		}
	}
}

// 8 GPUs with four ports do 256 KiB in 4.15 us: three steps of one hop, and 7/16 of the vector.
func TestFacingPairsOfEight(t *testing.T) {
	r := request(collective.AllReduce, 8, 4, 256*units.KiB)
	p, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(p.Cost.Total()); got > 4147 {
		t.Errorf("%v ns by %s", got, p.Strategy)
	}
}
