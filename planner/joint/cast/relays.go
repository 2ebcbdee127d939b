package cast

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/lowtrees"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has relays: pipelines one after the other, with reconfigurations in between. When the
// first has brought the message to g nodes, each of these is the root of its own pipeline. Trees
// of n/g nodes are lower than a tree of n nodes, and chains are much shorter. Each stage has its
// own number of pieces, and is either a pipeline or whole copies down a tree in coarse steps (see
// trees.go).
//
// Let C(G) be the least time of a stage that takes the message from each root to G nodes,
// including the root. If k times more nodes must get the message than have it, that takes
//
//	R(k) = min of C(k) and, over G < k, C(G) + w + R(ceil(k/G))
//
// k is always n over an integer, rounded up, so there are few k to solve.

// relay is a stage, from a number of roots to a number of nodes.
type relay struct {
	growth
	roots, nodes  int
	depth, pieces int
	whole         grove           // if it has steps: whole copies instead of a pipeline
	drain         *drain          // of one root: how the last pieces reach the last level
	low           *lowtrees.Trees // of one root: the trees, if they are not a forest of that growth
	filled        filling
}

// size returns the number of nodes in the largest group, including its root.
func (r *relay) size() int { return arithmetic.CeilDiv(r.nodes, r.roots) }

// relaySearch finds the best sequence of stages.
type relaySearch struct {
	*digit.Search
	bytes  float64
	stages map[int]timedRelay
	known  map[relayKey]relayChoice

	fillings *fillings
}

type relayKey struct{ left, changes int }

type timedRelay struct {
	relay
	time  float64 // +Inf: none is faster than tried
	tried float64
}

type relayChoice struct {
	time float64
	size int // of the first stage
}

// stage returns the best single stage from one root to the given number of nodes, if it takes less
// time than within; otherwise the time is infinite. All sizes up to the number of nodes are asked
// for, and few of them win, so bounds come before forests.
func (s *relaySearch) stage(size int, within float64) timedRelay {
	if r, ok := s.stages[size]; ok && (!math.IsInf(r.time, 1) || within <= r.tried) {
		return r
	}
	best := timedRelay{time: within, tried: within}
	s.pipelined(size, &best)
	s.copied(size, &best)
	if best.time == within {
		best.time = math.Inf(1)
	}
	s.stages[size] = best
	return best
}

// pipelined improves a stage by pipelines down trees.
func (s *relaySearch) pipelined(size int, best *timedRelay) {
	each := s.Alpha + s.Delta
	for _, g := range shapes(&s.Machine, size) {
		if g.width == 0 || g.tooMany(s.bytes) {
			continue
		}
		depth := lowest(size, g.trees, g.fan, g.first)
		most := mostPieces(s.Nodes, g.trees, s.bytes)
		whole := wholeOver(&s.Machine, g, s.bytes)
		if float64(depth)*each+whole >= best.time {
			continue
		}
		chain := g.chainOf(&s.Machine, size)
		if _, least := bestPieces(depth-1, whole, each, most); least >= best.time && !chain || !g.settle(&s.Machine, size) {
			continue
		}
		if pieces, time := bestPieces(depth-1, wholeOver(&s.Machine, g, s.bytes), each, most); time < best.time {
			best.relay, best.time = relay{growth: g, depth: depth, pieces: pieces}, time
		}
		if chain {
			chain := chained{size - 1, g.width, s.bytes}
			if fill, time := s.fillings.best(&s.Machine, chain, mostPieces(s.Nodes, 1, s.bytes), best.time); fill.steps > 0 {
				best.relay, best.time = relay{growth: g, depth: depth, pieces: fill.pieces, filled: fill}, time
			}
		}
	}
}

// copied improves a stage by whole copies down trees.
func (s *relaySearch) copied(size int, best *timedRelay) {
	for fan := 1; fan <= s.Ports; fan++ {
		g := grove{roots: 1, nodes: size, fan: fan, width: s.Ports / fan, below: size - 1, depth: levelsOf(fan, size)}
		if s.Duplex && g.depth > 1 {
			g.width = s.Ports / (fan + 1)
		}
		if g.width == 0 {
			break
		}
		list := []grove{g}
		if wide, more := g.widened(s.Ports, s.Duplex); more {
			list = append(list, wide.lowered())
		}
		for _, g := range list {
			for steps := 1; steps <= g.mostSteps(); steps++ {
				if leastCopied(s.Search, g.depth, steps, s.bytes) >= best.time {
					break
				}
				for _, g := range g.orders(s.Search, steps) {
					if time := s.Time(g.takes(&s.Machine), s.bytes); time < best.time {
						best.relay, best.time = relay{growth: growth{trees: 1}, depth: g.depth, pieces: 1, whole: g}, time
					}
				}
			}
		}
	}
}

