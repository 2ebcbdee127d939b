package pool

import (
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// addTranslates adds, for every translation t of the base's symmetry group, the base with every
// circuit u->v turned into u->v+t.
func (p *Pool) addTranslates(base *topology.Graph) {
	group, ok := base.Symmetry()
	if !ok || p.Fabric.Duplex {
		return
	}
	for k := 1; k < group.Order(); k++ {
		t := pricing.NewTranslate(base, group, k)
		if !p.Fabric.Open() || len(t.To) < 2 {
			p.addFitting(t.Graph())
			continue
		}
		p.Add(&pricing.Candidate{N: base.Nodes(), Translate: t})
	}
}
