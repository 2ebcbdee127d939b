package staged

import (
	"context"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// closedTolerance is for sums of at most some hundred float64.
const closedTolerance = 1e-12

func closedFormOf(t testing.TB, c *collective.Collective) *subring.Model {
	t.Helper()
	phases, err := subring.ExchangesOf(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := subring.FromExchanges(c.Nodes, phases)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pooled searches HARVEST's pool without looking for a closed form.
func pooled(t testing.TB, r *planner.Request) *pass.Schedule {
	t.Helper()
	s, err := searchPool(t.Context(), r, newVariants(r))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// overDelays searches HARVEST's pool for each delay in turn, which r.Fabric then has. The
// times of steps do not depend on it, so that the pool is built and judged once.
func overDelays(t testing.TB, r *planner.Request, delays []units.Duration, check func(best *pass.Schedule)) {
	t.Helper()
	w := pricing.NewWorkload(r, r.Collective.Steps)
	p, err := pool.Harvest(context.Background(), r, w)
	if err != nil {
		t.Fatal(err)
	}
	for _, delay := range delays {
		r.Fabric.Reconfig.Base = delay
		best, err := pass.Search(t.Context(), r, pass.Problem{Work: w, Pool: p.Candidates})
		if err != nil {
			t.Fatal(err)
		}
		check(best)
	}
}

// checkFastPath compares the closed form of a request with the pool's answer: the same
// time, as many changes, and a plan that is priced at it.
func checkFastPath(t *testing.T, r *planner.Request, want *pass.Schedule) {
	t.Helper()
	what := fmt.Sprintf("%s n=%d %v %v", r.Collective.Algorithm, r.Fabric.Nodes, r.Fabric.Reconfig, r.Size)
	fast, ok := subringSchedule(r, pricing.NewWorkload(r, r.Collective.Steps))
	if !ok {
		t.Fatalf("%s: no closed form", what)
	}
	if !stagedtest.Near(fast.Total, want.Total, closedTolerance) || changes(fast) != changes(want) {
		t.Errorf("%s: closed form %v with %d changes, pool %v with %d", what, fast.Total, changes(fast), want.Total, changes(want))
	}
	p, err := fast.Build(t.Context(), r, "test")
	if err != nil {
		t.Fatal(err)
	}
	if !stagedtest.Near(float64(p.Cost.Total()), want.Total, closedTolerance) {
		t.Errorf("%s: planned %v, pool %v", what, float64(p.Cost.Total()), want.Total)
	}
}

// On powers of the radix the closed form is what the pool finds, over sizes and delays
// at which 0, some and all changes are the best.
func TestSubringScheduleEqualsThePool(t *testing.T) {
	sizes := []units.Bytes{units.MiB, units.KiB, 64 * units.MiB}
	delays := []units.Duration{0, 100 * units.Nanosecond, 2500 * units.Nanosecond, 20 * units.Microsecond,
		100 * units.Microsecond, 300 * units.Microsecond, units.Millisecond, 5 * units.Millisecond}
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		nodes     []int
		sizes     []units.Bytes
	}{
		{collective.AllToAll, "retri", []int{3, 9, 27, 81}, sizes},
		{collective.AllToAll, "retri", []int{243}, sizes[:1]},
		{collective.AllToAll, "mirrored-bruck", []int{4, 8, 16, 32, 64}, sizes},
		{collective.AllToAll, "mirrored-bruck", []int{128}, sizes[:1]},
		{collective.AllReduce, "trivance", []int{3, 27}, sizes},
		{collective.ReduceScatter, "trivance-bandwidth", []int{9, 27}, sizes},
	} {
		for _, n := range c.nodes {
			for _, size := range c.sizes {
				r := stagedtest.Request(t, stagedtest.ScaleUp(n, 0), c.op, c.algorithm, size)
				overDelays(t, &r, delays, func(best *pass.Schedule) { checkFastPath(t, &r, best) })
			}
		}
	}
}

// So it is under every routing and forwarding, and whatever is up at the start, as long
// as that is nothing else than the ring.
func TestSubringScheduleEqualsThePoolOnEveryFabric(t *testing.T) {
	for algorithm, n := range map[string]int{"retri": 27, "mirrored-bruck": 16} {
		for _, routing := range []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit} {
			if algorithm == "mirrored-bruck" && routing == flow.Shortest {
				continue // its last phase goes one way round
			}
			for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
				for _, initial := range []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase, fmt.Sprintf("Ring(%d)", n)} {
					f := stagedtest.ScaleUp(n, 0)
					f.Routing, f.Forwarding, f.Initial = routing, forwarding, initial
					r := stagedtest.Request(t, f, collective.AllToAll, algorithm, units.MiB)
					delays := []units.Duration{units.Microsecond, 30 * units.Microsecond, units.Millisecond}
					overDelays(t, &r, delays, func(best *pass.Schedule) { checkFastPath(t, &r, best) })
				}
			}
		}
	}
}