// best returns the best way to multiply the number of nodes that have the message by left.
func (s *relaySearch) best(left, changes int) relayChoice {
	if left == 1 {
		return relayChoice{}
	}
	key := relayKey{left, changes}
	if c, ok := s.known[key]; ok {
		return c
	}
	best := relayChoice{s.stage(left, math.Inf(1)).time, left}
	if fewer := digit.Spend(changes, 1); fewer >= 0 {
		after := s.Wait + s.least(2) // at least one more stage
		for size := 2; size < left; size++ {
			if s.Stopped() || s.least(size)+after >= best.time*(1+rounded) {
				break
			}
			time := s.stage(size, best.time*(1+rounded)-after).time + s.Wait
			if time >= best.time {
				continue
			}
			if time += s.best(arithmetic.CeilDiv(left, size), fewer).time; time < best.time {
				best = relayChoice{time, size}
			}
		}
	}
	s.known[key] = best
	return best
}

// rounded is how much sums of the same times in another order may differ.
const rounded = 1e-12

// least returns a lower bound on the time of any stage to the given number of nodes or more.
func (s *relaySearch) least(size int) float64 {
	return s.Alpha + s.Delta*float64(levelsOf(s.Ports, size)) + s.PerByte*s.bytes/float64(s.Ports)
}

// relayCasts returns the best pipelines with reconfigurations in between.
func relayCasts(s *digit.Search, nodes int, bytes float64) []cast {
	if s.Stopped() {
		return nil
	}
	r := &relaySearch{Search: s, bytes: bytes, stages: map[int]timedRelay{}, known: map[relayKey]relayChoice{}, fillings: newFillings(s.Memory, nodes)}
	var all []relay
	changes := s.Changes
	for roots := 1; roots < nodes; changes = digit.Spend(changes, 1) {
		size := r.best(arithmetic.CeilDiv(nodes, roots), changes).size
		st := r.stage(size, math.Inf(1)).relay
		st.roots, st.nodes = roots, min(nodes, roots*size)
		all = append(all, st)
		roots = st.nodes
	}
	if len(all) < 2 || s.Stopped() {
		return nil // pipelineCasts and treeCasts have that
	}
	if !fitPorts(&s.Machine, all) {
		return nil
	}
	time := float64(len(all)-1)*s.Wait + fitPieces(s, all, bytes)
	names := make([]string, len(all))
	for i, st := range all {
		names[i] = fmt.Sprintf("%d to %d in %d", st.roots, st.nodes, st.pieces*st.trees)
	}
	about := "pieces down trees one after the other: " + strings.Join(names, ", ")
	return []cast{{Time: time, Changes: len(all) - 1, About: about, Build: func() Laid { return layRelays(s, nodes, all) }}}
}

// fitPorts reports whether the ports are enough for all groups of the stages. On two-way circuits
// nodes may have more neighbours in a smaller group.
func fitPorts(m *digit.Machine, all []relay) bool {
	if !m.Duplex {
		return true
	}
	for _, st := range all {
		smaller := st.nodes / st.roots
		if st.whole.steps > 0 || st.drain != nil || smaller == st.size() || smaller < 2 {
			continue
		}
		if m.Ports/newForest(smaller, st.trees, st.fan, st.first).degree(smaller) < st.width {
			return false
		}
	}
	return true
}

// maxChunks limits the number of chunks that the pieces of all stages consist of.
const maxChunks = 1 << 13

// fitPieces gives each stage the depth of its deepest group and returns the time of all stages.
// If the pieces of the stages would divide the message into too many chunks, it rounds the pieces
// per tree of each stage to a power of two.
func fitPieces(s *digit.Search, all []relay, bytes float64) float64 {
	for round := range 2 {
		chunks, time := 1, 0.0
		for i := range all {
			st := &all[i]
			if st.whole.steps > 0 {
				time += s.Time(st.whole.takes(&s.Machine), bytes)
				continue
			}
			if round == 1 {
				st.pieces = 1 << int(math.Round(math.Log2(float64(st.pieces))))
				if st.filled.steps > 0 {
					st.filled = filling{st.pieces, max(1, st.pieces-1)}
				}
			}
			// Smaller groups may have one level more, because fewer nodes can have children.
			for size := (st.nodes - st.roots + 1) / st.roots; size <= st.size(); size++ {
				st.depth = max(st.depth, lowest(size, st.trees, st.fan, st.first))
			}
			chunks = arithmetic.LCM(chunks, st.pieces*st.trees)
			if st.filled.steps > 0 {
				chain := chained{st.size() - 1, st.width, bytes}
				time += newFillings(s.Memory, s.Nodes).time(&s.Machine, st.filled, chain)
				continue
			}
			time += inPieces(st.depth-1, st.pieces, wholeOver(&s.Machine, st.growth, bytes), s.Alpha+s.Delta)
		}
		if chunks <= maxChunks || round == 1 {
			return time
		}
	}
	panic("unreachable")
}

