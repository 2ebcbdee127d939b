package cast

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Pipelines down low trees are correct, as broadcasts and as reductions, and take the predicted
// time.
func TestLowTreePipelinesAreCorrect(t *testing.T) {
	made, odd := 0, 0
	for ports := 3; ports <= 8; ports++ {
		for i, n := range []int{6, 9, 12, 19, 33, 64} {
			r := jointtest.Request(collective.Broadcast, n, ports, []units.Bytes{units.MiB, 64 * units.MiB}[i%2])
			r.Fabric.Duplex = true
			if ports%2 == 0 {
				r.Fabric.Forwarding = fabric.StoreAndForward
			}
			s := digit.NewSearch(digit.Question{
				Machine: digit.NewMachine(&r.Fabric, ports, n), Limits: digit.Limits{Changes: digit.AnyChanges},
				Keep: 1, Nodes: n, Bytes: float64(r.Size), Stopped: never,
			})
			for _, c := range lowTreeCasts(s, n, float64(r.Size), nil) {
				l := c.Build()
				jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), c.Time)
				back := r
				back.Collective = &collective.Collective{Op: collective.RootReduce, Nodes: n}
				jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), collective.SpaceOf(collective.RootReduce, n, l.Space.Chunks())), c.Time)
				made++
				odd += n * ports % 2
			}
		}
	}
	if made < 30 || odd < 3 {
		t.Errorf("only %d pipelines, %d with an odd number of ports", made, odd)
	}
}

// A large message comes over all ports of every GPU at once: it takes little longer than it takes
// to receive. If nodes times ports is odd, the root has a port less, and so has the message.
func TestLowTreePipelinesUseAllPorts(t *testing.T) {
	for ports := 3; ports <= 8; ports++ {
		for _, n := range []int{16, 27, 64, 101, 128} {
			r := jointtest.Request(collective.Broadcast, n, ports, units.GiB)
			r.Fabric.Duplex = true
			m := digit.NewMachine(&r.Fabric, ports, n)
			s := digit.NewSearch(digit.Question{
				Machine: m, Limits: digit.Limits{Changes: digit.AnyChanges}, Keep: 1, Nodes: n, Bytes: float64(r.Size), Stopped: never,
			})
			best := pipelineCasts(s, n, float64(r.Size))[0].Time
			for _, c := range pipelineCasts(s, n, float64(r.Size)) {
				best = min(best, c.Time)
			}
			received := m.PerByte * float64(r.Size) / float64(ports-n*ports%2)
			if best > 1.12*received {
				t.Errorf("%d nodes, %d ports: %v, %v to receive", n, ports, units.Time(best), units.Time(received))
			}
		}
	}
}
