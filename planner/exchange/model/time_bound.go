package model

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/capped"
)

// Costs are what a fabric charges, in any unit of time.
type Costs struct {
	// Nodes is the number of nodes of the fabric, including those that do not take part but can
	// relay. Ports is the number of ports per node.
	Nodes, Ports int
	Change       float64 // the least time without sending when circuits change
	First        float64 // the same before the first topology: 0 if it is free
	Startup      float64 // of a step
	Hop          float64 // of each hop of the longest way of a step
	Byte         float64 // of a byte over a circuit
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
	return leastTime(n, n, c, func(_ int, reach []int) float64 {
		hops := 0
		for _, count := range reach {
			hops += count
		}
		spread := float64(n) * float64(hops) * pair / float64(max(c.Nodes, n)*c.Ports)
		return max(spread, float64(n-1)*pair/float64(c.Ports))
	})
}

// DemandTimeBound is UniformTimeBound for a demand in bytes. With one port and one topology nodes
// also pass on what others send: see ringBytes.
func DemandTimeBound(demand Demand, c Costs) TimeBound {
	n := demand.Nodes()
	rows := NewDemandRows(demand)
	peers := 0
	for _, side := range rows.sums {
		for _, sums := range side {
			// The first place after which nothing is added.
			peers = max(peers, slices.Index(sums, sums[n-1]))
		}
	}
	return leastTime(n, 1+peers, c, func(topologies int, reach []int) float64 {
		least := 0.0
		if topologies == 1 && c.Ports == 1 {
			least = ringBytes(demand)
		}
		for _, side := range rows.sums {
			hops := 0.0
			for _, sums := range side {
				all := sums[n-1]
				least = max(least, float64(all)/float64(c.Ports))
				for _, count := range reach {
					hops += float64(all - sums[n-1-count])
				}
			}
			least = max(least, hops/float64(max(c.Nodes, n)*c.Ports))
		}
		return least
	})
}

// leastTime returns the least bound over all numbers of topologies for n nodes, one of which
// must reach the given number of nodes, itself included. bytes returns a lower bound on the
// bytes of the busiest circuit, given the number of topologies and the numbers of destinations
// beyond 0, 1, .. hops.
func leastTime(n, reach int, c Costs, bytes func(topologies int, beyond []int) float64) TimeBound {
	best := TimeBound{Hops: math.Inf(1)}
	few := 0 // hops that any number of topologies needs: one hop multiplies by 1+k at most
	for nodes := 1; nodes < reach; few++ {
		nodes = capped.Times(nodes, 1+c.Ports, reach)
	}
	for d := 1; d <= CeilDiv(n-1, c.Ports); d++ {
		b := TimeBound{Stages: d, Changes: c.First + float64(d-1)*c.Change, Startups: float64(d) * c.Startup}
		if b.Total()+float64(max(d, few))*c.Hop >= best.Total() {
			break // more topologies are no better
		}
		b.Hops = float64(fewestHops(reach, c.Ports, d)) * c.Hop
		b.Transmission = c.Byte * bytes(d, slices.Collect(left(n, AcrossAll(c.Ports, d, n))))
		if b.Total() < best.Total() {
			best = b
		}
	}
	return best
}

// fewestHops returns the least sum of d numbers h, each at least 1, for which the product of
// 1 + k + .. + k^h is at least a number of nodes.
func fewestHops(nodes, k, d int) int {
	for hops := d; ; hops++ {
		product := 1
		for i := range d {
			product = capped.Times(product, ball(k, (hops+i)/d, nodes), nodes)
		}
		if product >= nodes {
			return hops
		}
	}
}

// ball returns 1 + k + .. + k^h, at most limit.
func ball(k, h, limit int) int {
	sum, layer := 1, 1
	for range h {
		layer = capped.Times(layer, k, limit)
		if sum += layer; sum >= limit {
			return limit
		}
	}
	return sum
}
