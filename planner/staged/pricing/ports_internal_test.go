package pricing

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// A step fits the ports exactly if circuits that match it exist.
func TestStepsFitPortsWhereMatchedCircuitsDo(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	groups := []topology.Translations{{}, topology.Rotations(12, 1), topology.Rotations(12, 4), {Dims: []int{3, 4}, Stride: []int{1, 4}}, {Dims: []int{2, 6}, Stride: []int{1, 1}}}
	fits := map[bool]int{}
	for trial := range 2000 {
		step := collective.Step{Group: groups[random.IntN(len(groups))]}
		for range 1 + random.IntN(4) {
			src := random.IntN(12)
			step.Base = append(step.Base, collective.Transfer{Src: src, Dst: (src + 1 + random.IntN(11)) % 12})
		}
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 12, 1+random.IntN(4), random.IntN(2) == 0
		_, err := topology.Matched(f.Nodes, f.Ports, f.Duplex, step.Pairs(), "")
		if got := FitsPorts(&f, step); got != (err == nil) {
			t.Fatalf("trial %d: %v fits %d ports, two-way %t: %t, but %v", trial, step, f.Ports, f.Duplex, got, err)
		}
		fits[err == nil]++
	}
	if fits[true] < 300 || fits[false] < 300 {
		t.Errorf("fits: %v", fits)
	}
}
