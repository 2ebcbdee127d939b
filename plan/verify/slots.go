package verify

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
)

// checkSlots checks the number of slots that an exchange claims. A step takes at least as many
// slots as its busiest circuit carries chunks, and as its longest route has hops.
func checkSlots(p *plan.Plan) error {
	need := 0
	for i := range p.Stages {
		stage := &p.Stages[i]
		for j := range stage.Steps {
			step := &stage.Steps[j]
			load := chunksPerCircuit(p, stage, step)
			need += max(load, step.Cost.Hops)
		}
	}
	if need > p.Slots {
		return fmt.Errorf("says %d slots, needs %d", p.Slots, need)
	}
	return nil
}

// chunksPerCircuit returns the most chunks that any circuit carries in a step, rounded up if
// several circuits share them.
func chunksPerCircuit(p *plan.Plan, stage *plan.Stage, step *plan.Step) int {
	carried := map[[2]int]int{}
	most := 0
	for i := range step.Base {
		t := &step.Base[i]
		for _, route := range t.Routes {
			for h := 1; h < len(route.Path); h++ {
				// Under a group every image of a circuit carries the same load.
				k, from := step.Group.Locate(int(route.Path[h-1]))
				at := [2]int{from, step.Group.Back(k, int(route.Path[h]))}
				carried[at] += t.Chunks.Len()
				if count := stage.Topology.Count(at[0], at[1]); count > 0 {
					most = max(most, arithmetic.CeilDiv(carried[at], count))
				}
			}
		}
	}
	return most
}
