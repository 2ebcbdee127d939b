package pool_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
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
