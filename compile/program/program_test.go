package program_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/program"
)

// A step that waits for three others becomes two nops and the step itself. Operations that wait
// for it then wait for its new place.
func ExampleProgram_SingleDeps() {
	op := func(deps ...program.Dep) program.Op { return program.Op{Kind: program.Copy, Count: 1, Deps: deps} }
	p := &program.Program{Ranks: []program.Rank{{Blocks: []program.Block{
		{Ops: []program.Op{op(), op(), op()}},
		{Ops: []program.Op{op(program.Dep{Block: 0, Op: 0}, program.Dep{Block: 0, Op: 1}, program.Dep{Block: 0, Op: 2})}},
		{Ops: []program.Op{op(program.Dep{Block: 1, Op: 0})}},
	}}}}
	single := p.SingleDeps()
	for b, block := range single.Ranks[0].Blocks[1:] {
		for i, op := range block.Ops {
			fmt.Println(b+1, i, op.Kind, op.Deps, op.Awaited)
		}
	}
	// Output:
	// 1 0 nop [{0 0}] false
	// 1 1 nop [{0 1}] false
	// 1 2 cpy [{0 2}] true
	// 2 0 cpy [{1 2}] false
}

// In place, the input of a rank lies in its own part of the output, whose result is that input.
// No two chunks of a buffer share memory.
func TestLayoutsInPlaceKeepTheirOwnBlock(t *testing.T) {
	for _, op := range collective.Ops() {
		l := program.BufferMap{Op: op, Nodes: 4, Chunks: 8, InPlace: true}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		for r := range l.Nodes {
			for _, buffer := range []program.Buffer{program.Input, program.Output, program.Scratch} {
				var seen []int
				for j := range 2 {
					seen = append(seen, l.Address(r, program.Loc{Buffer: buffer, Offset: int32(j)}))
				}
				slices.Sort(seen)
				if seen[0] == seen[1] {
					t.Errorf("%s: rank %d: two chunks of %v at %d", op, r, buffer, seen[0])
				}
			}
		}
		if op == collective.AllGather {
			item, _ := l.Due(2, 2*l.Block())
			if item != l.Begins(2, 0) || l.Address(2, program.Loc{Buffer: program.Output, Offset: int32(2 * l.Block())}) != l.Address(2, program.Loc{Buffer: program.Input}) {
				t.Error("a rank's own block is elsewhere")
			}
		}
	}
}
