package staged

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
)

// addOwn is addEveryMatched for a workload of such steps alone, each of which is on its own
// circuits and on no others; it reports false for another.
func (p *pool) addOwn(w *workload) (own []int, ok bool) {
	f := p.fabric
	if o := f.Overlap.Kind; o == fabric.OverlapPorts || o == fabric.OverlapCircuits {
		return nil, false // which look at circuits of steps together
	}
	if f.Duplex || f.Avoid != "" || f.Links != "" || f.Initial != fabric.InitialFree || p.keeps(w) {
		return nil, false
	}
	byClass := make([]int, len(w.classes))
	known := map[string]int{}
	for i := range w.classes {
		pairs, wide := w.classes[i].ownPairs(f)
		if wide == 0 {
			return nil, false
		}
		key := fmt.Sprint(pairs)
		place, ok := known[key]
		if !ok {
			place = len(known)
			known[key] = place
			name := fmt.Sprintf("matched:%d", slices.Index(w.classOf, i)+1)
			p.candidates = append(p.candidates, &candidate{n: f.Nodes, own: &ownCircuits{pairs, f.Ports, wide, name, nil}})
		}
		at := p.candidates[place].own
		at.classes = append(at.classes, i)
		byClass[i] = place
	}
	for _, class := range w.classOf {
		own = append(own, byClass[class])
	}
	return own, true
}
