package arrival

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Modified de Bruijn graphs. Zhao et al., figure 17: "the modification rewires the self loops
// and 2-cycles in de Bruijn graph to form a single long cycle without violating degree
// constraint". We read this title as follows: the short cycles are cut open, each at one
// circuit, and joined end to end, so that one of the two circuits of a 2-cycle stays. Of all
// such graphs with the properties in Table 9, we take the one with the least average distance,
// and of several the first in the order of the cycle.
//
// That reading is the one that fits the table: of DBJMod(2,4) it leaves four cycles,
// which are not reverse-symmetric, as the table says; the other two cycles through the
// same nodes, which keep no circuit of the 2-cycle, are.

// rewiring is DeBruijn(d,n) without its short cycles.
type rewiring struct {
	nodes int
	kept  []uint64 // targets of the circuits that stay, as bits
	// partner is the other node of a 2-cycle, the node itself for a self-loop, or -1 for
	// neither.
	partner []int
	words   []int // the nodes on short cycles, ascending
}

func newRewiring(d, n int) (*rewiring, error) {
	g, err := topology.Parse(fmt.Sprintf("DeBruijn(%d,%d)", d, n))
	if err != nil {
		return nil, err
	}
	if g.Nodes() > 64 {
		return nil, fmt.Errorf("%s has more than 64 nodes", g.Name())
	}
	r := &rewiring{nodes: g.Nodes(), kept: make([]uint64, g.Nodes()), partner: make([]int, g.Nodes())}
	for u := range r.nodes {
		r.partner[u] = -1
		to, _ := g.Row(u)
		for _, v := range to {
			if g.Find(int(v), u) < 0 {
				r.kept[u] |= 1 << v
			} else {
				r.partner[u] = int(v)
			}
		}
		if r.partner[u] >= 0 {
			r.words = append(r.words, u)
		}
	}
	return r, nil
}

// cycles yields the long cycles from word 0 on, in lexicographic order, that share no circuit
// with those that stay. The slice is reused.
func (r *rewiring) cycles() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		cycle, used := []int{0}, uint64(1)
		parallel := func(u, v int) bool { return r.kept[u]>>v&1 == 1 }
		var extend func() bool
		extend = func() bool {
			last := cycle[len(cycle)-1]
			if len(cycle) == len(r.words) {
				return parallel(last, 0) || yield(cycle)
			}
			for _, u := range r.words {
				if used>>u&1 == 1 || parallel(last, u) {
					continue
				}
				length, before := len(cycle), used
				cycle, used = append(cycle, u), used|1<<u
				if other := r.partner[u]; other != u {
					cycle, used = append(cycle, other), used|1<<other
				}
				if !extend() {
					return false
				}
				cycle, used = cycle[:length], before
			}
			return true
		}
		extend()
	}
}

// rows returns the targets with the circuits of a long cycle.
func (r *rewiring) rows(cycle []int) []uint64 {
	rows := slices.Clone(r.kept)
	for i, u := range cycle {
		rows[u] |= 1 << cycle[(i+1)%len(cycle)]
	}
	return rows
}

// totalDistance sums the distances between all pairs, and fails if some node cannot
// reach another.
func totalDistance(rows []uint64) (int, bool) {
	all := uint64(1)<<len(rows) - 1
	total := 0
	for u := range rows {
		reached, last := uint64(1)<<u, uint64(1)<<u
		for distance := 1; reached != all; distance++ {
			next := uint64(0)
			for ; last != 0; last &= last - 1 {
				next |= rows[bits.TrailingZeros64(last)]
			}
			if last = next &^ reached; last == 0 {
				return 0, false
			}
			reached |= last
			total += distance * bits.OnesCount64(last)
		}
	}
	return total, true
}

// modifiedDeBruijn finds the graph of a row of Table 9 that is named DBJMod(d,n). It
// enumerates all cycles, which are (s-1)! 2^p for s short cycles if p of them have two nodes, less
// those with parallel circuits, and tries them in the order of preference.
func modifiedDeBruijn(ctx context.Context, w wanted, d, n int) (found, error) {
	r, err := newRewiring(d, n)
	if err != nil {
		return found{}, err
	}
	type candidate struct {
		distance int
		cycle    string // one byte per node
	}
	var candidates []candidate
	for cycle := range r.cycles() {
		if len(candidates)%(1<<16) == 0 && ctx.Err() != nil {
			return found{}, ctx.Err()
		}
		if total, ok := totalDistance(r.rows(cycle)); ok {
			text := make([]byte, len(cycle))
			for i, u := range cycle {
				text[i] = byte(u)
			}
			candidates = append(candidates, candidate{total, string(text)})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	for _, c := range candidates {
		cycle := make([]int, len(c.cycle))
		for i := range cycle {
			cycle[i] = int(c.cycle[i])
		}
		if f, ok, err := w.meets(ctx, fromBits(w.expr, r.rows(cycle))); ok || err != nil {
			return f, err
		}
	}
	return found{}, fmt.Errorf("no graph for %s among %d", w.expr, len(candidates))
}

func fromBits(name string, rows []uint64) *topology.Graph {
	var edges []topology.Edge
	for u, row := range rows {
		for ; row != 0; row &= row - 1 {
			edges = append(edges, topology.Edge{From: u, To: bits.TrailingZeros64(row), Count: 1})
		}
	}
	return topology.New(len(rows), name, edges)
}