// layRelays lays out the stages.
func layRelays(s *digit.Search, nodes int, all []relay) Laid {
	chunks := 1
	for i := range all {
		chunks = arithmetic.LCM(chunks, all[i].pieces*all[i].trees)
		if all[i].drain != nil && all[i].drain.parts > 0 {
			chunks *= all[i].trees
		}
	}
	l := Laid{Space: collective.SpaceOf(collective.Broadcast, nodes, chunks)}
	for i := range all {
		if st := &all[i]; st.whole.steps > 0 {
			g := st.whole
			g.roots, g.nodes = st.roots, st.nodes
			g.below = (g.nodes - 1) / g.roots
			l.Stages = append(l.Stages, layGrove(s, nodes, g, collective.Every(0, 1, chunks)))
		} else {
			l.Stages = append(l.Stages, st.lay(nodes, chunks, s.Duplex))
		}
	}
	return l
}

// ends reports whether the last pieces reach the last level another way than all others.
func (r *relay) ends() bool { return r.drain != nil || r.low != nil && len(r.low.Late) > 0 }

// lay lays out a pipeline: root r has the nodes r, r+roots, ..; smaller groups have one node
// less.
func (r *relay) lay(nodes, chunks int, duplex bool) plan.Stage {
	if r.filled.steps > 0 {
		return r.layFilled(nodes, chunks)
	}
	var edges []topology.Edge
	steps := make([]plan.Step, r.pieces+r.depth-1)
	count := chunks / (r.pieces * r.trees)
	pieces := make([]collective.Chunks, r.pieces*r.trees)
	for i := range pieces {
		pieces[i] = collective.Every(i*count, 1, count)
	}
	forests := map[int]forest{}
	for root := range r.roots {
		size := arithmetic.CeilDiv(r.nodes-root, r.roots)
		f, ok := forests[size]
		if !ok {
			if f = newForest(size, r.trees, r.fan, r.first); r.drain != nil {
				f = r.drain.forest
			} else if r.low != nil {
				f = forest{r.low.Parent, r.low.Level, r.low.Depth}
			}
			forests[size] = f
		}
		for pair, c := range f.links(size, duplex) {
			edges = append(edges, topology.Edge{From: root + pair[0]*r.roots, To: root + pair[1]*r.roots, Count: c * r.width})
		}
		for i := range f.parent {
			for v := 1; v < size; v++ {
				// All pieces take the same route.
				move := copyOver([]int32{int32(root + f.parent[i][v]*r.roots), int32(root + v*r.roots)}, nil)
				for k := range r.pieces {
					if r.ends() && k == r.pieces-1 && f.level[i][v] == f.depth {
						continue // comes another way
					}
					step := &steps[k+f.level[i][v]-1]
					move.Chunks = pieces[k*r.trees+i]
					step.Base = append(step.Base, move)
				}
			}
		}
	}
	if r.drain != nil {
		for _, m := range slices.Concat(r.drain.early, r.drain.last) {
			path := []int32{int32(r.drain.parent[m.over][m.to]), int32(m.to)}
			from, of := ((r.pieces-1)*r.trees+m.tree)*count, count
			if m.parts > 0 {
				from, of = from+m.part*count/r.trees, m.parts*count/r.trees
			}
			step := &steps[r.pieces-1+m.step]
			step.Base = append(step.Base, copyOver(path, collective.Every(from, 1, of)))
		}
	}
	if r.low != nil {
		for _, m := range r.low.Late {
			step := &steps[r.pieces-1+m.Step]
			last := collective.Every(((r.pieces-1)*r.trees+m.Tree)*count, 1, count)
			step.Base = append(step.Base, copyOver([]int32{int32(m.From), int32(m.To)}, last))
		}
	}
	name := fmt.Sprintf("%s of %d", groves(r.trees), r.size())
	if r.roots > 1 {
		name = fmt.Sprintf("%s of %d from each of %d", groves(r.trees), r.size(), r.roots)
	}
	return plan.Stage{Topology: topology.New(nodes, name, edges), Steps: steps}
}
