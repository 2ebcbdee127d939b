package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Markdown describes every document in tables, with the words of the Go types' comments.
// Structs that documents have in common are described once, at the end.
func Markdown(about About) string {
	w := &writer{shared: map[string][]string{}, bodies: map[string]Schema{}, requestFabric: identity((&builder{request: true}).fabric()), answerFabric: identity((&builder{}).fabric())}
	all := map[string]Schema{}
	commands := map[string]bool{}
	requests, answers := documents(nil)
	for name, d := range requests {
		all[name+".request"], commands[name] = ofAbout("", d, true, about), true
	}
	for name, d := range answers {
		all[name+".answer"], commands[name] = ofAbout("", d, false, about), true
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		w.collect(name, all[name])
	}
	w.line("# Requests and answers as JSON")
	w.line("")
	w.line("This page is made from the Go types (`go test ./schema -rewrite`). Every command prints its")
	w.line("answer with `--json`, and the service takes the requests (`POST /v1/COMMAND`). The same as")
	w.line("JSON Schemas: [schema](schema). A number's unit is in its name: `_ns` nanoseconds, `_bytes`,")
	w.line("`_bps` bits per second. In requests quantities may be text with a unit instead, under the")
	w.line("name without it: `\"size\": \"4MiB\"` for `\"size_bytes\": 4194304`. Fields marked with * are always")
	w.line("there in answers, and needed in requests.")
	w.line("")
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		w.line("## %s", name)
		w.line("")
		for _, part := range []string{"request", "answer"} {
			if s, ok := all[name+"."+part]; ok {
				w.line("**%s**%s", strings.ToUpper(part[:1])+part[1:], wordsOf(s))
				w.line("")
				w.table(name+"."+part, s)
			}
		}
	}
	w.types()
	return w.text.String()
}

// ofAbout is of with words.
func ofAbout(title string, d document, request bool, about About) Schema {
	b := &builder{request: request, about: about, defs: map[string]Schema{}}
	s := b.described(d.Type, "", b.document(d))
	s["$defs"], s["title"] = b.defs, title
	return s
}

// wordsOf returns the description of a document, after a colon.
func wordsOf(s Schema) string {
	if text, ok := s["description"].(string); ok {
		return ": " + text
	}
	return ""
}

// writer puts the page together.
type writer struct {
	text   strings.Builder
	shared map[string][]string // name of a struct: its different contents, as text
	bodies map[string]Schema   // by content

	requestFabric, answerFabric string
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// identity is a schema as text: equal if the schemas are.
func identity(s Schema) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic("schema: " + err.Error()) // only maps, lists and text are in it
	}
	return string(data)
}

// collect notes the structs of a document.
func (w *writer) collect(doc string, s Schema) {
	defs := s["$defs"].(map[string]Schema)
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		id := identity(defs[name])
		if !slices.Contains(w.shared[name], id) {
			w.shared[name] = append(w.shared[name], id)
			w.bodies[id] = defs[name]
		}
	}
	for _, f := range []struct {
		id, name string
		request  bool
	}{{w.requestFabric, "Fabric", true}, {w.answerFabric, "Fabric", false}} {
		if !slices.Contains(w.shared[f.name], f.id) {
			w.shared[f.name] = append(w.shared[f.name], f.id)
			w.bodies[f.id] = (&builder{request: f.request}).fabric()
		}
	}
}

// title is the heading of a struct: with a number if others have the same name.
func (w *writer) title(name, id string) string {
	k := slices.Index(w.shared[name], id)
	if name == "Fabric" {
		return []string{"Fabric of requests", "Fabric of answers"}[max(k, 0)]
	}
	if k > 0 {
		return fmt.Sprintf("%s %d", name, k+1)
	}
	return name
}

func (w *writer) link(name, id string) string {
	title := w.title(name, id)
	return fmt.Sprintf("[%s](#%s)", title, strings.ReplaceAll(strings.ToLower(title), " ", "-"))
}

// table lists the members of an object.
func (w *writer) table(doc string, s Schema) {
	defs, _ := s["$defs"].(map[string]Schema)
	w.line("| field | type | meaning |")
	w.line("|---|---|---|")
	w.rows("", s, defs)
	w.line("")
}

func (w *writer) rows(prefix string, s Schema, defs map[string]Schema) {
	properties, _ := s["properties"].(Schema)
	required, _ := s["required"].([]string)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p := properties[name].(Schema)
		mark := ""
		if slices.Contains(required, name) {
			mark = " *"
		}
		text, _ := p["description"].(string)
		kind, inner, path := w.kind(p, defs)
		w.line("| `%s%s`%s | %s | %s |", prefix, name, mark, kind, strings.ReplaceAll(text, "|", "\\|"))
		if inner != nil {
			w.rows(prefix+name+path+".", inner, defs)
		}
	}
}

// kind names a type in words; inner are the members of one that has no name, and path is
// what leads to them.
func (w *writer) kind(s Schema, defs map[string]Schema) (words string, inner Schema, path string) {
	if id := identity(without(s, "description")); id == w.requestFabric || id == w.answerFabric {
		return w.link("Fabric", id), nil, ""
	}
	if ref, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		return w.link(name, identity(defs[name])), nil, ""
	}
	if options, ok := s["anyOf"].([]any); ok {
		var all []string
		for _, o := range options {
			text, members, _ := w.kind(o.(Schema), defs)
			all = append(all, text)
			if members != nil {
				inner = members
			}
		}
		return strings.Join(all, " or "), inner, ""
	}
	if values, ok := s["enum"]; ok {
		var all []string
		for i, list := 0, reflect.ValueOf(values); i < list.Len(); i++ {
			all = append(all, fmt.Sprintf("`%v`", list.Index(i).Interface()))
		}
		return strings.Join(all, ", "), nil, ""
	}
	if value, ok := s["const"]; ok {
		return fmt.Sprintf("`%v`", value), nil, ""
	}
	switch s["type"] {
	case "array":
		text, members, rest := w.kind(s["items"].(Schema), defs)
		return "array of " + text, members, "[]" + rest
	case "object":
		if values, ok := s["additionalProperties"].(Schema); ok {
			text, members, rest := w.kind(values, defs)
			return "object of " + text, members, ".NAME" + rest
		}
		if s["properties"] != nil {
			return "object", s, ""
		}
	}
	return fmt.Sprint(s["type"]), nil, ""
}

// without is a schema except for one of its keywords.
func without(s Schema, keyword string) Schema {
	if s[keyword] == nil {
		return s
	}
	s = maps.Clone(s)
	delete(s, keyword)
	return s
}

// types describes the structs that documents have in common.
func (w *writer) types() {
	w.line("## Structures")
	w.line("")
	for _, name := range slices.Sorted(maps.Keys(w.shared)) {
		for _, id := range w.shared[name] {
			w.line("### %s", w.title(name, id))
			w.line("")
			body := w.bodies[id]
			if text, ok := body["description"].(string); ok {
				w.line("%s", text)
				w.line("")
			}
			w.table("", Schema{"properties": body["properties"], "required": body["required"], "$defs": w.defsOf()})
		}
	}
}

// defsOf are the structs by name, the first of each.
func (w *writer) defsOf() map[string]Schema {
	defs := map[string]Schema{}
	for name, ids := range w.shared {
		defs[name] = w.bodies[ids[0]]
	}
	return defs
}
