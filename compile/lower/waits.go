package lower

import (
	"slices"

	"github.com/lightpath-net/lightpath/compile/program"
)

// waits finds which operations of other thread blocks each operation of a rank must wait for:
// those that last wrote what it reads or writes, and those that have since read what it writes.
// It leaves out a wait that follows from others: for every thread block, an operation knows how
// far that block was when the awaited operations ended.
//
// at gives the block and position of each event, in the order of the list. The time is O(events
// * blocks), plus the size of all operands.
func waits(layout *program.BufferMap, rank int, blocks []program.Block, at []program.Dep) {
	type access struct {
		write program.Dep
		wrote bool
		reads []program.Dep
	}
	memory := map[int]*access{}
	touch := func(loc program.Loc) *access {
		address := layout.Address(rank, loc)
		a := memory[address]
		if a == nil {
			a = &access{}
			memory[address] = a
		}
		return a
	}
	known := make([][][]int32, len(blocks)) // by operation: how far each block is known to be
	for b := range blocks {
		known[b] = make([][]int32, len(blocks[b].Ops))
	}
	latest := make([]int32, len(blocks)) // per block: the last operation to wait for, from 1
	var list []int32
	for _, d := range at {
		op := &blocks[d.Block].Ops[d.Op]
		wait := func(w program.Dep) {
			if w.Block == d.Block {
				return
			}
			if latest[w.Block] == 0 {
				list = append(list, w.Block)
			}
			latest[w.Block] = max(latest[w.Block], w.Op+1)
		}
		reads := func(loc program.Loc) {
			for k := range int(op.Count) {
				if a := touch(loc.Plus(k)); a.wrote {
					wait(a.write)
				}
			}
		}
		if op.Kind.Reads() {
			reads(op.Src)
		}
		if op.Kind == program.Reduce {
			reads(op.Dst)
		}
		if op.Kind.Writes() {
			for k := range int(op.Count) {
				a := touch(op.Dst.Plus(k))
				if a.wrote {
					wait(a.write)
				}
				for _, r := range a.reads {
					wait(r)
				}
			}
		}
		knows := make([]int32, len(blocks))
		if d.Op > 0 {
			copy(knows, known[d.Block][d.Op-1])
		}
		op.Deps = needed(list, latest, knows, known)
		knows[d.Block] = d.Op + 1
		known[d.Block][d.Op] = knows
		for _, b := range list {
			latest[b] = 0
		}
		list = list[:0]
		if op.Kind.Reads() {
			for k := range int(op.Count) {
				a := touch(op.Src.Plus(k))
				a.reads = append(a.reads, d)
			}
		}
		if op.Kind.Writes() {
			for k := range int(op.Count) {
				a := touch(op.Dst.Plus(k))
				a.write, a.wrote, a.reads = d, true, a.reads[:0]
			}
		}
	}
}

// needed returns the waits for the latest operation of each listed block, except for waits that
// follow from what is known or from other waits, and updates what is known.
func needed(list, latest, knows []int32, known [][][]int32) []program.Dep {
	var open []program.Dep
	for _, b := range list {
		if latest[b] > knows[b] {
			open = append(open, program.Dep{Block: b, Op: latest[b] - 1})
		}
	}
	slices.SortFunc(open, func(a, b program.Dep) int { return int(a.Block - b.Block) })
	var deps []program.Dep
	for i, w := range open {
		implied := slices.ContainsFunc(open, func(other program.Dep) bool {
			return other != w && known[other.Block][other.Op][w.Block] > w.Op
		})
		if implied {
			continue
		}
		deps = append(deps, open[i])
	}
	for _, w := range open {
		for b, far := range known[w.Block][w.Op] {
			knows[b] = max(knows[b], far)
		}
	}
	return deps
}
