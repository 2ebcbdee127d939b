package rounds

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/topology"
)

// kautzGraphs are a generalised Kautz graph and what contraction makes of it. A pair takes
// the first of its shortest paths. Paths of equally many hops go into the first round that
// has room, and rounds that do not contend are combined (section 4.2). The paper packs all
// paths and then drops those that are not needed; here only those that are needed are
// packed, which leaves fewer holes.
type kautzGraphs struct {
	nodes int
	wires [][][]int // circuits of each topology
	tree  *pathTree
	stage int // of the tree
}

func NewKautzGraphs(_ context.Context, nodes, ports int) (Topologies, error) {
	k := &kautzGraphs{nodes: nodes, tree: newPathTree(nodes)}
	var pairs [][2]int
	for e := range topology.GenKautz(ports, nodes).Edges() {
		for range e.Count {
			pairs = append(pairs, [2]int{e.From, e.To})
		}
	}
	k.wires = append(k.wires, Circuits(nodes, pairs))
	return k, nil
}

// Circuits divides circuits among ports. Circuits from a node to itself are left out.
func Circuits(nodes int, pairs [][2]int) [][]int {
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p [2]int) bool { return p[0] == p[1] })
	var circuits [][]int
	for _, match := range flow.Matchings(nodes, pairs) {
		next := slices.Repeat([]int{-1}, nodes)
		for _, i := range match {
			next[pairs[i][0]] = pairs[i][1]
		}
		circuits = append(circuits, next)
	}
	return circuits
}

func (k *kautzGraphs) pairs() int { return k.nodes * k.nodes }

func (k *kautzGraphs) Pair(u, v int) int { return u*k.nodes + v }

func (k *kautzGraphs) Stages() int { return len(k.wires) }

func (k *kautzGraphs) Circuits(stage int) [][]int { return k.wires[stage] }

func (k *kautzGraphs) connect(direct []trip) {
	var pairs [][2]int
	for _, t := range direct {
		pairs = append(pairs, [2]int{int(t.chunk.Origin), int(t.chunk.Dest)})
	}
	k.wires = append(k.wires, Circuits(k.nodes, pairs))
}

// from makes the tree that of a node on a topology.
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

func (k *kautzGraphs) Trip(stage, pair int) trip {
	return k.from(stage, pair/k.nodes).trip(pair % k.nodes)
}

// pack makes a round of the paths whose ports follow each other alike: all of the first
// port, or the second, and so on by the same differences. Two of them that used a circuit
// in the same slot would have come over the same one in the slot before, and so on back to
// a common source and port. Of h hops there are at most k^(h-1) such rounds, which is what
// the paper allots to them.
func (k *kautzGraphs) pack(stage int, trips []trip) []*round {
	ports := len(k.wires[stage])
	circuits := ports * k.nodes
	var rounds []*round
	index := make(map[string]*round)
	for _, t := range trips {
		var key []byte
		for _, p := range t.Ports {
			key = binary.AppendUvarint(key, uint64((int(p-t.Ports[0])+ports)%ports))
		}
		r := index[string(key)]
		if r == nil {
			r = &round{}
			rounds = append(rounds, r)
			index[string(key)] = r
		}
		r.take(t, circuits)
	}
	return combine(rounds, circuits)
}

func (k *kautzGraphs) empty(ports int) *model.Schedule {
	s := &model.Schedule{Nodes: k.nodes, Ports: ports}
	for _, circuits := range k.wires {
		s.Stages = append(s.Stages, model.Stage{Circuits: circuits})
	}
	return s
}
