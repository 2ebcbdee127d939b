package iteration

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/workload"
)

// canSetUp checks that the switches can set up every stage of an operation's plan on the ports
// of its circuits, in all groups at once.
func (v *prover) canSetUp(n *workload.Node, o *DocumentOp, lanes []DocumentLane) error {
	if v.Fabric.Layout.IsZero() {
		return nil
	}
	key := fmt.Sprint(o.Plan, n.Classes, lanes)
	if v.settled[key] {
		return nil
	}
	groups := v.groupsOf(n)
	for i := range v.plan[o.Plan-1].Stages {
		var edges []topology.Edge
		for e := range unlooped(v.plan[o.Plan-1].Stages[i].Topology).Edges() {
			for _, group := range groups {
				edges = append(edges, topology.Edge{From: group[e.From], To: group[e.To], Count: e.Count})
			}
		}
		if err := v.plugged(edges, lanes); err != nil {
			return fmt.Errorf("stage %d of plan %d: %w", i+1, o.Plan, err)
		}
	}
	v.settled[key] = true
	return nil
}

// plugged checks that circuits between ranks can all be up on the ports of the lanes.
func (v *prover) plugged(edges []topology.Edge, lanes []DocumentLane) error {
	usable := v.usable(lanes)
	for class := range usable {
		send, receive := usable[class][0], usable[class][1]
		if len(send) > 0 && len(receive) > 0 && !slices.Equal(send, receive) {
			return fmt.Errorf("class %d sends on ports %v and receives on ports %v", class, send, receive)
		}
	}
	on := v.Fabric.Plugging().Without(func(gpu, port, _ int) bool {
		of := usable[v.graph.Of[gpu]]
		return !slices.Contains(of[0], port) && !slices.Contains(of[1], port)
	})
	return on.Check(topology.New(v.Ranks, "circuits", edges), v.Fabric.Duplex)
}

// usable lists the ports of lanes in order, by class and side.
func (v *prover) usable(lanes []DocumentLane) [][2][]int {
	usable := make([][2][]int, len(v.Classes))
	for _, l := range lanes {
		for side := range 2 {
			if l[1] == side || l[1] == 2 {
				usable[l[0]][side] = append(usable[l[0]][side], l[2])
			}
		}
	}
	for class := range usable {
		slices.Sort(usable[class][0])
		slices.Sort(usable[class][1])
	}
	return usable
}

// switched checks that circuits that do not belong to a plan can be set up on their ports.
func (v *prover) switched(s *DocumentSeat) error {
	c := &v.Circuits[s.Circuits-1]
	if v.Fabric.Layout.IsZero() {
		return nil
	}
	key := fmt.Sprint(s.Circuits, s.Lanes)
	if v.settled[key] {
		return nil
	}
	if len(c.Width) != len(c.Jumps) {
		return fmt.Errorf("circuits %s: %d jumps and %d widths", c.Name, len(c.Jumps), len(c.Width))
	}
	for k, jump := range c.Jumps {
		if jump < 1 || jump >= v.Ranks || c.Width[k] < 1 {
			return fmt.Errorf("circuits %s: %d jumps of %d ranks make no sense", c.Name, c.Width[k], jump)
		}
	}
	var edges []topology.Edge
	if c.Links == nil { // otherwise the plans of operations have them
		edges = v.edges(c)
	}
	if err := v.plugged(edges, s.Lanes); err != nil {
		return fmt.Errorf("circuits %s: %w", c.Name, err)
	}
	v.settled[key] = true
	return nil
}

// edges lists the circuits, between ranks.
func (v *prover) edges(c *DocumentCircuits) []topology.Edge {
	var edges []topology.Edge
	join := func(u, v, count int) { edges = append(edges, topology.Edge{From: u, To: v, Count: count}) }
	switch {
	case c.Links != nil:
		for _, group := range v.Workload.Kinds[c.Kind] {
			for _, l := range c.Links {
				if len(group) > max(l[0], l[1]) && slices.Contains(c.Classes, v.graph.Of[group[0]]) {
					join(group[l[0]], group[l[1]], l[2])
				}
			}
		}
	case c.Pair > 0:
		for _, pair := range v.pairs(c) {
			join(pair[0], pair[1], c.Pair)
			if v.Fabric.Duplex {
				join(pair[1], pair[0], c.Pair)
			}
		}
	case c.Ring != 0:
		for _, group := range v.Workload.Kinds[c.Kind] {
			for i, r := range group {
				if len(group) > 1 {
					join(r, group[(i+len(group)+c.Ring)%len(group)], 1)
				}
			}
		}
	case c.Jumps != nil:
		for u := range v.Ranks {
			for k, jump := range c.Jumps {
				join(u, (u+jump)%v.Ranks, c.Width[k])
			}
		}
	}
	return edges
}

// pairs lists the ranks that circuits of sends join.
func (v *prover) pairs(c *DocumentCircuits) [][2]int {
	var list [][2]int
	seen := map[[2]int]bool{}
	for i := range v.nodes {
		n := &v.nodes[i]
		o := &v.Ops[v.op[i]]
		if v.task(n).Type != workload.Send || o.Circuits == 0 || &v.Circuits[o.Circuits-1] != c {
			continue
		}
		for from := range v.graph.Classes[n.Class].Ranks.All() {
			pair := [2]int{from, v.task(n).Op.SendTo.Of(from)}
			if v.Fabric.Duplex && pair[0] > pair[1] {
				pair[0], pair[1] = pair[1], pair[0]
			}
			if !seen[pair] {
				seen[pair] = true
				list = append(list, pair)
			}
		}
	}
	return list
}
