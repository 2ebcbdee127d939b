package collective

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// TestRotatedPairsAreThoseMovedOneByOne compares with the image of every chunk.
func TestRotatedPairsAreThoseMovedOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		s := SpaceOf(AllToAll, 2+random.IntN(12), 1+random.IntN(3))
		group := topology.Rotations(s.Nodes, 1)
		if s.Nodes%2 == 0 && random.IntN(2) == 0 {
			group = topology.Rotations(s.Nodes, 2)
		}
		var ids []int
		for c := range s.Chunks() {
			if random.IntN(3) == 0 {
				ids = append(ids, c)
			}
		}
		k := random.IntN(group.Order())
		var want []int
		for _, c := range ids {
			want = append(want, s.Move(group, k, c))
		}
		if got := s.Translate(group, k, Of(ids)); !slices.Equal(got, Of(want)) {
			t.Fatalf("%+v, %v, element %d: %v becomes %v, not %v", s, group, k, Of(ids), got, Of(want))
		}
	}
}
