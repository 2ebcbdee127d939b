package lower

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/program"
)

// places tracks where units are while operations are listed.
type places struct {
	*geometry
	written [][]uint64 // per rank: the units that have left where they began
	homes   [][]int32  // per rank: units that are kept in scratch, ascending; the slot is the index
	rooms   []rooms    // per rank: scratch of messages in transit
	// kept are, per rank, the parts of its sums that are kept separately. Their scratch ends at
	// apartEnds.
	kept      [][]*apart
	apartEnds []int32
}

func newPlaces(g *geometry, all [][][]move) *places {
	p := &places{geometry: g, written: make([][]uint64, g.Nodes), apartEnds: make([]int32, g.Nodes), homes: make([][]int32, g.Nodes), rooms: make([]rooms, g.Nodes)}
	for _, stage := range all {
		for _, moves := range stage {
			for i := range moves {
				m := &moves[i]
				for u := m.first; u < m.end(); u++ {
					if _, ends := p.target(m.dst(), int(u)); !ends {
						p.homes[m.dst()] = append(p.homes[m.dst()], u)
					}
				}
			}
		}
	}
	for r := range p.homes {
		slices.Sort(p.homes[r])
		p.homes[r] = slices.Compact(p.homes[r])
		p.written[r] = make([]uint64, (g.units+63)/64)
	}
	p.keepApart(all)
	for r := range p.rooms {
		p.rooms[r] = rooms{size: int(p.apartEnds[r]), free: map[int32][]room{}}
	}
	return p
}

// target returns the place of units that belong in a rank's output. In place, arriving data of
// an all-to-all would overwrite data that is still to be sent, so it waits in scratch.
func (p *places) target(rank, unit int) (program.Loc, bool) {
	if p.Op == collective.AllToAll && p.InPlace {
		return program.Loc{}, false
	}
	return p.ends(rank, unit)
}

// home returns where a rank keeps a unit that it has received.
func (p *places) home(rank, unit int) program.Loc {
	if at, ends := p.target(rank, unit); ends {
		return at
	}
	slot, _ := slices.BinarySearch(p.homes[rank], int32(unit))
	return program.Loc{Buffer: program.Scratch, Offset: int32(slot)}
}

// at returns where a unit is now, if a rank has it.
func (p *places) at(rank, unit int) (program.Loc, bool) {
	if p.written[rank][unit/64]>>(unit%64)&1 == 1 {
		return p.home(rank, unit), true
	}
	return p.begins(rank, unit)
}

// write records that units are at home from now on.
func (p *places) write(rank int, first, count int32) {
	for u := first; u < first+count; u++ {
		p.written[rank][u/64] |= 1 << (u % 64)
	}
}

// rooms hands out scratch for messages in transit. It reuses freed scratch only in a later step,
// so that a step does not wait for itself, and the oldest scratch first.
type rooms struct {
	size int
	free map[int32][]room
}

type room struct {
	offset int32
	since  int // step
}

func (r *rooms) take(count int32, step int) program.Loc {
	if free := r.free[count]; len(free) > 0 && free[0].since < step {
		r.free[count] = free[1:]
		return program.Loc{Buffer: program.Scratch, Offset: free[0].offset}
	}
	at := program.Loc{Buffer: program.Scratch, Offset: int32(r.size)}
	r.size += int(count)
	return at
}

func (r *rooms) release(at program.Loc, count int32, step int) {
	r.free[count] = append(r.free[count], room{at.Offset, step})
}
