package verify

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// checkUneven computes the time of every step on unequal circuits again, only from its
// transfers, one by one, and the load of each circuit. Unlike Price, it uses no shares of a
// common bandwidth and no symmetry.
func checkUneven(p *plan.Plan) error {
	circuits := p.Fabric.Circuits()
	if circuits == nil || p.Fabric.Tiered() {
		return nil // checkTiers checks it
	}
	for stage, step := range p.Steps() {
		busy := map[[2]int]units.Time{} // how long each bundle sends
		pairs := map[[2]int]float64{}
		flight, serial := units.Time(0), units.Time(0)
		for x := range step.All(p.Collective.Space) {
			bytes := p.Bytes(x.Chunks)
			pairs[[2]int{x.Src, x.Dst}] += bytes
			for _, route := range x.Routes {
				way, stored := units.Time(0), units.Time(0)
				for h, v := range route.Path[1:] {
					at := [2]int{int(route.Path[h]), int(v)}
					bandwidth, delay := circuits.Of(at[0], at[1])
					sends := bandwidth.Transmit(route.Share*bytes) / units.Time(stage.Topology.Count(at[0], at[1]))
					busy[at] += sends
					stored += sends
					way += delay.Time()
				}
				flight, serial = max(flight, way), max(serial, stored)
			}
		}
		sends := units.Time(0)
		for _, time := range busy {
			sends = max(sends, time)
		}
		for _, bytes := range pairs {
			if p.Fabric.CapTheta {
				sends = max(sends, p.Fabric.Bandwidth.Transmit(bytes))
			}
		}
		if p.Fabric.Forwarding == fabric.StoreAndForward {
			sends = max(sends, serial)
		}
		if c := step.Cost; !plan.Near(c.Transmission, sends) || !plan.Near(c.Propagation, flight) {
			return fmt.Errorf("step %d: claims %v on circuits and %v on the way, each circuit by itself gives %v and %v",
				step.Index, c.Transmission, c.Propagation, sends, flight)
		}
	}
	return nil
}
