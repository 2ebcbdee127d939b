package field_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/field"
)

func TestTagsOfAField(t *testing.T) {
	type request struct {
		Level  string `json:"level,omitempty" help:"for ${to_plan}: simulation ${LEVEL}: packet (exact) | flow" default:"packet"`
		Points int    `json:"points" least:"2" flag:"of"`
		Hidden int    `json:"-"`
	}
	fields := reflect.TypeFor[request]()
	level := field.Describe(fields.Field(0))
	if level.Name != "level" || level.Default != "packet" || level.Least != 1 || level.Flag != "" {
		t.Errorf("%+v", level)
	}
	said := level.Say(strings.ToLower, func(name string) string { return "--" + name })
	if said != "for --to_plan: simulation level: packet (exact) | flow" {
		t.Error(said)
	}
	if points := field.Describe(fields.Field(1)); points.Least != 2 || points.Flag != "of" {
		t.Errorf("%+v", points)
	}
	if hidden := field.Describe(fields.Field(2)); hidden.Name != "" {
		t.Errorf("%+v", hidden)
	}
}

// A number must not be below the least one that its tag gives. Zero means that none was given.
func TestTheLeastNumberIsChecked(t *testing.T) {
	type inner struct {
		Jump int `json:"jump" least:"3"`
	}
	type request struct {
		Points int    `json:"points" least:"2"`
		Free   int    `json:"free"`
		More   []any  `json:",inline"`
		Name   string `json:"name" least:"2"`
	}
	for want, r := range map[string]request{
		"":                           {Free: -1},
		"points: 1; want 2 or more":  {Points: 1},
		"points: -4; want 2 or more": {Points: -4, More: []any{&inner{1}}},
		"jump: 2; want 3 or more":    {Points: 2, More: []any{&inner{2}}},
	} {
		got := ""
		if err := field.Check(&r); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}

func TestWordsOfAHelp(t *testing.T) {
	for text, want := range map[string][]string{
		"for --x: how nodes forward: cut-through | store-and-forward": {"cut-through", "store-and-forward"},
		"which steps: merging (where routes merge) | on (all) | off":  {"merging", "on", "off"},
		"what continues: none | compute:TIME | ports":                 {"none", "compute:", "ports"},
		"circuits before: free | TOPOLOGY":                            {"free"},
		"the limits of: msccl | rccl (default: the file's own)":       {"msccl", "rccl"},
		"a size, e.g. 16KiB":                                          nil, "a | b": nil,
	} {
		if words := field.Words(text); !slices.Equal(words, want) {
			t.Errorf("%s: %q, want %q", text, words, want)
		}
	}
}
