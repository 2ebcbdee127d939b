package check_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/internal/everyplan"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan"
)

// gathered returns an allreduce of two chunks: every rank receives the input of all others into
// scratch, and then one thread block adds the scratch with the given reductions.
func gathered(nodes int, reductions func(rank int) []program.Op) *program.Program {
	p := &program.Program{
		Name: "gathered", Protocol: program.Simple, Channels: 1, MaxBytes: 1 << 30,
		BufferMap: program.BufferMap{Op: collective.AllReduce, Nodes: nodes, Chunks: 2},
	}
	loc := func(b program.Buffer, offset int) program.Loc {
		return program.Loc{Buffer: b, Offset: int32(offset)}
	}
	for r := range nodes {
		rank := program.Rank{Input: 2, Output: 2, Scratch: 2 * (nodes - 1)}
		add := program.Op{Kind: program.Copy, Src: loc(program.Input, 0), Dst: loc(program.Output, 0), Count: 2}
		at := 0
		for q := range nodes {
			if q == r {
				continue
			}
			rank.Blocks = append(rank.Blocks, program.Block{Send: -1, Recv: q, Ops: []program.Op{
				{Kind: program.Recv, Src: program.None(), Dst: loc(program.Scratch, 2*at), Count: 2},
			}})
			add.Deps = append(add.Deps, program.Dep{Block: int32(at)})
			at++
		}
		for q := range nodes {
			if q == r {
				continue
			}
			rank.Blocks = append(rank.Blocks, program.Block{Send: q, Recv: -1, Ops: []program.Op{
				{Kind: program.Send, Src: loc(program.Input, 0), Dst: program.None(), Count: 2},
			}})
		}
		ops := append([]program.Op{add}, reductions(r)...)
		rank.Blocks = append(rank.Blocks, program.Block{Send: -1, Recv: -1, Ops: ops})
		p.Ranks = append(p.Ranks, rank)
	}
	p = p.SingleDeps()
	for r := range p.Ranks { // which SingleDeps sets for itself
		block := &p.Ranks[r].Blocks[2*(nodes-1)]
		made := reductions(r)
		for i := range made {
			block.Ops[len(block.Ops)-len(made)+i].Awaited = made[i].Awaited
		}
	}
	return p
}

// sum adds count chunks of scratch to the output.
func sum(from, to, count int, awaited bool) program.Op {
	return program.Op{
		Kind: program.Reduce, Src: program.Loc{Buffer: program.Scratch, Offset: int32(from)},
		Dst: program.Loc{Buffer: program.Output, Offset: int32(to)}, Count: int32(count), Awaited: awaited,
	}
}

// Files that differ only in which reductions the loaders merge are correct exactly if the merged
// program is. Without merges, all of them are correct.
func TestMergedReductionsAreChecked(t *testing.T) {
	each := func(nodes int) []program.Op {
		var ops []program.Op
		for q := range nodes - 1 {
			ops = append(ops, sum(2*q, 0, 2, false))
		}
		return ops
	}
	for _, c := range []struct {
		name       string
		nodes      int
		reductions []program.Op
		check      string // of both dialects; "": passes
		says       string
	}{
		{"equal counts", 3, []program.Op{sum(0, 0, 2, false), sum(2, 0, 2, false)}, "", ""},
		{"the last is shorter", 3, []program.Op{sum(0, 0, 2, false), sum(2, 0, 1, false), sum(3, 1, 1, false)},
			"result", "o[1] lacks the contribution of rank 1; NAME merges reductions whose cnt differ: steps 2 to 3 of rank 0, thread block 4 become one reduction with cnt=1"},
		{"the last is longer", 3, []program.Op{sum(0, 0, 1, false), sum(2, 0, 2, false), sum(1, 1, 1, false)},
			"reductions", "twice in chunk 1; NAME merges"},
		{"one chunk each", 3, []program.Op{sum(2, 0, 1, false), sum(3, 1, 1, false), sum(1, 1, 1, false), sum(0, 0, 1, false)}, "", ""},
		{"awaited in between", 3, []program.Op{sum(0, 0, 2, true), sum(2, 0, 1, false), sum(3, 1, 1, false)}, "", ""},
		{"another target in between", 3, []program.Op{sum(0, 0, 2, false), sum(3, 1, 1, false), sum(2, 0, 1, false)}, "", ""},
		{"three of different counts", 4, []program.Op{sum(2, 0, 2, false), sum(4, 0, 1, false), sum(0, 0, 2, false), sum(5, 1, 1, true)},
			"reductions", "NAME merges reductions whose cnt differ: steps 3 to 5"},
		{"fifteen at once", 16, each(16), "", ""},
		{"sixteen at once", 17, each(17), "limits", "reductions that are merged into one (steps 16 to 31): 16; MSCCL takes at most 15, and drops what the target held"},
		{"sixteen, one of them awaited", 17, func() []program.Op {
			ops := each(17)
			ops[7].Awaited = true
			return ops
		}(), "", ""},
	} {
		for _, dialect := range []msccl.Dialect{msccl.MSCCL, msccl.RCCL} {
			p := gathered(c.nodes, func(int) []program.Op { return slices.Clone(c.reductions) })
			if bad := check.Programs("none", nil, p).First(); bad != nil {
				t.Fatalf("%s: step by step: %s: %s", c.name, bad.Name, bad.Detail)
			}
			var file bytes.Buffer
			if err := msccl.Write(&file, p, dialect); err != nil {
				t.Fatal(err)
			}
			read, _, err := msccl.Read(context.Background(), &file, dialect)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			limits := dialect.Limits()
			bad := check.Programs(string(dialect), limits, read).First()
			says := strings.ReplaceAll(c.says, "NAME", limits.Runtime)
			passes := c.check == "" || c.check == "limits" && dialect == msccl.RCCL
			switch {
			case bad == nil && !passes:
				t.Errorf("%s: %s: not found", dialect, c.name)
			case bad != nil && (passes || bad.Name != c.check || !strings.Contains(bad.Detail, says)):
				t.Errorf("%s: %s: %s: %s; want %s: ..%s..", dialect, c.name, bad.Name, bad.Detail, c.check, says)
			}
		}
	}
}

// Loading does not change compiled programs: no merge changes a count, and none is larger than
// the kernel allows.
func TestCompiledProgramsAreNotChangedByMerges(t *testing.T) {
	programs := 0
	for _, cell := range everyplan.Cells() {
		everyplan.Each(t, cell[0], cell[1], func(name string, p *plan.Plan) {
			for _, dialect := range []msccl.Dialect{msccl.MSCCL, msccl.RCCL} {
				if dialect.Supports(p.Collective.Op) != nil {
					continue
				}
				limits := dialect.Limits()
				made, err := lower.Lower(context.Background(), p, lower.Options{
					Limits: limits, Protocol: program.Simple, InPlace: programs%2 == 0, NoFuse: programs%3 == 0,
				})
				if err != nil {
					continue // refusals are the subject of other tests
				}
				for _, one := range made.Programs {
					programs++
					for _, m := range one.Merges(limits.Fusion) {
						if m.Uneven || limits.Merged > 0 && m.Reductions > limits.Merged {
							t.Errorf("%s: %s: %v", name, dialect, m)
						}
					}
				}
			}
		})
	}
	if programs == 0 {
		t.Error("nothing was compiled")
	}
}
