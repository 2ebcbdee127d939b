// Package arrival describes an allgather on a topology by the step in which every
// shard arrives at every node.
//
// A breadth-first broadcast (Zhao et al., Efficient Direct-Connect Topologies, section 6)
// forwards every shard as soon as it can, so that a shard arrives in the step that equals its
// distance. If some nodes have more peers at a distance than others, such a schedule cannot use
// all circuits in every step. A schedule in which shards wait can. Whatever the times are, a
// node that receives a shard in step t may receive it from any neighbours that already have it,
// in any shares. The shares are a small flow problem for each node and step, as in section 6.1.
package arrival

import (
	"fmt"
	"math/bits"

	"github.com/lightpath-net/lightpath/topology"
)

// Times says when shards arrive: Times[u][v] is the step, counted from 1, after which
// node u holds the shard of v. A node holds its own from the start: Times[u][u] is 0.
type Times [][]int

// Steps returns the number of steps.
func (t Times) Steps() int {
	last := 0
	for _, row := range t {
		for _, step := range row {
			last = max(last, step)
		}
	}
	return last
}

// Counts returns how many shards each node receives in each step, and fails unless
// that is the same for all nodes.
func (t Times) Counts() ([]int, error) {
	var counts []int
	for u, row := range t {
		own := make([]int, t.Steps()+1)
		for _, step := range row {
			own[step]++
		}
		if counts == nil {
			counts = own
		}
		for step := range own {
			if own[step] != counts[step] {
				return nil, fmt.Errorf("node %d receives %d shards in step %d, node 0 receives %d", u, own[step], step, counts[step])
			}
		}
	}
	if len(counts) > 0 {
		counts = counts[1:]
	}
	return counts, nil
}

// Check returns nil if an allgather with these times exists on g that uses every circuit
// equally in every step and sends nothing twice, and so is bandwidth-optimal (Zhao et al.,
// Theorem 7). Otherwise it says what prevents it.
//
// All nodes must receive equally many shards in a step, and each must be able to receive the
// same amount over every incoming circuit from neighbours that have it. The latter is a maximum
// flow from the sets of possible senders to the circuits; Theorem 19 of the paper is the
// condition on its cuts. It takes O(n^2 degree) plus the flows, which are small. At most 64
// neighbours may send to a node.
func (t Times) Check(g *topology.Graph) error {
	n := g.Nodes()
	if len(t) != n {
		return fmt.Errorf("times for %d nodes, not %d", len(t), n)
	}
	for u, row := range t {
		if len(row) != n {
			return fmt.Errorf("node %d has times for %d shards, not %d", u, len(row), n)
		}
		for v, step := range row {
			if (step == 0) != (u == v) || step < 0 {
				return fmt.Errorf("node %d has the shard of %d after step %d", u, v, step)
			}
		}
	}
	counts, err := t.Counts()
	if err != nil {
		return err
	}
	from := g.Transpose("")
	for u := range n {
		senders, circuits := from.Row(u)
		if len(senders) > 64 {
			return fmt.Errorf("%d neighbours send to node %d, more than 64", len(senders), u)
		}
		if from.OutDegree(u) != from.OutDegree(0) {
			return fmt.Errorf("%d circuits lead to node %d, but %d to node 0", from.OutDegree(u), u, from.OutDegree(0))
		}
		for step, count := range counts {
			if !even(t.sources(u, step+1, senders), circuits, count) {
				return fmt.Errorf("node %d cannot take the %d shards of step %d evenly from its neighbours", u, count, step+1)
			}
		}
	}
	return nil
}

// sources counts the shards that u receives in a step, by the set of senders that already have
// them. A set is a bit mask.
func (t Times) sources(u, step int, senders []int32) map[uint64]int {
	sets := map[uint64]int{}
	for v, s := range t[u] {
		if s != step {
			continue
		}
		set := uint64(0)
		for i, w := range senders {
			if t[w][v] < step {
				set |= 1 << i
			}
		}
		sets[set]++
	}
	return sets
}

// even reports whether count shards can be spread evenly over all circuits; sets has the number
// of shards that can come from each set of senders. In the units used here a shard has as many
// units as there are circuits, and each circuit carries count units.
func even(sets map[uint64]int, circuits []int32, count int) bool {
	ports := 0
	for _, c := range circuits {
		ports += int(c)
	}
	room := make([]int, len(circuits))
	for i, c := range circuits {
		room[i] = int(c) * count
	}
	sent := map[uint64][]int{}
	for set, shards := range sets {
		sent[set] = make([]int, len(circuits))
		for left := shards * ports; left > 0; {
			moved := augment(sent, room, set, left, new(uint64))
			if moved == 0 {
				return false
			}
			left -= moved
		}
	}
	return true
}

// augment sends at most the given amount from a set over one augmenting path, which visits
// every sender at most once, and returns the amount sent.
func augment(sent map[uint64][]int, room []int, set uint64, most int, seen *uint64) int {
	for open := set &^ *seen; open != 0; open = set &^ *seen {
		i := bits.TrailingZeros64(open)
		*seen |= 1 << i
		if moved := min(most, room[i]); moved > 0 {
			room[i] -= moved
			sent[set][i] += moved
			return moved
		}
		// The circuit is full: another set may be able to use a different one.
		for other, amounts := range sent {
			if amounts[i] == 0 || other == set {
				continue
			}
			if moved := augment(sent, room, other, min(most, amounts[i]), seen); moved > 0 {
				amounts[i] -= moved
				sent[set][i] += moved
				return moved
			}
		}
	}
	return 0
}
