package collective_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/topology"
)

// TestEveryPairIsTheSameUnderAnyGroup writes the all-to-all with rotations, with the translations
// of a torus, with some rotations and without symmetry: all list the same transfers, and what is
// not all pairs is no such step.
func TestEveryPairIsTheSameUnderAnyGroup(t *testing.T) {
	c, err := algorithms.New(collective.AllToAll, "direct", 12, 4)
	if err != nil {
		t.Fatal(err)
	}
	step := c.Steps[0]
	turned := collective.Step{Group: topology.Translations{Dims: []int{3, 4}, Stride: []int{1, 1}}, Base: step.Base}
	some := step.Under(c.Space, topology.Rotations(12, 3))
	plain := step.Under(c.Space, topology.Translations{})
	listed := map[[2]int]int{}
	for _, s := range []collective.Step{step, turned, some, plain} {
		if _, ok := s.EveryPair(&c.Space); !ok {
			t.Fatalf("not all pairs under %v", s.Group)
		}
		for each := range s.All(c.Space) {
			chunks := 0
			for chunk := range each.Chunks.All() {
				chunks++
				if chunk/c.Space.Parts != each.Src*12+each.Dst {
					t.Errorf("%d -> %d carries chunk %d", each.Src, each.Dst, chunk)
				}
			}
			if chunks != c.Space.Parts {
				t.Errorf("%d -> %d carries %d chunks; want %d", each.Src, each.Dst, chunks, c.Space.Parts)
			}
			listed[[2]int{each.Src, each.Dst}]++
		}
	}
	for u := range 12 {
		for v := range 12 {
			if want := 4; u != v && listed[[2]int{u, v}] != want {
				t.Errorf("%d -> %d is there %d times; want %d", u, v, listed[[2]int{u, v}], want)
			}
		}
	}
	fewer := collective.Step{Group: step.Group, Base: step.Base[1:]}
	twice := collective.Step{Group: step.Group, Base: append([]collective.Transfer{step.Base[1]}, step.Base[1:]...)}
	other := collective.Step{Group: step.Group, Base: append([]collective.Transfer{step.Base[0]}, step.Base[1:]...)}
	other.Base[3].Chunks = other.Base[4].Chunks
	again := collective.Step{Base: slices.Clone(plain.Base)}
	again.Base[7] = again.Base[100]
	for _, s := range []collective.Step{fewer, twice, other, again} {
		if _, ok := s.EveryPair(&c.Space); ok {
			t.Errorf("all pairs: %v", s.Base)
		}
	}
}
