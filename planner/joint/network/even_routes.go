package network

import (
	"math"
	"slices"
)

// evenRounds is how often routes are chosen to even out loads, on networks of up to evenPoints
// points. Few routes change after that. On larger networks links carry so much that loads are
// even after the first round.
const (
	evenRounds = 4
	evenPoints = 64
)

// wayBack is the route of a part of the data of point 0 to a target: the points from the target
// back, and the classes of the links between them.
type wayBack struct {
	target, part int
	nodes        []int32
	classes      []int32
}

// Even is Route for networks with a group, where the routes of point 0 stand for all. It traces
// the route of every part back along the least loaded links, the farthest targets first. Then it
// lays every route again a few times, given the load of all others. The round with the lowest
// peak counts.
func (n *Network) Even(t Towards, parts int, keep bool) (Tally, []Way) {
	dist := n.Distances(0)
	targets := t.targets(dist, nil)
	all := make([]wayBack, 0, len(targets)*parts)
	for _, v := range targets {
		for part := range parts {
			all = append(all, wayBack{target: int(v), part: part})
		}
	}
	load := make([]float64, len(n.Width)) // in parts
	peak := func() float64 {
		most := 0.0
		for c, parts := range load {
			most = max(most, parts/n.Width[c])
		}
		return most
	}
	var best []wayBack
	least := 0.0
	rounds := evenRounds
	if n.Points > evenPoints {
		rounds = 1
	}
	for round := range rounds {
		for i := range all {
			w := &all[i]
			for _, c := range w.classes {
				load[c]--
			}
			if hops := int(dist[w.target]) - t.Low; round == 0 || hops > lookAhead {
				w.nodes, w.classes = n.back0(dist, w.target, hops, load)
			} else {
				a := ahead{Network: n, dist: dist, load: load, least: math.Inf(1)}
				a.nodes = append(a.nodes, int32(w.target))
				a.visit(hops, 0)
				w.nodes, w.classes = a.bestNodes, a.bestClasses
			}
			for _, c := range w.classes {
				load[c]++
			}
		}
		if p := peak(); round == 0 || p < least-1e-9 {
			best, least = slices.Clone(all), p
		} else {
			break
		}
	}
	return n.tallyOf(best, t, parts, keep)
}

// lookAhead is the most hops for which all routes to a target are compared as a whole. Their
// number is at most the number of ports to that power. Longer routes are chosen link by link.
const lookAhead = 3

// ahead compares all routes back and keeps the one that adds least to the squared loads. Links
// that a route passes twice count with their higher load.
type ahead struct {
	*Network
	dist                   []int16
	load                   []float64
	nodes, classes         []int32
	bestNodes, bestClasses []int32
	least                  float64
}

func (a *ahead) visit(hops int, cost float64) {
	if cost >= a.least {
		return
	}
	if hops == 0 {
		a.least, a.bestNodes, a.bestClasses = cost, slices.Clone(a.nodes), slices.Clone(a.classes)
		return
	}
	at := a.nodes[len(a.nodes)-1]
	for _, next := range a.In[at] {
		if a.dist[next.Node] != a.dist[at]-1 {
			continue
		}
		c := next.Class
		a.nodes, a.classes = append(a.nodes, next.Node), append(a.classes, c)
		more := (2*a.load[c] + 1) / a.Width[c] / a.Width[c] // growth of its squared load
		a.load[c]++
		a.visit(hops-1, cost+more)
		a.load[c]--
		a.nodes, a.classes = a.nodes[:len(a.nodes)-1], a.classes[:len(a.classes)-1]
	}
}

// back0 traces a route back from a target over the least loaded links that lead nearer to point
// 0.
func (n *Network) back0(dist []int16, target, hops int, load []float64) (nodes, classes []int32) {
	nodes, classes = make([]int32, 1, hops+1), make([]int32, 0, hops)
	nodes[0] = int32(target)
	at := int32(target)
	for range hops {
		best := n.nearer(dist, at, load)
		at = best.Node
		nodes, classes = append(nodes, at), append(classes, best.Class)
	}
	return nodes, classes
}

// tallyOf returns the tally of routes, and the routes themselves if keep is set.
func (n *Network) tallyOf(all []wayBack, t Towards, parts int, keep bool) (Tally, []Way) {
	var result Tally
	var ways []Way
	amount := 1 / float64(parts)
	load := make([]float64, len(n.Width))
	pairs := map[int]float64{}
	for i := 0; i < len(all); {
		// The parts for one target that take the same route are one message.
		type sent struct {
			nodes []int32
			delay float64
		}
		var same []sent
		j := i
		for ; j < len(all) && all[j].target == all[i].target; j++ {
			w := &all[j]
			result.Hops = max(result.Hops, len(w.classes))
			delay := 0.0
			for _, c := range w.classes {
				load[c] += amount
				delay += amount / n.Width[c]
			}
			k := slices.IndexFunc(same, func(s sent) bool { return slices.Equal(s.nodes, w.nodes) })
			if k < 0 {
				k = len(same)
				same = append(same, sent{nodes: w.nodes})
			}
			same[k].delay += delay
			result.Dilation = max(result.Dilation, same[k].delay)
			if n.Pairs {
				from := int(w.nodes[len(w.nodes)-1])
				k, _ := n.Group.Locate(from)
				pairs[n.Group.Back(k, w.target)] += amount
			}
			if keep {
				path := slices.Clone(w.nodes)
				slices.Reverse(path)
				ways = append(ways, Way{Source: 0, Part: w.part, Path: path})
			}
		}
		i = j
	}
	for c, bytes := range load {
		result.Peak = max(result.Peak, bytes/n.Width[c])
	}
	for _, bytes := range pairs {
		result.Pair = max(result.Pair, bytes)
	}
	return result, ways
}
