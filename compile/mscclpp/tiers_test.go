package mscclpp_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// TestGPUsOfAnIslandWriteToMemory: ranks of an island have channels of type memory, all others of
// type port, and the checker finds the program correct.
func TestGPUsOfAnIslandWriteToMemory(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Island = 8, fabric.Island{Size: 4, Bandwidth: 3200 * units.Gbps}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: "static", Operations: []lightpath.Operation{{Op: "allreduce", Size: units.MiB}},
	}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	_, documents, err := mscclpp.Make(t.Context(), p, false, mscclpp.Options{Between: compile.Between(p)})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[mscclpp.ChannelType]int{}
	for _, d := range documents {
		for r := range d.GPUs {
			for _, c := range d.GPUs[r].Channels {
				for _, peer := range c.ConnectedTo {
					seen[c.Type]++
					if same := r/4 == peer/4; same != (c.Type == mscclpp.Memory) {
						t.Errorf("ranks %d and %d have a channel of type %s", r, peer, c.Type)
					}
				}
			}
		}
	}
	if seen[mscclpp.Memory] == 0 || seen[mscclpp.Port] == 0 {
		t.Errorf("channels: %v", seen)
	}
	if report := mscclpp.Check(documents...); !report.OK {
		t.Errorf("%+v", report)
	}
}
