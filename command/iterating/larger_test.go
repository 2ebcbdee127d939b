package iterating_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// TestMoreIsNeverSlowerOnLargeFabrics: with 128, 1 000 and 2 000 GPUs in islands of 8, a shorter
// delay and more ports never lengthen an iteration, and no policy is faster than the best.
func TestMoreIsNeverSlowerOnLargeFabrics(t *testing.T) {
	t.Parallel()
	few := []units.Duration{0, 20 * units.Microsecond, 50 * units.Millisecond}
	if !samples.Every() {
		few = few[1:] // without a delay it takes seconds
	}
	many := 250
	if samples.Every() {
		many = 625 // takes seconds
	}
	for _, c := range []struct {
		replicas int
		ports    []int
		delays   []units.Duration
	}{
		{16, []int{1, 2}, few},
		{125, []int{1, 2}, samples.Few(1, []units.Duration{0, 5 * units.Millisecond})},
		{many, []int{1}, samples.Few(1, []units.Duration{units.Microsecond, 100 * units.Microsecond})},
	} {
		fewer := map[units.Duration]units.Time{} // time with fewer ports, by delay
		for _, ports := range c.ports {
			last := units.Time(0)
			for _, delay := range c.delays {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig.Base = 8*c.replicas, ports, delay
				f.Island = fabric.Island{Size: 8, Bandwidth: 3600 * units.Gbps}
				d, err := iterating.Iterate(context.Background(), iterating.IterateRequest{Model: named(t, "llama3-8b"),
					Config: parallel.Config{TP: 8, DP: c.replicas, GlobalBatch: c.replicas}, Fabric: f})
				if err != nil {
					t.Fatal(err)
				}
				if d.Iteration < last*(1-1e-9) {
					t.Errorf("%d GPUs, %d ports: with a delay of %v it takes %v, with a shorter one %v", f.Nodes, ports, delay, d.Iteration, last)
				}
				if before, ok := fewer[delay]; ok && d.Iteration > before*(1+1e-9) {
					t.Errorf("%d GPUs, a delay of %v: with %d ports it takes %v, with fewer %v", f.Nodes, delay, ports, d.Iteration, before)
				}
				for _, policy := range iteration.Policies() {
					if time, ok := d.Baselines[policy]; ok && time < d.Iteration*(1-1e-9) {
						t.Errorf("%d GPUs, %d ports, a delay of %v: %s takes %v, the best %v", f.Nodes, ports, delay, policy, time, d.Iteration)
					}
				}
				if d.Iteration < d.Bound*(1-1e-9) {
					t.Errorf("%d GPUs, %d ports: it takes %v, below the bound of %v", f.Nodes, ports, d.Iteration, d.Bound)
				}
				last, fewer[delay] = d.Iteration, d.Iteration
			}
		}
	}
}
