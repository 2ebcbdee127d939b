package pool

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// addUnions adds, if there are several ports, topologies that serve several steps at once: the
// unions of the circuits that match consecutive steps, as far as the ports suffice, and, for
// steps that look the same from every node, the circulants whose jumps are the offsets of any few
// steps. It stops when the context ends.
func (p *Pool) addUnions(ctx context.Context, w *pricing.Workload) {
	if p.Fabric.Ports < 2 {
		return
	}
	rotational := slices.ContainsFunc(w.Classes, func(c pricing.Class) bool { return c.Offsets != nil })
	if (rotational || len(w.Classes) <= maxUnionClasses) && p.Fabric.Nodes <= mostUnited {
		p.addConsecutive(ctx, w)
		p.addMatchingMultisets(ctx, w)
	}
	p.addJumpSets(w)
}

// maxUnionClasses is the number of different steps up to which unions of steps without symmetry
// are worthwhile: each union is a candidate for every step and must be priced for all.
const maxUnionClasses = 32

// mostUnited is the number of nodes up to which the pairs of several steps are collected one by
// one: at 65536 nodes that takes longer than the rest of planning.
const mostUnited = 1 << 14

// maxJumpSets bounds the circulants of addJumpSets. If there would be more, as in an all-to-all,
// which has an offset for every node, the unions of consecutive steps have to suffice.
const maxJumpSets = 300

// addJumpSets adds the circulants of the offsets of any few steps: with equally many circuits for
// each offset and, if there are not too many, with all other divisions of the ports among
// offsets. An offset that many steps use, or a far one, deserves more ports than others (at 64
// GPUs and four ports, DC(64;1,1,2,8) beats all even divisions for recursive doubling that stays
// on one topology).
func (p *Pool) addJumpSets(w *pricing.Workload) {
	f := p.Fabric
	offsets := stepOffsets(w)
	room := f.Ports
	if f.Duplex {
		room /= 2
	}
	p.addMultisets(offsets, room)
	if subsets(len(offsets), room) > maxJumpSets {
		return
	}
	var choose func(from int, chosen []int)
	choose = func(from int, chosen []int) {
		if len(chosen) >= 2 {
			p.AddJumps(p.wide(chosen))
		}
		if len(chosen) == room {
			return
		}
		for i := from; i < len(offsets); i++ {
			choose(i+1, append(slices.Clone(chosen), offsets[i]))
		}
	}
	choose(0, nil)
}

// stepOffsets lists the offsets of the steps that look the same from every node; on a duplex
// fabric, the offset of the shorter way.
func stepOffsets(w *pricing.Workload) []int {
	n := w.Space.Nodes
	var offsets []int
	for i := range w.Classes {
		for _, o := range w.Classes[i].Offsets {
			if w.Fabric.Duplex {
				o = min(o, n-o)
			}
			offsets = append(offsets, o)
		}
	}
	slices.Sort(offsets)
	return slices.Compact(offsets)
}

// maxMultisets bounds the circulants of addMultisets. It does not depend on the cost or the
// overlap of reconfigurations, so more overlap never means fewer candidates. It is small because
// every pair of candidates is compared if the cost of a reconfiguration depends on what changes.
const maxMultisets = 400

// addMultisets adds the circulants that divide all ports among offsets in any way.
func (p *Pool) addMultisets(offsets []int, room int) {
	if len(offsets) < 2 || multisets(len(offsets), room, maxMultisets) > maxMultisets {
		return
	}
	n := p.Fabric.Nodes
	var choose func(from int, chosen []int, ports int)
	choose = func(from int, chosen []int, ports int) {
		if ports == 0 {
			p.AddJumps(slices.Clone(chosen))
			return
		}
		for i := from; i < len(offsets); i++ {
			o := offsets[i]
			switch {
			case !p.Fabric.Duplex:
				choose(i, append(chosen, o), ports-1)
			case 2*o != n:
				choose(i, append(chosen, o, n-o), ports-1)
			}
		}
	}
	choose(0, nil, room)
}

// addMatchingMultisets does the same as addMultisets for steps that are matchings but do not look
// the same from every node, such as exchanges with u XOR 2^k: it adds the unions of their
// circuits for all divisions of the ports among the steps.
func (p *Pool) addMatchingMultisets(ctx context.Context, w *pricing.Workload) {
	f := p.Fabric
	var matchings []*topology.Graph
	for i := range w.Classes {
		if w.Classes[i].Offsets != nil {
			return // addMultisets has them
		}
		if ctx.Err() != nil {
			return
		}
		g, err := topology.Matched(f.Nodes, 1, f.Duplex, w.Classes[i].Step.Pairs(), fmt.Sprintf("matched:%d", i+1))
		if err == nil && !slices.ContainsFunc(matchings, g.Equal) {
			matchings = append(matchings, g)
		}
	}
	if len(matchings) < 2 || multisets(len(matchings), f.Ports, maxMultisets) > maxMultisets {
		return
	}
	counts := make([]int, len(matchings))
	var choose func(from, ports int)
	choose = func(from, ports int) {
		if ctx.Err() != nil {
			return
		}
		if ports == 0 {
			p.addFitting(unionOf(matchings, counts))
			return
		}
		for i := from; i < len(matchings); i++ {
			counts[i]++
			choose(i, ports-1)
			counts[i]--
		}
	}
	choose(0, f.Ports)
}

// unionOf returns the union of matchings, with counts[i] copies of matching i.
func unionOf(matchings []*topology.Graph, counts []int) *topology.Graph {
	var edges []topology.Edge
	name := ""
	for i, g := range matchings {
		if counts[i] == 0 {
			continue
		}
		for e := range g.Edges() {
			edges = append(edges, topology.Edge{From: e.From, To: e.To, Count: counts[i]})
		}
		if name != "" {
			name += " + "
		}
		if counts[i] > 1 {
			name += fmt.Sprintf("%d x ", counts[i])
		}
		name += g.Name()
	}
	return topology.New(matchings[0].Nodes(), name, edges)
}

// multisets counts the multisets of k out of n things, or returns a number above limit.
func multisets(n, k, limit int) int {
	ways := 1
	for i := range k {
		if ways = ways * (n + i) / (i + 1); ways > limit {
			break
		}
	}
	return ways
}

// wide gives every offset equally many circuits, as many as the ports allow; on a duplex fabric
// it adds those that lead back.
func (p *Pool) wide(offsets []int) []int {
	n := p.Fabric.Nodes
	var jumps []int
	need := 0
	for _, o := range offsets {
		need++
		if p.Fabric.Duplex && 2*o != n {
			need++
		}
	}
	for range max(1, p.Fabric.Ports/need) {
		for _, o := range offsets {
			jumps = append(jumps, o)
			if p.Fabric.Duplex && 2*o != n {
				jumps = append(jumps, n-o)
			}
		}
	}
	return jumps
}

// subsets counts the non-empty sets of at most k out of n things, or returns a number above
// maxJumpSets.
func subsets(n, k int) int {
	sum, choose := 0, 1
	for i := 1; i <= min(n, k) && sum <= maxJumpSets; i++ {
		choose = choose * (n - i + 1) / i
		sum += choose
	}
	return sum
}
