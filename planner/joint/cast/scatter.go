package cast

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// scatterCasts returns broadcasts that deal out a block to every node in one step and then gather
// the blocks (van de Geijn's way, with the gathers of package digit). The scatter goes over the
// circuits of a gather that stays on one network, or down a tree that is reconfigured for the
// best gather. Broadcasts that take longer than the limit may be left out.
func scatterCasts(s *digit.Search, bytes, limit float64) []cast {
	nodes := s.Nodes
	if bytes < float64(nodes) {
		return nil // a block would be less than a byte
	}
	all := stayingScatters(s, bytes, limit)
	left := digit.Spend(s.Changes, 1)
	if left < 0 {
		return all
	}
	block := bytes / float64(nodes)
	least := s.Time(s.LeastDealt(), block)
	if least+s.Wait >= limit {
		return all
	}
	gathers := s.SolveWithin(digit.Task{Op: digit.AllGather, Nodes: nodes, Scale: 1, Changes: left}, limit-least-s.Wait)
	if len(gathers) == 0 {
		return all
	}
	for fan := 1; fan <= s.Ports; fan++ {
		width := s.Ports / fan
		if s.Duplex && nodes > 2 {
			width = s.Ports / (fan + 1)
		}
		if width == 0 {
			break
		}
		g := grove{roots: 1, nodes: nodes, fan: fan, width: width, below: nodes - 1, depth: levelsOf(fan, nodes)}
		if wide, more := g.widened(s.Ports, s.Duplex); more {
			g = wide.lowered() // with fewer blocks on the root's circuits
		}
		g = g.orders(s, 1)[0]
		takes := g.takes(&s.Machine)
		time := s.Time(takes, block) + s.Wait + gathers[0].Time
		if math.IsInf(time, 1) {
			continue
		}
		all = append(all, cast{Time: time, Changes: 1 + gathers[0].Changes, About: "scatter and gather", Build: func() Laid { return layScatter(s, g, gathers[0]) }})
	}
	return all
}

func layScatter(s *digit.Search, g grove, rest digit.Solution) Laid {
	stages, parts, _ := digit.Listed(rest, collective.AllGather, s.Stores)
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
		Topology: topology.New(g.nodes, fmt.Sprintf("a tree of %d by %d", g.nodes, g.fan), tieUp(edges, s.Duplex)),
		Steps:    []plan.Step{step},
	}
	return Laid{Stages: append([]plan.Stage{first}, stages...), Space: space, deals: []bool{true}}
}

// stayingScatters returns the broadcasts over networks that stay: the network of the best gather
// that has a closed form or several stages of sub-digits, and the network that is best for
// scatter and gather together.
func stayingScatters(s *digit.Search, bytes, limit float64) []cast {
	var all []cast
	nodes := s.Nodes
	least := s.Time(s.LeastDealt(), bytes/float64(nodes))
	if least >= limit {
		return nil
	}
	b := &digit.Board{Keep: 1, Most: limit - least}
	t := digit.Task{Op: digit.AllGather, Nodes: nodes, Scale: 1, Changes: 0}
	if s.Only() == nil {
		s.OnRings(b, t, nodes)
	}
	s.OnNetworks(b, t, nodes)
	if len(b.List) > 0 && b.List[0].Changes == 0 {
		found := b.List[0]
		takes := dealt(found.Digits[0].Make().First())
		one := digit.Shape{Steps: 1, Hops: takes.Hops, Load: s.Machine.Load(takes)}
		all = append(all, scattered(s, found, found.Time+s.Time(one, bytes/float64(nodes))))
	}
	if found, time, ok := s.Dealt(dealt, limit); ok {
		all = append(all, scattered(s, found, time))
	}
	return all
}

// scattered returns the broadcast that deals out blocks over the only network of a gather. time
// is that of the scatter and the gather.
func scattered(s *digit.Search, found digit.Solution, time float64) cast {
	nodes := s.Nodes
	net := found.Digits[0].Make().First()
	return cast{Time: time, About: "scatter and gather on " + net.Graph.Name(), Build: func() Laid {
		stages, parts, _ := digit.Listed(found, collective.AllGather, s.Stores)
		step := plan.Step{Base: make([]plan.Transfer, nodes-1)}
		deal(net, func(path []int32) {
			v := int(path[len(path)-1])
			step.Base[v-1] = copyOver(slices.Clone(path), collective.Every(v*parts, 1, parts))
		})
		stages[0].Steps = append([]plan.Step{step}, stages[0].Steps...)
		return Laid{
			Stages: stages, deals: []bool{true},
			Space: collective.Space{Kind: collective.Blocks, Nodes: nodes, Parts: parts},
		}
	}}
}

// mostDealt bounds the points of networks on which all routes are compared as a whole.
const mostDealt = 256

// dealt returns the tally of deal, in units of what a point gets. If every point has a single
// neighbour, all routes begin with the same link, which carries everything.
func dealt(n *network.Network) network.Tally {
	width := n.Width[n.Out[0][0].Class]
	for _, arcs := range n.Out {
		if len(arcs) > 1 || n.Width[arcs[0].Class] != width {
			return deal(n, func([]int32) {})
		}
	}
	others := float64(n.Points - 1)
	return network.Tally{Hops: n.Diameter, Pair: 1, Peak: others / width, Dilation: others / width}
}

// deal finds shortest paths from point 0 to every other point, the farthest first, each over the
// least loaded links. It returns the tally of the step, in units of what a point gets. It shows
// every path once, and the path is valid only until the next one: all paths of a ring together
// have as many points as the ring has squared.
//
// On networks of few points it finds better routes, which may be longer.
func deal(n *network.Network, show func(path []int32)) network.Tally {
	if n.Points <= mostDealt {
		t, paths := n.Deal()
		for _, path := range paths {
			show(path)
		}
		return t
	}
	dist := n.Distances(0)
	order := make([]int, 0, n.Points)
	for v := 1; v < n.Points; v++ {
		order = append(order, v)
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(dist[b]) - int(dist[a]) })
	load := make([][]float64, n.Points) // of the links into a point
	for v := range load {
		load[v] = make([]float64, len(n.In[v]))
	}
	t := network.Tally{Hops: n.Diameter, Pair: 1}
	buffer := make([]int32, n.Diameter+1)
	for _, v := range order {
		path := buffer[:dist[v]+1]
		at := int32(v)
		path[dist[v]] = at
		delay := 0.0
		for h := int(dist[v]); h > 0; h-- {
			best, least := -1, math.Inf(1)
			for i, a := range n.In[at] {
				if dist[a.Node] != dist[at]-1 {
					continue
				}
				if l := (load[at][i] + 1) / n.Width[a.Class]; l < least {
					best, least = i, l
				}
			}
			load[at][best]++
			t.Peak = max(t.Peak, least)
			delay += 1 / n.Width[n.In[at][best].Class]
			at = n.In[at][best].Node
			path[h-1] = at
		}
		t.Dilation = max(t.Dilation, delay)
		show(path)
	}
	return t
}
