package islands

import (
	"context"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Carried is a way to carry the parcels of a demand: its time and its lower bound.
type Carried struct {
	Time, Least units.Time
}

// EveryWay lifts a plan for a core with a demand in every way to carry its parcels.
func EveryWay(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric) ([]Carried, error) {
	x, err := newCarrier(core, c, f)
	if err != nil {
		return nil, err
	}
	var all []Carried
	for _, prefer := range []int{bySource, byTarget, evenly} {
		for _, collect := range []bool{false, true} {
			for _, spread := range []bool{false, true} {
				way := carrying{prefer, collect, spread}
				made, err := x.lift(ctx, way)
				if err != nil {
					return nil, err
				}
				all = append(all, Carried{made.Cost.Total(), x.least(way)})
			}
		}
	}
	return all, nil
}
