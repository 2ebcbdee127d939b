package cast

import (
	"cmp"
	"fmt"
	"math"
	"sort"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/topology"
)

// This file sends whole copies down trees, for small messages. In a stage every node that has the
// message is the root of its own tree, in which nodes have up to f children over w circuits each.
// A step covers some of the tree's levels: the nearest level above them that has the message
// sends a copy to every node (orders.go). Fewer steps save start-ups, but load the first links
// with a copy for every node below. After a reconfiguration, all nodes that have the message are
// roots. That multiplies their number by 1 + f + .. + f^h instead of by f^h for the levels that
// are spared.

// grove is a stage: trees from a number of roots, with a fan-out over bundles of a width, down to
// a depth, in a number of steps. below is the number of nodes of the largest tree without its
// root.
type grove struct {
	roots, nodes int // before, and after
	fan, width   int
	depth, steps int
	turns        order // of its levels, if nodes have several children
	below        int
	fans         []int8 // children of a node, by level; nil: fan, the rest dealt out evenly
	even         bool   // see even_loads.go
	top          int    // children of a root; 0: fan. A two-way root needs no port for a parent
}

// atTop returns how many children a root has.
func (g grove) atTop() int { return cmp.Or(g.top, g.fan) }

// size returns the number of nodes of a full tree, including the root, at most limit.
func (g grove) size(limit int) int {
	if g.top == 0 {
		return treeSize(g.fan, g.depth, limit)
	}
	each := treeSize(g.fan, g.depth-1, limit)
	if each > limit/g.top {
		return limit
	}
	return min(limit, 1+g.top*each)
}

// least reports whether the tree needs all its levels.
func (g grove) least() bool {
	g.depth--
	return g.top == 0 || g.depth == 0 || g.size(g.below+1) < g.below+1
}

// lowered returns the tree without levels that it does not need. A chain may have very many, so
// their number is found by bisection.
func (g grove) lowered() grove {
	if g.top > 0 {
		tree := g
		g.depth = 1 + sort.Search(g.depth-1, func(k int) bool {
			tree.depth = 1 + k
			return tree.size(g.below+1) == g.below+1
		})
	}
	return g
}

// widened returns the trees in which roots have children at all their ports, and whether these
// are more children than before.
func (g grove) widened(ports int, duplex bool) (grove, bool) {
	if g.top = ports / g.width; !duplex || g.depth == 1 || g.top <= g.fan {
		return g, false
	}
	return g, true
}

// treeSize returns the number of nodes of a full tree, including the root, at most limit.
func treeSize(fan, depth, limit int) int {
	if fan == 1 {
		return min(limit, 1+depth) // a chain, which may be long
	}
	size, level := 1, 1
	for range depth {
		if level *= fan; size+level >= limit {
			return limit
		}
		size += level
	}
	return size
}

// levelsOf returns the number of levels below the root of the lowest tree of two nodes or more.
func levelsOf(fan, nodes int) int {
	if fan == 1 {
		return nodes - 1
	}
	depth := 1
	for treeSize(fan, depth, nodes) < nodes {
		depth++
	}
	return depth
}

// leastCopied returns a lower bound on the time of whole copies down trees of a depth in a number
// of steps. In each step, a node gets a copy over no more circuits than it has ports.
func leastCopied(s *digit.Search, depth, steps int, bytes float64) float64 {
	return (float64(steps)*(s.Alpha+s.PerByte*bytes/float64(s.Ports)) + float64(depth)*s.Delta) * (1 - rounded)
}

