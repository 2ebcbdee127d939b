package compile

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Ranks returns how many ranks the programs are for, if they have passed all checks.
func (c *Checked) Ranks() int {
	if len(c.Graphs) == 0 {
		return 0
	}
	l := c.Graphs[0].BufferMap()
	return l.Nodes
}

// Nodes returns how many GPUs a fabric must have for the programs.
func (c *Checked) Nodes() int {
	nodes := c.Ranks()
	if c.Manifest == nil {
		return nodes
	}
	for _, s := range c.Manifest.Stages {
		for _, e := range s.Circuits {
			nodes = max(nodes, min(max(e[0], e[1])+1, fabric.MaxNodes))
		}
	}
	return nodes
}

// Ports returns how many ports the circuits of a manifest need.
func (m *Manifest) Ports() int {
	most := 1
	for _, s := range m.Stages {
		out, in := map[int]int{}, map[int]int{}
		for _, e := range s.Circuits {
			out[e[0]] += e[2]
			in[e[1]] += e[2]
			most = max(most, out[e[0]], in[e[1]])
		}
	}
	return min(most, fabric.MaxPorts)
}

// Plan lifts checked programs to a plan of the given size, on the base topology of a fabric or
// on the circuits that a manifest gives for each stage.
func (c *Checked) Plan(ctx context.Context, f fabric.Fabric, size units.Bytes) (*plan.Plan, error) {
	if len(c.Graphs) == 0 {
		return nil, fmt.Errorf("the file has not passed its checks")
	}
	o := lift.Options{Fabric: f, Size: size, Algorithm: cmp.Or(c.Name, "imported"), Planner: "imported"}
	if c.Manifest == nil {
		if n := c.Ranks(); n != f.Nodes {
			return nil, fmt.Errorf("the file is for %d ranks, the fabric has %d", n, f.Nodes)
		}
		base, err := f.BaseTopology()
		if err != nil {
			return nil, err
		}
		o.Topologies = []*topology.Graph{base}
		return lift.Lift(ctx, c.Graphs, o)
	}
	o.Nodes, o.Stages = c.Manifest.GPUs, c.Manifest.pieces()
	for i, s := range c.Manifest.Stages {
		var edges []topology.Edge
		for _, e := range s.Circuits {
			if e[0] < 0 || e[0] >= f.Nodes || e[1] < 0 || e[1] >= f.Nodes || e[2] < 0 || e[2] > fabric.MaxPorts {
				return nil, fmt.Errorf("manifest: stage %d: circuits %v are not [from,to,count] with GPUs in 0..%d", i+1, e, f.Nodes-1)
			}
			edges = append(edges, topology.Edge{From: e[0], To: e[1], Count: e[2]})
		}
		o.Topologies = append(o.Topologies, topology.New(f.Nodes, s.Topology, edges))
	}
	return lift.Lift(ctx, c.Graphs, o)
}
