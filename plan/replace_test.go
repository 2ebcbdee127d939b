package plan_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// walkSums is a handmade allreduce of four nodes on the de Bruijn graph of words of two bits:
// twice, every node's value becomes the sum of the values of its two predecessors. The words 00
// and 11 precede themselves, so their own value stays in the sum.
func walkSums(t *testing.T) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 2
	var edges []topology.Edge
	var step plan.Step
	for v := range 4 {
		for bit := range 2 {
			to := v%2*2 + bit
			if to == v {
				continue
			}
			edges = append(edges, topology.Edge{From: v, To: to, Count: 1})
			action := collective.Replace
			if to == 0 || to == 3 {
				action = collective.Reduce
			}
			step.Base = append(step.Base, plan.Transfer{
				Transfer: collective.Transfer{Src: v, Dst: to, Action: action, Chunks: collective.Every(0, 1, 4)},
				Routes:   []flow.Route{{Path: []int32{int32(v), int32(to)}, Share: 1}},
			})
		}
	}
	again := plan.Step{Base: slices.Clone(step.Base)}
	p := &plan.Plan{
		Fabric:     f,
		Provenance: plan.Provenance{Planner: "hand"},
		Stages:     []plan.Stage{{Topology: topology.New(4, "words of two bits", edges), Steps: []plan.Step{step, again}}},
		Collective: plan.Collective{Op: collective.AllReduce, Algorithm: "walks", Size: units.MiB, Space: collective.SpaceOf(collective.AllReduce, 4, 1)},
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestReplacedIsTheSumOfWhatAStepBrings: de Bruijn sums verify, and every way to break them is
// found.
func TestReplacedIsTheSumOfWhatAStepBrings(t *testing.T) {
	if report := mustVerify(t, walkSums(t)); !report.OK {
		t.Fatalf("%+v", report.First())
	}
	into := func(p *plan.Plan, step, dst int) []int { // the transfers to a node
		var list []int
		for i, b := range p.Stages[0].Steps[step].Base {
			if b.Dst == dst {
				list = append(list, i)
			}
		}
		return list
	}
	for name, m := range map[string]struct {
		check, detail string
		change        func(p *plan.Plan)
	}{
		"one adds instead": {"data", `chunk 0 at node 1 is written twice in one step`, func(p *plan.Plan) {
			p.Stages[0].Steps[0].Base[into(p, 0, 1)[1]].Action = collective.Reduce
		}},
		"one copies instead": {"data", `chunk 0 at node 1 is written twice in one step`, func(p *plan.Plan) {
			p.Stages[0].Steps[0].Base[into(p, 0, 1)[0]].Action = collective.Copy
		}},
		"one is missing": {"result", `at the end chunk 0 at node \d lacks the contribution of node \d`, func(p *plan.Plan) {
			s := &p.Stages[0].Steps[0]
			i := into(p, 0, 1)[0]
			s.Base = slices.Delete(s.Base, i, i+1)
		}},
		"all add": {"reductions", `chunk 0 at node \d counts node \d twice`, func(p *plan.Plan) {
			for _, i := range into(p, 1, 1) {
				p.Stages[0].Steps[1].Base[i].Action = collective.Reduce
			}
		}},
		"what should stay is replaced": {"result", `lacks the contribution`, func(p *plan.Plan) {
			p.Stages[0].Steps[1].Base[into(p, 1, 0)[0]].Action = collective.Replace
		}},
		"one comes twice": {"reductions", `chunk 0 at node 1 counts node \d twice`, func(p *plan.Plan) {
			s := &p.Stages[0].Steps[0]
			s.Base = append(s.Base, cloneTransfer(s.Base[into(p, 0, 1)[0]]))
		}},
	} {
		p := walkSums(t)
		honest(m.change)(p)
		mustFind(t, name, p, m.check, m.detail)
	}
}

// TestFilesNameThatValuesAreReplaced: a reader that does not know the action must not guess.
func TestFilesNameThatValuesAreReplaced(t *testing.T) {
	text, named := mustRequire(t, walkSums(t), "replace")
	_, err := plan.Decode(strings.NewReader(strings.Replace(text, named, `"requires": []`, 1)))
	if want := `does not say that it requires "replace"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// mustFind fails unless the first violation found in a plan has the given check and detail.
func mustFind(t *testing.T, name string, p *plan.Plan, check, detail string) {
	t.Helper()
	bad := mustVerify(t, p).First()
	if bad == nil || bad.Name != check || !regexp.MustCompile(detail).MatchString(bad.Detail) {
		t.Errorf("%s: %+v, want %s: %s", name, bad, check, detail)
	}
}

// mustRequire returns the file of a plan, after checking that reading and writing preserve it,
// and the part of it that names what a reader must know.
func mustRequire(t *testing.T, p *plan.Plan, what ...string) (text, named string) {
	t.Helper()
	list, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	text, named = encoded(t, p), `"requires": `+string(list)
	if !strings.Contains(text, named) {
		t.Fatalf("the file does not say %s", named)
	}
	if again := encoded(t, decoded(t, text)); again != text {
		t.Errorf("written again it differs:\n%s", difference(text, again))
	}
	return text, named
}
