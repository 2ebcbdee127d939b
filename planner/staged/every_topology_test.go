package staged

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Exact synthesis is exact even if the cost of a change depends on what changes: no schedule over
// all topologies is faster, whatever the start.
func TestExactIsTheBestOfAllTopologiesUnderEveryDelayModel(t *testing.T) {
	const n = 4
	var all []*topology.Graph
	onePortTopologies(n, func(g *topology.Graph) { all = append(all, g) })
	intervals := 0
	for _, c := range []struct {
		op        collective.Op
		algorithm string
	}{{collective.RootReduce, "binomial"}, {collective.Broadcast, "binary:parts=2"}, {collective.AllReduce, "recursive-doubling"}, {collective.AllToAll, "shift"}} {
		for _, delay := range []string{"per-circuit:10ns+1ms", "per-port:2us+500ns", "per-port:100ns+10us", "per-switch:1us+3us", "5us"} {
			for _, initial := range []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase, "DC(4;3)"} {
				f := fabric.Default()
				f.Nodes, f.Alpha, f.Initial, f.Reconfig = n, 0, initial, stagedtest.Reconfig(t, delay)
				r := stagedtest.Request(t, f, c.op, c.algorithm, 4*units.MiB)
				best := bestOf(t, &r, all)
				p := planHarvest(t, r, HarvestOptions{Synthesis: SynthesisExact, Effort: enough})
				stagedtest.Verify(t, p)
				name := fmt.Sprintf("%s %s %s %s", c.op, c.algorithm, delay, initial)
				if !stagedtest.Near(float64(p.Cost.Total()), best, 1e-9) || !p.Synthesis.Proven {
					t.Errorf("%s: %v, proven %v; the best is %v", name, p.Cost.Total(), p.Synthesis.Proven, units.Time(best))
				}
				if found := planHarvest(t, r, HarvestOptions{Synthesis: SynthesisSearch, Effort: enough}); found.Cost.Total() > p.Cost.Total()*(1+1e-9) {
					intervals++
				}
			}
		}
	}
	if intervals == 0 {
		t.Error("the best for intervals would do: the test shows nothing")
	}
}

// bestOf returns the time of the best plan on some topologies.
func bestOf(t *testing.T, r *planner.Request, all []*topology.Graph) float64 {
	t.Helper()
	pool := pool.New(&r.Fabric)
	for _, g := range all {
		pool.Add(pricing.GraphCandidate(g))
	}
	best, err := pass.Search(t.Context(), r, pass.Problem{Work: pricing.NewWorkload(r, r.Collective.Steps), Pool: pool.Candidates})
	if err != nil {
		t.Fatal(err)
	}
	return best.Total
}

// The same holds on circuits that differ, with the bounds of circuits that are all as good as the
// best. A search is never worse than the pool without it.
func TestExactIsTheBestOfAllTopologiesOnCircuitsThatDiffer(t *testing.T) {
	const n = 4
	var all []*topology.Graph
	onePortTopologies(n, func(g *topology.Graph) { all = append(all, g) })
	gains := 0
	for _, c := range []struct {
		op        collective.Op
		algorithm string
	}{{collective.RootReduce, "binomial"}, {collective.AllReduce, "recursive-doubling"}, {collective.AllToAll, "shift"}} {
		for _, delay := range []string{"per-circuit:10ns+1ms", "per-port:100ns+10us", "5us"} {
			for _, links := range []string{"0>1:200Gbps+2us,2>3:1600Gbps", "1>2:400Gbps,3>0:+100ns"} {
				f := fabric.Default()
				f.Nodes, f.Reconfig, f.Links = n, stagedtest.Reconfig(t, delay), fabrictest.Links(links)
				if links[0] == '1' {
					f.Forwarding = fabric.StoreAndForward
				}
				r := stagedtest.Request(t, f, c.op, c.algorithm, 4*units.MiB)
				best := bestOf(t, &r, all)
				name := fmt.Sprintf("%s %s %s %s", c.op, c.algorithm, delay, links)
				exact := planHarvest(t, r, HarvestOptions{Synthesis: SynthesisExact, Effort: enough})
				stagedtest.Verify(t, exact)
				if !stagedtest.Near(float64(exact.Cost.Total()), best, 1e-9) || !exact.Synthesis.Proven {
					t.Errorf("%s: %v, proven %v; the best is %v", name, exact.Cost.Total(), exact.Synthesis.Proven, units.Time(best))
				}
				found, plain := planHarvest(t, r, HarvestOptions{Synthesis: SynthesisSearch, Effort: enough}), planHarvest(t, r, HarvestOptions{})
				stagedtest.Verify(t, found)
				if found.Cost.Total() > plain.Cost.Total()*(1+1e-9) || exact.Cost.Total() > found.Cost.Total()*(1+1e-9) {
					t.Errorf("%s: %v by search, %v by the pool, exact %v", name, found.Cost.Total(), plain.Cost.Total(), exact.Cost.Total())
				}
				if exact.Cost.Total() < plain.Cost.Total()*(1-1e-9) {
					gains++
				}
			}
		}
	}
	if gains == 0 {
		t.Error("the pool would do: the test shows nothing")
	}
}

// The case of the original bug report: 25.476 ms was claimed to be exact.
func TestExactReuseOfCircuitsUnderDelaysPerCircuit(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Alpha, f.Initial, f.Reconfig = 4, 0, fabric.InitialDark, stagedtest.Reconfig(t, "per-circuit:10ns+1ms")
	p := planHarvest(t, stagedtest.Request(t, f, collective.RootReduce, "binomial", units.GiB), HarvestOptions{Synthesis: SynthesisExact})
	if got := p.Cost.Total(); got > 24.476e6*1.0001 || !p.Synthesis.Proven {
		t.Errorf("%v, proven %v; 24.476ms exists", got, p.Synthesis.Proven)
	}
}

// The number of topologies is the number of ways to join outputs to inputs, and each occurs once.
func TestEachYieldsEveryTopologyOnce(t *testing.T) {
	for _, c := range []struct {
		nodes, ports int
		duplex       bool
		want         int
	}{
		// With one port: partial permutations without fixed points.
		{2, 1, false, 4}, {3, 1, false, 18}, {4, 1, false, 108}, {5, 1, false, 780},
		{3, 1, true, 4}, {4, 1, true, 10}, {5, 1, true, 26}, // involutions
		{2, 2, false, 9}, {3, 2, true, 11},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = c.nodes, c.ports, c.duplex
		seen := map[string]bool{}
		done, err := each(&f, func(g *topology.Graph) (bool, error) {
			if err := f.Fits(g); err != nil {
				t.Errorf("%v", err)
			}
			text := ""
			for e := range g.Edges() {
				text += fmt.Sprint(e)
			}
			seen[text] = true
			return true, nil
		})
		if !done || err != nil || len(seen) != c.want {
			t.Errorf("%d nodes, %d ports, duplex %v: %d topologies, want %d", c.nodes, c.ports, c.duplex, len(seen), c.want)
		}
	}
}
