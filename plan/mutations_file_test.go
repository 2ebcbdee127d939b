package plan_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/plan"
)

// object is a JSON object that keeps its numbers as they are written. Written again, its keys
// are sorted, so that the stages still follow what they depend on.
type object = map[string]any

func parsed(t testing.TB, text string) object {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var doc object
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// recoded reads a plan from a document.
func recoded(doc object) (*plan.Plan, error) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(doc); err != nil {
		return nil, err
	}
	return plan.Decode(&b)
}

func stageOf(doc object, i int) object { return doc["stages"].([]any)[i].(object) }
func stepOf(doc object, stage, i int) object {
	return stageOf(doc, stage)["steps"].([]any)[i].(object)
}
func transferOf(doc object, stage, step, i int) object {
	return stepOf(doc, stage, step)["transfers"].([]any)[i].(object)
}

// fileMutation changes the file of a good plan. If Decode refuses it, check is "read".
type fileMutation struct {
	name, of, check, detail string
	apply                   func(doc object)
}

var fileMutations = []fileMutation{
	{"a transfer is left out", rewired, "result", `lacks the contribution`, func(doc object) {
		step := stepOf(doc, 0, 0)
		step["transfers"] = step["transfers"].([]any)[1:]
	}},
	{"a transfer is left out with its symmetry kept", mesh, "result", `lacks the contribution`, func(doc object) {
		step := stepOf(doc, 0, 1)
		step["transfers"] = step["transfers"].([]any)[:7]
	}},
	{"a transfer is listed twice", mesh, "reductions", `stage 1, step 2, transfer 9: .* twice`, func(doc object) {
		step := stepOf(doc, 0, 1)
		transfers := step["transfers"].([]any)
		step["transfers"] = append(transfers, transfers[5])
	}},
	{"one image goes elsewhere", mesh, "routes", `stage 1, step 2, transfer 6: .*does not lead from`,
		func(doc object) { transferOf(doc, 0, 1, 5)["dst"] = 3 }},
	{"one image comes from elsewhere", mesh, "routes", `stage 1, step 2, transfer 6: .*does not lead from`,
		func(doc object) { transferOf(doc, 0, 1, 5)["src"] = 3 }},
	{"one image reduces instead of copying", mesh, "reductions", `stage 1, step 4, transfer 3: .* twice`,
		func(doc object) { transferOf(doc, 0, 3, 2)["action"] = "reduce" }},
	{"one image has a wrong chunk", rewired, "result", `lacks the contribution`,
		func(doc object) { transferOf(doc, 2, 0, 4)["chunks"] = []any{1} }},
	{"one route is cut short", mesh, "routes", `stage 1, step 1, transfer 4: `, func(doc object) {
		transferOf(doc, 0, 0, 3)["routes"] = []any{object{"share": 1, "path": []any{3}}}
	}},
	{"one route is gone", mesh, "routes", `stage 1, step 1, transfer 4: .*sum to 0`,
		func(doc object) { delete(transferOf(doc, 0, 0, 3), "routes") }},
	{"steps in the other order", mesh, "form", `stage 1, step 3: index is 4, want 3`, func(doc object) {
		steps := stageOf(doc, 0)["steps"].([]any)
		steps[2], steps[3] = steps[3], steps[2]
	}},
	{"a circuit too many", rewired, "ports", `stage 1: node 2 has 2 circuits out`, func(doc object) {
		stage := stageOf(doc, 0)
		stage["links"] = append(stage["links"].([]any), []any{2, 5, 1})
	}},
	{"a circuit too few", rewired, "topology", `stage 1: the circuits are not those of`, func(doc object) {
		stage := stageOf(doc, 0)
		stage["links"] = stage["links"].([]any)[1:]
	}},
	{"a topology under another name", rewired, "topology", `stage 1: the circuits are not those of DC\(8;3\)`,
		func(doc object) { stageOf(doc, 0)["topology"] = "DC(8;3)" }},
	{"a step too early", rewired, "timing", `stage 2, step 1: starts at`, func(doc object) { stepOf(doc, 1, 0)["start_ns"] = 1 }},
	{"no time to rewire", rewired, "timing", `stage 2: the change takes`, func(doc object) { stageOf(doc, 1)["reconfiguration_ns"] = 0 }},
	{"a fabric that starts dark after all", mesh, "timing", `stage 1: the change takes`,
		func(doc object) { doc["fabric"].(object)["initial"] = "dark" }},
	{"a fabric with a slower switch", rewired, "timing", `stage 1: the change takes`,
		func(doc object) { doc["fabric"].(object)["reconfig"].(object)["base_ns"] = 20000 }},
	{"a fabric with fewer ports", mesh, "ports", `stage 1: node 0 has 7 circuits`, func(doc object) { doc["fabric"].(object)["ports"] = 6 }},
	{"a slower fabric", mesh, "cost", `stage 1, step 1: claims`,
		func(doc object) { doc["fabric"].(object)["bandwidth_bps"] = 400_000_000_000 }},
	{"a cheaper total", rewired, "cost", `claims start-up of`, func(doc object) {
		cost := doc["cost_ns"].(object)
		startup, _ := cost["startup"].(json.Number).Float64()
		total, _ := cost["total"].(json.Number).Float64()
		cost["startup"], cost["total"] = startup/2, total-startup/2
		doc["bound_ns"] = 0
	}},
	{"fewer reconfigurations", rewired, "cost", `claims 0 reconfigurations`, func(doc object) { delete(doc, "reconfigurations") }},
	{"a bound that proves too much", mesh, "bound", `above the cost`, func(doc object) { doc["bound_ns"] = 1e12 }},
	{"no stage at all", mesh, "form", `no stage`, func(doc object) { doc["stages"] = []any{} }},
	{"a stage without steps", mesh, "form", `stage 1 has no step`, func(doc object) { stageOf(doc, 0)["steps"] = []any{} }},
	{"a step without transfers", mesh, "form", `stage 1, step 1 has no transfer`,
		func(doc object) { stepOf(doc, 0, 0)["transfers"] = []any{} }},
	{"no index", mesh, "form", `stage 1, step 2: index is 0`, func(doc object) { delete(stepOf(doc, 0, 1), "index") }},
	{"a node that sends to itself", mesh, "form", `transfer \d+: node 3 sends to itself`,
		func(doc object) { transferOf(doc, 0, 0, 3)["dst"] = 3 }},

	{"a gap that flatters", mesh, "bound", `the gap 0 is not`,
		func(doc map[string]any) { doc["gap"] = 0 }},
	{"a bound that claims the optimum", mesh, "bound", `all that can be proven`,
		func(doc map[string]any) {
			doc["bound_ns"] = doc["cost_ns"].(map[string]any)["total"]
			doc["gap"] = 0
		}},
	{"a total that is not the sum", mesh, "cost", `cost_ns: total .* is not the sum`,
		func(doc object) { doc["cost_ns"].(object)["total"] = 5 }},
	{"a step's total that is not the sum", mesh, "cost", `stage 1, step 2: total_ns .* is not the sum`,
		func(doc object) { stepOf(doc, 0, 1)["total_ns"] = 5 }},
	{"bytes that are not those of the chunks", mesh, "cost", `stage 1, step 1, transfer 3: its chunks have 4MiB, not 5B`,
		func(doc object) { transferOf(doc, 0, 0, 2)["bytes"] = 5 }},
	// Parallel circuits whose counts add up to a negative number would carry any load.
	{"circuits beyond counting", rewired, "read", `stage 1: more than \d+ circuits`, func(doc object) {
		var links []any
		for range 2048 {
			links = append(links, []any{0, 1, 1 << 20})
		}
		stageOf(doc, 0)["links"] = links
	}},
}

