// Package schema describes the requests and answers of package lightpath as JSON Schemas (draft
// 2020-12), made from the Go types, so that clients in other languages, forms and API documents
// need not be written by hand. The schemas are committed under docs/schema.
package schema

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// Schema is a JSON Schema.
type Schema map[string]any

// builder makes schemas of types; structs become definitions that others refer to.
type builder struct {
	request bool // written by people: quantities may be text, unknown members are refused
	defs    map[string]Schema
	about   About // nil: without words
}

// of describes a document.
func of(title string, d document, request bool) Schema {
	b := &builder{request: request, defs: map[string]Schema{}}
	s := b.document(d)
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", title
	if len(b.defs) > 0 {
		s["$defs"] = b.defs
	}
	return s
}

func (b *builder) typeOf(t reflect.Type) Schema {
	if s, known := b.special(t); known {
		return s
	}
	if t.Kind() == reflect.Pointer {
		return b.typeOf(t.Elem())
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return Schema{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Struct:
		name := t.Name()
		if name == "" {
			return b.structure(t)
		}
		if _, made := b.defs[name]; !made {
			b.defs[name] = Schema{} // placeholder for recursive types
			b.defs[name] = b.described(t, "", b.structure(t))
		}
		return Schema{"$ref": "#/$defs/" + name}
	case reflect.Slice:
		return Schema{"type": "array", "items": b.typeOf(t.Elem())}
	case reflect.Array:
		return Schema{"type": "array", "items": b.typeOf(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": b.typeOf(t.Elem())}
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Float64, reflect.Float32:
		return Schema{"type": "number"}
	case reflect.Uint, reflect.Uint64, reflect.Uint32:
		return Schema{"type": "integer", "minimum": 0}
	}
	return Schema{"type": "integer"}
}

// document describes a request or an answer.
func (b *builder) document(d document) Schema { return b.structure(d.Type, d.besides...) }

// structure describes the members of a struct, and of options beside them.
func (b *builder) structure(t reflect.Type, besides ...field.Options) Schema {
	if s, known := b.special(t); known {
		return s
	}
	properties, required := Schema{}, []string{}
	b.members(t, properties, &required)
	for _, o := range besides {
		b.members(reflect.TypeOf(o).Elem(), properties, &required)
	}
	s := Schema{"type": "object", "properties": properties}
	if b.request {
		s["additionalProperties"] = false
	}
	if len(required) > 0 {
		slices.Sort(required)
		s["required"] = required
	}
	return s
}

func (b *builder) members(t reflect.Type, properties Schema, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			b.members(inner, properties, required)
			continue
		}
		if extra := planMember(t, f.Name); extra != nil {
			properties["plan"] = extra
		}
		if name == "-" || name == "" {
			continue
		}
		properties[name] = b.helped(f, b.described(t, f.Name, b.nullable(f.Type, b.typeOf(f.Type), options)))
		optional := strings.Contains(options, "omit")
		if second := secondName(f.Type, name); b.request && second != "" {
			properties[second] = Schema{"type": "string", "description": name + " as text with a unit"}
			optional = true
		}
		if !optional {
			*required = append(*required, name)
		}
	}
}

// helped adds the help of a request's field to its schema, unless the schema already has a
// description.
func (b *builder) helped(f reflect.StructField, s Schema) Schema {
	info := field.Describe(f)
	if !b.request || info.Help == "" || s["description"] != nil {
		return s
	}
	s = maps.Clone(s)
	same := func(name string) string { return name }
	text := info.Say(same, func(name string) string { return "`" + name + "`" })
	if info.Default != "" && !strings.Contains(text, "(default") {
		text += " (default " + info.Default + ")"
	}
	s["description"] = text
	return s
}

// nullable allows null for fields that are written as null when nil.
func (b *builder) nullable(t reflect.Type, s Schema, options string) Schema {
	if kind := t.Kind(); b.request || strings.Contains(options, "omit") || kind != reflect.Pointer && kind != reflect.Slice {
		return s
	}
	return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
}

// secondName is the name under which a quantity may be given as text, or "".
func secondName(t reflect.Type, name string) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	if t.Kind() != reflect.Int64 || !p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) || !p.Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return ""
	}
	for _, unit := range strict.Units() {
		if second, ok := strings.CutSuffix(name, unit); ok {
			return second
		}
	}
	return ""
}

// All returns every document by the name of its file ("plan.request", "plan.answer", ..),
// including those of the given additional commands.
func All(more ...lightpath.Command) map[string]Schema {
	all := map[string]Schema{}
	requests, answers := documents(more)
	for name, d := range requests {
		all[name+".request"] = of("request of "+name, d, true)
	}
	for name, d := range answers {
		all[name+".answer"] = of("answer of "+name, d, false)
	}
	return all
}

// About says what a field of a struct means, or with an empty field what the struct is; ""
// if that is not known.
type About func(t reflect.Type, field string) string

// described adds what a field means to its schema.
func (b *builder) described(t reflect.Type, field string, s Schema) Schema {
	if b.about == nil || s["description"] != nil {
		return s
	}
	text := b.about(t, field)
	if text == "" {
		return s
	}
	s = maps.Clone(s)
	s["description"] = text
	return s
}
