package pool_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// The graphs are added once, for steps in which many send to many: not to a pool with a limit
// that no graph meets, but then without a limit. One root that sends to all needs none.
func TestKnownGraphsAreAddedWhereTheyMayHelp(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 28, 3, true
	r := stagedtest.Request(t, f, collective.AllToAll, "direct", units.KiB)
	w := pricing.NewWorkload(&r, r.Collective.Steps)
	p := pool.New(&r.Fabric)
	add := func(want int) {
		t.Helper()
		if err := p.AddKnown(t.Context(), &r, w); err != nil {
			t.Fatal(err)
		}
		if len(p.Candidates) != want {
			t.Errorf("%d graphs, want %d", len(p.Candidates), want)
		}
	}
	r.Limit = 2 * units.Microsecond.Time()
	add(0)
	r.Limit = 0
	add(2)
	add(2)
	if !slices.ContainsFunc(p.Candidates, func(c *pricing.Candidate) bool { return c.Topology().Name() == "DistReg(Coxeter)" }) {
		t.Errorf("there is no Coxeter graph")
	}
	r = stagedtest.Request(t, f, collective.Scatter, "direct", units.KiB)
	w, p = pricing.NewWorkload(&r, r.Collective.Steps), pool.New(&r.Fabric)
	add(0)
}

// Where the best known diameter is that of a stored graph of small diameter, or of a line digraph
// of one, an all-to-all of little data takes no more hops.
func TestLittleBetweenAllPairsTakesTheFewestHops(t *testing.T) {
	for _, c := range []struct {
		nodes, ports, hops int
		twoWay             bool
	}{{29, 3, 3, false}, {37, 2, 5, false}, {74, 2, 6, false}, {87, 3, 4, false}, {36, 3, 4, true}, {37, 4, 3, true}, {35, 7, 2, true}} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex, f.Reconfig = c.nodes, c.ports, c.twoWay, stagedtest.Reconfig(t, "100us")
		r := stagedtest.Request(t, f, collective.AllToAll, "direct", 8*units.KiB)
		r.Bare = true
		p, err := staged.Harvest(staged.HarvestOptions{}).Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		stagedtest.Verify(t, p)
		if want := units.Time(c.hops) * f.Delta.Time(); p.Cost.Propagation != want {
			t.Errorf("%d GPUs, %d ports, two-way %v: propagation takes %v on %s, want %v",
				c.nodes, c.ports, c.twoWay, p.Cost.Propagation, p.Stages[0].Topology.Name(), want)
		}
	}
}
