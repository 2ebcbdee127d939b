package train_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// smallFabric is a fabric on which planning is fast and the best plan depends on the size.
func smallFabric() fabric.Fabric {
	f := fabric.Default()
	f.Nodes = 16
	return f
}

// With a given planner every collective takes as long as a plan for exactly its size, plus the
// reconfiguration before it. Every size is planned once, and the bound needs few other plans.
func TestCollectivesTakeAsLongAsTheirPlans(t *testing.T) {
	for _, name := range []string{"resnet18", "switch_base_128"} {
		trace, err := train.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		f := smallFabric()
		got, err := training.Train(t.Context(), training.TrainRequest{Trace: trace, Fabric: f, Planner: "harvest"})
		if err != nil {
			t.Fatal(err)
		}
		change := f.Reconfig.Least()
		sizes, changes := map[int64]units.Time{}, 0
		for _, c := range got.Collectives {
			key := c.Bytes
			if c.Op == collective.AllToAll {
				key = -key
			}
			alone, ok := sizes[key]
			if !ok {
				p, err := planning.Plan(t.Context(), planning.PlanRequest{
					Fabric: f, Operations: []collective.Operation{{Op: c.Op, Size: units.Bytes(c.Bytes)}}, Planner: "harvest",
				}, command.WithoutBaselines())
				if err != nil {
					t.Fatal(err)
				}
				alone = p.Cost.Total()
				sizes[key] = alone
			}
			extra := c.EndNs - c.StartNs - alone
			tolerance := 1e-9 * float64(c.EndNs) // the difference of two large times
			switch {
			case math.Abs(float64(extra)) <= tolerance:
			case math.Abs(float64(extra-change)) <= tolerance:
				changes++
			default:
				t.Errorf("%s: %s of %d bytes takes %v; its plan %v", name, c.Op, c.Bytes, c.EndNs-c.StartNs, alone)
			}
		}
		about := got.Network.Planned
		if changes != about.Changes || math.Abs(float64(about.ChangesNs-units.Time(changes)*change)) > 1 {
			t.Errorf("%s: %d changes, said are %d, %v", name, changes, about.Changes, about.ChangesNs)
		}
		if about.Plans-about.ForBound != len(sizes) || about.ForBound > len(sizes)/2 {
			t.Errorf("%s: %d plans, %d of them for the bound, for %d sizes", name, about.Plans, about.ForBound, len(sizes))
		}
	}
}

// If transfers hide reconfigurations, time is not linear in the size, and every size has its own
// plan.
func TestEverySizeIsPlannedWhereTimeIsNotALine(t *testing.T) {
	trace := layers([4]int64{1 << 20, 0, 9000}, [4]int64{1 << 14, 0, 9000}, [4]int64{1 << 20, 0, 9000})
	f := smallFabric()
	f.Nodes, f.Ports, f.Overlap = 4, 2, fabric.Overlap{Kind: fabric.OverlapPorts}
	got, err := training.Train(t.Context(), training.TrainRequest{Trace: trace, Fabric: f, Planner: "harvest", Algorithm: "ring"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Collectives) == 0 || got.Network.Planned.Plans < 2 {
		t.Errorf("%+v", got)
	}
}

// A static topology, planned on a fabric without propagation, has the times of the model of Zhao
// et al.
func TestTheModelIsThatOfTheDirectConnectPlanner(t *testing.T) {
	trace, err := train.Builtin("resnet18")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		expr  string
		ports int
	}{{"Torus(4,4)", 4}, {"DC(16;1)", 1}, {"GenKautz(2,16)", 2}} {
		f := smallFabric()
		f.Ports, f.Delta, f.Base = c.ports, 0, c.expr
		planned, err := training.Train(t.Context(), training.TrainRequest{Trace: trace, Fabric: f, Planner: "direct-connect"})
		if err != nil {
			t.Fatal(err)
		}
		model, err := training.Train(t.Context(), training.TrainRequest{Trace: trace, Fabric: f, Topology: c.expr})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(planned.MinibatchNs-model.MinibatchNs)) > 1e-9*float64(model.MinibatchNs) || planned.AllReduces != model.AllReduces {
			t.Errorf("%s: planned %v with %d, model %v with %d", c.expr, planned.MinibatchNs, planned.AllReduces, model.MinibatchNs, model.AllReduces)
		}
		// One line has all sizes.
		if planned.Network.Planned.ForBound > 1 || planned.Network.Planned.Changes != 0 {
			t.Errorf("%s: %+v", c.expr, planned.Network.Planned)
		}
	}
}
