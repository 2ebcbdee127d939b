package plan_test

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

var formMutations = []mutation{
	{"no stage", mesh, "form", `no stage`, func(p *plan.Plan) { p.Stages = nil }},
	{"empty stage", rewired, "form", `stage 2 has no step`, func(p *plan.Plan) { p.Stages[1].Steps = nil }},
	{"empty step", rewired, "form", `stage 2, step 1 has no transfer`, func(p *plan.Plan) { p.Stages[1].Steps[0].Base = nil }},
	{"wrong index", mesh, "form", `stage 1, step 3: index is 7, want 3`, func(p *plan.Plan) { stepAt(p, 3).Index = 7 }},
	{"index twice", mesh, "form", `step 3: index is 2, want 3`, func(p *plan.Plan) { stepAt(p, 3).Index = 2 }},
	{"sends to itself", mesh, "form", `stage 1, step 2, transfer 1: node 0 sends to itself`,
		func(p *plan.Plan) { stepAt(p, 2).Base[0].Dst = 0 }},
	{"node outside the fabric", mesh, "form", `stage 1, step 2, transfer 2: 1->8 is outside 0\.\.7`,
		func(p *plan.Plan) { stepAt(p, 2).Base[1].Dst = 8 }},
	{"negative node", mesh, "form", `step 2, transfer 1: -1->`, func(p *plan.Plan) { stepAt(p, 2).Base[0].Src = -1 }},
	{"unknown action", mesh, "form", `step 1, transfer 1: action "swap"`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Action = "swap" }},
	{"chunk outside the space", mesh, "form", `step 1, transfer 1: chunks \[8,1,1\] are not within 0\.\.7`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Chunks = collective.Single(8) }},
	{"no chunk", mesh, "form", `step 1, transfer 1: no chunk`, func(p *plan.Plan) { stepAt(p, 1).Base[0].Chunks = nil }},
	{"symmetry of other nodes", mesh, "form", `stage 1, step 1: symmetry: sides \[6\]`,
		func(p *plan.Plan) { stepAt(p, 1).Group = topology.Rotations(6, 1) }},
	{"topology of other nodes", mesh, "form", `stage 1 has no topology of 8 nodes`,
		func(p *plan.Plan) { p.Stages[0].Topology = topology.Complete(7) }},
	{"no topology", mesh, "form", `stage 1 has no topology`, func(p *plan.Plan) { p.Stages[0].Topology = nil }},
	{"chunks of another operation", mesh, "form", `chunks of kind "pairs" do not fit allreduce`,
		func(p *plan.Plan) { p.Collective.Space = collective.SpaceOf(collective.AllToAll, 8, 1) }},
	{"collective of other nodes", mesh, "form", `for 16 nodes, the fabric has 8`, func(p *plan.Plan) { p.Collective.Space.Nodes = 16 }},
	{"fabric without bandwidth", mesh, "form", `fabric: bandwidth`, func(p *plan.Plan) { p.Fabric.Bandwidth = 0 }},
	{"more chunks than can be followed", mesh, "form", `step 1: more than \d+ chunks`, func(p *plan.Plan) {
		p.Collective.Space.Parts = 1 << 20
		base := &stepAt(p, 1).Base[0]
		base.Chunks = collective.Every(0, 2, 4<<20) // neighbours are all different
		for range 80 {
			stepAt(p, 1).Base = append(stepAt(p, 1).Base, *base)
		}
	}},
}

