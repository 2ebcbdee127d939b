package planning_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// shared caches plans with their baselines, which take long to make, by the JSON of their
// requests.
var shared struct {
	sync.Mutex
	made map[string]func() (*plan.Plan, error)
}

// withBaselines plans once for all tests that ask for the same.
func withBaselines(t *testing.T, r lightpath.PlanRequest) *plan.Plan {
	t.Helper()
	key, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	shared.Lock()
	if shared.made == nil {
		shared.made = map[string]func() (*plan.Plan, error){}
	}
	once := shared.made[string(key)]
	if once == nil {
		once = sync.OnceValues(func() (*plan.Plan, error) { return lightpath.Plan(context.Background(), r) })
		shared.made[string(key)] = once
	}
	shared.Unlock()
	p, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// staticCase is an operation on a fabric with any delay.
type staticCase struct {
	op           collective.Op
	nodes, ports int
	size         units.Bytes
}

// staticCases include cases in which the best static plan uses the base, other circuits, or its
// own steps, below and above the numbers of GPUs at which searches get smaller.
func staticCases() []staticCase {
	cases := samples.Few(5, []staticCase{
		{collective.AllToAll, 128, 8, 8 * units.MB}, {collective.AllToAll, 160, 2, 8 * units.MB}, {collective.AllToAll, 256, 4, 8 * units.MB},
		{collective.AllToAll, 128, 2, 8 * units.MB}, {collective.AllToAll, 1000, 1, units.MB},
		{collective.AllToAll, 1000, 4, 8 * units.MB},
		{collective.AllReduce, 128, 2, units.MB}, {collective.AllGather, 512, 4, 64 * units.KB}, {collective.ReduceScatter, 1000, 4, units.MB},
		{collective.Broadcast, 160, 2, units.KB},
	})
	for i, op := range collective.Ops() {
		for _, ports := range []int{1, 2, 3} {
			if (i+ports)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			cases = append(cases, staticCase{op, 8, ports, 100 * units.KB})
		}
	}
	return cases
}

// A plan that does not reconfigure has the same time for any delay. So the static baseline is
// the same for every delay, and no plan without reconfigurations, found for any delay, is
// faster.
func TestStaticBaselineDoesNotDependOnTheDelay(t *testing.T) {
	t.Parallel()
	for _, c := range staticCases() {
		t.Run(fmt.Sprintf("%s/n=%d/ports=%d", c.op, c.nodes, c.ports), func(t *testing.T) {
			t.Parallel()
			static, plans := units.Time(0), 0
			delays := []units.Duration{10 * units.Microsecond, 25 * units.Millisecond}
			if c.nodes < 128 || c.nodes == 128 && samples.Every() { // more take seconds
				delays = append(delays, units.Microsecond, units.Millisecond)
			}
			if c.nodes == 8 {
				delays = append(delays, 0, 100*units.Nanosecond)
			}
			for _, delay := range delays {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig.Base = c.nodes, c.ports, delay
				p := withBaselines(t, lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}})
				got := p.Baselines.Static
				if static == 0 {
					static = got
				}
				if math.Abs(float64(got-static)) > 1e-9*float64(static) {
					t.Errorf("%+v: the best static plan takes %v at a delay of %v, %v at another", c, got, delay, static)
				}
				if p.Reconfigurations == 0 {
					plans++
					if p.Cost.Total() < static*(1-1e-9) {
						t.Errorf("%+v: a plan of auto does not rewire and takes %v, the best static plan %v", c, p.Cost.Total(), static)
					}
				}
			}
			if plans == 0 {
				t.Errorf("%+v: every plan rewires, also where that takes 25 ms", c)
			}
		})
	}
}

// A baseline that does not range over everything says so, in plans and in sweeps.
func TestStaticBaselineSaysWhatItRangesOver(t *testing.T) {
	t.Parallel()
	type question struct {
		nodes, ports int
		all          bool
	}
	for _, c := range samples.Few(2, []question{{256, 4, true}, {512, 1, true}, {portfolio.MostRouted + 8, 4, false}, {512, 4, true}}) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = c.nodes, c.ports, 10*units.Microsecond
		p := withBaselines(t, lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: 8 * units.MB}}})
		if p.Reconfigurations == 0 || (p.StaticAmong == "") != c.all {
			t.Errorf("%d GPUs, %d ports, %d changes: the static baseline is the fastest of %q", c.nodes, c.ports, p.Reconfigurations, p.StaticAmong)
		}
	}
}

// The cells of a sweep have the static baselines of planning, at every delay.
func TestSweepsHaveTheStaticBaselinesOfPlanning(t *testing.T) {
	t.Parallel()
	nodes := []string{"8", "256"}
	if samples.Every() {
		nodes = append(nodes, "512")
	}
	table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Axes: []sweep.Axis{
		{Name: "op", Values: []string{"alltoall", "allgather"}}, {Name: "nodes", Values: nodes}, {Name: "ports", Values: []string{"4"}},
		{Name: "size", Values: []string{"8MB"}}, {Name: "reconfig", Values: []string{"10us", "1us", "1s"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	static := map[[2]int]units.Time{}
	for i := range table.Cells {
		c := &table.Cells[i]
		key := [2]int{len(c.Op), c.Fabric.Nodes}
		if static[key] == 0 {
			static[key] = withBaselines(t, lightpath.PlanRequest{Fabric: c.Fabric, Operations: []lightpath.Operation{{Op: c.Op, Size: c.Size}}}).Baselines.Static
		}
		if want := static[key]; math.Abs(float64(c.Baselines.Static-want)) > 1e-9*float64(want) {
			t.Errorf("%s on %d GPUs at %v: the best static plan takes %v in a sweep, %v by planning", c.Op, c.Fabric.Nodes, c.Fabric.Reconfig, c.Baselines.Static, want)
		}
		if c.Reconfigurations == 0 && c.Total < c.Baselines.Static*(1-1e-9) {
			t.Errorf("%s on %d GPUs at %v: a plan without a change takes %v, the best static plan %v", c.Op, c.Fabric.Nodes, c.Fabric.Reconfig, c.Total, c.Baselines.Static)
		}
	}
}
