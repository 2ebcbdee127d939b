package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
)

// document is a request or an answer: a type, and options whose fields stand beside its own.
type document struct {
	reflect.Type
	besides []field.Options
}

func documentOf[T any]() document { return document{Type: reflect.TypeFor[T]()} }

// documents are requests and answers by the names of their commands.
func documents(commands []lightpath.Command) (requests, answers map[string]document) {
	requests, answers = map[string]document{}, map[string]document{}
	for _, c := range append(lightpath.Commands(), commands...) {
		requests[c.Name], answers[c.Name] = document{c.Request, c.Besides}, document{Type: c.Answer}
	}
	// Requests that only flags make, and answers to commands without a request.
	requests["fill"], answers["fill"] = documentOf[lightpath.FillRequest](), documentOf[lightpath.StoreContent]()
	answers["models"] = documentOf[lightpath.ModelList]()
	answers["list"], answers["traces"] = documentOf[lightpath.Catalog](), documentOf[lightpath.TraceList]()
	return requests, answers
}

// special describes the types that write their JSON themselves.
func (b *builder) special(t reflect.Type) (Schema, bool) {
	switch t {
	case reflect.TypeFor[units.Bytes](), reflect.TypeFor[units.Bandwidth]():
		return Schema{"type": "integer", "minimum": 0}, true
	case reflect.TypeFor[units.Duration]():
		return Schema{"type": "number", "minimum": 0}, true
	case reflect.TypeFor[lightpath.BigNumber](), reflect.TypeFor[big.Int]():
		return Schema{"type": "integer"}, true
	case reflect.TypeFor[fabric.Fabric]():
		return b.fabric(), true
	case reflect.TypeFor[collective.Operation]():
		return b.operation(), true
	case reflect.TypeFor[collective.DemandValue]():
		return demand(), true
	case reflect.TypeFor[collective.Members]():
		return members(), true
	case reflect.TypeFor[collective.PatternFile]():
		return Schema{"type": "object", "required": []string{"schema", "steps"}, "properties": Schema{
			"schema": Schema{"enum": []string{collective.PatternSchema, collective.DemandPatternSchema}},
			"steps":  Schema{"type": "array", "items": Schema{"type": "object"}},
		}}, true
	case reflect.TypeFor[sweep.Param]():
		return Schema{"anyOf": []any{Schema{"type": "number"}, Schema{"type": "string"}}}, true
	case reflect.TypeFor[collective.Section]():
		return Schema{"type": "object"}, true
	case reflect.TypeFor[train.Trace]():
		type plain train.Trace
		layers := b.structure(reflect.TypeFor[plain]())
		return Schema{"anyOf": []any{layers, Schema{"enum": train.Names()}}}, true
	case reflect.TypeFor[model.Model]():
		type plain model.Model
		shape := b.structure(reflect.TypeFor[plain]())
		return Schema{"anyOf": []any{shape, Schema{"enum": model.Names()}}}, true
	}
	return nil, false
}

// planMember describes the plan member of requests that contain a plan and write it themselves.
func planMember(t reflect.Type, field string) Schema {
	if f, ok := t.FieldByName("PlanID"); !ok || field != "PlanID" || f.Tag.Get("json") != "-" {
		return nil
	}
	return Schema{"anyOf": []any{
		Schema{"type": "object", "required": []string{"id"}, "properties": Schema{"id": Schema{"type": "string"}}, "additionalProperties": false},
		Schema{"type": "object", "required": []string{"schema", "fabric", "collective", "cost_ns", "stages"},
			"properties": Schema{"schema": Schema{"const": plan.Schema}}},
	}}
}

func members() Schema {
	return Schema{"anyOf": []any{Schema{"type": "array", "items": Schema{"type": "integer", "minimum": 0}}, Schema{"type": "string"}}}
}

func demand() Schema {
	row := Schema{"type": "array", "items": Schema{"type": "integer", "minimum": 0}}
	return Schema{"anyOf": []any{Schema{"type": "array", "items": row}, Schema{"type": "string"}}}
}

func (b *builder) operation() Schema {
	fields := b.structure(reflect.TypeFor[collective.OperationFields]())
	fields["properties"].(Schema)["op"] = Schema{"enum": collective.Ops()}
	return Schema{"anyOf": []any{Schema{"type": "string", "description": collective.OperationSyntax}, fields}}
}

// fabric describes the fabric of a plan file or, in a request, the fabric's flags. It is derived
// from a fabric with every member set, and from the table of settings.
func (b *builder) fabric() Schema {
	full := fabric.Default()
	full.Charge, full.Sync, full.Overlap = fabric.ChargeSteps, 1, fabric.Overlap{Kind: fabric.OverlapCompute, Compute: 1}
	full.Reconfig = fabric.Reconfig{Model: fabric.PerSwitch, Base: 1, Each: 1, Switches: 1}
	full.Base, full.CapTheta, full.Avoid, full.Links = "K(4)", true, fabric.FailedGPU(1), fabric.LinksOf(fabric.Link{From: 2, To: 3, Bandwidth: 400 * units.Gbps})
	full.Island = fabric.Island{Size: 8, Bandwidth: 7200 * units.Gbps}
	if links, err := fabric.ParseFixed("Mesh(4,4)", nil); err == nil {
		full.Fixed = fabric.Fixed{Links: links}
	}
	properties := b.example(full)
	s := Schema{"type": "object", "properties": properties}
	if !b.request {
		s["required"] = slices.Sorted(maps.Keys(b.example(fabric.Default())))
		return s
	}
	s["additionalProperties"] = false
	properties["preset"] = Schema{"type": "string"}
	for _, setting := range fabric.Settings() {
		word := Schema{"type": "string", "description": setting.About}
		name := strings.ReplaceAll(setting.Name, "-", "_")
		switch known, ok := properties[name].(Schema); {
		case !ok:
			properties[name] = word
		case known["type"] == "object":
			properties[name] = Schema{"anyOf": []any{word, known}}
		default:
			known["description"] = setting.About
		}
	}
	return s
}

// example describes the members of a value that has its own JSON encoding.
func (b *builder) example(v any) Schema {
	data, err := json.Marshal(v)
	if err != nil {
		panic("schema: " + err.Error()) // cannot happen: the value is ours
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		panic("schema: " + err.Error())
	}
	return b.kind(doc)["properties"].(Schema)
}

func (b *builder) kind(v any) Schema {
	switch v := v.(type) {
	case map[string]any:
		properties := Schema{}
		for name, inner := range v {
			properties[name] = b.kind(inner)
		}
		s := Schema{"type": "object", "properties": properties}
		if b.request {
			s["additionalProperties"] = false
		}
		return s
	case string:
		return Schema{"type": "string"}
	case bool:
		return Schema{"type": "boolean"}
	}
	return Schema{"type": "number"}
}
