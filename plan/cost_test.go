package plan_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// onCircuits makes a plan by hand: one topology per step, routes by flow.Solve.
func onCircuits(t testing.TB, f fabric.Fabric, c *collective.Collective, size units.Bytes, graphs ...*topology.Graph) *plan.Plan {
	t.Helper()
	p := &plan.Plan{
		Fabric:     f,
		Provenance: plan.Provenance{Planner: "by hand"},
		Collective: plan.Collective{Op: c.Op, Algorithm: c.Algorithm, Size: size, Space: c.Space},
	}
	for i, step := range c.Steps {
		if i == 0 || graphs[i] != graphs[i-1] {
			p.Stages = append(p.Stages, plan.Stage{Topology: graphs[i]})
		}
		stage := &p.Stages[len(p.Stages)-1]
		problem := flow.Problem{Graph: graphs[i], Group: step.Group}
		for _, x := range step.Base {
			problem.Demands = append(problem.Demands,
				flow.Demand{Src: x.Src, Dst: x.Dst, Amount: p.Bytes(x.Chunks)})
		}
		routed, err := flow.Solve(context.Background(), problem, f.Routing)
		if err != nil {
			t.Fatal(err)
		}
		made := plan.Step{Group: step.Group}
		for b, x := range step.Base {
			made.Base = append(made.Base, plan.Transfer{Transfer: x, Routes: routed.Routes[b]})
		}
		stage.Steps = append(stage.Steps, made)
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	if report := mustVerify(t, p); !report.OK {
		t.Fatal(report.First())
	}
	return p
}

// TestHarvestTable1 is the example of HARVEST, table 1: the three steps of recursive
// doubling's reduce-scatter on 8 GPUs, with G1, G2 and G3 the rings of jump 1, 2 and 4.
//
// On the ring of jump 2^j, offset 2^e takes 2^(e-j) hops. Every node does the same, so that
// many pairs share each circuit: congestion and hops are equal.
func TestHarvestTable1(t *testing.T) {
	g1, g2, g3 := topology.DirectedCirculant(8, 1), topology.DirectedCirculant(8, 2), topology.DirectedCirculant(8, 4)
	c, err := algorithms.New(collective.ReduceScatter, "recursive-doubling", 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		graphs           []*topology.Graph
		hops             []int // of each step; congestion is the same
		reconfigurations int
	}{
		{[]*topology.Graph{g1, g1, g1}, []int{1, 2, 4}, 0}, // at most 4
		{[]*topology.Graph{g1, g2, g2}, []int{1, 1, 2}, 1}, // at most 2
		{[]*topology.Graph{g1, g2, g3}, []int{1, 1, 1}, 2}, // at most 1
	}
	for _, tc := range cases {
		f := fabric.Default()
		f.Nodes = 8
		const size = 8 * units.MB
		p := onCircuits(t, f, c, size, tc.graphs...)
		name := fmt.Sprint(tc.hops)
		if p.Reconfigurations != tc.reconfigurations {
			t.Errorf("%s: %d reconfigurations, want %d", name, p.Reconfigurations, tc.reconfigurations)
		}
		// alpha + delta*hops + congestion*m/2^i/bandwidth, and 10 us per change; 8 MB take
		// 80 us on a port of 800 Gbps.
		want := units.Time(tc.reconfigurations) * 10_000
		for i, hops := range tc.hops {
			cost := stepAt(p, i+1).Cost
			if cost.Hops != hops || cost.Congestion != float64(hops) {
				t.Errorf("%s: step %d has congestion %v over %d hops, want %d", name, i+1, cost.Congestion, cost.Hops, hops)
			}
			want += 500 + 500*units.Time(hops) + units.Time(hops)*80_000/units.Time(int(2)<<i)
		}
		if got := p.Cost.Total(); !closeTo(float64(got), float64(want)) {
			t.Errorf("%s: takes %v, want %v", name, got, want)
		}
	}
}

// TestForwardingByHand has a route with circuits of its own, for which the two ways of
// forwarding differ: 1 MB, which takes 10 us on a port of 800 Gbps, is broadcast on 3 nodes.
// Step 1 sends it 0->1, step 2 sends it 0->2. alpha and delta are 500 ns.
//
// One port, ring 0->1->2->0. Step 1: 0.5 + 0.5 + 10 = 11 us. Step 2 takes two hops:
// 0.5 + 2*0.5 + 10 = 11.5 us if node 1 forwards bytes as they arrive, 0.5 + 2*0.5 +
// 2*10 = 21.5 us if it waits for all of them.
//
// Two ports, circuits between all. Step 1 splits in halves, 0->1 and 0->2->1, of 5 us
// per circuit: 0.5 + 2*0.5 + 5 = 6.5 us; if node 2 waits for its half, the longer way
// takes 2*5 us: 11.5 us. Step 2 is the same.
func TestForwardingByHand(t *testing.T) {
	const us = 1000.
	cases := []struct {
		name       string
		graph      *topology.Graph
		forwarding fabric.Forwarding
		steps      [2]float64
		congestion [2]float64
	}{
		{"ring, cut-through", topology.DirectedCirculant(3, 1), fabric.CutThrough, [2]float64{11 * us, 11.5 * us}, [2]float64{1, 1}},
		{"ring, store-and-forward", topology.DirectedCirculant(3, 1), fabric.StoreAndForward, [2]float64{11 * us, 21.5 * us}, [2]float64{1, 2}},
		{"mesh, cut-through", topology.Complete(3), fabric.CutThrough, [2]float64{6.5 * us, 6.5 * us}, [2]float64{0.5, 0.5}},
		{"mesh, store-and-forward", topology.Complete(3), fabric.StoreAndForward, [2]float64{11.5 * us, 11.5 * us}, [2]float64{1, 1}},
	}
	c, err := algorithms.New(collective.Broadcast, "binomial", 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range cases {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Forwarding = 3, tc.graph.Degree(), tc.forwarding
		p := onCircuits(t, f, c, units.MB, tc.graph, tc.graph)
		for i := range tc.steps {
			cost := stepAt(p, i+1).Cost
			if !closeTo(float64(cost.Total()), tc.steps[i]) || !closeTo(cost.Congestion, tc.congestion[i]) {
				t.Errorf("%s: step %d takes %v at congestion %v, want %v at %v", tc.name, i+1,
					cost.Total(), cost.Congestion, units.Time(tc.steps[i]), tc.congestion[i])
			}
		}
		if total := tc.steps[0] + tc.steps[1]; !closeTo(float64(p.Cost.Total()), total) {
			t.Errorf("%s: takes %v, want %v", tc.name, p.Cost.Total(), units.Time(total))
		}
	}
}

// TestReconfigurationsByHand: 4 nodes change from the ring of jump 1 to that of jump 2, which
// changes the only port of each and sets up 4 circuits.
func TestReconfigurationsByHand(t *testing.T) {
	g1, g2 := topology.DirectedCirculant(4, 1), topology.DirectedCirculant(4, 2)
	c, err := algorithms.New(collective.ReduceScatter, "recursive-doubling", 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		reconfig string
		initial  string
		want     units.Time // before both stages
		count    int
	}{
		{"3us", "free", 3000, 1},
		{"3us", "dark", 6000, 2},
		{"3us", "DC(4;1)", 3000, 1},
		{"3us", "DC(4;3)", 6000, 2},
		{"3us", "base", 3000, 1}, // which is DC(4;1)
		{"per-port:1us+100ns", "free", 1400, 1},
		{"per-port:1us+100ns", "dark", 2800, 2},
		{"per-circuit:1us+50ns", "free", 1200, 1},
		{"per-circuit:1us+50ns", "dark", 2400, 2},
		{"0ns", "dark", 0, 2},
	}
	for _, tc := range cases {
		f := fabric.Default()
		f.Nodes, f.Initial = 4, tc.initial
		if f.Reconfig, err = fabric.ParseReconfig(tc.reconfig); err != nil {
			t.Fatal(err)
		}
		p := onCircuits(t, f, c, units.MB, g1, g2)
		if !closeTo(float64(p.Cost.Reconfiguration), float64(tc.want)) || p.Reconfigurations != tc.count {
			t.Errorf("%s from %s: %d changes of %v, want %d of %v", tc.reconfig, tc.initial,
				p.Reconfigurations, p.Cost.Reconfiguration, tc.count, tc.want)
		}
	}
}
