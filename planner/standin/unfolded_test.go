package standin

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// ringGather is an allgather over a ring, with one transfer of every step standing for all, and
// with the given number of parts as chunks in each.
func ringGather(f fabric.Fabric, nodes, parts int) *plan.Plan {
	edges := make([]topology.Edge, nodes)
	for u := range nodes {
		edges[u] = topology.Edge{From: u, To: (u + 1) % nodes, Count: 1}
	}
	ring := topology.New(nodes, "ring", edges)
	space := collective.SpaceOf(collective.AllGather, nodes, parts)
	p := &plan.Plan{Fabric: f, Collective: plan.Collective{Op: collective.AllGather, Algorithm: "ring", Size: units.Bytes(nodes * parts * 1024), Space: space}}
	stage := plan.Stage{Topology: ring}
	for i := range nodes - 1 {
		block := (nodes - i) % nodes
		chunks := make([]int, parts)
		for k := range chunks {
			chunks[k] = block*parts + k
		}
		stage.Steps = append(stage.Steps, plan.Step{
			Group: topology.Rotations(nodes, 1),
			Base: []plan.Transfer{{
				Transfer: collective.Transfer{Src: 0, Dst: 1, Chunks: collective.Of(chunks), Action: collective.Copy},
				Routes:   []flow.Route{{Path: []int32{0, 1}, Share: 1}},
			}},
		})
	}
	p.Stages = []plan.Stage{stage}
	return p
}

// A plan whose steps lose their symmetry on circuits that differ is written out up to
// mostUnfolded transfers and chunks. Beyond that it is skipped, with the reason. If none of its
// circuits differ it is kept, however large.
func TestPlansOfVeryManyTransfersArePassedOver(t *testing.T) {
	const nodes = 64
	each := nodes * (nodes - 1) // transfers
	for _, c := range []struct {
		parts  int
		differ bool
		kept   bool
	}{
		{mostUnfolded/each - 2, true, true},
		{mostUnfolded / each, true, false}, // with the transfers themselves it is above
		{mostUnfolded / each, false, true},
	} {
		t.Run(fmt.Sprintf("%d parts, differ %v", c.parts, c.differ), func(t *testing.T) {
			f := fabric.Default()
			f.Nodes, f.Base = nodes, fmt.Sprintf("DC(%d;1)", nodes)
			f.Links = fabrictest.Links("0>1:400Gbps")
			if !c.differ { // the plan's circuits are not those of the base
				f.Base, f.Links = fmt.Sprintf("DC(%d;3)", nodes), fabrictest.Links("0>3:400Gbps")
			}
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			contest := contest{fabric: &f, circuits: f.Circuits()}
			p := ringGather(f, nodes, c.parts)
			transfers := unfolded(&p.Stages[0].Steps[0]) * (nodes - 1)
			if over := transfers > mostUnfolded; over == c.kept && c.differ {
				t.Fatalf("%d transfers and chunks, of at most %d", transfers, mostUnfolded)
			}
			if err := contest.price(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if kept := contest.best != nil; kept != c.kept || !kept && (!errors.Is(contest.reason, errUnfolded) || !errors.Is(contest.reason, planner.ErrInfeasible)) {
				t.Errorf("%d transfers and chunks: kept %v, %v", transfers, kept, contest.reason)
			}
		})
	}
	// Other numberings lose the symmetry unless they are multiples.
	f := fabric.Default()
	f.Nodes = nodes
	p := ringGather(f, nodes, 1)
	shuffled, multiple := numbering{to: make([]int, nodes)}, multiples(nodes)[0]
	if n := shuffled.unfolds(p); n != 2*each {
		t.Errorf("%d, want %d", n, 2*each)
	}
	if n := multiple.unfolds(p); n != 0 {
		t.Errorf("%d with multiples of %d, want none", n, multiple.factor)
	}
}
