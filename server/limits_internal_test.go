package server

import (
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// Every field of a request that sets a number of nodes is limited, and the error names the field.
func TestEveryFieldThatSaysHowManyNodesIsLimited(t *testing.T) {
	limits := Limits{Nodes: 100}
	limits.complete()
	commands := map[string]*command{}
	for _, c := range offered(lightpath.Commands()) {
		commands[c.Name] = c
	}
	for _, c := range []struct{ command, body, field string }{
		{"plan", `{"operations":["allreduce/1MiB"],"fabric":{"nodes":101}}`, "fabric.nodes"},
		{"compare", `{"operation":"allreduce/1MiB","fabric":{"nodes":101}}`, "fabric.nodes"},
		{"frontier", `{"operation":"allreduce/1MiB","fabric":{"nodes":101}}`, "fabric.nodes"},
		{"tune", `{"op":"allreduce","for":[{"name":"a"},{"name":"b","fabric":{"nodes":101}}]}`, "for[1].fabric.nodes"},
		{"train", `{"trace":"resnet50","topology":"Ring(101)"}`, "topology"},
		{"train", `{"trace":"resnet50","fabric":{"nodes":101}}`, "fabric.nodes"},
		{"workload", `{"model":"llama3-8b","dp":1601}`, "dp"},
		{"workload", `{"model":"llama3-8b","dp":2147483648,"tp":2147483648,"pp":2}`, "dp"},
		{"workload", `{"workload":{"schema":"lightpath.workload/v1","ranks":1601,"kinds":{},"programs":[]}}`, "workload.ranks"},
		{"check", `{"file":"a","base":"Ring(101)"}`, "base"},
		{"simulate", `{"topology":"Ring(101)"}`, "topology"},
		{"topology", `{"topology":"Ring(101)"}`, "topology"},
		{"schedule", `{"topology":"Ring(101)"}`, "topology"},
		{"schedule", `{"links":[{"from":0,"to":1,"count":1},{"from":100,"to":1,"count":1}]}`, "links[1]"},
		{"find", `{"nodes":101,"degree":2}`, "nodes"},
		{"calibrate", `{"nodes":101}`, "nodes"},
		{"collective", `{"op":"allreduce","algorithm":"ring","nodes":101}`, "nodes"},
		{"sweep", `{"axes":[{"name":"nodes","values":["4","101"]},{"name":"op","values":["allreduce"]},{"name":"size","values":["1MiB"]}]}`, "axes[0]"},
		{"sweep", `{"axes":[],"fabric":{"nodes":101}}`, "fabric.nodes"},
	} {
		q, err := commands[c.command].read([]byte(c.body))
		if err != nil {
			t.Errorf("%s %s: %v", c.command, c.body, err)
			continue
		}
		var wrong *field.Error
		if err := limits.check(q.request); !errors.As(err, &wrong) || wrong.Path != c.field {
			t.Errorf("%s %s: %v, want an error of %s", c.command, c.body, err, c.field)
		}
	}
	var wrong *field.Error
	for path, r := range map[string]lightpath.Request{
		"pattern": &lightpath.CompareRequest{Pattern: &collective.PatternFile{Sized: collective.Sized{Collective: &collective.Collective{Nodes: 101}}}},
		"plan":    &lightpath.ExplainRequest{Plan: &plan.Plan{Fabric: fabric.Fabric{Nodes: 101}}},
	} {
		if err := limits.check(r); !errors.As(err, &wrong) || wrong.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}
