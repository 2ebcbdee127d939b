package verify

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// checkTiers times every step on a fabric with islands once more: every transfer by itself,
// without symmetry, on a table of what each GPU has to send into its island, to receive there and
// to send over each of its circuits.
func checkTiers(p *plan.Plan) error {
	f := &p.Fabric
	if f.Island.IsZero() {
		return nil
	}
	circuits := f.Circuits()
	for stage, step := range p.Steps() {
		enter, leave := make([]float64, f.Nodes), make([]float64, f.Nodes)
		busy := make([]map[int32]units.Time, f.Nodes) // circuits of a GPU, by their other end
		pairs := map[[2]int]float64{}
		startup, flight, serial := units.Duration(0), units.Time(0), units.Time(0)
		for x := range step.All(p.Collective.Space) {
			bytes := p.Bytes(x.Chunks)
			if f.CapTheta {
				pairs[[2]int{x.Src, x.Dst}] += bytes
			}
			for _, route := range x.Routes {
				way, stored := units.Time(0), units.Time(0)
				u := route.Path[0]
				for _, v := range route.Path[1:] {
					count := stage.Topology.Count(int(u), int(v))
					if count == 0 { // checkRoutes has seen that they share an island
						enter[u] += route.Share * bytes
						leave[v] += route.Share * bytes
						startup = max(startup, f.IslandAlpha())
						stored += f.Island.Bandwidth.Transmit(route.Share * bytes)
						way += f.IslandDelta().Time()
						u = v
						continue
					}
					rate, delay := f.Bandwidth, f.Delta
					if circuits != nil {
						rate, delay = circuits.Of(int(u), int(v))
					}
					if busy[u] == nil {
						busy[u] = map[int32]units.Time{}
					}
					sends := rate.Transmit(route.Share*bytes) / units.Time(count)
					busy[u][v] += sends
					startup = max(startup, f.Alpha)
					stored += sends
					way += delay.Time()
					u = v
				}
				flight, serial = max(flight, way), max(serial, stored)
			}
		}
		sends, optical := f.Island.Bandwidth.Transmit(max(slices.Max(enter), slices.Max(leave))), false
		for _, circuits := range busy {
			for _, time := range circuits {
				sends, optical = max(sends, time), true
			}
		}
		for _, bytes := range pairs {
			if optical {
				sends = max(sends, f.Bandwidth.Transmit(bytes))
			}
		}
		if f.Forwarding == fabric.StoreAndForward {
			sends = max(sends, serial)
		}
		c := step.Cost
		if !plan.Near(c.Startup, startup.Time()) || !plan.Near(c.Transmission, sends) || !plan.Near(c.Propagation, flight) {
			return fmt.Errorf("step %d: claims a start-up of %v, %v of sending and %v on the way; each GPU by itself gives %v, %v and %v",
				step.Index, c.Startup, c.Transmission, c.Propagation, startup.Time(), sends, flight)
		}
	}
	return nil
}
