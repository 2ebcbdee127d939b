package emulate_test

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// interpret runs a plan without any network: the twin of an emulation. Every rank's
// chunks are read before any is written, and transfers are applied in their order.
func interpret(t *testing.T, p *plan.Plan, dtype number.Type, seed uint64) []map[int][]byte {
	t.Helper()
	g, err := program.New(p, dtype)
	if err != nil {
		t.Fatal(err)
	}
	data := number.Data{Type: dtype, Seed: seed, Nodes: p.Fabric.Nodes}
	held := make([]map[int][]byte, p.Fabric.Nodes)
	input, received := make([]map[int][]byte, p.Fabric.Nodes), make([]map[int][]byte, p.Fabric.Nodes)
	var aside [collective.MostSides][]map[int][]byte
	for k := range aside {
		aside[k] = make([]map[int][]byte, p.Fabric.Nodes)
	}
	for u := range held {
		held[u], input[u], received[u] = map[int][]byte{}, map[int][]byte{}, map[int][]byte{}
		for k := range aside {
			aside[k][u] = map[int][]byte{}
		}
	}
	for c := range g.Chunks() {
		duty := g.Duty(c)
		for _, u := range duty.From {
			held[u][c] = make([]byte, g.Bytes(c))
			data.Fill(held[u][c], u, c, duty.Reduces)
			input[u][c], received[u][c] = bytes.Clone(held[u][c]), make([]byte, g.Bytes(c))
			for k := range aside {
				aside[k][u][c] = make([]byte, g.Bytes(c))
			}
		}
	}
	for _, step := range p.Steps() {
		type write struct {
			dst, chunk int
			action     collective.Action
			sides      collective.Sides
			value      []byte
		}
		var writes []write
		for m := range step.All(p.Collective.Space) {
			for c := range m.Chunks.All() {
				of := map[collective.Part][]map[int][]byte{collective.WholePart: held, collective.OwnPart: input, collective.ReceivedPart: received}[m.Part]
				side, own := m.Part.Side()
				if side > 0 {
					of = aside[side-1]
				}
				value := bytes.Clone(of[m.Src][c])
				if own {
					dtype.Add(value, input[m.Src][c])
				}
				writes = append(writes, write{m.Dst, c, m.Action, m.Sides, value})
			}
		}
		for _, w := range writes {
			if w.action == collective.Replace { // by what all of them add up to
				delete(held[w.dst], w.chunk)
			}
		}
		for _, w := range writes {
			for side := range w.sides.All() {
				dtype.Add(aside[side-1][w.dst][w.chunk], w.value)
			}
			if held[w.dst][w.chunk] == nil || w.action == collective.Copy {
				held[w.dst][w.chunk] = w.value
			} else {
				dtype.Add(held[w.dst][w.chunk], w.value)
				if received[w.dst][w.chunk] != nil {
					dtype.Add(received[w.dst][w.chunk], w.value)
				}
			}
		}
	}
	return held
}

func TestEveryRankGetsWhatTheOperationPromises(t *testing.T) {
	for i, r := range samples.Some(shown()) {
		r.make(t) // for both runs
		for _, free := range []bool{false, true} {
			name := r.name
			if free {
				name += ", asynchronous"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				checkRun(t, r, i, free)
			})
		}
	}
}

