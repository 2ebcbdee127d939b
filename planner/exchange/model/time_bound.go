package model

import (
	"iter"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/capped"
)

// Costs are what a fabric charges, in any unit of time.
type Costs struct {
	// Nodes is the number of nodes of the fabric, including those that do not take part but can
	// relay. Ports is the number of ports per node.
	Nodes, Ports int
	TwoWay       bool  // every circuit leads both ways and takes a port at both ends
	Left         []int // ports of each node that takes part; nil: all have Ports
	// Circuits is an upper limit on the circuits that there can be; 0: one for every port.
	Circuits float64
	Idle     bool    // some node, any, has a port less than Ports in the first topology
	Change   float64 // the least time without sending when circuits change
	First    float64 // the same before the first topology: 0 if it is free
	Startup  float64 // of a step
	Hop      float64 // of each hop of the longest way of a step
	Byte     float64 // of a byte over a circuit
}

// TimeBound is a time that no plan of an exchange can beat, by cause.
type TimeBound struct {
	Stages       int // the number of topologies for which the bound is the least
	Changes      float64
	Startups     float64
	Hops         float64
	Transmission float64
}

// Total adds the parts up.
func (b TimeBound) Total() float64 { return b.Changes + b.Startups + b.Hops + b.Transmission }

// UniformTimeBound returns a time that no plan can beat for an all-to-all of n nodes in which
// every node has pair bytes for every other. The bound holds for any topologies, steps and
// ways, and if bytes are divided at will. A step takes Startup, Hop for each hop of its longest
// way, and the sending time of its busiest circuit. It takes O(n^2 log n) at most.
//
// A plan has some number d of topologies, counted once as long as circuits stay. For every d:
//
//   - There are d-1 changes and at least d steps.
//   - If the steps of topology i have h_i hops together, at least 1, a node's bytes reach at
//     most the product of 1 + k + .. + k^h_i nodes, itself included, and must reach n. The
//     logarithm of a factor is concave in h_i, so that the product is largest if the h_i are
//     as equal as possible, which gives the fewest hops together.
//   - Bytes that make h hops have one of C(h+d-1, d-1) divisions of these among the
//     topologies and one of k^h choices of circuits. Their product bounds the destinations of
//     a source at h hops (RelayBound). The hops of all bytes are fewest if the destinations
//     with the most bytes take the nearest places, and the circuits of all nodes carry them.
//     Besides, a node sends and receives its data over its own circuits.
//
// Once every destination can have a circuit of its own, more topologies do not reduce what
// circuits send, and need at least one hop each. So the least bound over d up to there holds
// for all d.
func UniformTimeBound(n int, pair float64, c Costs) TimeBound {
	reach, least := make([]int, n), c.Ports
	for u := range reach {
		reach[u] = n
		least = min(least, max(1, c.ports(u)))
	}
	return leastTime(reach, c, func(_ int, beyond func(ports int) []int) float64 {
		hops := n * arithmetic.Sum(beyond(c.Ports))
		for u := range c.Left {
			hops += arithmetic.Sum(beyond(c.Left[u])) - arithmetic.Sum(beyond(c.Ports))
		}
		return max(float64(hops)*pair/c.circuits(n), float64(n-1)*pair/float64(least))
	})
}

// DemandTimeBound is UniformTimeBound for a demand in bytes. With one port and one topology nodes
// also pass on what others send: see ringBytes. And a circuit that leaves a node idle cannot
// help others: see passOn.
func DemandTimeBound(demand Demand, c Costs) TimeBound {
	n := demand.Nodes()
	rows := NewDemandRows(demand)
	reach := make([]int, n)
	for _, side := range rows.sums {
		for u, sums := range side {
			// The first place after which nothing is added.
			reach[u] = max(reach[u], 1+slices.Index(sums, sums[n-1]))
		}
	}
	busiest := rows.busiest()
	return leastTime(reach, c, func(topologies int, beyond func(ports int) []int) float64 {
		least := 0.0
		if topologies == 1 && c.Ports == 1 && !c.TwoWay {
			least = ringBytes(demand)
		}
		for u, bytes := range busiest {
			least = max(least, float64(bytes)/float64(max(1, c.ports(u))))
		}
		for _, side := range rows.sums {
			hops := 0
			for u, sums := range side {
				for _, count := range beyond(c.ports(u)) {
					hops += sums[n-1] - sums[n-1-count]
				}
			}
			least = max(least, float64(passOn(hops, demand.Total(), busiest))/c.circuits(n))
		}
		return least
	})
}

// passOn returns what the circuits of all nodes carry together or leave unused, at least, if a
// demand makes the given hops: hops plus, for every node, the difference between what it sends
// and receives.
//
// In a time in which a circuit carries T bytes, k circuits into a node and k out of it carry kT
// each. A node passes on all that comes in and is not for it, so it passes on at most kT less
// what it sends or receives, whichever is more. The hops of all bytes are what nodes send and
// what they pass on.
func passOn(hops, total int, busiest []int) int {
	for _, bytes := range busiest {
		hops += bytes
	}
	return hops - total
}

