package check

import (
	"fmt"
	"slices"
	"strings"
)

// sort returns the events in an order that the edges allow (Kahn's algorithm, in O(events +
// edges)), and the events that wait forever, none if there is no cycle.
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

// completion says how many slots per connection are enough for a program to complete.
type completion struct {
	slots int  // 0: there are no connections
	whole bool // enough only if no message is split
}

// String says what it means for the user.
func (c completion) String() string {
	switch {
	case c.slots == 0:
		return "no cycle of waiting"
	case c.slots == 1:
		return "completes with one buffer slot per connection, for messages of any size"
	case c.whole:
		return fmt.Sprintf("completes with %d buffer slots per connection, if messages are so small that none is split", c.slots)
	}
	return fmt.Sprintf("completes with the %d buffer slots per connection that the runtime has, for messages of any size", c.slots)
}

// worse reports whether another is worse.
func (c completion) worse(than completion) bool {
	if c.whole != than.whole {
		return c.whole
	}
	return c.slots > than.slots
}

// deadlock looks for a cycle of waiting. With one slot per connection, it does not matter how
// messages are split: a slot is free or not. With more slots, a message of several chunks may
// take one slot per chunk or one for all, so it checks both.
func (g *Graph) deadlock() (completion, error) {
	if g.full == nil {
		return completion{}, g.blocked(0)
	}
	if g.blocked(1) == nil {
		return completion{slots: 1}, nil
	}
	if err := g.blocked(g.slots); err != nil {
		return completion{}, err
	}
	fine, err := g.fine()
	if err != nil {
		return completion{}, err
	}
	return completion{g.slots, fine.blocked(g.slots) != nil}, nil
}

// blocked returns a cycle of waiting with the given number of slots, or nil.
func (g *Graph) blocked(slots int) error {
	with := g.joined(slots)
	if _, stuck := g.sort(&with); stuck != nil {
		return g.cycle(&with, stuck)
	}
	return nil
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

// Safe reports whether the program completes with the slots that connections have, for
// messages of every size.
func (g *Graph) Safe() bool {
	c, err := g.deadlock()
	return err == nil && !c.whole
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
