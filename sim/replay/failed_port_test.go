package replay_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// The circuits of a GPU are on its ports, each on one. So the failures of all its ports
// together lose what the failure of the GPU loses: on one-way and two-way circuits, in bundles
// and on planes, while circuits change and at any time.
func TestPortsTogetherLoseWhatTheirGPULoses(t *testing.T) {
	for _, c := range []struct {
		ports   int
		planner string
		more    func(f *fabric.Fabric)
	}{
		{1, "harvest", func(*fabric.Fabric) {}},
		{2, "static", func(f *fabric.Fabric) { f.Duplex = true }},
		{2, "every-step", func(*fabric.Fabric) {}}, // bundles of two
		{3, "every-step", func(*fabric.Fabric) {}},
		{4, "harvest", func(f *fabric.Fabric) { f.Reconfig = fabric.Reconfig{Model: fabric.PerSwitch, Base: 1000, Each: 1000} }},
		{4, "staggered", func(f *fabric.Fabric) { f.Overlap.Kind = fabric.OverlapPlanes }},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports = 8, c.ports
		f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: 200 * units.Nanosecond}
		c.more(&f)
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Fabric: f, Planner: c.planner,
			Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB}},
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []units.Duration{0, units.Duration(p.Cost.Total() * 1000 / 3), units.Duration(p.Cost.Total() * 900)} {
			failures := []replay.Failure{{GPU: true, From: 5, To: 5, At: at}}
			for port := range c.ports {
				failures = append(failures, replay.Failure{OnePort: true, Port: port, From: 5, To: 5, At: at})
			}
			failures = append(failures, replay.Failure{OnePort: true, Port: replay.LastPort, From: 5, To: 5, At: at})
			sets := portLosses(t, p, failures)
			together := map[string]bool{}
			for _, set := range sets[1 : 1+c.ports] {
				maps.Copy(together, set)
			}
			name := fmt.Sprintf("%s, %d ports, at %v", c.planner, c.ports, at)
			if !maps.Equal(together, sets[0]) {
				t.Errorf("%s: the GPU loses %d messages, its ports %d", name, len(sets[0]), len(together))
			}
			if last := sets[len(sets)-1]; !maps.Equal(last, sets[c.ports]) {
				t.Errorf("%s: the last port loses %d messages, port %d %d", name, len(last), c.ports-1, len(sets[c.ports]))
			}
			if at == 0 && c.ports > 1 && len(sets[1]) == len(sets[0]) && c.planner == "static" {
				t.Errorf("%s: one port loses all", name)
			}
		}
	}
}

// portLosses returns the messages that each of several failures of a plan loses.
func portLosses(t *testing.T, p *plan.Plan, failures []replay.Failure) []map[string]bool {
	t.Helper()
	losses := replay.NewLosses(p.Fabric.Delta, failures...)
	if err := losses.OnPorts(p); err != nil {
		t.Fatal(err)
	}
	o := sim.Options{Packet: sim.DefaultPacket, Forwarding: p.Fabric.Forwarding, Observer: replay.OnGPUs(p, losses)}
	if _, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.PaceMerging), o); err != nil {
		t.Fatal(err)
	}
	sets := make([]map[string]bool, len(failures))
	for i := range failures {
		sets[i] = map[string]bool{}
		for _, phase := range losses.Of(i) {
			for _, f := range phase.Flows {
				sets[i][fmt.Sprintf("%d: %d>%d %d", phase.Phase, f.Src, f.Dst, f.Bytes)] = true
			}
		}
	}
	return sets
}
