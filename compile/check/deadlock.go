package check

import (
	"fmt"
	"slices"
	"strings"
)

// sort returns the events in an order that the edges allow (Kahn's algorithm, in
// O(events + edges)), and those that wait for ever: none if there is no cycle.
func (g *Graph) sort(before *edges) (order []int32, stuck []bool) {
	n := int32(len(g.events))
	waits := make([]int32, n)
	after := edges{first: make([]int32, n+2), from: make([]int32, len(before.from))}
	for to := range n {
		waits[to] = int32(len(before.before(to)))
		for _, from := range before.before(to) {
			after.first[from+2]++
		}
	}
	for i := 2; i < len(after.first); i++ {
		after.first[i] += after.first[i-1]
	}
	for to := range n {
		for _, from := range before.before(to) {
			after.from[after.first[from+1]] = to
			after.first[from+1]++
		}
	}
	order = make([]int32, 0, n)
	for e := range n {
		if waits[e] == 0 {
			order = append(order, e)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, next := range after.before(order[i]) {
			if waits[next]--; waits[next] == 0 {
				order = append(order, next)
			}
		}
	}
	if len(order) == len(g.events) {
		return order, nil
	}
	stuck = make([]bool, n)
	for e, left := range waits {
		stuck[e] = left > 0
	}
	return order, stuck
}

// deadlock looks for a cycle of waiting. It returns the slots per connection that are
// enough, 0 if there are no connections.
func (g *Graph) deadlock() (slots int, err error) {
	if g.full == nil {
		with := g.joined(0)
		if _, stuck := g.sort(&with); stuck != nil {
			return 0, g.cycle(&with, stuck)
		}
		return 0, nil
	}
	for slots = 1; ; slots *= 2 {
		with := g.joined(slots)
		_, stuck := g.sort(&with)
		if stuck == nil {
			return slots, nil
		}
		if slots >= g.slots {
			return 0, g.cycle(&with, stuck)
		}
	}
}

// joined returns the edges with those of full connections and of waits.
func (g *Graph) joined(slots int) edges {
	list := slices.Clone(g.weak)
	if g.full != nil {
		list = append(list, g.full(slots)...)
	}
	for to := range int32(len(g.events)) {
		for _, from := range g.order.before(to) {
			list = append(list, edge{from, to})
		}
	}
	return byTarget(len(g.events), list)
}

// Sequential reports whether the program completes with one slot per connection.
func (g *Graph) Sequential() bool {
	with := g.joined(1)
	_, stuck := g.sort(&with)
	return stuck == nil
}

// cycle names events that wait for one another.
func (g *Graph) cycle(before *edges, stuck []bool) error {
	at := int32(0)
	for !stuck[at] {
		at++
	}
	seen := map[int32]int{}
	var path []int32
	for {
		if first, again := seen[at]; again {
			path = path[first:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		for _, from := range before.before(at) {
			if stuck[from] {
				at = from
				break
			}
		}
	}
	const most = 6 // events that are named
	var text strings.Builder
	fmt.Fprintf(&text, "%v", g.events[path[0]].place)
	for i := 1; i < len(path) && i < most; i++ {
		fmt.Fprintf(&text, " waits for %v, which", g.events[path[i]].place)
	}
	if len(path) > most {
		fmt.Fprintf(&text, " waits, over %d more,", len(path)-most)
	}
	if len(path) == 1 {
		text.WriteString(" waits for itself")
	} else {
		text.WriteString(" waits for the first")
	}
	text.WriteString(": deadlock")
	return fmt.Errorf("%s", text.String())
}