var dataMutations = []mutation{
	{"a reducing transfer is dropped", mesh, "result", `at the end chunk \d at node \d lacks the contribution of node \d`,
		honest(func(p *plan.Plan) { s := stepAt(p, 1); s.Base = slices.Delete(s.Base, 0, 1) })},
	{"a copying transfer is dropped", mesh, "result", `at the end chunk \d at node \d lacks the contribution of node \d`,
		honest(func(p *plan.Plan) { s := stepAt(p, 6); s.Base = slices.Delete(s.Base, 0, 1) })},
	{"a block is dropped", blocks, "result", `at the end node \d does not have chunk \d+`,
		honest(func(p *plan.Plan) { s := stepAt(p, 1); s.Base = slices.Delete(s.Base, 0, 1) })},
	{"a reducing transfer is doubled", mesh, "reductions", `stage 1, step 1, transfer \d+: chunk \d at node \d counts node \d twice`,
		honest(func(p *plan.Plan) { s := stepAt(p, 1); s.Base = append(s.Base, cloneTransfer(s.Base[0])) })},
	{"a copying transfer is doubled", mesh, "data", `stage 1, step 6, transfer \d+: chunk \d at node \d is written twice`,
		honest(func(p *plan.Plan) { s := stepAt(p, 6); s.Base = append(s.Base, cloneTransfer(s.Base[0])) })},
	{"a block is doubled", blocks, "data", `stage 1, step 1, transfer \d+: chunk \d+ at node \d is written twice`,
		honest(func(p *plan.Plan) { s := stepAt(p, 1); s.Base = append(s.Base, cloneTransfer(s.Base[0])) })},
	{"a reducing transfer goes elsewhere", mesh, "result", `at the end chunk \d at node \d lacks the contribution of node \d`,
		honest(func(p *plan.Plan) { b := &stepAt(p, 3).Base[0]; b.Dst = 2; direct(b) })},
	{"a block goes elsewhere", blocks, "result", `at the end node \d does not have chunk \d+`,
		honest(func(p *plan.Plan) { b := &stepAt(p, 1).Base[0]; b.Dst = 5; direct(b) })},
	{"a transfer comes from elsewhere", mesh, "reductions", `stage 1, step \d, transfer \d+: chunk \d at node \d counts node \d twice`,
		honest(func(p *plan.Plan) { b := &stepAt(p, 2).Base[0]; b.Src = 6; direct(b) })},
	{"a block comes from elsewhere", blocks, "data", `stage 1, step 1, transfer 1: node \d sends chunk \d+, which it does not have`,
		honest(func(p *plan.Plan) { b := &stepAt(p, 1).Base[0]; b.Src = 3; direct(b) })},
	{"two steps in the other order", mesh, "reductions", `stage 1, step \d, transfer \d+: chunk \d at node \d counts node \d twice`,
		honest(func(p *plan.Plan) { s := p.Stages[0].Steps; s[2], s[3] = s[3], s[2] })},
	{"a transfer is late", mesh, "result", `lacks the contribution`,
		honest(func(p *plan.Plan) { move(p, 1, 2) })},
	{"a transfer is early", mesh, "result", `lacks the contribution`,
		honest(func(p *plan.Plan) { move(p, 3, 2) })},
	{"a copy is early", mesh, "result", `lacks the contribution`,
		honest(func(p *plan.Plan) { move(p, 6, 5) })},
	{"a copy is reduced", mesh, "reductions", `stage 1, step 4, transfer \d+: chunk \d at node \d counts node \d twice`,
		func(p *plan.Plan) { stepAt(p, 4).Base[0].Action = collective.Reduce }},
	{"a reduction is copied", mesh, "result", `lacks the contribution`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Action = collective.Copy }},
	{"a block is reduced", blocks, "reductions", `stage 1, step 1, transfer 1: alltoall reduces nothing`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Action = collective.Reduce }},
	{"a wrong chunk", mesh, "result", `lacks the contribution`,
		func(p *plan.Plan) { stepAt(p, 3).Base[0].Chunks = collective.Single(0) }},
	{"a wrong block", blocks, "data", `stage 1, step 1, transfer 1: node \d sends chunk \d+, which it does not have`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Chunks = collective.Single(17) }},
	// Node 3 has just completed chunk 3 when node 0 sends it an older value.
	{"an extra chunk", mesh, "result", `at the end chunk \d at node \d lacks the contribution`,
		honest(func(p *plan.Plan) { b := &stepAt(p, 4).Base[0]; b.Chunks = append(b.Chunks, collective.Single(3)...) })},
	{"a chunk twice in a transfer", mesh, "reductions", `stage 1, step 3, transfer \d+: chunk \d at node \d counts node \d twice`,
		honest(func(p *plan.Plan) { b := &stepAt(p, 3).Base[0]; b.Chunks = append(b.Chunks, b.Chunks...) })},
	{"a chunk too few", mesh, "result", `lacks the contribution`,
		honest(func(p *plan.Plan) { b := &stepAt(p, 1).Base[0]; b.Chunks = collective.Single(b.Chunks[0].First) })},
	{"another operation", mesh, "data", `stage 1, step 1, transfer 1: node \d sends chunk \d, which it does not have`,
		func(p *plan.Plan) { p.Collective.Op = collective.AllGather }},
}

// move moves the first transfer of one step to another.
func move(p *plan.Plan, from, to int) {
	s := stepAt(p, from)
	stepAt(p, to).Base = append(stepAt(p, to).Base, s.Base[0])
	s.Base = slices.Delete(s.Base, 0, 1)
}

