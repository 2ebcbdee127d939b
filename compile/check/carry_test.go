package check_test

import (
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/units"
)

// relay returns a chain 0 -> 1 -> 2 of messages of one chunk each, which rank 1 stores and
// forwards in a separate thread block.
func relay(messages int) *program.Program {
	p := &program.Program{
		Protocol: program.Simple, BufferMap: program.BufferMap{Op: collective.Broadcast, Nodes: 3, Chunks: messages}, Channels: 1,
		Ranks: make([]program.Rank, 3),
	}
	none := program.None()
	var first, take, pass, last []program.Op
	for i := range int32(messages) {
		in, out := program.Loc{Buffer: program.Input, Offset: i}, program.Loc{Buffer: program.Output, Offset: i}
		first = append(first, program.Op{Kind: program.Send, Src: in, Dst: none, Count: 1})
		take = append(take, program.Op{Kind: program.Recv, Src: none, Dst: out, Count: 1, Awaited: true})
		pass = append(pass, program.Op{Kind: program.Send, Src: out, Dst: none, Count: 1, Deps: []program.Dep{{Block: 0, Op: i}}})
		last = append(last, program.Op{Kind: program.Recv, Src: none, Dst: out, Count: 1})
	}
	p.Ranks[0].Blocks = []program.Block{{Send: 1, Recv: -1, Ops: first}}
	p.Ranks[1].Blocks = []program.Block{{Send: -1, Recv: 0, Ops: take}, {Send: 2, Recv: -1, Ops: pass}}
	p.Ranks[2].Blocks = []program.Block{{Send: -1, Recv: 1, Ops: last}}
	return p
}

// TestCarryOfAChain: a message takes 10 ns on a circuit and 3 ns to arrive. Four messages
// through a chain of two hops take 4*10 + 3 to the middle, and the last one takes 10 + 3 more.
// With room for two, the third must wait until the first arrives at 13, but it is only ready at
// 20 anyway; if a message takes 100 ns to arrive, it really waits.
func TestCarryOfAChain(t *testing.T) {
	g, err := check.NewGraph(relay(4))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		latency units.Time
		count   int
		roomy   bool
		want    units.Time
	}{
		{3, 1, false, 4*10 + 3 + 10 + 3},
		{3, 1, true, 4*10 + 3 + 10 + 3},
		{100, 1, true, 4*10 + 100 + 10 + 100},
		// 3 leaves when 1 has arrived at 110, and is there at 220; 4 leaves at 120 and is there at
		// 230. In the middle 1 and 2 leave at 120 and 130; 3 is sent on at 220, 4 at 230.
		{100, 1, false, 340},
		{100, 2, true, 4*10 + 100 + 10 + 100}, // a block sends one at a time, whatever circuits there are
	} {
		network := check.Network{Chunk: 5, Roomy: c.roomy, Of: func(int, int) check.Circuits { return check.Circuits{Count: c.count, PerByte: 2, Latency: c.latency} }}
		got, err := g.Carry(t.Context(), network)
		if err != nil || got != c.want {
			t.Errorf("latency %v, %d circuits, roomy %v: %v, want %v (%v)", c.latency, c.count, c.roomy, got, c.want, err)
		}
	}
}

// A program that deadlocks has no time.
func TestCarryOfADeadlock(t *testing.T) {
	p := relay(2)
	p.Ranks[1].Blocks[0].Ops[0].Deps = []program.Dep{{Block: 1, Op: 0}}
	g, err := check.NewGraph(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Carry(t.Context(), check.Network{Chunk: 1, Of: func(int, int) check.Circuits { return check.Circuits{Count: 1} }}); !errors.Is(err, check.ErrNeverEnds) {
		t.Errorf("%v", err)
	}
}
