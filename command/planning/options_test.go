package planning_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

type strangeOptions struct{}

func (*strangeOptions) Complete() error { return nil }

func exchanges(options ...planner.Options) planning.PlanRequest {
	return planning.PlanRequest{Operations: []collective.Operation{{Op: collective.AllToAll, Size: units.MiB}}, Options: options}
}

// A request is completed with options of every kind; the caller's own options stay unchanged.
func TestOptionsAreCompleted(t *testing.T) {
	given := &exchange.Options{Stages: 3}
	r := exchanges(given)
	if err := r.Complete(); err != nil {
		t.Fatal(err)
	}
	want := []planner.Options{&staged.HarvestOptions{Synthesis: staged.SynthesisPool}, &exchange.Options{Strategy: "auto", Stages: 3}}
	if !reflect.DeepEqual(r.Options, want) {
		t.Errorf("%+v, want %+v", r.Options, want)
	}
	if *given != (exchange.Options{Stages: 3}) {
		t.Errorf("the caller's became %+v", given)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"planner":"auto","synthesis":"pool","strategy":"auto","stages":3,`) {
		t.Errorf("%s, %v", text, err)
	}
	for want, options := range map[string][]planner.Options{
		"options: no planner takes a *planning_test.strangeOptions": {&strangeOptions{}},
		"options: a *exchange.Options is listed twice":              {&exchange.Options{}, &exchange.Options{}},
		"stages: -1; want 1 or more":                                {&exchange.Options{Stages: -1}},
		"synthesis: unknown synthesis":                              {&staged.HarvestOptions{Synthesis: "best"}},
	} {
		r := exchanges(options...)
		if err := r.Complete(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Planners passed in keep the options that they were made with, unless a request overrides them.
func TestPlannersKeepTheOptionsThatTheyHave(t *testing.T) {
	registry := planner.Registry{exchange.New(exchange.Options{Strategy: "shifts"})}
	for want, r := range map[string]planning.PlanRequest{"shifts": exchanges(), "direct": exchanges(&exchange.Options{Strategy: "direct"})} {
		r.Fabric, r.Planner = fabric.Default(), exchange.Name
		r.Fabric.Nodes = 6
		p, err := planning.Plan(t.Context(), r, command.WithRegistry(registry), command.WithoutBaselines())
		if err != nil || p.Strategy != want {
			t.Errorf("%+v, %v; want strategy %s", p, err, want)
		}
	}
}