func TestVerifyCatchesMutationsOfTheFile(t *testing.T) {
	proven := map[string]bool{}
	for _, m := range fileMutations {
		t.Run(m.name, func(t *testing.T) {
			doc := parsed(t, encoded(t, goodPlan(t, m.of)))
			if p, err := recoded(doc); err != nil || !proven[m.of] && !mustVerify(t, p).OK {
				t.Fatalf("the file was broken before: %v", err)
			}
			proven[m.of] = true
			m.apply(doc)
			check, detail := "read", ""
			if p, err := recoded(doc); err != nil {
				detail = err.Error()
			} else if first := mustVerify(t, p).First(); first == nil {
				t.Fatal("nothing is noticed")
			} else {
				check, detail = first.Name, first.Detail
			}
			if check != m.check || !regexp.MustCompile(m.detail).MatchString(detail) || strings.Contains(detail, "\n") {
				t.Errorf("%s: %q, want %s: %q", check, detail, m.check, m.detail)
			}
		})
	}
}

// The numbers of transfers run through the whole step once its symmetry is broken.
func TestABrokenImageIsNamedByItsPlace(t *testing.T) {
	for at := range 8 {
		doc := parsed(t, encoded(t, goodPlan(t, mesh)))
		transferOf(doc, 0, 2, at)["routes"] = []any{}
		p, err := recoded(doc)
		if err != nil {
			t.Fatal(err)
		}
		first := mustVerify(t, p).First()
		want := "stage 1, step 3, transfer " + string(rune('1'+at)) + ":"
		if first == nil || !strings.HasPrefix(first.Detail, want) {
			t.Errorf("%+v, want %q", first, want)
		}
	}
}

// The product of a count of distinct transfers with the order of the group may overflow to the
// number of transfers in the file. Such a count must not stand for images that nobody wrote.
func TestSymmetryThatOverflowsIsNoSymmetry(t *testing.T) {
	doc := parsed(t, encoded(t, goodPlan(t, twoWay)))
	for _, stage := range doc["stages"].([]any) {
		for _, s := range stage.(map[string]any)["steps"].([]any) {
			step := s.(map[string]any)
			transfers := step["transfers"].([]any)
			distinct, err := step["symmetry"].(map[string]any)["distinct"].(json.Number).Int64()
			if err != nil {
				t.Fatal(err)
			}
			step["transfers"] = transfers[:distinct]
			// 8 * (2^61 + k) = 8k modulo 2^64, for rotations of 8 nodes.
			step["symmetry"].(map[string]any)["distinct"] = json.Number("2305843009213693952")
		}
	}
	p, err := recoded(doc)
	if err == nil && mustVerify(t, p).OK {
		t.Error("a plan without most of its transfers is taken for whole")
	}
}

func TestNamesOfHugeTopologiesAreNotBuilt(t *testing.T) {
	for _, name := range []string{"K(8000)", "Torus(1000,1000)"} {
		p := goodPlan(t, mesh)
		p.Stages[0].Topology = p.Stages[0].Topology.Named(name)
		if report := mustVerify(t, p); report.OK || report.First().Name != "topology" {
			t.Errorf("%s: %+v", name, report.First())
		}
	}
}
