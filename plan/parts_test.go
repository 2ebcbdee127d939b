package plan_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// windowSums is a handmade allreduce of seven nodes with one port: every node's value is the
// sum of a window of neighbours behind it, which grows from 1 to 2 and to 4 by whole values,
// and then to 7 by what the node three behind has received.
func windowSums(t testing.TB) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 7, 1
	p := &plan.Plan{
		Fabric:     f,
		Provenance: plan.Provenance{Planner: "hand"},
		Collective: plan.Collective{Op: collective.AllReduce, Algorithm: "windows", Size: units.KiB, Space: collective.SpaceOf(collective.AllReduce, 7, 1)},
	}
	for _, s := range []struct {
		jump int
		part collective.Part
	}{{1, collective.WholePart}, {2, collective.WholePart}, {3, collective.ReceivedPart}} {
		p.Stages = append(p.Stages, plan.Stage{
			Topology: topology.DirectedCirculant(7, s.jump),
			Steps: []plan.Step{{Group: topology.Rotations(7, 1), Base: []plan.Transfer{{
				Transfer: collective.Transfer{Src: 0, Dst: s.jump, Action: collective.Reduce, Part: s.part, Chunks: collective.Every(0, 1, 7)},
				Routes:   []flow.Route{{Path: []int32{0, int32(s.jump)}, Share: 1}},
			}}}},
		})
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPartsAreOfSumsThatAreHeldApart: windows verify, and every way to break them is found.
func TestPartsAreOfSumsThatAreHeldApart(t *testing.T) {
	if report := mustVerify(t, windowSums(t)); !report.OK {
		t.Fatalf("%+v", report.First())
	}
	last := func(p *plan.Plan) *plan.Transfer { return &p.Stages[2].Steps[0].Base[0] }
	for name, m := range map[string]struct {
		check, detail string
		change        func(p *plan.Plan)
	}{
		"all of it": {"reductions", `stage 3, step 1, transfer 1: chunk 0 at node 3 counts node 0 twice`, func(p *plan.Plan) {
			last(p).Part = collective.WholePart
		}},
		"its own alone": {"reductions", `counts node 0 twice`, func(p *plan.Plan) { last(p).Part = collective.OwnPart }},
		"what is not there yet": {"data", `stage 1, step 1, transfer 1: node 0 sends a part of chunk 0, "received", but it has received nothing of it`,
			func(p *plan.Plan) { p.Stages[0].Steps[0].Base[0].Part = collective.ReceivedPart }},
		"what was copied": {"data", `stage 3, step 1, transfer 1: node 0 sends a part of chunk 0, "received", but what was copied to it or has replaced its value is not apart`,
			func(p *plan.Plan) { p.Stages[1].Steps[0].Base[0].Action = collective.Copy }},
		"what has replaced it": {"data", `"received", but what was copied to it or has replaced its value is not apart`,
			func(p *plan.Plan) { p.Stages[1].Steps[0].Base[0].Action = collective.Replace }},
		"a part that there is not": {"form", `part "most" is not "own", "received", "side1" to "side8"`, func(p *plan.Plan) { last(p).Part = "most" }},
		"too little": {"result", `lacks the contribution of node`, func(p *plan.Plan) {
			p.Stages[1].Steps[0].Base[0].Part = collective.OwnPart
		}},
		"no sum": {"data", `sends a part of chunk 0, "own", but the chunk is no sum`, func(p *plan.Plan) {
			p.Collective.Op, p.Collective.Space = collective.AllGather, collective.SpaceOf(collective.AllGather, 7, 1)
			b := &p.Stages[0].Steps[0].Base[0]
			b.Action, b.Part, b.Chunks = collective.Copy, collective.OwnPart, collective.Single(0)
		}},
	} {
		p := windowSums(t)
		honest(m.change)(p)
		mustFind(t, name, p, m.check, m.detail)
	}
}

// sideSums is a handmade allreduce of six nodes on a two-way ring. Every node first gets the
// vectors of both neighbours, and adds the one from above to side sum 1. Then it gets, from the
// node two above, that node's own vector and its side sum, and the own vector of the node two
// below.
func sideSums(t testing.TB) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 6, 2, true
	p := &plan.Plan{
		Fabric:     f,
		Provenance: plan.Provenance{Planner: "hand"},
		Collective: plan.Collective{Op: collective.AllReduce, Algorithm: "sides", Size: units.KiB, Space: collective.SpaceOf(collective.AllReduce, 6, 1)},
		Stages:     []plan.Stage{{Topology: topology.DirectedCirculant(6, 1, 5)}},
	}
	down := func(hops int, part collective.Part, sides collective.Sides) plan.Transfer {
		path := []int32{0, 5, 4}[:hops+1]
		return plan.Transfer{
			Transfer: collective.Transfer{Dst: int(path[hops]), Action: collective.Reduce, Part: part, Sides: sides, Chunks: collective.Every(0, 1, 6)},
			Routes:   []flow.Route{{Path: path, Share: 1}},
		}
	}
	up := func(hops int, part collective.Part) plan.Transfer {
		return plan.Transfer{
			Transfer: collective.Transfer{Dst: hops, Action: collective.Reduce, Part: part, Chunks: collective.Every(0, 1, 6)},
			Routes:   []flow.Route{{Path: []int32{0, 1, 2}[:hops+1], Share: 1}},
		}
	}
	for _, base := range [][]plan.Transfer{
		{down(1, collective.WholePart, collective.SidesOf(1)), up(1, collective.WholePart)},
		{down(2, collective.SidePart(1, true), 0), up(2, collective.OwnPart)},
	} {
		p.Stages[0].Steps = append(p.Stages[0].Steps, plan.Step{Group: topology.Rotations(6, 1), Base: base})
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Sums of some of what nodes have received verify, and every way to break them is found.
func TestSideSumsHaveWhatWasAddedToThem(t *testing.T) {
	if report := mustVerify(t, sideSums(t)); !report.OK {
		t.Fatalf("%+v", report.First())
	}
	step := func(p *plan.Plan, k int) []plan.Transfer { return p.Stages[0].Steps[k].Base }
	for name, m := range map[string]struct {
		check, detail string
		change        func(p *plan.Plan)
	}{
		"without its own": {"result", `lacks the contribution of node`, func(p *plan.Plan) { step(p, 1)[0].Part = collective.SidePart(1, false) }},
		"all of it":       {"reductions", `twice`, func(p *plan.Plan) { step(p, 1)[0].Part = collective.WholePart }},
		"both sides":      {"reductions", `twice`, func(p *plan.Plan) { step(p, 0)[1].Sides = collective.SidesOf(1) }},
		"another sum":     {"data", `node 0 sends a part of chunk 0, "own.side2", but it has added nothing to side sum 2`, func(p *plan.Plan) { step(p, 1)[0].Part = collective.SidePart(2, true) }},
		"nothing added":   {"data", `"own.side1", but it has added nothing to side sum 1`, func(p *plan.Plan) { step(p, 0)[0].Sides = collective.SidesOf(2, 8) }},
		"too early":       {"data", `"side1", but it has added nothing to side sum 1`, func(p *plan.Plan) { step(p, 0)[1].Part = collective.SidePart(1, false) }},
		"copied": {"form", `sides are for action "reduce", not "copy"`, func(p *plan.Plan) {
			step(p, 0)[0].Action = collective.Copy
		}},
		"replaced since": {"data", `"own.side1", but what was copied to it or has replaced its value is not apart`, func(p *plan.Plan) {
			p.Stages[0].Steps = append(p.Stages[0].Steps, p.Stages[0].Steps[1])
			last := &p.Stages[0].Steps[1]
			last.Base = []plan.Transfer{last.Base[1]}
			last.Base[0].Action = collective.Replace
		}},
	} {
		p := sideSums(t)
		honest(m.change)(p)
		mustFind(t, name, p, m.check, m.detail)
	}
}

// Files of plans with side sums say so, and are read as they were written.
func TestFilesNameThatSideSumsAreKept(t *testing.T) {
	text, named := mustRequire(t, sideSums(t), "parts", "sides")
	for _, c := range []struct{ from, to, want string }{
		{named, `"requires": ["parts"]`, `does not say that it requires "sides"`},
		{`"sides":[1]`, `"sides":[]`, `transfer 1: sides: the list is empty; leave it out`},
		{`"sides":[1]`, `"sides":[9]`, `transfer 1: sides: 9 is not from 1 to 8`},
		{`"sides":[1]`, `"sides":[2,1]`, `transfer 1: sides: 1 after 2; want ascending`},
		{`"sides":[1]`, `"sides":1`, `transfer 1: sides: `},
		{`"action":"reduce","sides"`, `"action":"copy","sides"`, `transfer 1: sides are for action "reduce", not "copy"`},
		{`"own+side1"`, `"own+side9"`, `transfer 1: part "own+side9" is not `},
	} {
		_, err := plan.Decode(strings.NewReader(strings.Replace(text, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	// A transfer of a symmetric step that differs only in its sides is not an image.
	p := decoded(t, strings.Replace(text, `"sides":[1],`, ``, 1))
	if report := mustVerify(t, p); report.OK {
		t.Error("a file in which one node does not keep a side sum is verified")
	}
}

// TestFilesNameThatPartsAreSent: a reader that does not know parts must not guess.
func TestFilesNameThatPartsAreSent(t *testing.T) {
	text, named := mustRequire(t, windowSums(t), "parts")
	for _, c := range []struct{ from, to, want string }{
		{named, `"requires": []`, `does not say that it requires "parts"`},
		{`"part":"received"`, `"part":"rest"`, `transfer 1: part "rest" is not "own", "received", "side1" to "side8" or "own+side1" to "own+side8", or left out for the whole value`},
		{`"part":"received"`, `"part":""`, `transfer 1: part: it is empty; leave it out for the whole value`},
		{`"part":"received"`, `"part":1`, `transfer 1: part: `},
	} {
		_, err := plan.Decode(strings.NewReader(strings.Replace(text, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	// A transfer of a symmetric step that differs only in its part is not an image.
	p := decoded(t, strings.Replace(text, `"part":"received"`, `"part":"own"`, 1))
	if report := mustVerify(t, p); report.OK {
		t.Error("a file in which one node sends another part is verified")
	}
}
