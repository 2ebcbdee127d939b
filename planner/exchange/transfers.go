package exchange

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// transfers makes the transfers of a stage from its moves. No two moves begin with the same chunk.
// Chunks that take the same single route form one transfer.
func transfers(moves []move, nodes int) []plan.Transfer {
	order := byEnds(moves, nodes)
	var list []plan.Transfer
	var pack packer
	for len(order) > 0 {
		first := &moves[order[0]]
		end := 1
		for end < len(order) && moves[order[end]].source() == first.source() && moves[order[end]].target() == first.target() {
			end++
		}
		list = pack.between(list, moves, order[:end])
		order = order[end:]
	}
	slices.SortFunc(list, func(a, b plan.Transfer) int { return cmp.Compare(a.Chunks[0].First, b.Chunks[0].First) })
	return list
}

// packer packs chunk numbers in memory that it reuses.
type packer struct {
	numbers []int
	runs    collective.Chunks
}

// between appends the transfers of moves, given by their places, from one node to another.
func (p *packer) between(list []plan.Transfer, moves []move, places []int32) []plan.Transfer {
	slices.SortFunc(places, func(i, j int32) int {
		a, b := &moves[i], &moves[j]
		return cmp.Or(cmp.Compare(len(a.routes), len(b.routes)), slices.Compare(a.path(), b.path()), cmp.Compare(a.first, b.first))
	})
	for len(places) > 0 {
		m := &moves[places[0]]
		end := 1
		if len(m.routes) == 1 {
			for ; end < len(places); end++ {
				other := &moves[places[end]]
				if len(other.routes) != 1 || !slices.Equal(other.path(), m.path()) {
					break
				}
			}
		}
		chunks := collective.Every(m.first, 1, m.count)
		if end > 1 {
			p.numbers = p.numbers[:0]
			for _, i := range places[:end] {
				for c := range moves[i].count {
					p.numbers = append(p.numbers, moves[i].first+c)
				}
			}
			p.runs = collective.AppendOf(p.runs[:0], p.numbers)
			chunks = append(make(collective.Chunks, 0, len(p.runs)), p.runs...)
		}
		list = append(list, plan.Transfer{
			Transfer: collective.Transfer{Src: int(m.source()), Dst: int(m.target()), Action: collective.Copy, Chunks: chunks},
			Routes:   m.routes,
		})
		places = places[end:]
	}
	return list
}

// byEnds returns the places of moves ordered by source and then by target. It is a counting
// sort: ten thousand nodes have millions of moves.
func byEnds(moves []move, nodes int) []int32 {
	order := make([]int32, len(moves))
	for i := range order {
		order[i] = int32(i)
	}
	sorted := make([]int32, len(moves))
	for _, end := range []func(m *move) int32{(*move).target, (*move).source} {
		start := make([]int, nodes+1)
		for i := range moves {
			start[end(&moves[i])+1]++
		}
		for u := range nodes {
			start[u+1] += start[u]
		}
		for _, i := range order {
			at := &start[end(&moves[i])]
			sorted[*at] = i
			*at++
		}
		order, sorted = sorted, order
	}
	return order
}

// slotsOf returns a lower bound on the slots, of one chunk each, that a step takes: the larger
// of the chunks on its busiest circuit and the hops of its longest route.
func slotsOf(step *plan.Step, g *topology.Graph) int {
	carried := map[[2]int]int{}
	most := 0
	for i := range step.Base {
		chunks := step.Base[i].Chunks.Len()
		for _, r := range step.Base[i].Routes {
			most = max(most, len(r.Path)-1)
			for h := 1; h < len(r.Path); h++ {
				k, from := step.Group.Locate(int(r.Path[h-1]))
				circuit := [2]int{from, step.Group.Back(k, int(r.Path[h]))}
				carried[circuit] += chunks
				if count := g.Count(circuit[0], circuit[1]); count > 0 {
					most = max(most, arithmetic.CeilDiv(carried[circuit], count))
				}
			}
		}
	}
	return most
}
