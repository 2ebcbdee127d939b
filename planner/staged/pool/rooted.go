package pool

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// addRooted adds the lowest tree that the ports allow, for every step in which one node sends to
// all others of the step or all others send to it. The root's ports lead to subtrees whose last
// levels differ by at most one node. If they differ, free ports at the level above lead to nodes
// of the larger subtrees, so that the root's circuits can share its bytes equally. No plan has
// fewer hops, or fewer bytes on the busiest circuit.
func (p *Pool) addRooted(w *pricing.Workload) {
	if p.Fabric.Ports < 2 {
		return // circuits form rings or pairs
	}
	for i := range w.Classes {
		c := &w.Classes[i]
		if c.Step.Group.Order() > 1 || len(c.Demands) < 2 {
			continue
		}
		nodes, away := star(c)
		switch {
		case nodes == nil:
		case len(nodes)-1 <= p.Fabric.Ports:
			p.addFitting(bundled(p.Fabric.Nodes, p.Fabric.Ports, p.Fabric.Duplex, away, nodes))
		default:
			p.addFitting(lowest(p.Fabric.Nodes, p.Fabric.Ports, p.Fabric.Duplex, away, nodes))
		}
	}
}

// star returns the nodes of a step with one root, the root first, and whether the root sends; nil
// for other steps.
func star(c *pricing.Class) (nodes []int, away bool) {
	for _, away := range []bool{true, false} {
		nodes = nodes[:0]
		for i, d := range c.Demands {
			from, to := d.Src, d.Dst
			if !away {
				from, to = to, from
			}
			if i == 0 {
				nodes = append(nodes, from)
			}
			if from != nodes[0] {
				nodes = nil
				break
			}
			nodes = append(nodes, to)
		}
		if nodes != nil {
			return nodes, away
		}
	}
	return nil, false
}

// bundled returns circuits from the root to all of few others. Some nodes may have one more of
// the root's ports than the rest. These pass on what they do not need over their own ports.
func bundled(n, ports int, twoWay, away bool, nodes []int) *topology.Graph {
	var edges []topology.Edge
	join := joiner(&edges, twoWay, away, nodes)
	others := len(nodes) - 1
	wide, richer := ports/others, ports%others
	left := make([]int, len(nodes)) // ports
	for v := 1; v <= others; v++ {
		width := wide
		if v <= richer {
			width++
		}
		for range width {
			join(0, v)
		}
		left[v] = ports - width
		if !twoWay && v <= richer {
			left[v] = ports // ports that send: only those that receive are in use
		}
	}
	for again := richer > 0; again; {
		again = false
		for rich := 1; rich <= richer; rich++ {
			for k := range others - richer {
				if poor := richer + 1 + (k+rich)%(others-richer); left[rich] > 0 && left[poor] > 0 {
					join(rich, poor)
					left[rich]--
					left[poor]--
					again = true
				}
			}
		}
	}
	return topology.New(n, fmt.Sprintf("star of %d at %d", len(nodes), nodes[0]), edges)
}

// joiner returns a function that adds a circuit between two of the nodes: above is the one closer
// to the root.
func joiner(edges *[]topology.Edge, twoWay, away bool, nodes []int) func(above, below int) {
	return func(above, below int) {
		u, v := nodes[above], nodes[below]
		if !away {
			u, v = v, u
		}
		*edges = append(*edges, topology.Edge{From: u, To: v, Count: 1})
		if twoWay {
			*edges = append(*edges, topology.Edge{From: v, To: u, Count: 1})
		}
	}
}

// lowest returns the lowest tree of some nodes; the first is the root. Circuits lead away from the
// root or towards it, and two-way circuits do both. Node k of a level is below node k modulo the
// size of the level above, so its branch of the root is k modulo the ports.
func lowest(n, ports int, twoWay, away bool, nodes []int) *topology.Graph {
	var edges []topology.Edge
	join := joiner(&edges, twoWay, away, nodes)
	children := ports // of every node but the root
	if twoWay {
		children--
	}
	first, size, room := 0, 1, ports // the level above, and the children that it may have
	for {
		next := first + size
		below := min(room, len(nodes)-next)
		for k := range below {
			join(first+k%size, next+k)
		}
		if next+below == len(nodes) {
			even(ports, level{first, size, room}, level{first: next, size: below}, twoWay, join)
			break
		}
		first, size, room = next, below, below*children
	}
	return topology.New(n, fmt.Sprintf("tree of %d from %d", len(nodes), nodes[0]), edges)
}

// level describes a level of a tree: its first node, its size, and the number of children that it
// may have.
type level struct{ first, size, room int }

// even uses free ports. First it joins nodes of the level above the last, in branches with one
// node fewer, to last-level nodes of branches with one more, last nodes first. Each branch is
// joined to as many nodes as there are ports, and no node to more than its ports allow. Then it
// joins neighbours at the last level, which belong to different branches, as far as ports are
// left: one more hop may be worth it.
func even(branches int, above, last level, twoWay bool, join func(above, below int)) {
	larger := last.size % branches // branches with one node more
	if larger == 0 {
		return
	}
	into := make([]int, last.size) // circuits into a node besides that of the tree
	joined := map[[2]int]bool{}    // by branch and node
	links := make([]int, branches)
	next, most := 0, min(larger*branches, last.size)
	for free := last.size; free < above.room; free++ { // the unused places for children
		branch := free % branches
		if branch < larger || links[branch] == branches {
			continue
		}
		for i := range most {
			k := (next + i) % most
			to := last.size - 1 - k%larger - branches*(k/larger)
			if to >= 0 && into[to] < branches-1 && !joined[[2]int{branch, to}] {
				join(above.first+free%above.size, last.first+to)
				joined[[2]int{branch, to}] = true
				into[to]++
				links[branch]++
				next = k + 1
				break
			}
		}
	}
	for to := max(1, last.size-4*branches); to < last.size; to++ {
		if into[to-1] < branches-1 && into[to] < branches-1 {
			join(last.first+to-1, last.first+to)
			if into[to]++; twoWay {
				into[to-1]++
			} else {
				join(last.first+to, last.first+to-1)
				into[to-1]++
			}
		}
	}
}
