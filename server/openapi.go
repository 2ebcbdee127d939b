package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/schema"
)

type object = map[string]any

// describe makes the OpenAPI 3.1 document from the schemas that package schema makes from the Go
// types. These are JSON Schema 2020-12, which OpenAPI 3.1 uses, so they are included unchanged;
// their definitions become components.
func (s *Server) describe() ([]byte, error) {
	components, all := object{}, schema.All(s.config.Commands...)
	place := func(name string) (object, error) {
		doc, known := all[name]
		if !known {
			return nil, fmt.Errorf("there is no schema %s", name)
		}
		prefix := strings.ReplaceAll(name, ".", "_")
		for def, inner := range defsOf(doc) {
			components[prefix+"_"+def] = relocate(inner, prefix)
		}
		root := maps.Clone(doc)
		delete(root, "$defs")
		delete(root, "$schema")
		components[prefix] = relocate(root, prefix)
		return object{"$ref": "#/components/schemas/" + prefix}, nil
	}
	problem := object{"type": "object", "required": []string{"problem"}, "properties": object{
		"field":   object{"type": "string", "description": "the field of the request that is wrong, by the names of its JSON"},
		"problem": object{"type": "string"},
	}}
	components["Error"] = object{"type": "object", "required": []string{"error"}, "properties": object{
		"error": problem, "others": object{"type": "array", "items": problem, "description": "further fields that are wrong"},
	}}
	components["Job"] = object{"type": "object", "required": []string{"id", "command", "state", "starts", "done", "total", "created_s"}, "properties": object{
		"id": text(), "command": text(), "state": object{"enum": []State{Queued, Running, Done, Failed, Cancelled}},
		"starts": number(), "done": number(), "total": number(), "created_s": number(), "plan": text(),
		"error":   object{"$ref": "#/components/schemas/Error/properties/error"},
		"request": object{"type": "object"},
	}}
	paths := object{}
	for _, c := range s.commands {
		in, err := place(c.Name + ".request")
		if err != nil {
			return nil, err
		}
		orJob(components[c.Name+"_request"])
		out, err := place(c.Name + ".answer")
		if err != nil {
			return nil, err
		}
		operation := object{
			"operationId": c.Name, "summary": c.About, "tags": []string{"commands"},
			"requestBody": object{"required": true, "content": object{"application/json": object{"schema": in, "example": json.RawMessage(c.Example)}}},
		}
		responses := problems("400", "413", "422", "429")
		if c.Long {
			responses["202"] = content("A job; its answer is at /v1/jobs/{id}/answer", ref("Job"))
			operation["description"] = "This may take long, so it becomes a job. The answer of the job has the schema " + c.Name + "_answer."
		} else {
			known := content("The answer, as the command prints it as JSON", out)
			known["content"].(object)[eventStream] = object{}
			responses["200"] = known
			operation["description"] = "With Accept: text/event-stream, what is found while it is worked on comes as server-sent events status, progress and better, and last answer or error."
		}
		operation["responses"] = responses
		paths["/v1/"+c.Name] = object{"post": operation}
	}
	s.describeRest(paths, place)
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{"title": "Lightpath", "version": s.version, "license": object{"name": "Apache License 2.0", "identifier": "Apache-2.0"},
			"description": "Plans for collective communication on reconfigurable optical fabrics. Requests have the names of the command line's flags."},
		"servers":    []object{{"url": "/"}},
		"security":   []object{{}, {"token": []string{}}},
		"paths":      paths,
		"components": object{"schemas": components, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
	}, "", "  ")
}

