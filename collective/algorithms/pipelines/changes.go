package pipelines

import (
	"math"
	"slices"
)

// Changes says, for every number of pieces, in how many steps of a pipeline some pair sends that
// did not send in the step before. If every step has circuits of its own, they change at least
// that often.
type Changes struct {
	times *Times
	// needs has one entry per step that was run, but for the first: with how many pieces a new
	// pair sends in it, or none. It is nil for a chain.
	needs  []int
	sorted []int // needs in ascending order
	nodes  int   // of a chain
}

// none is the number of pieces of a step in which all pairs sent in the step before.
const none = math.MaxInt

// ChangesOf runs a pipeline, given its times, for as many steps as these know of. On two-way
// circuits a pair is the same in both directions.
func ChangesOf(n, ports int, trees []Tree, times *Times, twoWay bool) *Changes {
	c := &Changes{times: times, nodes: n}
	if times.full == nil { // the first piece uses every pair for the first time
		return c
	}
	r := newRun(n, math.MaxInt, ports, trees)
	slots := slotsOf(trees, twoWay)
	last := make([]int, (len(trees)+1)*n) // by slot: 1 + the step in which the pair sent last
	need := none
	r.now.sent = func(number, _, dst int) {
		at := &last[slots[number%len(trees)][dst]]
		if *at < len(c.needs) { // pieces are sent in ascending order
			need = min(need, number+1)
		}
		*at = len(c.needs) + 1
	}
	for range times.full {
		need = none
		r.step()
		c.needs = append(c.needs, need)
	}
	c.needs = c.needs[1:]
	c.sorted = slices.Sorted(slices.Values(c.needs))
	return c
}

// AtLeast returns a lower bound on the changes between the steps of a pipeline with that many
// pieces, which does not fall as pieces are added. If the pipeline is not known to repeat itself,
// only the steps that were run count.
func (c *Changes) AtLeast(pieces int) int {
	if c.times.full == nil {
		return max(0, c.nodes-2)
	}
	repeated := 0 // changes in the periods that are left out of listed
	if p := c.times.Period; p != nil {
		listed, times := c.times.listed(pieces)
		pieces = listed
		for _, need := range c.needs[p.From:p.To] { // of the steps From+1..To
			if need != none {
				repeated += times
			}
		}
	}
	changes, _ := slices.BinarySearch(c.sorted, pieces+1)
	return changes + repeated
}

// slotsOf numbers the pairs of trees: by tree, the number of the pair of a node and its parent.
func slotsOf(trees []Tree, twoWay bool) [][]int {
	known := map[[2]int]int{}
	slots := make([][]int, len(trees))
	for i, t := range trees {
		slots[i] = make([]int, len(t))
		for u, children := range t {
			for _, v := range children {
				pair := [2]int{u, v}
				if twoWay {
					pair = [2]int{min(u, v), max(u, v)}
				}
				slot, ok := known[pair]
				if !ok {
					slot = len(known)
					known[pair] = slot
				}
				slots[i][v] = slot
			}
		}
	}
	return slots
}
