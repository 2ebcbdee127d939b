package program_test

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
	"github.com/lightpath-net/lightpath/units"
)

// sample returns a plan of one step over two routes of different lengths.
func sample(t *testing.T, size units.Bytes) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 2
	p := &plan.Plan{Fabric: f}
	p.Collective = plan.Collective{Op: collective.Broadcast, Size: size, Space: collective.SpaceOf(collective.Broadcast, 4, 3)}
	p.Stages = []plan.Stage{{Topology: topology.Circulant(4, 1), Steps: []plan.Step{{Index: 1, Base: []plan.Transfer{{
		Transfer: collective.Transfer{Src: 0, Dst: 1, Action: collective.Copy, Chunks: collective.Every(0, 1, 3)},
		Routes:   []flow.Route{{Path: []int32{0, 1}, Share: 0.75}, {Path: []int32{0, 3, 2, 1}, Share: 0.25}},
	}}}}}}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBytesAreLaidOverRoutes(t *testing.T) {
	g, err := program.New(sample(t, 1000), number.Float32)
	if err != nil {
		t.Fatal(err)
	}
	ranks := g.For([]int{0, 1, 2, 3})
	sent := ranks[0].Step(0).Sends[0]
	if sent.Bytes != 1000 || sent.Routes[0].From != 0 || sent.Routes[0].To != 750 || sent.Routes[1].From != 750 || sent.Routes[1].To != 1000 {
		t.Errorf("%+v", sent)
	}
	if len(ranks[1].Step(0).Receives) != 1 || len(ranks[2].Step(0).Receives) != 0 || len(ranks[2].Step(0).Sends) != 0 {
		t.Error("only rank 1 receives")
	}
	if g.Peer(2, 1) != 1 || g.Peer(0, 1) != 1 || g.Peer(0, 2) != -1 {
		t.Error("peers")
	}
}

// TestDataThatHasNoBusinessHereIsRefused: every field of a frame is compared with the plan.
func TestDataThatHasNoBusinessHereIsRefused(t *testing.T) {
	g, err := program.New(sample(t, 1000), number.Float32)
	if err != nil {
		t.Fatal(err)
	}
	relay := g.For([]int{2})[0]
	port := -1
	for p := range 2 {
		if relay.Feeder(0, p) == 3 {
			port = p
		}
	}
	good := wire.Frame{Kind: wire.Data, Step: 1, Transfer: 0, Route: 1, Hop: 2, Offset: 750, Payload: make([]byte, 100)}
	if _, next, err := relay.Place(&good, port); err != nil || next != 1 {
		t.Fatalf("%d, %v", next, err)
	}
	for name, change := range map[string]func(f *wire.Frame){
		"step 0":         func(f *wire.Frame) { f.Step = 0 },
		"step 2":         func(f *wire.Frame) { f.Step = 2 },
		"transfer":       func(f *wire.Frame) { f.Transfer = 1 },
		"route":          func(f *wire.Frame) { f.Route = 2 },
		"other route":    func(f *wire.Frame) { f.Route = 0 },
		"hop":            func(f *wire.Frame) { f.Hop = 1 },
		"hop 0":          func(f *wire.Frame) { f.Hop = 0 },
		"too many hops":  func(f *wire.Frame) { f.Hop = 4 },
		"offset before":  func(f *wire.Frame) { f.Offset = 749 },
		"offset after":   func(f *wire.Frame) { f.Offset = 901 },
		"far offset":     func(f *wire.Frame) { f.Offset = 1 << 63 },
		"larger payload": func(f *wire.Frame) { f.Payload = make([]byte, 251) },
	} {
		f := good
		change(&f)
		if _, _, err := relay.Place(&f, port); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, _, err := relay.Place(&good, 1-port); err == nil {
		t.Error("another port: accepted")
	}
}

// TestChunksCoverTheBuffer: whatever the size, chunks add up to the elements that cover it
// and differ by one at most.
func TestChunksCoverTheBuffer(t *testing.T) {
	for _, size := range []units.Bytes{1, 2, 3, 7, 8, 100, 1001, 1 << 40} {
		for _, dtype := range number.Types() {
			g, err := program.New(sample(t, size), dtype)
			if err != nil {
				t.Fatal(err)
			}
			sum, least, most := 0, 1<<62, 0
			for c := range g.Chunks() {
				b := g.Bytes(c)
				sum, least, most = sum+b, min(least, b), max(most, b)
			}
			e := dtype.Size()
			if sum != (int(size)+e-1)/e*e || most-least > e {
				t.Errorf("%d bytes of %s: chunks of %d to %d add up to %d", size, dtype, least, most, sum)
			}
		}
	}
}
