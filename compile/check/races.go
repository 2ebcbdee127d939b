package check

import (
	"fmt"
	"slices"
)

// need says that an event must be ordered before another, because both touch a chunk.
type need struct {
	first, then int32
	addr        int32
}

// races looks for two unordered events that touch the same chunk of a rank, at least one of them
// writing. It goes through accesses in some legal order: if each access is ordered after the
// last write of its chunk and each write also after all reads since, then by transitivity all
// pairs are ordered.
//
// An event a of block A comes before b if b has seen block A up to a. One pass finds how far
// every event has seen one block. The first pass follows only the blocks that touch the rank's
// memory, which is enough for most programs; the second follows all messages. The time is
// O((events + edges) blocks) at worst, the memory one number per event.
func (g *Graph) races(order []int32) error {
	if len(order) == 0 {
		return nil
	}
	position := make([]int32, len(g.events))
	for i, e := range order {
		position[e] = int32(i)
	}
	perRank := make([][]int32, g.layout.Nodes) // events that touch a rank's memory, in order
	for _, e := range order {
		ev := &g.events[e]
		last := int32(wire)
		for _, list := range [2][]operand{ev.srcs, ev.dsts} {
			for _, o := range list {
				if o.mem != wire && o.mem != last {
					if touched := perRank[o.mem]; len(touched) == 0 || touched[len(touched)-1] != e {
						perRank[o.mem] = append(perRank[o.mem], e)
					}
					last = o.mem
				}
			}
		}
	}
	seen := make([]int32, len(g.events))
	local := make([]bool, len(g.blocks))
	memory := g.layout.Reserved() + g.scratch
	lastWrite := make([]int32, memory)
	reads := make([][]int32, memory)
	for rank := range perRank {
		needs := g.needs(int32(rank), perRank[rank], lastWrite, reads)
		if len(needs) == 0 {
			continue
		}
		// The blocks around this memory, with all of their events.
		var around []int32
		for _, e := range perRank[rank] {
			if b := g.events[e].block; !local[b] {
				local[b] = true
				from, end := g.blockOf(b)
				for id := from; id < end; id++ {
					around = append(around, id)
				}
			}
		}
		slices.SortFunc(around, func(a, b int32) int { return int(position[a] - position[b]) })
		needs = g.unmet(needs, around, local, seen)
		for _, e := range perRank[rank] {
			local[g.events[e].block] = false
		}
		if needs = g.unmet(needs, order, nil, seen); len(needs) > 0 {
			return g.race(int32(rank), needs, position)
		}
	}
	return nil
}

// needs lists which events must be ordered because of their accesses to a rank's memory.
func (g *Graph) needs(rank int32, events []int32, lastWrite []int32, reads [][]int32) []need {
	for i := range lastWrite {
		lastWrite[i] = -1
		reads[i] = reads[i][:0]
	}
	var needs []need
	add := func(first, then, addr int32) {
		if a, b := &g.events[first], &g.events[then]; first == then || a.block == b.block {
			return
		}
		if last := len(needs) - 1; last >= 0 && needs[last].first == first && needs[last].then == then {
			return
		}
		needs = append(needs, need{first, then, addr})
	}
	for _, e := range events {
		ev := &g.events[e]
		for _, o := range ev.srcs {
			if o.mem != rank {
				continue
			}
			for a := o.addr; a < o.addr+ev.count; a++ {
				if w := lastWrite[a]; w >= 0 {
					add(w, e, a)
				}
				reads[a] = append(reads[a], e)
			}
		}
		for _, o := range ev.dsts {
			if o.mem != rank {
				continue
			}
			for a := o.addr; a < o.addr+ev.count; a++ {
				if w := lastWrite[a]; w >= 0 {
					add(w, e, a)
				}
				for _, r := range reads[a] {
					add(r, e, a)
				}
				lastWrite[a], reads[a] = e, reads[a][:0]
			}
		}
	}
	return needs
}

// unmet returns the needs that the order does not meet. It looks only at the given events, which
// are sorted, and at edges between blocks that are marked (all if marked is nil).
func (g *Graph) unmet(needs []need, events []int32, marked []bool, seen []int32) []need {
	slices.SortStableFunc(needs, func(a, b need) int { return int(g.events[a.first].block - g.events[b.first].block) })
	var left []need
	for len(needs) > 0 {
		block := g.events[needs[0].first].block
		end := 1
		for end < len(needs) && g.events[needs[end].first].block == block {
			end++
		}
		for _, e := range events {
			most := int32(0)
			if ev := &g.events[e]; ev.block == block {
				most = ev.index + 1
			} else {
				for _, from := range g.order.before(e) {
					if marked == nil || marked[g.events[from].block] {
						most = max(most, seen[from])
					}
				}
			}
			seen[e] = most
		}
		for _, n := range needs[:end] {
			if seen[n.then] < g.events[n.first].index+1 {
				left = append(left, n)
			}
		}
		needs = needs[end:]
	}
	return left
}

// race reports the first need, in the order of the run, that is not met.
func (g *Graph) race(rank int32, needs []need, position []int32) error {
	first := slices.MinFunc(needs, func(a, b need) int { return int(position[a.then] - position[b.then]) })
	a, b := &g.events[first.first], &g.events[first.then]
	return fmt.Errorf("%v %s %s of rank %d, which %v %s: nothing orders the two",
		b.place, b.does(rank, first.addr), g.name(first.addr), rank, a.place, a.does(rank, first.addr))
}

// does says what an event does to a chunk.
func (e *event) does(rank, addr int32) string {
	touches := func(list []operand) bool {
		return slices.ContainsFunc(list, func(o operand) bool {
			return o.mem == rank && addr >= o.addr && addr < o.addr+e.count
		})
	}
	if touches(e.dsts) {
		return "writes"
	}
	return "reads"
}