// treeCasts returns the best sequence of stages, by a dynamic program over the number of nodes
// that have the message.
func treeCasts(s *digit.Search, nodes int, bytes float64) []cast {
	type choice struct {
		time  float64
		grove grove
	}
	known := map[[2]int]choice{}
	var best func(roots, changes int) choice
	best = func(roots, changes int) choice {
		if roots == nodes {
			return choice{}
		}
		key := [2]int{roots, changes}
		if c, ok := known[key]; ok {
			return c
		}
		least := choice{time: math.Inf(1)}
		try := func(g grove) {
			after, left := 0.0, changes
			if g.nodes < nodes {
				after = s.Wait
				if left = digit.Spend(changes, 1); left < 0 {
					return
				}
			}
			for steps := 1; steps <= g.mostSteps(); steps++ {
				if s.Stopped() || leastCopied(s, g.depth, steps, bytes)+after > least.time {
					break
				}
				list := g.orders(s, steps)
				if even, ok := list[0].evenly(&s.Machine); ok {
					list = append(list, even)
				}
				for _, g := range list {
					time := s.Time(g.takes(&s.Machine), bytes) + after
					if time >= least.time {
						continue
					}
					if time += best(g.nodes, left).time; time < least.time {
						least = choice{time, g}
					}
				}
			}
		}
		for fan := 1; fan <= s.Ports; fan++ {
			for depth := 1; depth < nodes; depth++ {
				width := s.Ports / fan
				if s.Duplex && depth > 1 {
					width = s.Ports / (fan + 1) // the circuit to the parent takes a port, too
				}
				if width == 0 || leastCopied(s, depth, 1, bytes) > least.time {
					break
				}
				offer := func(g grove) (all bool) {
					if g.nodes = nodes; g.size(nodes) < arithmetic.CeilDiv(nodes, roots) {
						g.nodes = roots * g.size(nodes)
					}
					g.below = (g.nodes - 1) / roots
					if g.least() {
						try(g)
					}
					return g.nodes == nodes
				}
				g := grove{roots: roots, fan: fan, width: width, depth: depth}
				wide, more := g.widened(s.Ports, s.Duplex)
				all := more && offer(wide)
				if more && fan == 1 { // a root with one chain less is no better
					if all || s.Stopped() {
						break
					}
					continue
				}
				if offer(g) || s.Stopped() {
					break
				}
			}
		}
		known[key] = least
		return least
	}
	left := s.Changes
	total := best(1, left)
	if math.IsInf(total.time, 1) || s.Stopped() {
		return nil
	}
	var groves []grove
	for at := 1; at < nodes; at = groves[len(groves)-1].nodes {
		groves = append(groves, best(at, left).grove)
		left = digit.Spend(left, 1)
	}
	return []cast{{Time: total.time, Changes: len(groves) - 1, About: fmt.Sprintf("whole copies down trees, %d stages", len(groves)), Build: func() Laid {
		return layGroves(s, nodes, groves)
	}}}
}

// layGroves lays out the stages.
func layGroves(s *digit.Search, nodes int, groves []grove) Laid {
	l := Laid{Space: collective.SpaceOf(collective.Broadcast, nodes, 1)}
	for _, g := range groves {
		l.Stages = append(l.Stages, layGrove(s, nodes, g, collective.Single(0)))
	}
	return l
}

// layGrove lays out a stage for a message of the given chunks.
func layGrove(s *digit.Search, nodes int, g grove, message collective.Chunks) plan.Stage {
	if g.even {
		return layEven(s, nodes, g, message)
	}
	parent, level := g.grow()
	var edges []topology.Edge
	for v := g.roots; v < g.nodes; v++ {
		edges = append(edges, topology.Edge{From: parent[v], To: v, Count: g.width})
	}
	made := plan.Stage{Topology: topology.New(nodes, g.name(), tieUp(edges, s.Duplex))}
	turn, from := g.senders()
	for i := range g.steps {
		var step plan.Step
		for v := g.roots; v < g.nodes; v++ {
			if int(turn[level[v]-1]) != i+1 {
				continue
			}
			hops := level[v] - from[level[v]-1]
			path := make([]int32, hops+1)
			for h, u := hops, v; h >= 0; h-- {
				path[h] = int32(u)
				u = parent[u]
			}
			step.Base = append(step.Base, copyOver(path, message))
		}
		made.Steps = append(made.Steps, step)
	}
	return made
}

// name describes the circuits of a stage.
func (g grove) name() string { return fmt.Sprintf("trees %d to %d by %d", g.roots, g.nodes, g.fan) }

// grow returns the parent and the level of every node. Nodes 0..roots-1 are roots. What is below
// a node is dealt out evenly among its children, unless levels have their own numbers of
// children.
func (g grove) grow() (parent, level []int) {
	if g.fans != nil {
		return g.growFanned()
	}
	parent, level = make([]int, g.nodes), make([]int, g.nodes)
	next := g.roots
	type task struct{ node, below int }
	var now []task
	for r := range g.roots {
		// Root r gets every roots-th node.
		now = append(now, task{r, (g.nodes - g.roots + g.roots - 1 - r) / g.roots})
	}
	fan := g.atTop()
	for depth := 1; len(now) > 0; depth++ {
		var later []task
		for _, t := range now {
			for c := range min(fan, t.below) {
				size := (t.below + fan - 1 - c) / fan
				parent[next], level[next] = t.node, depth
				if size > 1 {
					later = append(later, task{next, size - 1})
				}
				next++
			}
		}
		now, fan = later, g.fan
	}
	return parent, level
}
