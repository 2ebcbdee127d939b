package program_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/samples"
)

func re(src, dst program.Loc, count int32, awaited bool, deps ...program.Dep) program.Op {
	return program.Op{Kind: program.Reduce, Src: src, Dst: dst, Count: count, Awaited: awaited, Deps: deps}
}

func at(b program.Buffer, offset int32) program.Loc { return program.Loc{Buffer: b, Offset: offset} }

// loaded is a loader's form of a thread block, modelled on the loaders themselves
// (msccl_parser.cc of RCCL, topo.cc of MSCCL): transfers are in an array that the next reduction
// may overwrite, and the offsets of all reductions are in another array.
type loaded struct {
	count int32
	dst   program.Loc
	srcs  []int32
	last  int // step
}

func load(ops []program.Op, fusion int) []loaded {
	var transfers []loaded
	oldDst, oldSrc := program.Loc{Offset: -1}, -1
	open, reductions := false, 0
	for step, op := range ops {
		continues := false
		if op.Kind == program.Reduce {
			continues = open && oldDst == op.Dst && oldSrc == int(op.Src.Buffer) && len(op.Deps) == 0
			open = continues
		}
		if op.Kind == program.Nop {
			continue
		}
		if !continues {
			transfers = append(transfers, loaded{})
		}
		t := &transfers[len(transfers)-1]
		t.count, t.dst, t.last = op.Count, op.Dst, step
		if op.Kind != program.Reduce {
			open = false
			continue
		}
		t.srcs = append(t.srcs, op.Src.Offset)
		if reductions++; op.Awaited || reductions == fusion {
			open = false
		} else {
			open, oldDst, oldSrc = true, op.Dst, int(op.Src.Buffer)
		}
	}
	return transfers
}

// random returns a thread block of mostly reductions that could be merged.
func random(rng *rand.Rand) []program.Op {
	var ops []program.Op
	for range 1 + rng.IntN(40) {
		op := re(at(program.Scratch, int32(rng.IntN(8))), at(program.Output, int32(rng.IntN(2))), 1+int32(rng.IntN(2)), rng.IntN(8) == 0)
		switch rng.IntN(10) {
		case 0:
			op.Kind = program.Copy
		case 1:
			op.Deps = []program.Dep{{Block: 1}}
		case 2:
			op.Src.Buffer = program.Input
		case 3:
			ops = append(ops, program.Op{Kind: program.Nop, Count: 1, Deps: []program.Dep{{Block: 1}}})
			op.Deps = []program.Dep{{Block: 2}}
		}
		ops = append(ops, op)
	}
	return ops
}

func of(ops []program.Op) *program.Program {
	return &program.Program{Ranks: []program.Rank{{Blocks: []program.Block{{Ops: ops}}}}}
}

// Merges and counts equal those of an independently written loader.
func TestMergesAreThoseOfTheLoaders(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	merges := 0
	for i := range samples.Of(4000) {
		ops := random(rng)
		p := of(ops)
		var want []program.Merge
		counts := map[int]int32{}
		for _, l := range load(ops, 16) {
			for step := l.last; len(l.srcs) > 0 && step >= 0; step-- {
				if ops[step].Kind == program.Nop {
					continue
				}
				counts[step] = l.count
				if l.srcs = l.srcs[:len(l.srcs)-1]; len(l.srcs) == 0 && step < l.last {
					want = append(want, program.Merge{From: step, To: l.last, Count: l.count})
				}
			}
		}
		var got []program.Merge
		for _, m := range p.Merges(16) {
			got = append(got, program.Merge{From: m.From, To: m.To, Count: m.Count})
		}
		merges += len(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%d: %v: merges %v, the loader %v", i, ops, got, want)
		}
		merged, _ := p.Merged(16)
		for step, op := range merged.Ranks[0].Blocks[0].Ops {
			if want, reduces := counts[step]; reduces && op.Count != want || !reduces && op.Count != ops[step].Count {
				t.Fatalf("%d: %v: step %d has count %d, in the loader %d", i, ops, step, op.Count, want)
			}
		}
	}
	if merges == 0 {
		t.Error("nothing was merged")
	}
}

// After Unmerge a loader changes no count and merges no more than the kernel allows. Unmerge
// changes only the waits.
func TestUnmergedProgramsAreLoadedAsTheyAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range samples.Of(4000) {
		ops := random(rng)
		limits := &program.Limits{Fusion: 16, Merged: rng.IntN(4) * 5}
		p := of(slices.Clone(ops))
		p.Unmerge(limits)
		for _, m := range p.Merges(limits.Fusion) {
			if m.Uneven || limits.Merged > 0 && m.Reductions > limits.Merged {
				t.Fatalf("%d: %v: still merged: %v", i, ops, m)
			}
		}
		for step, op := range p.Ranks[0].Blocks[0].Ops {
			op.Awaited = ops[step].Awaited
			if fmt.Sprint(op) != fmt.Sprint(ops[step]) {
				t.Fatalf("%d: step %d has become %v", i, step, op)
			}
		}
	}
}

// The loaders count reductions over the whole thread block: the sixteenth ends a merge, and
// after it there is no end.
func TestMergesEndAtTheSixteenthReductionOfABlock(t *testing.T) {
	var ops []program.Op
	for range 40 {
		ops = append(ops, re(at(program.Scratch, 0), at(program.Output, 0), 1, false))
	}
	got := of(ops).Merges(16)
	if len(got) != 2 || got[0].Reductions != 16 || got[1].Reductions != 24 {
		t.Errorf("merges %v", got)
	}
}

func ExampleProgram_Merged() {
	p := of([]program.Op{
		re(at(program.Scratch, 0), at(program.Output, 0), 2, false),
		re(at(program.Scratch, 2), at(program.Output, 0), 1, false),
	})
	_, merges := p.Merged(16)
	fmt.Println(merges[0])
	// Output:
	// steps 0 to 1 of rank 0, thread block 0 become one reduction with cnt=1
}
