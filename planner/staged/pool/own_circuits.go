package pool

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// AddOwn is AddEveryMatched for a workload in which all steps have few pairs
// (pricing.OwnCircuits) and each runs only on its own circuits. It reports false for other
// workloads.
func (p *Pool) AddOwn(w *pricing.Workload) (own []int, ok bool) {
	f := p.Fabric
	if o := f.Overlap.Kind; o == fabric.OverlapPorts || o == fabric.OverlapCircuits {
		return nil, false // their passes compare the circuits of several steps
	}
	if !f.Open() || !f.Links.IsZero() || f.Initial != fabric.InitialFree || p.keeps(w) {
		return nil, false
	}
	byClass := make([]int, len(w.Classes))
	known := map[string]int{}
	for i := range w.Classes {
		pairs, wide := w.Classes[i].OwnPairs(f)
		if wide == 0 {
			return nil, false
		}
		key := fmt.Sprint(pairs)
		place, ok := known[key]
		if !ok {
			place = len(known)
			known[key] = place
			name := fmt.Sprintf("matched:%d", slices.Index(w.ClassOf, i)+1)
			p.Candidates = append(p.Candidates, pricing.OwnCandidate(f, pairs, wide, name))
		}
		at := p.Candidates[place].Own
		at.Classes = append(at.Classes, i)
		byClass[i] = place
	}
	for _, class := range w.ClassOf {
		own = append(own, byClass[class])
	}
	return own, true
}
