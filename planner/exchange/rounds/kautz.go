package rounds

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/topology"
)

// kautzGraphs holds a generalised Kautz graph and the topologies that contraction adds to it. A
// pair takes the first of its shortest paths. Paths with the same number of hops go into the
// first round that has room, and rounds that do not contend are combined (section 4.2). The
// paper packs all paths and then drops the unneeded ones. This implementation packs only the
// needed paths, which leaves fewer holes.
type kautzGraphs struct {
	nodes, ports int
	wires        [][][]int // circuits of each topology
	tree         *pathTree
	stage        int // of tree
}

// NewKautz starts with the generalised Kautz graph for k ports.
func NewKautz(ctx context.Context, nodes, ports int) (*Contraction, error) {
	k := &kautzGraphs{nodes: nodes, ports: ports, tree: newPathTree(nodes)}
	var pairs [][2]int
	for e := range topology.GenKautz(ports, nodes).Edges() {
		for range e.Count {
			pairs = append(pairs, [2]int{e.From, e.To})
		}
	}
	k.wires = append(k.wires, Circuits(nodes, pairs))
	return newContraction(ctx, k)
}

// Circuits divides circuits among ports. It leaves out circuits from a node to itself.
func Circuits(nodes int, pairs [][2]int) [][]int {
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p [2]int) bool { return p[0] == p[1] })
	var circuits [][]int
	for _, match := range matching.Divide(nodes, pairs) {
		next := slices.Repeat([]int{-1}, nodes)
		for _, i := range match {
			next[pairs[i][0]] = pairs[i][1]
		}
		circuits = append(circuits, next)
	}
	return circuits
}

func (k *kautzGraphs) pairs() int { return k.nodes * k.nodes }

func (k *kautzGraphs) pair(u, v int) int { return u*k.nodes + v }

func (k *kautzGraphs) circuits(stage int) [][]int { return k.wires[stage] }

// connect fills the remaining ports with the pairs of the most hops whose nodes both have a
// free port. In a round of trips of different lengths, more trips may end at a node than it has
// ports; then the trips with the most hops are connected.
func (k *kautzGraphs) connect(direct []trip, hops []int32) []int {
	var chosen []int
	out, in := make([]int, k.nodes), make([]int, k.nodes)
	var pairs [][2]int
	add := func(pair int) {
		u, v := pair/k.nodes, pair%k.nodes
		if out[u] == k.ports || in[v] == k.ports {
			return
		}
		out[u]++
		in[v]++
		pairs = append(pairs, [2]int{u, v})
		chosen = append(chosen, pair)
	}
	direct = slices.Clone(direct)
	slices.SortStableFunc(direct, func(a, b trip) int { return cmp.Compare(len(b.ports), len(a.ports)) })
	for _, t := range direct {
		add(t.pair)
	}
	taken := newBitset(k.pairs())
	for _, pair := range chosen {
		taken.set(int32(pair))
	}
	rest := make([]int, 0, k.pairs())
	for pair, h := range hops {
		if h > 1 && !taken.has(int32(pair)) {
			rest = append(rest, pair)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(hops[b], hops[a]) })
	for _, pair := range rest {
		add(pair)
	}
	k.wires = append(k.wires, Circuits(k.nodes, pairs))
	return chosen
}

// from returns the tree of a node on a topology.
func (k *kautzGraphs) from(stage, u int) *pathTree {
	if k.stage != stage || k.tree.start != u {
		k.stage = stage
		k.tree.search(k.wires[stage], u)
	}
	return k.tree
}

func (k *kautzGraphs) distances(stage int) []int32 {
	dist := make([]int32, 0, k.pairs())
	for u := range k.nodes {
		dist = append(dist, k.from(stage, u).hops...)
	}
	return dist
}

// pack puts into one round the paths whose ports differ from their first port in the same way at
// every hop. If two of these paths used a circuit in the same slot, they would have used the same
// circuit in the slot before, and so on back to a common source and port. There are at most
// k^(h-1) such rounds of h hops, the number that the paper allots to them.
func (k *kautzGraphs) pack(stage int, pairs []int) []*round {
	ports := len(k.wires[stage])
	circuits := ports * k.nodes
	// Take paths source by source, so that each tree is searched once; then sort them by hops
	// again.
	trips := make([]trip, 0, len(pairs))
	longest := 0
	for _, pair := range slices.Sorted(slices.Values(pairs)) {
		t := k.from(stage, pair/k.nodes).trip(pair % k.nodes)
		trips = append(trips, t)
		longest = max(longest, len(t.ports))
	}
	trips = ordered(trips, longest+1, func(t *trip) int { return len(t.ports) })
	// turn returns the port of a hop minus the port of the first hop, modulo the ports.
	turn := func(t *trip, hop int) int { return (int(t.ports[hop]-t.ports[0]) + ports) % ports }
	alike := func(a, b *trip) bool {
		for h := range a.ports {
			if turn(a, h) != turn(b, h) {
				return false
			}
		}
		return true
	}
	var rounds []*round
	for len(trips) > 0 {
		end := 1
		for end < len(trips) && len(trips[end].ports) == len(trips[0].ports) {
			end++
		}
		same := trips[:end]
		trips = trips[end:]
		order := make([]int32, len(same)) // sort indices, because trips are large
		for i := range order {
			order[i] = int32(i)
		}
		for h := len(same[0].ports) - 1; h > 0; h-- { // turn is 0 at hop 0
			order = ordered(order, ports, func(i *int32) int { return turn(&same[*i], h) })
		}
		for k, i := range order {
			if k == 0 || !alike(&same[order[k-1]], &same[i]) {
				rounds = append(rounds, &round{})
			}
			rounds[len(rounds)-1].take(same[i], circuits)
		}
	}
	return combine(rounds, circuits)
}

// ordered returns a list sorted by ascending keys below a limit. The sort is stable.
func ordered[T any](list []T, limit int, key func(*T) int) []T {
	end := make([]int, limit+1) // counts by key + 1, then positions in out by key
	for i := range list {
		end[key(&list[i])+1]++
	}
	for k := range limit {
		end[k+1] += end[k]
	}
	out := make([]T, len(list))
	for i := range list {
		k := key(&list[i])
		out[end[k]] = list[i]
		end[k]++
	}
	return out
}
