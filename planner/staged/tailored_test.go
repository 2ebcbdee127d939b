package staged

import (
	"context"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// onePortTopologies yields all topologies of one one-way port: every node has a circuit to
// another or none, and no two have one to the same node.
func onePortTopologies(n int, yield func(*topology.Graph)) {
	taken := make([]bool, n)
	var edges []topology.Edge
	var choose func(u int)
	choose = func(u int) {
		if u == n {
			yield(topology.New(n, fmt.Sprint(edges), append([]topology.Edge(nil), edges...)))
			return
		}
		choose(u + 1)
		for v := range n {
			if v != u && !taken[v] {
				taken[v] = true
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
				choose(u + 1)
				edges = edges[:len(edges)-1]
				taken[v] = false
			}
		}
	}
	choose(0)
}

// At four GPUs, the pool has the topologies of the best schedule over all topologies, for trees,
// whose steps no shift of a ring suits.
func TestThePoolHasTheBestRingsForTreesOfFourGPUs(t *testing.T) {
	shifts := 0
	for _, c := range []struct {
		op        collective.Op
		algorithm string
	}{{collective.Broadcast, "binomial"}, {collective.RootReduce, "binomial"}, {collective.Broadcast, "chain:parts=2"}, {collective.Broadcast, "binary:parts=2"}} {
		for _, delay := range []string{"0ns", "1us", "30us", "10ms"} {
			for _, size := range []units.Bytes{units.KiB, 4 * units.MiB} {
				f := fabric.Default()
				f.Nodes, f.Alpha, f.Reconfig = 4, 0, stagedtest.Reconfig(t, delay)
				r := stagedtest.Request(t, f, c.op, c.algorithm, size)
				w := pricing.NewWorkload(&r, r.Collective.Steps)
				all := pool.New(&r.Fabric)
				onePortTopologies(4, func(g *topology.Graph) { all.Add(pricing.GraphCandidate(g)) })
				best, err := pass.Search(t.Context(), &r, pass.Problem{Work: w, Pool: all.Candidates})
				if err != nil {
					t.Fatal(err)
				}
				got := planWith(t, "harvest", r)
				stagedtest.Verify(t, got)
				name := fmt.Sprintf("%s %s %v %s", c.op, c.algorithm, size, delay)
				if !stagedtest.Near(float64(got.Cost.Total()), best.Total, 1e-9) {
					t.Errorf("%s: %v, the best is %v", name, got.Cost.Total(), units.Time(best.Total))
				}
				plain, err := pool.Harvest(context.Background(), &r, pricing.NewWorkload(&r, r.Collective.Steps))
				if err != nil {
					t.Fatal(err)
				}
				if s, err := pass.Search(t.Context(), &r, pass.Problem{Work: w, Pool: plain.Candidates}); err == nil && s.Total > best.Total*1.01 {
					shifts++
				}
			}
		}
	}
	if shifts == 0 {
		t.Error("shifts alone would do: the test shows nothing")
	}
}

// On one topology, it is best to divide the ports unevenly among the offsets of recursive
// doubling.
func TestThePoolDividesPortsUnevenly(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig, f.Base = 64, 4, stagedtest.Reconfig(t, "10ms"), "DC(64;1,1,2,8)"
	r := stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", 16*units.MiB)
	static := planWith(t, "static", r).Cost.Total()
	r.Fabric.Base = ""
	if got := planWith(t, "harvest", r).Cost.Total(); got > static*(1+1e-9) {
		t.Errorf("harvest takes %v, staying on %s %v", got, f.Base, static)
	}
}

// The pool of a tree does not depend on the delay, so a shorter delay is never slower.
func TestTailoredTopologiesDoNotDependOnTheDelay(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 12
	before := plan.Cost{}
	for _, delay := range []string{"10ms", "100us", "20us", "5us", "1us", "0ns"} {
		f.Reconfig = stagedtest.Reconfig(t, delay)
		got := planWith(t, "harvest", stagedtest.Request(t, f, collective.Broadcast, "binomial", units.MiB)).Cost
		if before != (plan.Cost{}) && got.Total() > before.Total()*(1+1e-9) {
			t.Errorf("%s: %v, with a longer delay %v", delay, got.Total(), before.Total())
		}
		before = got
	}
}

// The same holds for matchings that do not look the same from every node: on 8 GPUs with 5 ports,
// exchanges with u XOR 2 and 4 share the ports 3 to 2.
func TestThePoolDividesPortsUnevenlyAmongMatchings(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig = 8, 5, stagedtest.Reconfig(t, "50us")
	p := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, "halving-doubling", 64*units.MiB))
	stagedtest.Verify(t, p)
	g := p.Stages[1].Topology
	if g.Count(0, 2) != 3 || g.Count(0, 4) != 2 {
		t.Errorf("%s has %d and %d circuits", g.Name(), g.Count(0, 2), g.Count(0, 4))
	}
	if even := units.Time(439_300); p.Cost.Total() >= even {
		t.Errorf("%v; with 2 of each it takes %v or more", p.Cost.Total(), even)
	}
}
