package claim

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Apart from the delays of its reconfigurations, a plan chosen by the model has the same packet
// time for any delay, so it is simulated only once.
func TestPacketsOfAPlanAreSimulatedOnce(t *testing.T) {
	w := Work{Fabric: fabric.Default(), Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: 256 * units.KiB}
	w.Fabric.Nodes, w.Fabric.Delta = 16, 500*units.Nanosecond
	c, err := w.PacketCurve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, delay := range Decades(10*units.Nanosecond, units.Millisecond) {
		w.Fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: delay}
		p, err := w.Plan(t.Context(), "harvest")
		if err != nil {
			t.Fatal(err)
		}
		want, err := SimulatedTime(t.Context(), p, sim.PacketLevel)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := c.InPackets(delay); p.Reconfigurations == c.Best[c.choose(delay)].Reconfigurations && (got-want > 1 || want-got > 1) {
			t.Errorf("delay %v: %v, simulated on its own %v", delay, got, want)
		}
	}
}
