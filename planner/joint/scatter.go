package joint

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// scatters returns broadcasts that deal a block out to every node in one step and then
// gather them (van de Geijn's way, with the gather of this package): over the circuits of a
// gather that stays on one network, or down a tree that is rewired for the best gather.
func scatterCasts(s *search, nodes int, bytes float64) []cast {
	all := stayingScatters(s, nodes, bytes)
	left := spend(s.changes, 1)
	if left < 0 {
		return all
	}
	gathers := s.solve(task{allGather, nodes, 1, left})
	if len(gathers) == 0 {
		return all
	}
	block := bytes / float64(nodes)
	for fan := 1; fan <= s.ports; fan++ {
		width := s.ports / fan
		if s.duplex && nodes > 2 {
			width = s.ports / (fan + 1)
		}
		if width == 0 {
			break
		}
		g := grove{roots: 1, nodes: nodes, fan: fan, width: width, steps: 1, below: nodes - 1}
		for g.depth = 1; treeSize(fan, g.depth, nodes) < nodes; g.depth++ {
		}
		takes := g.takes(&s.machine)
		time := s.time(takes, block) + s.wait + gathers[0].time
		if math.IsInf(time, 1) {
			continue
		}
		all = append(all, cast{time: time, changes: 1 + gathers[0].changes, about: "scatter and gather", build: func() laidCast { return layScatter(s, g, gathers[0]) }})
	}
	return all
}

func layScatter(s *search, g grove, rest solution) laidCast {
	stages, parts, _ := stagesOf(rest, collective.AllGather, s.stores)
	space := collective.Space{Kind: collective.Blocks, Nodes: g.nodes, Parts: parts}
	parent, level := g.grow()
	var edges []topology.Edge
	var step plan.Step
	for v := 1; v < g.nodes; v++ {
		edges = append(edges, topology.Edge{From: parent[v], To: v, Count: g.width})
		path := make([]int32, level[v]+1)
		for h, u := level[v], v; h >= 0; h-- {
			path[h] = int32(u)
			u = parent[u]
		}
		step.Base = append(step.Base, copyOver(path, collective.Every(v*parts, 1, parts)))
	}
	first := plan.Stage{
		Topology: topology.New(g.nodes, fmt.Sprintf("a tree of %d by %d", g.nodes, g.fan), tieUp(edges, s.duplex)),
		Steps:    []plan.Step{step},
	}
	return laidCast{stages: append([]plan.Stage{first}, stages...), space: space, scattering: 1}
}

// staying returns the broadcast over the network of the best gather on one alone.
func stayingScatters(s *search, nodes int, bytes float64) []cast {
	b := &board{keep: 1, most: math.Inf(1)}
	t := task{allGather, nodes, 1, 0}
	s.onRings(b, t, nodes)
	s.onNetworks(b, t, nodes)
	if len(b.list) == 0 {
		return nil
	}
	found := b.list[0]
	p := found.digits[0].make()
	if p.changes > 0 {
		return nil
	}
	net := p.lay()[0].net
	takes := dealt(net)
	one := shape{steps: 1, hops: takes.hops, load: s.machine.load(takes)}
	time := found.time + s.time(one, bytes/float64(nodes))
	return []cast{{time: time, about: "scatter and gather on " + net.graph.Name(), build: func() laidCast {
		stages, parts, _ := stagesOf(found, collective.AllGather, s.stores)
		step := plan.Step{Base: make([]plan.Transfer, nodes-1)}
		deal(net, func(path []int32) {
			v := int(path[len(path)-1])
			step.Base[v-1] = copyOver(slices.Clone(path), collective.Every(v*parts, 1, parts))
		})
		stages[0].Steps = append([]plan.Step{step}, stages[0].Steps...)
		return laidCast{
			stages: stages, scattering: 1,
			space: collective.Space{Kind: collective.Blocks, Nodes: nodes, Parts: parts},
		}
	}}}
}

// dealt is what deal takes, in units of what a point gets. Where points have one next each, all
// ways begin with the same link, which everything goes over.
func dealt(n *network) tally {
	width := n.width[n.out[0][0].class]
	for _, arcs := range n.out {
		if len(arcs) > 1 || n.width[arcs[0].class] != width {
			return deal(n, func([]int32) {})
		}
	}
	others := float64(n.points - 1)
	return tally{hops: n.diameter, pair: 1, peak: others / width, dilation: others / width}
}

// deal finds shortest ways from point 0 to every other, the farthest first, each over the
// least loaded links, and what the step takes in units of what a point gets. It shows every way
// once, which is valid until the next: all of them on a ring are as many points as it has
// squared.
func deal(n *network, show func(path []int32)) tally {
	dist := n.distances(0)
	order := make([]int, 0, n.points)
	for v := 1; v < n.points; v++ {
		order = append(order, v)
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(dist[b]) - int(dist[a]) })
	load := make([][]float64, n.points) // of the links into a point
	for v := range load {
		load[v] = make([]float64, len(n.in[v]))
	}
	t := tally{hops: n.diameter, pair: 1}
	buffer := make([]int32, n.diameter+1)
	for _, v := range order {
		path := buffer[:dist[v]+1]
		at := int32(v)
		path[dist[v]] = at
		delay := 0.0
		for h := int(dist[v]); h > 0; h-- {
			best, least := -1, math.Inf(1)
			for i, a := range n.in[at] {
				if dist[a.node] != dist[at]-1 {
					continue
				}
				if l := (load[at][i] + 1) / n.width[a.class]; l < least {
					best, least = i, l
				}
			}
			load[at][best]++
			t.peak = max(t.peak, least)
			delay += 1 / n.width[n.in[at][best].class]
			at = n.in[at][best].node
			path[h-1] = at
		}
		t.dilation = max(t.dilation, delay)
		show(path)
	}
	return t
}
