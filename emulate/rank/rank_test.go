package rank

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// sample returns a reduction of two ranks' buffers of 100 elements into rank 1.
func sample(t *testing.T) *program.Program {
	t.Helper()
	f := fabric.Default()
	f.Nodes = 2
	p := &plan.Plan{Fabric: f, Collective: plan.Collective{Op: collective.AllReduce, Size: 400, Space: collective.SpaceOf(collective.AllReduce, 2, 1)}}
	p.Stages = []plan.Stage{{Topology: topology.DirectedCirculant(2, 1), Steps: []plan.Step{{Index: 1, Base: []plan.Transfer{{
		Transfer: collective.Transfer{Src: 0, Dst: 1, Action: collective.Reduce, Chunks: collective.Every(0, 1, 2)},
		Routes:   []flow.Route{{Path: []int32{0, 1}, Share: 1}},
	}}}}}}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	g, err := program.New(p, number.Int32)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestPacketsComeInAnyOrderAndEachOnce(t *testing.T) {
	g := sample(t)
	from, to := newMemory(g, 1, 0), newMemory(g, 1, 1)
	step := g.For([]int{1})[0].Step(0)
	sent, err := from.gather(step.Receives[0])
	if err != nil || len(sent) != 400 {
		t.Fatal(len(sent), err)
	}
	b := newInbox(step, 128)
	frame := func(offset, size int) *wire.Frame {
		return &wire.Frame{Kind: wire.Data, Step: 1, Hop: 1, Offset: uint64(offset), Payload: sent[offset : offset+size]}
	}
	for _, bad := range []*wire.Frame{frame(0, 127), frame(1, 128), frame(384, 15), frame(256, 129), frame(384, 0)} {
		if b.take(bad) == nil {
			t.Errorf("%d bytes at %d are taken", len(bad.Payload), bad.Offset)
		}
	}
	for i, good := range []*wire.Frame{frame(384, 16), frame(128, 128), frame(0, 128), frame(256, 128)} {
		if b.missing != 1 || b.lacks() != 0 {
			t.Errorf("after %d packets: %d transfers are missing, of rank %d", i, b.missing, b.lacks())
		}
		if err := b.take(good); err != nil {
			t.Error(err)
		}
		if b.take(good) == nil {
			t.Errorf("packet at %d is taken twice", good.Offset)
		}
	}
	if b.missing != 0 || b.lacks() != -1 {
		t.Errorf("%d transfers are missing", b.missing)
	}
	if err := to.apply(b.order[0].transfer, b.order[0].buffer, map[int]bool{}); err != nil {
		t.Fatal(err)
	}
	// Rank 1 has the result, rank 0 has not.
	var progress = &runner{station: &station{}}
	if r := to.check(&progress.moved); r.Wrong != "" || r.Chunks != 2 || r.Bytes != 400 {
		t.Errorf("%+v", r)
	}
	if r := from.check(&progress.moved); r.Wrong == "" {
		t.Errorf("%+v", r)
	}
}

func TestARankCannotSendOrAddWhatItDoesNotHave(t *testing.T) {
	g := sample(t)
	m := newMemory(g, 1, 0)
	transfer := g.For([]int{0})[0].Step(0).Sends[0]
	delete(m.chunks, 1)
	if _, err := m.gather(transfer); err == nil {
		t.Error("a chunk that is not there is sent")
	}
	if err := m.apply(transfer, make([]byte, 400), map[int]bool{}); err == nil {
		t.Error("something is added to nothing")
	}
}

func TestAClosedQueueLetsGo(t *testing.T) {
	q := newQueue()
	q.add(&wire.Frame{Payload: make([]byte, 5)})
	if f, ok := q.next(); !ok || len(f.Payload) != 5 || q.added() != 5 {
		t.Error(f, ok)
	}
	done := make(chan bool)
	go func() {
		_, ok := q.next()
		done <- ok
	}()
	q.close()
	if <-done {
		t.Error("a frame out of nothing")
	}
}
