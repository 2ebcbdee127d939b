package staged

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// TestASumThatReplacesIsNotTakenApart: the second part of the step would replace the sum of the
// first.
func TestASumThatReplacesIsNotTakenApart(t *testing.T) {
	space := collective.SpaceOf(collective.AllReduce, 4, 1)
	part := func(src int, action collective.Action) collective.Step {
		return collective.Step{Base: []collective.Transfer{{Src: src, Dst: 3, Action: action, Chunks: collective.Single(0)}}}
	}
	err := independentParts(space, part(0, collective.Replace), part(1, collective.Replace))
	if want := "node 3 would replace a part of the sum of chunk 0"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := independentParts(space, part(0, collective.Reduce), part(1, collective.Reduce)); err != nil {
		t.Error(err)
	}
}

// independentParts is independent for the step that consists of the parts.
func independentParts(space collective.Space, parts ...collective.Step) error {
	var step collective.Step
	for _, part := range parts {
		step.Base = append(step.Base, part.Base...)
	}
	return independent(newPlaces(space), step, parts)
}
