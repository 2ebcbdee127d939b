package lightpath_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/schema"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/train"
)

// validator checks documents against the part of JSON Schema that ours use.
type validator struct{ defs map[string]any }

func (v *validator) check(s map[string]any, doc any) error {
	if ref, ok := s["$ref"].(string); ok {
		return v.check(v.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), doc)
	}
	if choices, ok := s["anyOf"].([]any); ok {
		var last error
		for _, one := range choices {
			if last = v.check(one.(map[string]any), doc); last == nil {
				return nil
			}
		}
		return fmt.Errorf("none of %d: %w", len(choices), last)
	}
	if words, ok := s["enum"].([]any); ok {
		if slices.Contains(words, doc) {
			return nil
		}
		return fmt.Errorf("%v is none of %v", doc, words)
	}
	if word, ok := s["const"]; ok && word != doc {
		return fmt.Errorf("%v is not %v", doc, word)
	}
	switch kind, _ := s["type"].(string); kind {
	case "object":
		return v.object(s, doc)
	case "array":
		list, ok := doc.([]any)
		if !ok {
			return fmt.Errorf("%v is not a list", doc)
		}
		for i, item := range list {
			if err := v.check(s["items"].(map[string]any), item); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case "string":
		if _, ok := doc.(string); !ok {
			return fmt.Errorf("%v is not a string", doc)
		}
	case "boolean":
		if _, ok := doc.(bool); !ok {
			return fmt.Errorf("%v is not a boolean", doc)
		}
	case "null":
		if doc != nil {
			return fmt.Errorf("%v is not null", doc)
		}
	case "number", "integer":
		x, ok := doc.(float64)
		if !ok || kind == "integer" && x != math.Trunc(x) {
			return fmt.Errorf("%v is no %s", doc, kind)
		}
	}
	return nil
}

func (v *validator) object(s map[string]any, doc any) error {
	members, ok := doc.(map[string]any)
	if !ok {
		return fmt.Errorf("%v is not an object", doc)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, value := range members {
		inner, known := properties[name].(map[string]any)
		if !known {
			more, open := s["additionalProperties"].(map[string]any)
			if s["additionalProperties"] == false {
				return fmt.Errorf("%s is not known", name)
			}
			if !open {
				continue
			}
			inner = more
		}
		if err := v.check(inner, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, there := members[name.(string)]; !there {
			return fmt.Errorf("%v is missing", name)
		}
	}
	return nil
}

// fits checks a JSON text against a schema.
func fits(t *testing.T, name string, text []byte) error {
	t.Helper()
	described, ok := schema.All()[name]
	if !ok {
		t.Fatalf("there is no schema %s", name)
	}
	data, err := json.Marshal(described)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	defs, _ := s["$defs"].(map[string]any)
	return (&validator{defs}).check(s, doc)
}

func TestRequestsFitTheirSchemas(t *testing.T) {
	d := newDraw(t)
	for range 5 {
		for _, r := range d.requests() {
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.ToLower(strings.TrimSuffix(reflect.TypeOf(r).Elem().Name(), "Request")) + ".request"
			if err := fits(t, name, data); err != nil {
				t.Errorf("%s: %.200s: %v", name, data, err)
			}
		}
	}
	whole, err := json.Marshal(lightpath.VerifyRequest{Plan: d.plan})
	if err != nil {
		t.Fatal(err)
	}
	if err := fits(t, "verify.request", whole); err != nil {
		t.Error(err)
	}
	for text, name := range map[string]string{
		`{"operations":["allreduce/1MiB"],"fabric":{"preset":"light-bends","reconfig":"10us","nodes":8},"budget":"3s"}`: "plan.request",
		`{"trace":"resnet50","topology":"K(4)","node_bandwidth":"1Gbps"}`:                                               "train.request",
	} {
		if err := fits(t, name, []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, name := range map[string]string{
		`{"operations":["allreduce"],"colour":1}`: "plan.request", `{"operations":[{"op":"sum"}]}`: "plan.request",
		`{"operations":["allreduce"],"fabric":{"duplx":true}}`: "plan.request", `{"topology":7}`: "topology.request", `{}`: "topology.request",
	} {
		if err := fits(t, name, []byte(text)); err == nil {
			t.Errorf("%s fits %s", text, name)
		}
	}
}

func TestAnswersFitTheirSchemas(t *testing.T) {
	ctx := t.Context()
	allreduce := lightpath.Operation{Op: collective.AllReduce}
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{Operations: []lightpath.Operation{allreduce}})
	if err != nil {
		t.Fatal(err)
	}
	trace, err := train.Builtin("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() (any, error){
		"simulate": func() (any, error) { return lightpath.Simulate(ctx, lightpath.SimulateRequest{Plan: p}) },
		"verify":   func() (any, error) { return lightpath.Verify(ctx, lightpath.VerifyRequest{Plan: p}) },
		"explain":  func() (any, error) { return lightpath.Explain(ctx, lightpath.ExplainRequest{Plan: p}) },
		"compare":  func() (any, error) { return lightpath.Compare(ctx, lightpath.CompareRequest{Operation: allreduce}) },
		"frontier": func() (any, error) {
			return lightpath.FindFrontier(ctx, lightpath.FrontierRequest{Operation: allreduce})
		},
		"sweep": func() (any, error) {
			return lightpath.Sweep(ctx, lightpath.SweepRequest{Axes: []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}, {Name: "reconfig", Values: []string{"1us", "1ms"}}}})
		},
		"tune": func() (any, error) {
			return lightpath.Tune(ctx, lightpath.TuneRequest{Op: collective.AllReduce, Planner: "static"})
		},
		"advise": func() (any, error) {
			return lightpath.Advise(ctx, lightpath.AdviseRequest{Operation: allreduce, Planner: "static", MostPorts: 2})
		},
		"find":     func() (any, error) { return lightpath.Find(ctx, lightpath.FindRequest{Nodes: 12}) },
		"topology": func() (any, error) { return lightpath.Topology(ctx, lightpath.TopologyRequest{Topology: "DC(4;2)"}) },
		"schedule": func() (any, error) { return lightpath.MakeSchedule(ctx, lightpath.ScheduleRequest{Topology: "K(4)"}) },
		"train": func() (any, error) {
			return lightpath.Train(ctx, lightpath.TrainRequest{Trace: trace, Topology: "K(4)"})
		},
		"collective": func() (any, error) {
			return lightpath.LayOut(ctx, lightpath.CollectiveRequest{Op: "allreduce", Algorithm: "ring"})
		},
		"list":   func() (any, error) { return lightpath.List(), nil },
		"traces": func() (any, error) { return lightpath.Traces() },
	} {
		answer, err := ask()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(t, name+".answer", data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	files, err := filepath.Glob(filepath.Join("plan", "testdata", "v1", "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		p, err := plan.ReadFile(ctx, file)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := p.EncodeSummary(&text); err != nil {
			t.Fatal(err)
		}
		if err := fits(t, "plan.answer", text.Bytes()); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		var all plan.Summary
		if err := strict.Unmarshal(text.Bytes(), &all); err != nil {
			t.Errorf("%s has what Summary does not: %v", file, err)
		}
	}
}
