// Package plantest makes plans for tests.
package plantest

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// These name plans, all for 8 nodes, whose space is not that of a single plain operation.
const (
	TwoOps   = "allreduce, then alltoall"
	Mixed    = "allreduce, then alltoall with bytes per pair, then allgather on some GPUs"
	Weighted = "alltoall with bytes per pair"
	Cut      = "alltoall in listed pieces"
	Few      = "allreduce on some GPUs"
)

// Spaces lists the names.
var Spaces = []string{TwoOps, Mixed, Weighted, Cut, Few}

// SomeBytes returns a demand of 8 nodes in which pairs differ and some pairs exchange nothing.
func SomeBytes(n int) collective.Demand {
	d := make(collective.Demand, n)
	for s := range d {
		d[s] = make([]int64, n)
		for r := range d[s] {
			d[s][r] = int64((3*s + 5*r) % 4 * 100000)
		}
	}
	return d
}

// SpacePlan makes the named plan.
func SpacePlan(t testing.TB, name string) *plan.Plan {
	t.Helper()
	const n = 8
	plain := func(op collective.Op, algorithm string, nodes int) collective.Sized {
		c, err := algorithms.New(op, algorithm, nodes, 1)
		if err != nil {
			t.Fatal(err)
		}
		return collective.Sized{Collective: c, Size: 8 * units.MiB}
	}
	exchange := func(algorithm string) collective.Sized {
		c, err := algorithms.NewExchange(context.Background(), algorithm, SomeBytes(n), 1)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	some := func(c collective.Sized) collective.Sized {
		on, err := c.On([]int{6, 1, 3, 4}, n)
		if err != nil {
			t.Fatal(err)
		}
		return collective.Sized{Collective: on, Size: c.Size}
	}
	parts := map[string][]collective.Sized{
		TwoOps:   {plain(collective.AllReduce, "ring", n), plain(collective.AllToAll, "shift", n)},
		Mixed:    {plain(collective.AllReduce, "ring", n), exchange("shift"), some(plain(collective.AllGather, "ring", 4))},
		Weighted: {exchange("bruck-index")},
		Cut:      {exchange("bvn")},
		Few:      {some(plain(collective.AllReduce, "recursive-doubling", 4))},
	}[name]
	c, err := collective.InSequence(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return EveryStep(t, c)
}

// EveryStep plans a collective with circuits for every step.
func EveryStep(t testing.TB, c collective.Sized) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes = c.Nodes
	p := planner.Registry(staged.Planners()).Baseline(plan.EveryStep)
	made, err := p.Plan(context.Background(), planner.Request{Fabric: f, Collective: c.Collective, Size: c.Size})
	if err != nil {
		t.Fatal(err)
	}
	return made
}
