package islands

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
)

// task is the work of an island on the shares of a chunk of the core.
type task int

const (
	none    task = iota
	reduce       // every place adds up its share
	sort         // every place gets the data for it from every GPU
	scatter      // the root gives every place its share
	gather       // every place gives the root its share
	spread       // every place gives all others its share
)

// tasks returns the tasks of an island in the operation, before and after the core moves chunks.
func (l *lifter) tasks(island int) (before, after task) {
	root := island == 0
	op := l.core.Collective.Op
	switch op {
	case collective.AllReduce:
		return reduce, spread
	case collective.ReduceScatter:
		return reduce, none
	case collective.AllGather:
		return none, spread
	case collective.AllToAll:
		return sort, none
	case collective.Broadcast:
		if root {
			return scatter, spread
		}
		return none, spread
	case collective.RootReduce:
		if root {
			return reduce, gather
		}
		return reduce, none
	case collective.Scatter:
		if root {
			return scatter, none
		}
	case collective.Gather:
		if root {
			return none, gather
		}
	}
	return none, none
}

// item is a piece of a chunk of the core, on an island.
type item struct {
	chunk, piece int
	due          int // the first slot that sends it; it must be collected before
	ready        int // the slot after which it is complete on the core; -1: from the start
}

// schedule assigns the tasks of islands to slots. Items are collected in the order in which the
// core needs them, as early as there is room; those that the next slot needs are collected even
// without room. Items are spread in the order in which they are complete, as far as there is
// room, and the rest in the last slot.
func (l *lifter) schedule() {
	items := l.items()
	l.lengthen(l.slots[0], items)
	for i, home := range l.homes {
		before, after := l.tasks(home)
		list := items[i]
		if before != none {
			slices.SortStableFunc(list, func(a, b item) int { return cmp.Or(a.due-b.due, a.ready-b.ready) })
			l.collect(i, before, list)
		}
		if after != none {
			slices.SortStableFunc(list, func(a, b item) int { return a.ready - b.ready })
			l.deliver(i, after, list)
		}
	}
}

// lengthen makes room in the first slot. The slot lasts until every island has collected what the
// next slot needs, so other islands may use that time to collect what is needed later. With
// early, it also takes what no later slot has room for, since a last slot would need another
// start-up.
func (l *lifter) lengthen(first *slot, items [][]item) {
	most := 0.0
	for i, home := range l.homes {
		if before, _ := l.tasks(home); before != none && !l.rooted(i) {
			due := each.Count(items[i], func(x item) bool { return x.due <= 1 })
			most = max(most, float64(due)*l.cost(i))
			if l.early {
				const rounding = 1e-9
				most = max(most, float64(len(items[i])-l.later(i))*l.cost(i)*(1+rounding))
			}
		}
	}
	for i := range first.room {
		first.room[i] = max(first.room[i], most)
	}
}

// later returns the number of items that fit into the slots between the first and the last.
func (l *lifter) later(home int) int {
	return each.Sum(l.slots[1:len(l.slots)-1], func(s *slot) int {
		return int(s.room[home] / l.cost(home))
	})
}

// rooted reports whether a home has a root with delegates. The root's transfers there are then
// counted apart from those of the others.
func (l *lifter) rooted(home int) bool { return l.delegates && l.homes[home] == 0 }

// items lists, for every home, the items that it may have to collect or spread.
func (l *lifter) items() [][]item {
	space, pieces := &l.core.Collective.Space, l.shares.pieces
	last := len(l.slots) - 1
	table := make([][]item, len(l.homes))
	index := map[int]int{}
	exchange := space.Kind == collective.Pairs
	for i, home := range l.homes {
		index[home] = i
		first := 0
		if exchange {
			first = home * l.chunks()
		}
		due := last + 1
		if _, after := l.tasks(home); after != none {
			due = last // the last slot needs it
		}
		table[i] = make([]item, l.chunks()*pieces)
		for k := range table[i] {
			table[i][k] = item{chunk: first + k/pieces, piece: k % pieces, due: due, ready: -1}
		}
	}
	at := func(node, chunk int) []item { // all pieces
		k, home := l.group.Locate(node)
		if k != 0 {
			chunk = space.Move(l.group, l.group.Inverse(k), chunk)
		}
		i := index[home]
		if exchange {
			if chunk -= home * l.chunks(); chunk < 0 || chunk >= l.chunks() {
				return nil // it only passes through
			}
		}
		return table[i][chunk*pieces : (chunk+1)*pieces]
	}
	for number, s := range l.slots {
		if s.core == nil {
			continue
		}
		for i := range s.core.Base { // images do the same elsewhere
			t := &s.core.Base[i]
			for c := range t.Chunks.All() {
				for k := range l.orbit(s.core) {
					src, dst, chunk := t.Src, t.Dst, c
					if k != 0 {
						src, dst = s.core.Group.Apply(k, src), s.core.Group.Apply(k, dst)
						chunk = space.Move(s.core.Group, k, c)
					}
					for x := s.from; x < s.to; x++ {
						if sent := at(src, chunk); sent != nil {
							sent[x].due = min(sent[x].due, number)
						}
						if got := at(dst, chunk); got != nil {
							got[x].ready = max(got[x].ready, number)
						}
					}
				}
			}
		}
	}
	if l.direct {
		for i := range table { // the core does the rest
			table[i] = slices.DeleteFunc(table[i], func(x item) bool { return x.due < last || x.ready >= 0 })
		}
	}
	return table
}

// orbit lists elements of a step's group, one in each coset of the plan's group.
func (l *lifter) orbit(step *plan.Step) []int {
	if step.Group.Equal(l.group) {
		return []int{0}
	}
	return cosets(step.Group, l.group)
}

// cost returns the cost of an item: the most bytes that a GPU sends or receives for it. In the
// island of a root with delegates (see add) that is the whole item.
func (l *lifter) cost(home int) float64 {
	one := l.space.Bytes(float64(l.size), collective.Single(0))
	if l.rooted(home) {
		return one * float64(l.shares.places)
	}
	if l.of.uneven != nil {
		return one * float64(l.of.uneven.load(l.homes[home]))
	}
	return one * float64(l.shares.places-1)
}

// roomFor returns the room of a slot for a task. The root has room of its own for what only it
// sends or receives.
func (l *lifter) roomFor(s *slot, home int, what task) *float64 {
	if l.rooted(home) && (what == scatter || what == gather) {
		return &s.roots
	}
	return &s.room[home]
}

// collect assigns items, sorted by when they are due, to slots.
func (l *lifter) collect(home int, what task, list []item) {
	cost, next := l.cost(home), 0
	for number, s := range l.slots {
		room := l.roomFor(s, home, what)
		var here []item
		for next < len(list) && (l.phased || list[next].due <= number+1 || *room >= cost || number == len(l.slots)-1) {
			*room -= cost
			list[next].ready = max(list[next].ready, number)
			here = append(here, list[next])
			next++
		}
		l.add(s, home, what, here)
	}
}

// deliver assigns items, sorted by when they are ready, to slots.
func (l *lifter) deliver(home int, what task, list []item) {
	cost, next := l.cost(home), 0
	for number, s := range l.slots {
		room := l.roomFor(s, home, what)
		var here []item
		for next < len(list) && list[next].ready < number && (*room >= cost && !l.phased || number == len(l.slots)-1) {
			*room -= cost
			here = append(here, list[next])
			next++
		}
		l.add(s, home, what, here)
	}
}
