package joint_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// With an odd number of two-way ports one GPU is always short of one. It does not hold up the
// others: with 3 ports plans take little longer than the bound, not 3/2 of it.
func TestAShortGPUDoesNotHoldUpOthers(t *testing.T) {
	for _, c := range []struct {
		op    collective.Op
		nodes int
		ports int
		most  float64 // of the bound
	}{
		{collective.AllReduce, 7, 3, 1.05},
		{collective.AllReduce, 27, 3, 1.05},
		{collective.AllReduce, 33, 5, 1.06},
		{collective.AllGather, 7, 3, 1.03},
		{collective.AllGather, 27, 3, 1.03},
		{collective.ReduceScatter, 65, 3, 1.03},
		{collective.ReduceScatter, 27, 5, 1.03},
		{collective.Broadcast, 7, 3, 1.12},
		{collective.Broadcast, 27, 3, 1.2},
		{collective.RootReduce, 33, 5, 1.2},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = c.nodes, c.ports, true
		r := planner.Request{Fabric: f, Size: 256 * units.MiB, Collective: &collective.Collective{
			Op: c.op, Nodes: c.nodes, Space: collective.SpaceOf(c.op, c.nodes, 1),
		}}
		p, err := joint.New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if gap := float64(p.Cost.Total() / p.OperationBound().Total()); gap > c.most || gap < 1 {
			t.Errorf("%v on %d GPUs with %d ports: %.3f of the bound, want at most %.2f", c.op, c.nodes, c.ports, gap, c.most)
		}
		if result, err := verify.Plan(t.Context(), p); err != nil || !result.OK {
			t.Errorf("%v on %d GPUs with %d ports: %v", c.op, c.nodes, c.ports, result)
		}
	}
}

// A smaller delay never makes these plans slower, and more stages pay only where it is small.
func TestTurnsFollowTheDelay(t *testing.T) {
	for _, op := range []collective.Op{collective.AllGather, collective.Broadcast} {
		last, stages := units.Time(0), 1<<30
		for _, delay := range []units.Duration{0, units.Microsecond, 10 * units.Microsecond, 100 * units.Microsecond, units.Millisecond} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Duplex, f.Reconfig.Base = 27, 3, true, delay
			r := planner.Request{Fabric: f, Size: 256 * units.MiB, Collective: &collective.Collective{
				Op: op, Nodes: 27, Space: collective.SpaceOf(op, 27, 1),
			}}
			p, err := joint.New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if p.Cost.Total() < last || len(p.Stages) > stages {
				t.Errorf("%v, delay %v: %v in %d stages, after %v in %d", op, delay, p.Cost.Total(), len(p.Stages), last, stages)
			}
			last, stages = p.Cost.Total(), len(p.Stages)
		}
		if stages != 1 {
			t.Errorf("%v: %d stages with the longest delay", op, stages)
		}
	}
}

// Fine pieces, several in a step, divide the sums well in few steps.
func TestFinePiecesInFewSteps(t *testing.T) {
	for _, c := range []struct {
		n, ports int
		size     units.Bytes
		most     float64 // us
	}{{7, 3, 16 * units.MiB, 112.7}, {11, 5, 16 * units.MiB, 70.9}, {21, 5, 64 * units.MiB, 274.1}, {17, 3, 4 * units.MiB, 44.3}} {
		r := jointtest.Request(collective.AllReduce, c.n, c.ports, c.size)
		r.Fabric.Duplex = true
		p, err := joint.New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, float64(p.Cost.Total()))
		if got := float64(p.Cost.Total()); got > c.most*1000 {
			t.Errorf("%d GPUs, %d ports, %v: %v ns", c.n, c.ports, c.size, got)
		}
	}
}