// The closed form is only taken where it is right; and where it is taken, the plan is
// that of the pool, with the same circuits at the start.
func TestSubringScheduleApplies(t *testing.T) {
	plain := func(*fabric.Fabric) {}
	for _, c := range []struct {
		name      string
		op        collective.Op
		algorithm string
		n         int
		change    func(f *fabric.Fabric)
		want      bool
	}{
		{"retri", collective.AllToAll, "retri", 27, plain, true},
		{"retri by its radix", collective.AllToAll, "retri:r=3", 27, plain, true},
		{"mirrored Bruck", collective.AllToAll, "mirrored-bruck", 16, plain, true},
		{"Trivance", collective.AllReduce, "trivance", 9, plain, true},
		{"the ring by its name", collective.AllToAll, "retri", 9, func(f *fabric.Fabric) { f.Base = "Ring(9)" }, true},
		{"delay per port of nothing", collective.AllToAll, "retri", 9, func(f *fabric.Fabric) { f.Reconfig.Model = fabric.PerPort }, true},

		{"no power", collective.AllToAll, "retri", 28, plain, false},
		{"no power of two", collective.AllToAll, "mirrored-bruck", 12, plain, false},
		{"two nodes", collective.AllToAll, "mirrored-bruck", 2, plain, false},
		{"there and back", collective.AllReduce, "trivance-bandwidth", 9, plain, false},
		{"bulk", collective.AllToAll, "direct", 9, plain, false},
		{"one way", collective.AllToAll, "bruck-index:r=2", 8, plain, false},
		{"repeated", collective.AllGather, "two-way-ring", 9, plain, false},
		{"one-way circuits", collective.AllToAll, "retri", 9, func(f *fabric.Fabric) { f.Duplex = false }, false},
		{"four ports", collective.AllToAll, "retri:r=3", 9, func(f *fabric.Fabric) { f.Ports = 4 }, false},
		{"delay per port", collective.AllToAll, "retri", 9, func(f *fabric.Fabric) {
			f.Reconfig = fabric.Reconfig{Model: fabric.PerPort, Each: units.Nanosecond}
		}, false},
		{"another base", collective.AllToAll, "retri", 9, func(f *fabric.Fabric) { f.Base = "C(9;2)" }, false},
		{"another start", collective.AllToAll, "retri", 9, func(f *fabric.Fabric) { f.Initial = "C(9;2)" }, false},
		{"one way to the node opposite", collective.AllToAll, "mirrored-bruck", 16, func(f *fabric.Fabric) { f.Routing = flow.Shortest }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := stagedtest.ScaleUp(c.n, 5*units.Microsecond)
			c.change(&f)
			r := stagedtest.Request(t, f, c.op, c.algorithm, units.MiB)
			if _, ok := subringSchedule(&r, pricing.NewWorkload(&r, r.Collective.Steps)); ok != c.want {
				t.Errorf("closed form: %v, want %v", ok, c.want)
			}
			want := pooled(t, &r)
			p := planWith(t, "harvest", r)
			stagedtest.Verify(t, p)
			if !stagedtest.Near(float64(p.Cost.Total()), want.Total, closedTolerance) {
				t.Errorf("plan %v, pool %v", float64(p.Cost.Total()), want.Total)
			}
			if c.want && p.Stages[0].Topology.Name() != want.Choice[0].Topology().Name() {
				t.Errorf("starts on %s, the pool's on %s", p.Stages[0].Topology.Name(), want.Choice[0].Topology().Name())
			}
		})
	}
}

// On other numbers of nodes the pool has the rings of all phases, and so is at least as
// good.
func TestPoolIsAtLeastAsGoodAsSubringOffPowers(t *testing.T) {
	for algorithm, nodes := range map[string][]int{"retri": {4, 10, 20, 21, 28, 30, 48, 64, 100}, "mirrored-bruck": {6, 12, 20, 33, 48, 81}} {
		for _, n := range nodes {
			r := stagedtest.Request(t, stagedtest.ScaleUp(n, 0), collective.AllToAll, algorithm, units.MiB)
			s := closedFormOf(t, r.Collective)
			phases, err := subring.ExchangesOf(r.Collective)
			if err != nil {
				t.Fatal(err)
			}
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			p, err := pool.Harvest(context.Background(), &r, w)
			if err != nil {
				t.Fatal(err)
			}
			for _, phase := range phases {
				if d := phase.Distance; !hasRing(p, d) {
					t.Errorf("%s n=%d: the pool has no rings of jump %d", algorithm, n, d)
				}
			}
			for _, size := range []units.Bytes{units.KiB, 64 * units.MiB} {
				r.Size = size
				delays := []units.Duration{units.Microsecond, 30 * units.Microsecond, 200 * units.Microsecond, units.Millisecond}
				overDelays(t, &r, delays, func(best *pass.Schedule) {
					_, total := s.Search(subring.TimingOf(&r.Fabric), size)
					if best.Total > float64(total)*(1+closedTolerance) {
						t.Errorf("%s n=%d, %v, %v: pool %v, subrings %v", algorithm, n, r.Fabric.Reconfig, size, best.Total, float64(total))
					}
				})
			}
		}
	}
}

// It is better where a ring of another jump serves several phases. On 21 nodes jump 10
// leads to the nodes 1, 3 and 9 away in 2, 6 and 3 hops; the ring in 1, 3 and 9.
func TestPoolHasBetterRingsOffPowers(t *testing.T) {
	f := stagedtest.ScaleUp(21, units.Millisecond)
	r := stagedtest.Request(t, f, collective.AllToAll, "retri", units.KiB)
	best := pooled(t, &r)
	s := closedFormOf(t, r.Collective)
	count, total := s.Search(subring.TimingOf(&f), r.Size)
	if name := best.Choice[0].Topology().Name(); name != "C(21;10)" || changes(best) != 0 || count != 0 {
		t.Errorf("the pool has %s and %d changes, Subring %d changes", name, changes(best), count)
	}
	// Two hops of 1 us and what is sent during them.
	if saved := float64(total) - best.Total; saved < 2000 || saved > 2100 {
		t.Errorf("the pool takes %v, Subring %v", best.Total, float64(total))
	}
}

// hasRing reports whether the pool has the two-way rings of a jump.
func hasRing(p *pool.Pool, jump int) bool {
	n := p.Fabric.Nodes
	ring := topology.DirectedCirculant(n, jump, n-jump)
	for _, c := range p.Candidates {
		if c.Topology().Equal(ring) {
			return true
		}
	}
	return false
}
