package cast

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/topology"
)

// This file evens out the load of the root's links in one step down a tree. If the nodes below
// cannot be divided evenly among the root's children, each node left over has a parent below
// every child, and gets an equal part of the message from each.
//
//	4 GPUs, 2 ports      0 -+- 1 -+- 3      load 1 1/2 copies instead of 2
//	                        +- 2 -+

// evenly returns the stage with evenly loaded root links, and whether that is possible and
// better.
func (g grove) evenly(m *digit.Machine) (grove, bool) {
	left := g.below % g.atTop()
	if g.steps != 1 || g.roots != 1 || g.atTop() < 2 || g.depth < 2 || left == 0 || m.Stores || m.Capped {
		return g, false
	}
	// Below a child: the places on the last level, and how many of them are taken.
	each, places := g.below/g.atTop(), 1
	for range g.depth - 1 {
		each -= places
		places *= g.fan
	}
	if each = max(0, each); each+left > places {
		return g, false
	}
	g.even = true
	return g, true
}

// evenLoad returns the load of an even stage: copies on the root's links.
func (g grove) evenLoad() float64 { return float64(g.below) / float64(g.atTop()) }

// layEven lays out an even stage.
func layEven(s *digit.Search, nodes int, g grove, message collective.Chunks) plan.Stage {
	left := g.below % g.atTop()
	tree := g
	tree.nodes, tree.below = g.nodes-left, g.below-left
	parent, level := tree.grow()
	children := make([]int, tree.nodes)
	below := make([]int, tree.nodes) // the child of the root above it
	var edges []topology.Edge
	var step plan.Step
	path := func(v int) []int32 {
		way := make([]int32, level[v]+1)
		for h, u := level[v], v; h >= 0; h-- {
			way[h] = int32(u)
			u = parent[u]
		}
		return way
	}
	for v := 1; v < tree.nodes; v++ {
		edges = append(edges, topology.Edge{From: parent[v], To: v, Count: g.width})
		step.Base = append(step.Base, copyOver(path(v), message))
		children[parent[v]]++
		if below[v] = below[parent[v]]; parent[v] == 0 {
			below[v] = children[0] - 1
		}
	}
	for v := tree.nodes; v < g.nodes; v++ {
		t := plan.Transfer{Transfer: collective.Transfer{Src: 0, Dst: v, Action: collective.Copy, Chunks: message}}
		for child := range g.atTop() {
			for u := 1; u < tree.nodes; u++ {
				if level[u] == g.depth-1 && below[u] == child && children[u] < g.fan {
					children[u]++
					edges = append(edges, topology.Edge{From: u, To: v, Count: g.width})
					t.Routes = append(t.Routes, flow.Route{Path: append(path(u), int32(v)), Share: 1 / float64(g.atTop())})
					break
				}
			}
		}
		step.Base = append(step.Base, t)
	}
	return plan.Stage{Topology: topology.New(nodes, g.name(), tieUp(edges, s.Duplex)), Steps: []plan.Step{step}}
}