var routeMutations = []mutation{
	{"more circuits than ports", rewired, "ports", `stage 2: node \d has 2 circuits out`, func(p *plan.Plan) {
		more := topology.New(8, "", []topology.Edge{{From: 3, To: 6, Count: 1}})
		p.Stages[1].Topology = topology.Union("more", p.Stages[1].Topology, more)
	}},
	{"parallel circuits without ports", rewired, "ports", `stage 1: node 0 has 2 circuits out and 2 in, but 1 port`, func(p *plan.Plan) {
		p.Stages[0].Topology = topology.Union("double", p.Stages[0].Topology, p.Stages[0].Topology)
	}},
	{"a one-way circuit on a duplex fabric", twoWay, "ports", `stage 1: circuit 0-1 is one-way`, func(p *plan.Plan) {
		p.Stages[0].Topology = topology.DirectedCirculant(8, 1).Named("one-way")
	}},
	{"a name that lies", mesh, "topology", `stage 1: the circuits are not those of Torus\(2,4\)`, func(p *plan.Plan) {
		p.Stages[0].Topology = p.Stages[0].Topology.Named("Torus(2,4)")
	}},
	{"a circuit is missing", rewired, "routes", `stage 2, step 1(, transfer \d)?: .*(no circuit|symmetry that "cut" does not have)`, func(p *plan.Plan) {
		var kept []topology.Edge
		for e := range p.Stages[1].Topology.Edges() {
			if e.From != 0 {
				kept = append(kept, e)
			}
		}
		p.Stages[1].Topology = topology.New(8, "cut", kept)
	}},
	{"a route over no circuit", rewired, "routes", `stage 2, step 1, transfer 1: .*0 -> 2 passes 0 -> 1, where there is no circuit`,
		func(p *plan.Plan) { stepAt(p, 2).Base[0].Routes[0].Path = []int32{0, 1, 2} }},
	{"a target without a route to it", mesh, "routes", `stage 1, step 3, transfer 1: .*does not lead from 0 to 5`,
		func(p *plan.Plan) { stepAt(p, 3).Base[0].Dst = 5 }},
	{"a route starts elsewhere", mesh, "routes", `stage 1, step 1, transfer 1: .*\[2 1\] does not lead from 0 to 1`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes[0].Path[0] = 2 }},
	{"a route ends elsewhere", mesh, "routes", `stage 1, step 1, transfer 2: .*\[1 2\] does not lead from 1 to 0`,
		func(p *plan.Plan) { stepAt(p, 1).Base[1].Routes[0].Path[1] = 2 }},
	{"a route goes in circles", mesh, "routes", `stage 1, step 1, transfer 1: .*visits node 2 twice`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes[0].Path = []int32{0, 2, 3, 2, 1} }},
	{"a route leaves the fabric", mesh, "routes", `stage 1, step 1, transfer 1: .*node 9`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes[0].Path = []int32{0, 9, 1} }},
	{"a route of one node", mesh, "routes", `stage 1, step 1, transfer 1: `,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes[0].Path = []int32{0} }},
	{"no route", mesh, "routes", `stage 1, step 1, transfer 1: .*shares of 0 -> 1 sum to 0`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes = nil }},
	{"half a share", mesh, "routes", `stage 1, step 5, transfer 2: .*sum to 0.5`,
		func(p *plan.Plan) { stepAt(p, 5).Base[1].Routes[0].Share = 0.5 }},
	{"a share too many", mesh, "routes", `stage 1, step 5, transfer 1: .*sum to 2`, func(p *plan.Plan) {
		b := &stepAt(p, 5).Base[0]
		b.Routes = append(b.Routes, b.Routes[0])
	}},
	{"a negative share", mesh, "routes", `stage 1, step 1, transfer 1: .*share -1`, func(p *plan.Plan) {
		b := &stepAt(p, 1).Base[0]
		b.Routes = []flow.Route{{Path: []int32{0, 1}, Share: 2}, {Path: []int32{0, 2, 1}, Share: -1}}
	}},
	{"a share that is no number", mesh, "routes", `stage 1, step 1, transfer 1: .*NaN`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes[0].Share = math.NaN() }},
	{"an infinite share", mesh, "routes", `stage 1, step 1, transfer 1: .*sum to \+Inf`,
		func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes[0].Share = math.Inf(1) }},
}
