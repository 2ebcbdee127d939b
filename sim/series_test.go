package sim_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestSeriesOfOneCircuit: 1 byte takes 1ns. A message of 2500 bytes waits as a whole at the
// start, and then less and less of it.
func TestSeriesOfOneCircuit(t *testing.T) {
	g := topology.New(2, "", []topology.Edge{{From: 0, To: 1, Count: 1}})
	p := &sim.Phase{
		Network: sim.Network{Graph: g, Bandwidth: 8 * units.Gbps, Delay: 100 * units.Nanosecond},
		Flows:   []sim.Flow{{Src: 0, Dst: 1, Bytes: 2500, Start: 500 * units.Nanosecond}},
	}
	s, err := sim.NewSeries(units.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	run(t, sim.PacketLevel, p, sim.Options{Packet: 1000, Observer: s})
	var text strings.Builder
	if err := s.Write(&text); err != nil {
		t.Fatal(err)
	}
	// Packets start at 0.5, 1.5 and 2.5us, the last one of 500 bytes ends at 3us.
	want := "time_ns,from,to,utilization,queue_bytes,relayed_bytes\n0,0,1,0.5,0,0\n1000,0,1,1,1500,0\n2000,0,1,1,500,0\n"
	if text.String() != want {
		t.Errorf("%s; want %s", text.String(), want)
	}
	if _, err := sim.NewSeries(0); err == nil {
		t.Error("an interval of nothing")
	}
}

// TestSeriesThatIsTooLongNamesAnIntervalThatWouldDo: the same traffic has a series with that
// interval.
func TestSeriesThatIsTooLongNamesAnIntervalThatWouldDo(t *testing.T) {
	g := topology.New(3, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}})
	p := &sim.Phase{
		Network: sim.Network{Graph: g, Bandwidth: 8 * units.Gbps, Delay: 100 * units.Nanosecond},
		Flows:   []sim.Flow{{Src: 0, Dst: 2, Bytes: 1_000_000}},
	}
	of := func(interval units.Duration) *sim.Series {
		s, err := sim.NewSeries(interval)
		if err != nil {
			t.Fatal(err)
		}
		run(t, sim.PacketLevel, p, sim.Options{Packet: 1000, Observer: s})
		return s
	}
	s := of(units.Picosecond)
	// The last packet leaves node 1 after 1000 packets of 1us, a hop of 100ns and its own 1us.
	const want = "1ps is too short: 1.0011ms on 2 links in more than 20000000 rows; 200ps would do"
	if err := s.Check(); err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	if err := s.Write(io.Discard); err == nil {
		t.Error("a series that was not kept is written")
	}
	if err := of(200 * units.Picosecond).Check(); err != nil {
		t.Error(err)
	}
}

// everyPacket keeps the transmissions of single packets.
type everyPacket struct{ sent []sim.Transmission }

func (e *everyPacket) Phase(int, *sim.Phase, *sim.PhaseResult) {}
func (e *everyPacket) Transmission(t sim.Transmission) {
	for i := range t.Packets {
		one := t
		one.Packets = 1
		one.Start += units.Duration(i) * t.Gap
		one.Queued += units.Duration(i) * t.QueuedGap
		e.sent = append(e.sent, one)
	}
}

// bothObservers calls two observers.
type bothObservers [2]sim.Observer

func (b bothObservers) Phase(i int, p *sim.Phase, r *sim.PhaseResult) {
	for _, o := range b {
		o.Phase(i, p, r)
	}
}

func (b bothObservers) Transmission(t sim.Transmission) {
	for _, o := range b {
		o.Transmission(t)
	}
}

// TestSeriesEqualsCounting: with bundles, priorities and several hops, every value equals a
// count over all packets at every interval; packets are queued before they start, and relayed
// ones arrive when the previous hop says.
func TestSeriesEqualsCounting(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := network(t, []string{"Torus(3,3)", "BiRing(4,6)", "K(5)"}[seed%3])
		n.Bandwidth, n.Delay = 8*units.Gbps, 50*units.Nanosecond
		flows := simtest.RandomPairs(n.Graph.Nodes(), 40, 0, seed)
		for i := range flows {
			flows[i].Bytes, flows[i].Start = units.Bytes(1+r.IntN(5000)), units.Duration(r.IntN(4000))*units.Nanosecond
			flows[i].Priority = int32(r.IntN(3))
		}
		s, err := sim.NewSeries(700 * units.Nanosecond)
		if err != nil {
			t.Fatal(err)
		}
		all := &everyPacket{}
		run(t, sim.PacketLevel, &sim.Phase{Network: n, Flows: flows}, sim.Options{Packet: 1000, Observer: bothObservers{s, all}, Priorities: seed%2 == 0})
		var text strings.Builder
		if err := s.Write(&text); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n")[1:] {
			var at, busy float64
			var from, to, queue, relayed int
			if _, err := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "%g %d %d %g %d %d", &at, &from, &to, &busy, &queue, &relayed); err != nil {
				t.Fatal(line, err)
			}
			now := units.Duration(at * 1000)
			wantQueue, wantRelayed, sending := 0, 0, units.Duration(0)
			for _, x := range all.sent {
				if x.From != from || x.To != to {
					continue
				}
				if x.Queued > x.Start || x.Bytes != units.Bytes(x.Each/units.Nanosecond) {
					t.Fatalf("seed %d: %+v", seed, x)
				}
				if x.Queued <= now && now < x.Start {
					wantQueue += int(x.Bytes)
					if x.Relayed {
						wantRelayed += int(x.Bytes)
					}
				}
				sending += max(0, min(x.Start+x.Each, now+700*units.Nanosecond)-max(x.Start, now))
			}
			circuits := n.Graph.Count(from, to)
			if got := busy * 700_000 * float64(circuits); queue != wantQueue || relayed != wantRelayed || got > float64(sending)*1.001+1 && circuits == 1 {
				t.Fatalf("seed %d: %s; want %d, %d and %v", seed, line, wantQueue, wantRelayed, sending)
			}
		}
	}
}

// TestTracesHaveCounters: the trace with a series is JSON with a counter for every point.
func TestTracesHaveCounters(t *testing.T) {
	s, err := sim.NewSeries(units.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	trace := sim.NewTrace(&text)
	run(t, sim.PacketLevel, &sim.Phase{Network: network(t, "K(3)"), Flows: simtest.AllToAll(3, 500_000)}, sim.Options{Observer: bothObservers{s, trace}})
	trace.Count(s)
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	var doc struct{ TraceEvents []map[string]any }
	if err := json.Unmarshal([]byte(text.String()), &doc); err != nil {
		t.Fatal(err)
	}
	counters := 0
	for _, e := range doc.TraceEvents {
		if e["ph"] == "C" {
			counters++
		}
	}
	if counters != 6*5 { // six circuits, 5us
		t.Errorf("%d counters", counters)
	}
}