// checkRun runs a plan and compares the final data with the twin.
func checkRun(t *testing.T, r request, i int, free bool) {
	t.Helper()
	p := r.make(t)
	dtype := number.Types()[i%4]
	var mu sync.Mutex
	results := map[int]map[int][]byte{}
	report, err := emulate.Run(t.Context(), p, emulate.Options{
		Type: dtype, Seed: uint64(i), Patience: time.Minute, Asynchronous: free,
		Results: func(rank int, chunks map[int][]byte) {
			mu.Lock()
			defer mu.Unlock()
			results[rank] = chunks
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK || report.Fault != nil {
		t.Fatal(report.Fault)
	}
	want := interpret(t, p, dtype, uint64(i))
	for rank, chunks := range results {
		for c, got := range chunks {
			if !bytes.Equal(got, want[rank][c]) {
				t.Fatalf("chunk %d of rank %d is not what the plan makes of it", c, rank)
			}
		}
		if len(chunks) != len(want[rank]) {
			t.Errorf("rank %d has %d chunks; want %d", rank, len(chunks), len(want[rank]))
		}
	}
	if len(results) != report.Ranks || report.Ranks < p.Fabric.Nodes-1 {
		t.Errorf("%d ranks of %d have results", len(results), report.Ranks)
	}
	checkLoads(t, p, report)
}

// checkLoads compares the bytes of every circuit with the plan's routes. Rounding to whole
// elements and whole bytes moves a few bytes from one route to another.
func checkLoads(t *testing.T, p *plan.Plan, report *emulate.Report) {
	t.Helper()
	want, routes := map[[2]int]float64{}, map[[2]int]float64{}
	for _, step := range p.Steps() {
		for m := range step.All(p.Collective.Space) {
			for _, r := range m.Routes {
				for h := 1; h < len(r.Path); h++ {
					pair := [2]int{int(r.Path[h-1]), int(r.Path[h])}
					want[pair] += r.Share * p.Bytes(m.Chunks)
					routes[pair] += float64(m.Chunks.Len())
				}
			}
		}
	}
	moved := int64(0)
	for _, c := range report.Circuits {
		pair := [2]int{c.From, c.To}
		if math.Abs(float64(c.Bytes)-want[pair]) > 8*routes[pair] {
			t.Errorf("%d bytes went from %d to %d; want about %.1f", c.Bytes, c.From, c.To, want[pair])
		}
		delete(want, pair)
		moved += c.Bytes
	}
	for pair, bytes := range want {
		if bytes > 8*routes[pair] {
			t.Errorf("nothing went from %d to %d; want about %.1f bytes", pair[0], pair[1], bytes)
		}
	}
	if moved != report.Moved {
		t.Errorf("%d bytes moved in all, but circuits carried %d", report.Moved, moved)
	}
}

// TestShapedRunsTakeAtLeastTheModelsTime: no byte is faster than the fabric. Whether runs are
// slower depends on the host.
func TestShapedRunsTakeAtLeastTheModelsTime(t *testing.T) {
	for _, r := range []request{
		{name: "rewired", op: collective.AllReduce, nodes: 8, size: 256 * units.KiB, algorithm: "recursive-doubling", planner: "every-step"},
		{name: "carried on", op: collective.AllReduce, nodes: 8, ports: 2, size: 256 * units.KiB, algorithm: "recursive-doubling", planner: "every-step",
			settings: map[string]string{"overlap": "circuits"}},
		{name: "forwarded", op: collective.AllReduce, nodes: 8, size: 256 * units.KiB, algorithm: "recursive-doubling", planner: "static"},
	} {
		p := r.make(t)
		for _, free := range []bool{false, true} {
			checkPace(t, r.name, p, free)
		}
	}
}

// checkPace runs a plan at the fabric's pace.
func checkPace(t *testing.T, name string, p *plan.Plan, free bool) {
	t.Helper()
	report, err := emulate.Run(t.Context(), p, emulate.Options{Slow: 1000, Patience: time.Minute, Asynchronous: free})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK {
		t.Fatalf("%s: %v", name, report.Fault)
	}
	if free {
		// Nobody can be faster than the start-ups, one propagation and the bytes of the
		// busiest port, all steps taken together.
		least := p.Cost.Startup + p.Cost.Transmission/2
		if report.Measured < least {
			t.Errorf("%s, asynchronous: %v in all; the fabric needs %v", name, report.Measured, least)
		}
		return
	}
	for i, s := range report.Steps {
		// Work of the busiest circuit, the start-up and one propagation are a lower
		// limit of any packet schedule (package replay).
		cost := p.Stages[0].Steps[0].Cost
		for _, step := range p.Steps() {
			if step.Index == i+1 {
				cost = step.Cost
			}
		}
		if least := cost.Startup + cost.Transmission + p.Fabric.Delta.Time(); s.Measured < least*0.999 {
			t.Errorf("%s: step %d took %v; the fabric needs %v", name, s.Index, s.Measured, least)
		}
	}
	for _, s := range report.Stages {
		if s.Dark < s.Predicted*0.999 {
			t.Errorf("%s: stage %d was dark for %v; want %v", name, s.Index, s.Dark, s.Predicted)
		}
	}
	if report.Measured < report.Predicted/2 {
		t.Errorf("%s: %v in all; the model says %v", name, report.Measured, report.Predicted)
	}
}

func TestFaultsNameRankStepAndPeer(t *testing.T) {
	p := request{name: "faults", op: collective.AllReduce, nodes: 8, size: 64 * units.KiB, algorithm: "recursive-doubling", planner: "harvest"}.make(t)
	for _, c := range []struct {
		inject string
		want   fault.Fault
	}{
		{"gpu:3@step:2", fault.Fault{Kind: fault.Died, Rank: 3, Step: 2}},
		{"stall:3@step:2", fault.Fault{Kind: fault.Stalled, Rank: 3, Step: 2}},
		{"restart:3@step:2", fault.Fault{Kind: fault.Restarted, Rank: 3, Step: 2}},
		{"garbage:3@step:2", fault.Fault{Kind: fault.Garbage, Rank: 3, Step: 2}},
		{"clock:3@step:2", fault.Fault{Kind: fault.Clock, Rank: 3, Step: 2}},
		{"secret:3@step:1", fault.Fault{Kind: fault.Secret, Rank: 3}},
		{"switch@step:2", fault.Fault{Kind: fault.SwitchDied, Rank: fault.Nobody, Step: 2}},
		{"link:3-4@step:2", fault.Fault{Kind: fault.Cut, Rank: 3, Step: 2, Peer: 4}},
		{"link:0->1@1ns", fault.Fault{Kind: fault.Cut, Rank: 0, Step: 1, Peer: 1}},
	} {
		t.Run(c.inject, func(t *testing.T) {
			t.Parallel()
			injection, err := fault.Parse(c.inject)
			if err != nil {
				t.Fatal(err)
			}
			report, err := emulate.Run(t.Context(), p, emulate.Options{Faults: []fault.Injection{injection}, Slow: 2000, Patience: 3 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			f := report.Fault
			if report.OK || f == nil {
				t.Fatal("the run has succeeded")
			}
			if f.Kind != c.want.Kind || f.Rank != c.want.Rank || f.Step != c.want.Step || f.Detail == "" {
				t.Errorf("%+v; want %+v", *f, c.want)
			}
			if f.Rank != fault.Nobody && f.Peer == fault.Nobody || c.want.Kind == fault.Cut && f.Peer != c.want.Peer {
				t.Errorf("peer %d of %v", f.Peer, f)
			}
		})
	}
}

func TestACutThatNobodyMeetsIsNoFault(t *testing.T) {
	p := request{name: "ring", op: collective.AllReduce, nodes: 8, size: 64 * units.KiB, algorithm: "ring", planner: "static"}.make(t)
	injection, err := fault.Parse("link:3->2@step:1") // the ring goes the other way
	if err != nil {
		t.Fatal(err)
	}
	report, err := emulate.Run(t.Context(), p, emulate.Options{Faults: []fault.Injection{injection}, Patience: time.Minute})
	if err != nil || !report.OK {
		t.Errorf("%v, %v", report, err)
	}
}

// Checking the results finds a link that corrupts data; a slow link only takes longer, at least
// as long as its bytes need.
func TestLinksThatCorruptOrAreSlow(t *testing.T) {
	t.Parallel()
	p := request{name: "links", op: collective.AllReduce, nodes: 4, size: 64 * units.KiB, algorithm: "ring", planner: "static"}.make(t)
	run := func(inject string) *emulate.Report {
		injection, err := fault.Parse(inject)
		if err != nil {
			t.Fatal(err)
		}
		report, err := emulate.Run(t.Context(), p, emulate.Options{Faults: []fault.Injection{injection}, Slow: 2000, Patience: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if r := run("corrupt:0-1@step:2"); r.OK || r.Fault == nil || r.Fault.Kind != fault.WrongData {
		t.Errorf("%+v", r.Fault)
	}
	const factor = 50
	r := run("slow:0>1:50@step:1")
	least := units.Time(6*16<<10*8*factor) / units.Time(float64(p.Fabric.Bandwidth)/1e9)
	if !r.OK || len(r.Unused) > 0 || r.Measured < least {
		t.Errorf("%v in all; 6 steps over the slow link take %v; %v", r.Measured, least, r.Fault)
	}
	slow, err := fault.Parse("slow:0-1:2@step:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := emulate.Run(t.Context(), p, emulate.Options{Faults: []fault.Injection{slow}}); err == nil || !strings.Contains(err.Error(), "no circuit has a speed") {
		t.Error(err)
	}
}
