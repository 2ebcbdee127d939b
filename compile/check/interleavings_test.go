package check_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
)

// A program that passes the check after random waits are removed gives the right result in every
// order tried. Only programs with removed waits are refused for a race.
func TestWhatPassesWithoutSomeWaitsIsRightInEveryOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	programs := []*program.Program{
		compiled(t, collective.AllReduce, "swing", 4, 1, msccl.RCCL, true),
		compiled(t, collective.AllReduce, "direct-exchange", 4, 2, msccl.RCCL, true),
		compiled(t, collective.AllGather, "recursive-doubling", 5, 1, msccl.MSCCL, true),
		compiled(t, collective.AllToAll, "bruck-index", 5, 2, msccl.MSCCL, true),
	}
	passed, raced, wrong := 0, 0, 0
	for round := range 300 {
		p := again(t, programs[round%len(programs)])
		for range 1 + rng.IntN(2) {
			drop(p, rng)
		}
		report := check.Programs("msccl", nil, p)
		failed := false
		for seed := range uint64(20) {
			failed = failed || check.Interpret(seed, p) != nil
		}
		bad := report.First()
		switch {
		case bad == nil:
			passed++
			if failed {
				t.Fatalf("round %d: passes, but an order gives another result", round)
			}
		case bad.Name == "races":
			raced++
			if failed {
				wrong++
			}
		default:
			t.Fatalf("round %d: %s: %s", round, bad.Name, bad.Detail)
		}
	}
	if passed == 0 || raced == 0 || wrong == 0 {
		t.Errorf("passed %d, raced %d, wrong in an order that was tried %d: all three should occur", passed, raced, wrong)
	}
}

// drop takes one wait out of a program.
func drop(p *program.Program, rng *rand.Rand) {
	var waits []*program.Op
	for r := range p.Ranks {
		for b := range p.Ranks[r].Blocks {
			for i := range p.Ranks[r].Blocks[b].Ops {
				if op := &p.Ranks[r].Blocks[b].Ops[i]; len(op.Deps) > 0 {
					waits = append(waits, op)
				}
			}
		}
	}
	if len(waits) > 0 {
		waits[rng.IntN(len(waits))].Deps = nil
	}
}

// A ring that forwards the data that it receives needs two slots. If messages of several chunks
// are split, one message per chunk is in flight.
func TestSlotsAreCountedForWholeAndSplitMessages(t *testing.T) {
	p := compiled(t, collective.AllGather, "ring", 4, 1, msccl.MSCCL, false)
	g, err := check.NewGraph(p)
	if err != nil {
		t.Fatal(err)
	}
	if !g.Safe() {
		t.Error("a ring that sends on what it receives blocks with two slots")
	}
	// Two messages are sent before any is received: two slots if they are whole, four if
	// each is split in two.
	twice := func(count int32) *program.Program {
		one := func(kind program.Kind, off int32) program.Op {
			op := program.Op{Kind: kind, Src: program.None(), Dst: program.None(), Count: count}
			if kind == program.Send {
				op.Src = program.Loc{Buffer: program.Input, Offset: off}
			} else {
				op.Dst = program.Loc{Buffer: program.Output, Offset: off}
			}
			return op
		}
		b := 2 * count
		return &program.Program{
			Protocol: program.Simple, Channels: 1,
			BufferMap: program.BufferMap{Op: collective.AllToAll, Nodes: 2, Chunks: int(2 * b)},
			Ranks: []program.Rank{
				{Input: int(2 * b), Output: int(2 * b), Blocks: []program.Block{{Send: 1, Recv: 1,
					Ops: []program.Op{one(program.Send, b), one(program.Send, b+count), one(program.Recv, b), one(program.Recv, b+count)}}}},
				{Input: int(2 * b), Output: int(2 * b), Blocks: []program.Block{{Send: 0, Recv: 0,
					Ops: []program.Op{one(program.Send, 0), one(program.Send, count), one(program.Recv, 0), one(program.Recv, count)}}}},
			},
		}
	}
	for count, safe := range map[int32]bool{1: true, 2: false} {
		g, err := check.NewGraph(twice(count))
		if err != nil {
			t.Fatal(err)
		}
		if g.Safe() != safe {
			t.Errorf("messages of %d chunks: safe %v, want %v", count, g.Safe(), safe)
		}
	}
}
