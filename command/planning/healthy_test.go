package planning_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

var everyOp = []collective.Op{
	collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce, collective.AllToAll,
}

// easier plans the same operation on two fabrics; the first allows everything that the second
// allows. The plan on the first is not slower, and neither is its best plan without
// reconfigurations.
func easier(t *testing.T, op collective.Op, size units.Bytes, easy, hard fabric.Fabric, what string) {
	t.Helper()
	times := func(f fabric.Fabric) *plan.Plan {
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: size}}})
		if errors.Is(err, planner.ErrInfeasible) {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	harder := times(hard)
	if harder == nil {
		return
	}
	easiest := times(easy)
	if easiest == nil {
		t.Errorf("%s of %v: no plan %s", op, size, what)
		return
	}
	if a, b := easiest.Cost.Total(), harder.Cost.Total(); a > b*commandtest.Rounding {
		t.Errorf("%s of %v: %v %s, and without %v", op, size, a, what, b)
	}
	a, b := easiest.Baselines.Static, harder.Baselines.Static
	if a > 0 && b > 0 && a > b*commandtest.Rounding {
		t.Errorf("%s of %v: best static %v %s, and without %v", op, size, a, what, b)
	}
}

// A fabric without failures is never worse than one with failures. For 36 GPUs with 5 ports and
// two-way circuits, the planner once missed circulants that it used around a failure.
func TestWhatHasNotFailedIsNeverWorse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(29, 3))
	for range samples.Draws(7, 40) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 4+random.IntN(12), 2+random.IntN(4), random.IntN(2) == 0
		f.Reconfig.Base = []units.Duration{0, units.Microsecond, 25 * units.Millisecond}[random.IntN(3)]
		size := []units.Bytes{1000, 131071, 5 * units.MiB}[random.IntN(3)]
		u := random.IntN(f.Nodes)
		failed := f
		failed.Avoid = fabrictest.Failures([]string{
			fmt.Sprintf("port:%d", u), fmt.Sprintf("link:%d-%d", u, (u+1+random.IntN(f.Nodes-1))%f.Nodes),
		}[random.IntN(2)])
		if f.Validate() != nil || failed.Validate() != nil {
			continue
		}
		easier(t, everyOp[random.IntN(len(everyOp))], size, f, failed, fmt.Sprintf("with all of %+v instead of %+v", f, failed.Avoid))
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex, f.Bandwidth = 36, 5, true, 100*units.Gbps
	f.Alpha, f.Reconfig.Base = 373*units.Nanosecond, 0
	failed := f
	failed.Avoid = fabrictest.Failures("link:2-3")
	easier(t, collective.Broadcast, 131071, f, failed, "with all of 36 GPUs")
}

// From given circuits, another port or a smaller delay is never worse.
func TestFromGivenCircuitsMoreIsNeverWorse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(29, 4))
	for range samples.Draws(6, 30) {
		f := fabric.Default()
		f.Nodes = 4 + random.IntN(12)
		up := []string{fmt.Sprintf("BiRing(2,%d)", f.Nodes), fmt.Sprintf("DC(%d;1,2)", f.Nodes), fmt.Sprintf("UniRing(1,%d)", f.Nodes)}[random.IntN(3)]
		f.Ports, f.Initial = 2+random.IntN(2), up
		f.Reconfig.Base = []units.Duration{units.Microsecond, 20 * units.Microsecond, 25 * units.Millisecond}[random.IntN(3)]
		if f.Validate() != nil {
			continue
		}
		easy := f
		if random.IntN(2) == 0 {
			easy.Ports++
		} else {
			easy.Reconfig.Base /= 10
		}
		size := []units.Bytes{1000, 6529, 131071}[random.IntN(3)]
		easier(t, everyOp[random.IntN(len(everyOp))], size, easy, f, fmt.Sprintf("with %d ports and %v instead of %d and %v from %s on %d GPUs",
			easy.Ports, easy.Reconfig.Base, f.Ports, f.Reconfig.Base, up, f.Nodes))
	}
}
