package extend_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/plannertest"
	"github.com/lightpath-net/lightpath/schema"
	"github.com/lightpath-net/lightpath/units"

	"example.com/extend"
)

// A planner with an option of its own is one file: the option is a field of plan's requests, in Go,
// in JSON and in the schema. (internal/cli follows one to flags and to the service.)
func TestAPlannersOptionIsAddedInOneFile(t *testing.T) {
	commands := lightpath.Commands(extend.Jumping{})
	f := fabric.Default()
	f.Nodes, f.Ports = 16, 2
	asked := lightpath.PlanRequest{
		Fabric: f, Planner: "jumping", Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "ring", Size: units.MiB}},
		Options: []lightpath.PlannerOptions{&extend.JumpOptions{Jump: 5}},
	}
	registry := lightpath.WithRegistry(lightpath.Planners(extend.Jumping{}))
	p, err := lightpath.Plan(t.Context(), asked, registry)
	if err != nil || p.Stages[0].Topology.Name() != "DC(16;1,5)" {
		t.Fatalf("%+v, %v", p, err)
	}
	followed(t, p, registry)

	text, err := json.Marshal(asked)
	if err != nil || !strings.Contains(string(text), `"jump":5`) {
		t.Fatalf("%s, %v", text, err)
	}
	read, err := commands[0].Read(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := commands[0].Ask(t.Context(), read)
	if err != nil || again.(*plan.Plan).Cost != p.Cost {
		t.Errorf("from JSON: %+v, %v", again, err)
	}
	for text, want := range map[string]string{
		`{"jump": 1, "planner": "jumping", "operations": ["allgather"]}`: "jump: 1; want 2 or more",
		`{"jump": 4, "planner": "static", "operations": ["allgather"]}`:  "jump: only applies to planner jumping and auto, not to static",
		`{"leap": 4}`: "leap: unknown; want ",
	} {
		r, err := commands[0].Read([]byte(text))
		if err == nil {
			_, err = commands[0].Ask(t.Context(), r)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := lightpath.Plan(t.Context(), asked); err == nil || !strings.Contains(err.Error(), "no planner takes a *extend.JumpOptions") {
		t.Errorf("without the planner: %v", err)
	}

	const words = "planner jumping: how far shortcuts jump, D (default 3)"
	if doc, err := json.Marshal(schema.All(commands...)["plan.request"]); err != nil || !strings.Contains(string(doc), words) {
		t.Errorf("the schema does not say %q: %v", words, err)
	}
}

func TestAPlannerWithAnOptionKeepsTheContract(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 16, 2
	plannertest.Run(t, plannertest.Of(extend.Jumping{JumpOptions: extend.JumpOptions{Jump: 4}}, plan.Known{}), plannertest.Case{
		Name: "a ring with shortcuts", Fabric: f, Op: collective.AllGather, Algorithm: "ring", Size: units.MiB,
	})
}
