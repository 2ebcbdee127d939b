package islands

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// standing is circuits of GPUs that are up and stay, and the corresponding circuits of the core.
type standing struct{ gpus, core *topology.Graph }

// Standing returns the core of whole islands on circuits that are up: these are the base of the
// core. It reports false if they do not join all islands, or join GPUs of one island.
func Standing(f *fabric.Fabric, up *topology.Graph) (Core, bool) {
	if f.Islands() < 2 || !f.Avoid.IsZero() || !f.Links.IsZero() {
		return Core{}, false
	}
	size := f.Island.Size
	var edges []topology.Edge
	for e := range up.Edges() {
		if e.From/size == e.To/size {
			return Core{}, false
		}
		edges = append(edges, topology.Edge{From: e.From / size, To: e.To / size, Count: e.Count})
	}
	g := topology.New(f.Islands(), "", edges)
	c := Core{Span: size, Fabric: core(*f, size), on: &standing{up, g}}
	c.Fabric.Base, c.Fabric.Initial = topology.EdgesOf(g).String(), fabric.InitialBase
	return c, len(edges) > 0 && c.Fabric.Validate() == nil
}

// place returns the places of a core's circuits, which must be the standing ones or their
// reversal.
func (s *standing) place(g *topology.Graph, size int) (*circuits, error) {
	gpus := s.gpus
	if !g.Equal(s.core) {
		if gpus = gpus.Transpose(gpus.Name()); !g.Equal(s.core.Transpose("")) {
			return nil, fmt.Errorf("%w: other circuits than those that stay", planner.ErrInfeasible)
		}
	}
	c := &circuits{core: g, ends: make([][]ends, g.Bundles())}
	for e := range gpus.Edges() {
		at := g.Find(e.From/size, e.To/size)
		for range e.Count {
			c.ends[at] = append(c.ends[at], ends{e.From % size, e.To % size})
		}
	}
	c.build(size, size)
	return c, nil
}
