package staged

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// On 16 nodes with several ports every plan is correct and HARVEST's is the best.
func TestSeveralPorts(t *testing.T) {
	delays := []string{"10us", "100ns", "per-port:1us+50ns"}
	for i, c := range []struct {
		op        collective.Op
		algorithm string
	}{
		{collective.AllReduce, "recursive-doubling"},
		{collective.AllReduce, "halving-doubling"},
		{collective.AllReduce, "swing"},
		{collective.AllReduce, "ring"},
		{collective.Broadcast, "binomial"},
		{collective.AllToAll, "direct"},
	} {
		for j, ports := range []int{2, 4} {
			delay := delays[(i+j)%len(delays)]
			t.Run(fmt.Sprintf("%s/%d/%s", c.algorithm, ports, delay), func(t *testing.T) {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig = 16, ports, stagedtest.Reconfig(t, delay)
				r := stagedtest.Request(t, f, c.op, c.algorithm, 256*units.KiB)
				best := planWith(t, "harvest", r)
				stagedtest.Verify(t, best)
				for _, name := range []string{"static", "every-step", "light-bends"} {
					p := planWith(t, name, r)
					stagedtest.Verify(t, p)
					if best.Cost.Total() > p.Cost.Total()*(1+1e-9) {
						t.Errorf("harvest %v, %s %v", best.Cost.Total(), name, p.Cost.Total())
					}
				}
			})
		}
	}
}

// A step routed by its representatives costs the same as with all transfers listed. Two
// differences are allowed: the linear program may pick another of several best routings, with
// routes of other lengths but the same peak; and of equal shortest paths the router takes the
// clockwise one, while images of a path under XOR need not be clockwise.
func TestSymmetricAndExpandedRoutingAgree(t *testing.T) {
	for _, ports := range []int{2, 4} {
		f := fabric.Default()
		f.Nodes, f.Ports = 16, ports
		compared := 0
		for _, algorithm := range []string{"recursive-doubling", "halving-doubling", "swing"} {
			r := stagedtest.Request(t, f, collective.ReduceScatter, algorithm, 256*units.KiB)
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			graphs := []*topology.Graph{
				topology.Torus(4, 4), topology.Torus(2, 2, 2, 2), topology.Circulant(16, 1), topology.Circulant(16, 1, 6),
				topology.DirectedCirculant(16, 1, 7), topology.DirectedCirculant(16, 3, 3),
			}
			for _, g := range graphs {
				for i := range w.Classes {
					class := &w.Classes[i]
					if f.Fits(g) != nil || !class.Step.Group.Invariant(g) {
						continue
					}
					compared++
					few := flow.Problem{Graph: g, Demands: class.Demands, Group: class.Step.Group}
					all := flow.Problem{Graph: g, Demands: class.All()}
					for _, policy := range []flow.Policy{flow.Optimal, flow.ShortestSplit, flow.Shortest} {
						a, err := flow.Solve(t.Context(), few, policy)
						if err != nil {
							t.Fatal(err)
						}
						b, err := flow.Solve(t.Context(), all, policy)
						if err != nil {
							t.Fatal(err)
						}
						clockwise := policy == flow.Shortest && algorithm == "halving-doubling"
						if !clockwise && !stagedtest.Near(a.Load.Peak, b.Load.Peak, 1e-8) {
							t.Errorf("%s, step %d on %s, %s: peak %v by representatives, %v listed",
								algorithm, i+1, g.Name(), policy, a.Load.Peak, b.Load.Peak)
						}
						if policy != flow.Optimal && a.Load.Hops != b.Load.Hops {
							t.Errorf("%s, step %d on %s, %s: %d hops by representatives, %d listed",
								algorithm, i+1, g.Name(), policy, a.Load.Hops, b.Load.Hops)
						}
					}
				}
			}
		}
		if compared < 10 {
			t.Errorf("%d ports: compared only %d steps", ports, compared)
		}
	}
}

// The policy "optimal" is the fastest of the policies for every step, not the one with the lowest
// peak: with small messages, going the long way round a two-way ring does not pay.
func TestOptimalRoutingIsNeverSlower(t *testing.T) {
	longest := map[flow.Policy]int{}
	for _, size := range []units.Bytes{64, 16 * units.KiB, 64 * units.MiB} {
		total := map[flow.Policy]units.Time{}
		for _, policy := range []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Routing = 16, 2, policy
			p := planWith(t, "static", stagedtest.Request(t, f, collective.AllToAll, "shift", size))
			stagedtest.Verify(t, p)
			total[policy] = p.Cost.Total()
			for _, step := range p.Steps() {
				longest[policy] = max(longest[policy], step.Cost.Hops)
			}
		}
		if best := min(total[flow.Shortest], total[flow.ShortestSplit]); total[flow.Optimal] > best*(1+1e-9) {
			t.Errorf("%v: optimal takes %v, the others %v", size, total[flow.Optimal], best)
		}
	}
	// A shift by 1 of large messages sends some of them 15 hops the other way; shortest
	// paths have at most 8.
	if longest[flow.Shortest] != 8 || longest[flow.ShortestSplit] != 8 || longest[flow.Optimal] <= 8 {
		t.Errorf("longest routes %v", longest)
	}
}

// Plans of a collective with its symmetry and with all transfers listed have the same
// time on one port, where routes are unique.
func TestListedCollectivesCostTheSame(t *testing.T) {
	for _, algorithm := range []string{"recursive-doubling", "halving-doubling", "swing", "ring"} {
		f := fabric.Default()
		f.Nodes, f.Initial = 8, fabric.InitialDark // not only the closed form
		r := stagedtest.Request(t, f, collective.AllReduce, algorithm, units.MiB)
		listed := r
		listed.Collective = expanded(r.Collective)
		listed.Collective.Algorithm = "listed"
		for _, p := range Planners() {
			a, b := planWith(t, p.Name(), r), planWith(t, p.Name(), listed)
			stagedtest.Verify(t, b)
			if !stagedtest.Near(a.Cost.Total(), b.Cost.Total(), 1e-9) || a.Reconfigurations != b.Reconfigurations {
				t.Errorf("%s, %s: %v with symmetry, %v listed", algorithm, p.Name(), a.Cost.Total(), b.Cost.Total())
			}
		}
	}
}