// ports returns the ports of a node that takes part.
func (c *Costs) ports(u int) int {
	if c.Left == nil {
		return c.Ports
	}
	return c.Left[u]
}

// circuits returns how many circuits there can be if n nodes take part.
func (c *Costs) circuits(n int) float64 {
	if c.Circuits > 0 {
		return c.Circuits
	}
	return float64(max(c.Nodes, n) * c.Ports)
}

// ways yields upper limits on the nodes at 1, 2, .. hops over d topologies from a node with the
// given ports, all others having c.Ports. By symmetry as many ways begin at each port.
func (c *Costs) ways(ports, d, n int) iter.Seq[int] {
	all := AcrossAll
	if c.TwoWay {
		all = AcrossTwoWay
	}
	if ports == c.Ports {
		return all(c.Ports, d, n)
	}
	return func(yield func(int) bool) {
		for count := range all(c.Ports, d, n*c.Ports) {
			if !yield(min(count/c.Ports*ports, n)) {
				return
			}
		}
	}
}

// leastTime returns the least bound over all numbers of topologies if the nodes must each reach
// the given numbers of nodes, themselves included. bytes returns a lower bound on the bytes of
// the busiest circuit, given the number of topologies and, for a node with some number of
// ports, the numbers of destinations beyond 0, 1, .. hops.
func leastTime(reach []int, c Costs, bytes func(topologies int, beyond func(ports int) []int) float64) TimeBound {
	n, most := len(reach), slices.Max(reach)
	best := TimeBound{Hops: math.Inf(1)}
	few := 0 // hops that any number of topologies needs: one hop multiplies by 1+k at most
	for nodes := 1; nodes < most; few++ {
		nodes = capped.Times(nodes, 1+c.Ports, most)
	}
	fewest := c.Ports
	for u := range c.Left {
		fewest = min(fewest, max(1, c.Left[u]))
	}
	places := n - 1 // with as many circuits in all topologies together, each peer can have its own
	if c.Idle {
		places++
	}
	for d := 1; d <= arithmetic.CeilDiv(places, fewest); d++ {
		b := TimeBound{Stages: d, Changes: c.First + float64(d-1)*c.Change, Startups: float64(d) * c.Startup}
		if b.Total()+float64(max(d, few))*c.Hop >= best.Total() {
			break // more topologies are no better
		}
		hops := c.fewestHops(most, d, c.Ports)
		if c.Idle {
			hops = max(hops, c.fewestHops(slices.Min(reach), d, c.Ports-1))
		}
		for u := range c.Left {
			if ports := c.Left[u]; ports < c.Ports && ports > 0 {
				hops = max(hops, c.fewestHops(reach[u], d, ports))
			}
		}
		if hops == unreachable {
			continue
		}
		b.Hops = float64(hops) * c.Hop
		lists := map[int][]int{}
		b.Transmission = c.Byte * bytes(d, func(ports int) []int {
			if lists[ports] == nil {
				lists[ports] = slices.Collect(left(n, c.ways(ports, d, n)))
			}
			return lists[ports]
		})
		if b.Total() < best.Total() {
			best = b
		}
	}
	return best
}

// unreachable is the number of hops with which some node cannot be reached.
const unreachable = math.MaxInt

// fewestHops returns the least sum of d numbers h, each at least 1, for which the product of
// the nodes within h hops is at least a number of nodes, if the first node has the given ports
// in the first topology.
func (c *Costs) fewestHops(nodes, d, ports int) int {
	grows := c.Ports
	if c.TwoWay {
		grows--
	}
	equal := func(nodes, d int) int {
		if d == 0 || grows == 0 { // pairs, which more hops do not help
			reached := 1
			for range d {
				reached = capped.Times(reached, 1+c.Ports, nodes)
			}
			if reached < nodes {
				return unreachable
			}
			return d
		}
		return fewestHops(nodes, c.Ports, grows, d)
	}
	if ports == c.Ports {
		return equal(nodes, d)
	}
	best := unreachable
	for h, last := 1, 0; h < best; h++ {
		now := ball(ports, grows, h, nodes)
		if now == last {
			break // no more hops help
		}
		if rest := equal(arithmetic.CeilDiv(nodes, now), d-1); rest < unreachable {
			best = min(best, h+rest)
		}
		last = now
	}
	return best
}

// fewestHops returns the least sum of d numbers h, each at least 1, for which the product of
// 1 + k + k g + .. + k g^(h-1) is at least a number of nodes.
func fewestHops(nodes, k, g, d int) int {
	for hops := d; ; hops++ {
		product := 1
		for i := range d {
			product = capped.Times(product, ball(k, g, (hops+i)/d, nodes), nodes)
		}
		if product >= nodes {
			return hops
		}
	}
}

// ball returns 1 + k + k g + .. + k g^(h-1), at most limit.
func ball(k, g, h, limit int) int {
	sum, layer := 1, min(k, limit)
	for range h {
		if sum += layer; sum >= limit {
			return limit
		}
		layer = capped.Times(layer, g, limit)
	}
	return sum
}