func (s *Server) describeRest(paths object, place func(string) (object, error)) {
	id := []object{{"name": "id", "in": "path", "required": true, "schema": text()}}
	get := func(summary string, response object, parameters []object, codes ...string) object {
		responses := problems(codes...)
		responses["200"] = response
		o := object{"summary": summary, "responses": responses}
		if parameters != nil {
			o["parameters"] = parameters
		}
		return o
	}
	remove := func(summary string) object {
		responses := problems("404")
		responses["204"] = object{"description": "Done"}
		return object{"summary": summary, "parameters": id, "responses": responses}
	}
	query := func(name, about string) []object {
		return []object{{"name": name, "in": "query", "description": about, "schema": text()}}
	}
	anything := object{"type": "object"}
	list, err := place("list.answer")
	if err != nil {
		list = anything
	}
	accepted := problems("400", "413", "422", "429")
	accepted["202"] = content("The job", ref("Job"))
	created := problems("400", "413", "422")
	created["201"] = content("Its ID", object{"type": "object", "properties": object{"id": text()}})
	maps.Copy(paths, object{
		"/v1/wiring": object{"get": get("The circuits of a topology", content("Nodes and links", anything), query("topology", "an expression, such as Torus(4,4)"), "422")},
		"/v1/plugging": object{"get": get("The switch of every port of a layout", content("Switches, by GPU and port", anything),
			slices.Concat(query("nodes", "number of GPUs"), query("ports", "ports per GPU"), query("switches", "the layout, such as rails or 4x4")), "422")},
		"/v1/list": object{"get": get("What can be asked for", content("The catalog", list), nil)},
		"/v1/plans": object{
			"get": get("Plans in the store, the newest first", content("Plans", anything), query("q", "a word that occurs in the ID, operation, algorithm, planner or nodes")),
			"post": object{"summary": "Keep a plan that was made elsewhere, once it is verified", "responses": created,
				"requestBody": object{"required": true, "content": object{"application/json": object{"schema": anything}}}},
		},
		"/v1/plans/{id}":        object{"get": get("The whole plan, with its circuits and transfers", content("The plan", anything), id, "404"), "delete": remove("Forget a plan")},
		"/v1/plans/{id}/figure": object{"get": get("The plan over time, as SVG", object{"description": "A picture", "content": object{"image/svg+xml": object{}}}, id, "404")},
		"/v1/plans/{id}/film": object{"get": get("The plan simulated packet by packet, over time: packets, loads, queues and the slowest messages", content("The film", anything),
			append(slices.Clone(id), query("packet", "size of a packet, such as 4KiB")...), "404", "422", "429")},
		"/v1/plans/{id}/switches": object{"get": get("When each switch is dark", content("Switches", anything), id, "404")},
		"/v1/export": object{"get": get("All plans and answers of the store, a JSON document a line",
			object{"description": "Lines; the last one counts them", "content": object{"application/x-ndjson": object{}}}, nil)},
		"/v1/jobs": object{
			"get": get("Jobs, the newest first", content("Jobs", object{"type": "object",
				"properties": object{"jobs": object{"type": "array", "items": ref("Job")}}}), query("state", "only those in this state")),
			"post": object{"summary": "Carry any command out as a job", "responses": accepted,
				"requestBody": object{"required": true, "content": object{"application/json": object{
					"schema": object{"type": "object", "required": []string{"command", "request"}, "properties": object{"command": text(), "request": anything}},
				}}}},
		},
		"/v1/jobs/{id}": object{"get": get("A job", content("The job", ref("Job")), id, "404"), "delete": remove("Cancel a job, or forget one that is over")},
		"/v1/jobs/{id}/events": object{"get": get("What happens to a job: server-sent events job, status, cells, better, ranks and steps",
			object{"description": "Events until the job is over", "content": object{"text/event-stream": object{}}}, id, "404")},
		"/v1/jobs/{id}/answer": object{"get": get("The answer of a job that is done", content("The answer of its command", anything),
			append(slices.Clone(id), query("full", "1: what the answer is the summary of, the whole plan or the document of an iteration")...), "404", "409", "422")},
		"/healthz": object{"get": get("Whether the service lives", plain(), nil)},
		"/readyz":  object{"get": get("Whether work is welcome", plain(), nil, "503")},
		"/metrics": object{"get": get("Counters for Prometheus", plain(), nil)},
	})
}

func text() object           { return object{"type": "string"} }
func number() object         { return object{"type": "integer"} }
func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func content(about string, s object) object {
	return object{"description": about, "content": object{"application/json": object{"schema": s}}}
}

func plain() object {
	return object{"description": "Text", "content": object{"text/plain": object{"schema": text()}}}
}

// problems describes the error answers.
func problems(codes ...string) object {
	about := map[string]string{
		"400": "The body is not a request in JSON", "404": "There is none of that name", "409": "There is no answer yet: the job is not over", "413": "The body is too large",
		"422": "A field is wrong, there is no plan, or a limit was reached: see the problem", "429": "Too much at once; Retry-After says when to try again",
		"503": "The service is ending",
	}
	all := object{"401": content("The token is missing or wrong", ref("Error"))}
	for _, code := range codes {
		all[code] = content(about[code], ref("Error"))
	}
	return all
}

func defsOf(doc schema.Schema) map[string]schema.Schema {
	defs, _ := doc["$defs"].(map[string]schema.Schema)
	return defs
}

// orJob allows the iteration of a request to be the job that has made it.
func orJob(request any) {
	fields, _ := request.(object)
	members, _ := fields["properties"].(object)
	whole, ok := members["iteration"]
	if !ok {
		return
	}
	job := object{"type": "object", "required": []string{"id"}, "properties": object{"id": text()}, "additionalProperties": false,
		"description": "the job that has made it"}
	members["iteration"] = object{"anyOf": []any{job, whole}}
}

// relocate points references to the place of the definitions in the document.
func relocate(v any, prefix string) any {
	switch v := v.(type) {
	case schema.Schema:
		out := object{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out[k] = relocate(v[k], prefix)
		}
		if to, ok := v["$ref"].(string); ok {
			out["$ref"] = "#/components/schemas/" + prefix + "_" + strings.TrimPrefix(to, "#/$defs/")
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = relocate(v[i], prefix)
		}
		return out
	}
	return v
}
