package workload

import "slices"

// Node is a task that represents all tasks that take place together: a computation, a receive
// or a send of a class, or a collective of the classes in its groups.
type Node struct {
	Class, Task int // one of the tasks
	// Classes are all that take part, ascending; for a send its own and then its receiver's.
	Classes []int
	Ranks   int   // per group
	After   []int // earlier nodes in the list that must have ended
}

// Nodes lists the nodes of the graph, each after those that it waits for.
func (g *Graph) Nodes() []Node {
	index := make([]int, len(g.stands))
	classes := make([][]int, len(g.stands))
	for t, s := range g.stands {
		if c := g.classOf(t); !slices.Contains(classes[s], c) {
			classes[s] = append(classes[s], c)
		}
	}
	for t, s := range g.sends {
		if s >= 0 {
			classes[s] = append(classes[s][:1], g.classOf(t))
		}
	}
	waits := g.waitsFor()
	nodes := make([]Node, len(g.order))
	for i, t := range g.order {
		index[t] = i
		c := g.classOf(t)
		n := Node{Class: c, Task: t - g.at[c], Classes: classes[t], Ranks: 1}
		task := &g.Classes[c].Tasks[n.Task]
		switch task.Type {
		case Collective:
			n.Ranks = g.Classes[c].Groups[task.Op.Kind]
			slices.Sort(n.Classes)
		case Send:
			n.Ranks = 2
		case Computation, Receive, Call:
		}
		waits(t, func(p int) {
			if before := index[g.stands[p]]; !slices.Contains(n.After, before) {
				n.After = append(n.After, before)
			}
		})
		nodes[i] = n
	}
	return nodes
}

// Waits returns a function that gives the nodes that a task of a class waits for: own are those
// in which its own rank takes part; sent is the partner's send if the task is a receive, else
// -1.
func (g *Graph) Waits() func(class, task int) (own []int, sent int) {
	index := make([]int, len(g.stands))
	for i, t := range g.order {
		index[t] = i
	}
	return func(class, task int) (own []int, sent int) {
		t := g.at[class] + task
		sent = -1
		if s := g.sends[t]; s >= 0 {
			sent = index[s]
		}
		tasks := g.Classes[class]
		for _, a := range tasks.Tasks[task].After {
			own = append(own, index[g.stands[g.at[class]+int(a)]])
		}
		if p := tasks.earlier[task]; p >= 0 {
			own = append(own, index[g.stands[g.at[class]+int(p)]])
		}
		return own, sent
	}
}

// TasksOf returns a function that lists, for a node that is a collective, the task of every
// class that takes part; for other nodes it lists the node's own task.
func (g *Graph) TasksOf() func(node int) map[int]int {
	same := map[int]map[int]int{}
	for t, s := range g.stands {
		if same[s] == nil {
			same[s] = map[int]int{}
		}
		c := g.classOf(t)
		same[s][c] = t - g.at[c]
	}
	return func(node int) map[int]int { return same[g.order[node]] }
}
