package verify

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
)

// columns tracks the contributions to a chunk from 512 nodes at a time. Contributions are
// independent: a step acts on each column of the nodes' bit sets separately. Full sets for
// 16384 GPUs take 32 MB, and a step reads as much again without locality; a column of one cache
// line per node takes 1 MB. Whether nodes have anything of the chunk at all is checked once,
// beforehand.
//
// It reports only success. After a failure, dataRun.step finds the error set by set.
type columns struct {
	deeds []deed
	ends  []int // of each step, in deeds
	held  []column
	read  []column
	gives []int   // epoch in which a node contributes to the chunk
	gets  []int   // epoch in which something was added to its value
	aside []sides // by side sum, from 1
	place []int32 // of a contributing node among all contributing nodes
}

// sides are one of the side sums of all nodes.
type sides struct {
	held []column
	gets []int // epoch in which something was added
}

// deed is an event whose source is known to have a value.
type deed struct {
	src, dst int32
	fresh    bool // it replaces the target's value; else it is added
	// early says that the value is read before the step writes, because the source is also a
	// target in the same step, or because only a part is sent.
	early bool
	part  collective.Part
	sides collective.Sides // of the target
}

// column holds the contributions of as many nodes as it has bits.
type column [columnWords]uint64

const columnWords = 8

// proves reports whether the events of a chunk that is reduced, ascending by step, give the
// required result. It returns false if something is wrong, or if there are so few nodes that
// tracking full sets is as fast.
func (r *dataRun) proves(chunk int, events []event) bool {
	duty := r.duties(chunk)
	if !duty.Reduces || r.words <= columnWords || !r.compile(duty, events) {
		return false
	}
	c := &r.columns
	for low := 0; low < len(duty.From); low += columnWords * 64 {
		want, ok := c.follow(duty, low)
		if !ok || slices.ContainsFunc(duty.To, func(u int) bool { return !c.held[u].has(&want) }) {
			return false
		}
	}
	return true
}

// compile translates the events to deeds, unless an event is wrong for any contributions.
func (r *dataRun) compile(duty collective.Duty, events []event) bool {
	c := &r.columns
	if n := len(r.mark); c.held == nil {
		c.held, c.gives, c.gets, c.place = make([]column, n), make([]int, n), make([]int, n), make([]int32, n)
	}
	c.deeds, c.ends = c.deeds[:0], c.ends[:0]
	r.epoch++
	for i, u := range duty.From {
		r.mark[u], c.gives[u], c.place[u] = r.epoch, r.epoch, int32(i)
	}
	for rest := events; len(rest) > 0; {
		end := 0
		for step := r.moves[rest[0].by].step; end < len(rest) && r.moves[rest[end].by].step == step; end++ {
			if src := int(rest[end].src); !r.has(src) || !r.apartInColumns(src, r.moves[rest[end].by].Part) {
				return false
			}
		}
		r.stamp++
		for _, e := range rest[:end] {
			dst, action := int(e.dst), r.moves[e.by].Action
			again := r.wrote[dst] == r.stamp
			if again && (action == collective.Copy || r.action[dst] != action) || action == collective.Reduce && !r.has(dst) {
				return false
			}
			r.wrote[dst], r.action[dst] = r.stamp, action
			r.mark[dst] = r.epoch
			if action == collective.Reduce {
				c.gets[dst] = r.epoch
				for side := range r.moves[e.by].Sides.All() {
					c.side(side).gets[dst] = r.epoch
				}
			} else {
				r.mixed[dst] = r.epoch
			}
			c.deeds = append(c.deeds, deed{
				src: e.src, dst: e.dst, fresh: action == collective.Copy || action == collective.Replace && !again, part: r.moves[e.by].Part, sides: r.moves[e.by].Sides,
			})
		}
		for i := len(c.deeds) - end; i < len(c.deeds); i++ {
			c.deeds[i].early = r.wrote[c.deeds[i].src] == r.stamp || c.deeds[i].part != collective.WholePart
		}
		c.ends = append(c.ends, len(c.deeds))
		rest = rest[end:]
	}
	return !slices.ContainsFunc(duty.To, func(u int) bool { return !r.has(u) })
}

// apartInColumns reports whether a node has a part of the chunk as a separate value. Added
// values are never empty, and what was added stays in a value unless that is mixed.
func (r *dataRun) apartInColumns(u int, part collective.Part) bool {
	c := &r.columns
	gets := c.gets
	if side, _ := part.Side(); side > 0 {
		gets = c.side(side).gets
	}
	return part == collective.WholePart ||
		c.gives[u] == r.epoch && (part == collective.OwnPart || r.mixed[u] != r.epoch && gets[u] == r.epoch)
}

// side returns a side sum of all nodes.
func (c *columns) side(side int) *sides {
	for side > len(c.aside) {
		c.aside = append(c.aside, sides{make([]column, len(c.held)), make([]int, len(c.held))})
	}
	return &c.aside[side-1]
}

// follow tracks the contributions of one column, from the given one on. Afterwards held has the
// nodes' final values, and want has all contributions of the column. It returns ok = false if a
// contribution is added twice.
func (c *columns) follow(duty collective.Duty, low int) (want column, ok bool) {
	clear(c.held)
	for _, s := range c.aside {
		clear(s.held)
	}
	for at, u := range duty.From[low:min(len(duty.From), low+columnWords*64)] {
		want[at/64] |= 1 << (at % 64)
		c.held[u][at/64] |= 1 << (at % 64)
	}
	for from, k := 0, 0; k < len(c.ends); k++ {
		step := c.deeds[from:c.ends[k]]
		from = c.ends[k]
		c.read = c.read[:0]
		for i := range step {
			if step[i].early {
				held := c.held
				if side, _ := step[i].part.Side(); side > 0 {
					held = c.side(side).held
				}
				c.read = append(c.read, held[step[i].src])
				c.read[len(c.read)-1].take(int(c.place[step[i].src])-low, step[i].part)
			}
		}
		early := 0
		for i := range step {
			into, value := &c.held[step[i].dst], &c.held[step[i].src]
			if step[i].early {
				value = &c.read[early]
				early++
			}
			for side := range step[i].sides.All() {
				c.side(side).held[step[i].dst].add(value)
			}
			if step[i].fresh {
				*into = *value
			} else if *value != (column{}) && !into.add(value) {
				return want, false
			}
		}
	}
	return want, true
}

// has reports whether the column contains all the wanted contributions.
func (c *column) has(want *column) bool {
	for w := range want {
		if want[w]&^c[w] != 0 {
			return false
		}
	}
	return true
}

// take turns a value, or a side sum, into a part of it. The node itself contributes one bit, own,
// if that is in the column.
func (c *column) take(own int, part collective.Part) {
	if part == collective.OwnPart {
		*c = column{}
	}
	if part == collective.WholePart || own < 0 || own >= columnWords*64 {
		return
	}
	switch side, with := part.Side(); {
	case part == collective.OwnPart || with:
		c[own/64] |= 1 << (own % 64)
	case side == 0:
		c[own/64] &^= 1 << (own % 64)
	}
}

// add adds contributions, and fails if one of them is present already.
func (c *column) add(more *column) bool {
	twice := uint64(0)
	for w := range c {
		twice |= c[w] & more[w]
		c[w] |= more[w]
	}
	return twice == 0
}
