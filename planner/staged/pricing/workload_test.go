package pricing

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// Steps with a group of masks have the demands of their transfers, in the same order as with any
// other group.
func TestMaskedDemandsAreThoseOfTheWholeStep(t *testing.T) {
	for _, group := range []topology.Translations{
		topology.Translation(2, 2, 2, 2), {Dims: []int{2, 2, 2, 2}, Stride: []int{1, 2, 1, 2}}, {Dims: []int{2, 2, 2, 2}, Stride: []int{2, 1, 1, 1}},
	} {
		c := Class{Step: collective.Step{Group: group}, Demands: []flow.Demand{{Src: 0, Dst: 5, Amount: 1}, {Src: 1, Dst: 2, Amount: 3}}}
		var want []flow.Demand
		for _, k := range group.Cosets(topology.Translations{}) {
			for _, d := range c.Demands {
				want = append(want, flow.Demand{Src: group.Apply(k, d.Src), Dst: group.Apply(k, d.Dst), Amount: d.Amount})
			}
		}
		if got := slices.Collect(c.each(topology.Translations{})); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", group, got, want)
		}
	}
}
