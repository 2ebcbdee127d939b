package joint

import (
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// settle moves a plan among the members to their places in a larger fabric. Its steps lose their
// symmetry, because it is a symmetry of the members and not of the fabric.
func settle(p *plan.Plan, members []int) {
	small := p.Collective.Space
	graphs := map[*topology.Graph]*topology.Graph{}
	for i := range p.Stages {
		g := p.Stages[i].Topology
		if graphs[g] == nil {
			var edges []topology.Edge
			for e := range g.Edges() {
				edges = append(edges, topology.Edge{From: members[e.From], To: members[e.To], Count: e.Count})
			}
			graphs[g] = topology.New(p.Fabric.Nodes, g.Name()+" of some", edges)
		}
		p.Stages[i].Topology = graphs[g]
		for j := range p.Stages[i].Steps {
			step := &p.Stages[i].Steps[j]
			var all []plan.Transfer
			for t := range step.All(small) {
				t.Src, t.Dst = members[t.Src], members[t.Dst]
				routes := make([]flow.Route, len(t.Routes))
				for k, r := range t.Routes {
					path := make([]int32, len(r.Path))
					for h, v := range r.Path {
						path[h] = int32(members[v])
					}
					routes[k] = flow.Route{Path: path, Share: r.Share}
				}
				t.Routes = routes
				all = append(all, t)
			}
			*step = plan.Step{Base: all}
		}
	}
	p.Collective.Space.Nodes, p.Collective.Space.Members = p.Fabric.Nodes, members
}
