package arrival

import (
	"fmt"
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Eager returns the times of the breadth-first broadcast, which are the distances. It
// fails when some node cannot reach another.
func Eager(g *topology.Graph) (Times, error) {
	n := g.Nodes()
	t := make(Times, n)
	for u := range t {
		t[u] = make([]int, n)
	}
	dist, queue := make([]int32, n), make([]int32, 0, n)
	for v := range n {
		if reached := g.Distances(v, dist, queue); len(reached) < n {
			return nil, fmt.Errorf("node %d of %s reaches %d of %d nodes", v, g.Name(), len(reached), n)
		}
		for u, d := range dist {
			t[u][v] = int(d)
		}
	}
	return t, nil
}

// Candidates yields the ways to spread the n-1 shards that a node receives over the
// given number of steps in which every circuit carries whole shards in all steps but
// the last, and no step needs more than the distances of g allow; the largest early
// counts come first.
func Candidates(g *topology.Graph, steps int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		eager, err := Eager(g)
		if err != nil || steps < 1 {
			return
		}
		most := reachable(eager, steps)
		counts := make([]int, steps)
		var choose func(step, before int) bool
		choose = func(step, before int) bool {
			if step == steps-1 {
				counts[step] = g.Nodes() - 1 - before
				return counts[step] <= 0 || most[step] < g.Nodes()-1 || yield(slices.Clone(counts))
			}
			degree := max(g.Degree(), 1)
			for x := (most[step] - before) / degree * degree; x > 0; x -= degree {
				counts[step] = x
				if !choose(step+1, before+x) {
					return false
				}
			}
			return true
		}
		choose(0, 0)
	}
}

// reachable returns, for every step, how many shards can have reached every node.
func reachable(eager Times, steps int) []int {
	most := make([]int, steps)
	for step := range most {
		most[step] = len(eager)
		for _, row := range eager {
			within := 0
			for _, d := range row {
				if d > 0 && d <= step+1 {
					within++
				}
			}
			most[step] = min(most[step], within)
		}
	}
	return most
}

// Possible reports whether any allgather could bring every node counts[i]/degree of a shard
// over each circuit in step i+1, even one that cuts shards into pieces that arrive at different
// times. It checks each node separately, as if its neighbours had every shard as early as
// distance allows. No is a proof, yes is not.
func Possible(g *topology.Graph, counts []int) bool {
	eager, err := Eager(g)
	if err != nil {
		return false
	}
	from := g.Transpose("")
	for u := range g.Nodes() {
		senders, circuits := from.Row(u)
		if !roomForAll(eager, u, senders, circuits, counts) {
			return false
		}
	}
	return true
}

// roomForAll finds a maximum flow from shards to pairs of sender and step, one unit
// at a time along augmenting paths. A shard is as many units as u has circuits.
func roomForAll(eager Times, u int, senders, circuits []int32, counts []int) bool {
	slots := len(senders) * len(counts)
	holders := make([][]int, slots) // the shard of every unit in a slot
	room := make([]int, slots)
	ports := 0
	for i, c := range circuits {
		ports += int(c)
		for step, count := range counts {
			room[i*len(counts)+step] = int(c) * count
		}
	}
	seen := make([]bool, slots)
	var place func(v int) bool
	place = func(v int) bool {
		for slot := range slots {
			if seen[slot] || eager[senders[slot/len(counts)]][v] > slot%len(counts) {
				continue
			}
			seen[slot] = true
			if len(holders[slot]) < room[slot] {
				holders[slot] = append(holders[slot], v)
				return true
			}
			for i, other := range holders[slot] {
				if other != v && place(other) {
					holders[slot][i] = v
					return true
				}
			}
		}
		return false
	}
	for v := range eager {
		for range ports {
			if clear(seen); v != u && !place(v) {
				return false
			}
		}
	}
	return true
}
