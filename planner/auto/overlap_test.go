package auto_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// everyPlanner lists all planners, auto last.
func everyPlanner() []planner.Planner {
	all := append(staged.Planners(), exchange.New(exchange.Options{}), direct.New())
	return append(all, auto.New(all))
}

// drawRequest draws a small request without overlap.
func drawRequest(t *testing.T, rng *rand.Rand) planner.Request {
	t.Helper()
	f := fabric.Default()
	f.Nodes = 2 + rng.IntN(8)
	f.Ports = 1 + rng.IntN(3)
	f.Duplex = rng.IntN(4) == 0
	f.Delta = units.Duration(rng.IntN(3000)) * units.Nanosecond
	f.Sync = units.Duration(rng.IntN(2)*rng.IntN(2000)) * units.Nanosecond
	f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[rng.IntN(3)]
	f.Routing = []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit}[rng.IntN(3)]
	if rng.IntN(3) == 0 {
		f.Forwarding = fabric.StoreAndForward
	}
	each := units.Duration(1<<rng.IntN(10)) * units.Nanosecond
	f.Reconfig = []fabric.Reconfig{
		{Model: fabric.Constant}, {Model: fabric.PerPort, Each: each}, {Model: fabric.PerCircuit, Each: each},
		{Model: fabric.PerSwitch, Each: 8 * each}, {Model: fabric.PerSwitch, Each: 8 * each, Switches: 1},
	}[rng.IntN(5)]
	f.Reconfig.Base = units.Duration(1<<rng.IntN(17)) * units.Nanosecond
	if f.Validate() != nil {
		f.Initial = fabric.InitialFree
	}
	op := collective.Ops()[rng.IntN(len(collective.Ops()))]
	able := algorithms.For(op, collective.Shape{Nodes: f.Nodes, Ports: f.Ports})
	r := request(t, f, op, able[rng.IntN(len(able))].Name)
	r.Size = units.Bytes(1) << rng.IntN(26)
	return r
}

// total plans and verifies, and reports whether there is a plan.
func total(t *testing.T, p planner.Planner, r planner.Request) (units.Time, bool) {
	t.Helper()
	made, err := p.Plan(t.Context(), r)
	if errors.Is(err, planner.ErrInfeasible) {
		return 0, false
	}
	if err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	report, err := verify.Plan(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Fatalf("%s on %+v: %s: %s", p.Name(), r.Fabric, bad.Name, bad.Detail)
	}
	// The switches reconfigure one at a time, so only the last can still be under way at the end.
	if least := units.Time(made.Reconfigurations-1) * r.Fabric.Reconfig.Least(); r.Fabric.Overlap.Kind == fabric.OverlapCircuits && made.Cost.Total() < least {
		t.Errorf("%s: %d changes of %v in %v", p.Name(), made.Reconfigurations, r.Fabric.Reconfig.Least(), made.Cost.Total())
	}
	return made.Cost.Total(), true
}

// rounding is how much sums of the same times in different order may differ, as a factor.
const rounding = 1 + 1e-9

// Eight GPUs with four ports have 210 ways to divide the ports among offsets. The best plan
// without overlap uses one of them, and with overlap it must not be missed.
func TestOverlapHasAllWaysToDividePorts(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 8, 4, 3200*units.Nanosecond
	c, err := algorithms.New(collective.AllToAll, "direct", f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	r := planner.Request{Fabric: f, Collective: c, Size: 125 * units.MiB}
	for _, p := range everyPlanner() {
		plain, ok := total(t, p, r)
		for _, kind := range []fabric.OverlapKind{fabric.OverlapPorts, fabric.OverlapCircuits} {
			with := r
			with.Fabric.Overlap.Kind = kind
			if time, also := total(t, p, with); ok != also || time > plain*rounding {
				t.Errorf("%s: %v with overlap %s, %v without", p.Name(), time, kind, plain)
			}
		}
	}
}

// With overlap of any kind, no planner is slower than without, nor slower with a smaller delay;
// and auto is never slower than another planner.
func TestOverlapAndASmallerDelayNeverHurt(t *testing.T) {
	helped := map[fabric.OverlapKind]int{}
	for seed := range uint64(overlapSeeds) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(21, seed))
			r := drawRequest(t, rng)
			compute := units.Duration(1<<rng.IntN(16)) * units.Nanosecond
			part := units.Duration(rng.IntN(100))
			plains := map[string]units.Time{}
			for _, p := range everyPlanner() {
				if plain, ok := total(t, p, r); ok {
					plains[p.Name()] = plain
				}
			}
			for _, overlap := range []fabric.Overlap{
				{}, {Kind: fabric.OverlapCompute, Compute: compute}, {Kind: fabric.OverlapPorts}, {Kind: fabric.OverlapCircuits},
			} {
				with, quick := r, r
				with.Fabric.Overlap, quick.Fabric.Overlap = overlap, overlap
				quick.Fabric.Reconfig.Base = quick.Fabric.Reconfig.Base * part / 100
				quick.Fabric.Reconfig.Each = quick.Fabric.Reconfig.Each * part / 100
				best := units.Time(0)
				for _, p := range everyPlanner() {
					plain, ok := plains[p.Name()]
					if !ok {
						continue
					}
					time := plain
					if overlap.Kind != fabric.OverlapNone {
						time, _ = total(t, p, with)
					}
					if time > plain*rounding {
						t.Errorf("%s: %v with overlap %v, %v without: %s of %v on %+v", p.Name(), time, overlap, plain, r.Collective.Algorithm, r.Size, r.Fabric)
					}
					if time < plain {
						helped[overlap.Kind]++
					}
					if faster, _ := total(t, p, quick); faster > time*rounding {
						t.Errorf("%s: %v at %d%% of the delay, %v at all of it: %s of %v on %+v", p.Name(), faster, part, time, r.Collective.Algorithm, r.Size, with.Fabric)
					}
					if best == 0 || time < best {
						best = time
					}
					if p.Name() == "auto" && time > best*rounding {
						t.Errorf("auto: %v, another %v: %s of %v on %+v", time, best, r.Collective.Algorithm, r.Size, with.Fabric)
					}
				}
			}
		})
	}
	if helped[fabric.OverlapCompute] == 0 || helped[fabric.OverlapPorts] == 0 || helped[fabric.OverlapCircuits] == 0 {
		t.Errorf("overlap helped only so often: %v", helped)
	}
	t.Logf("overlap helped so often: %v", helped)
}

// overlapSeeds is the number of random requests.
const overlapSeeds = 60
