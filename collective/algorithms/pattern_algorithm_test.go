package algorithms_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// patternOf writes one of our algorithms as a pattern, as a researcher would write their own.
func patternOf(t *testing.T, c *collective.Collective, name string) *collective.PatternFile {
	t.Helper()
	type transfer struct {
		Src    int               `json:"src"`
		Dst    int               `json:"dst"`
		Action collective.Action `json:"action"`
		Chunks collective.Chunks `json:"chunks"`
	}
	type step struct {
		Transfers []transfer `json:"transfers"`
	}
	doc := map[string]any{
		"schema": collective.PatternSchema, "name": name, "nodes": c.Nodes, "op": c.Op, "size_bytes": 1 << 20,
		"chunks": map[string]any{"kind": c.Space.Kind, "parts": c.Space.Parts},
	}
	var steps []step
	for i := range c.Steps {
		var s step
		for move := range c.Steps[i].All(c.Space) {
			s.Transfers = append(s.Transfers, transfer{move.Src, move.Dst, move.Action, move.Chunks})
		}
		steps = append(steps, s)
	}
	doc["steps"] = steps
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	p, err := collective.ReadPattern(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A pattern that performs an operation is one more algorithm for it, for its number of nodes
// only.
func TestPatternsAreAlgorithms(t *testing.T) {
	ring, err := algorithms.New(collective.AllReduce, "ring", 6, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := patternOf(t, ring, "my ring, again: x=1")
	known, err := (*algorithms.Registry)(nil).WithPattern(p)
	if err != nil {
		t.Fatal(err)
	}
	const name = "pattern:my ring, again: x=1"
	c, err := known.New(collective.AllReduce, name, 6, 3)
	if err != nil || c.Algorithm != name || !reflect.DeepEqual(c.Steps, p.Steps) {
		t.Fatalf("%v, %v", c, err)
	}
	has := func(op collective.Op, nodes int) bool {
		for _, a := range known.For(op, collective.Shape{Nodes: nodes, Ports: 1}) {
			if a.Name == name {
				return true
			}
		}
		return false
	}
	if !has(collective.AllReduce, 6) || has(collective.AllReduce, 7) || has(collective.AllGather, 6) {
		t.Error("it is not an algorithm for its operation and its nodes alone")
	}
	if _, err := known.WithPattern(p); err == nil || !strings.Contains(err.Error(), "there is an algorithm of that name") {
		t.Error(err)
	}
	if _, err := algorithms.New(collective.AllReduce, name, 6, 1); err == nil {
		t.Error("it is known everywhere")
	}
	own, err := collective.ReadPattern(strings.NewReader(`{"schema":"collective_pattern/v1","n":2,"steps":[{"demand":[[0,1,8]]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := known.WithPattern(own); err == nil || !strings.Contains(err.Error(), "names no operation") {
		t.Error(err)
	}
}
