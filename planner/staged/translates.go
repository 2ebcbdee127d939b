package staged

import "github.com/lightpath-net/lightpath/topology"

// addTranslates adds the base with every circuit u->v turned into u->v+t, for all
// translations t of the torus that it is invariant under.
func (p *pool) addTranslates(base *topology.Graph) {
	group, ok := base.Symmetry()
	if !ok || p.fabric.Duplex {
		return
	}
	for k := 1; k < group.Order(); k++ {
		t := newTranslate(base, group, k)
		if p.fabric.Avoid != "" || len(t.to) < 2 {
			p.addFitting(t.graph())
			continue
		}
		p.add(&candidate{n: base.Nodes(), translate: t})
	}
}
