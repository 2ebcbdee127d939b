package sim_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestTraceShowsEveryPacket: the spans on the circuits of a trace add up to the time
// that the circuits were busy, those of phases to the whole time.
func TestTraceShowsEveryPacket(t *testing.T) {
	var text bytes.Buffer
	trace := sim.NewTrace(&text)
	p := &sim.Phase{
		Network: network(t, "Torus(3,3)"), Flows: simtest.AllToAll(9, 10000),
		Reconfiguration: 2 * units.Microsecond, Startup: 300 * units.Nanosecond,
	}
	r := run(t, sim.PacketLevel, p, sim.Options{Observer: trace})
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Ph      string
			Pid     int
			Name    string
			TS, Dur float64
		}
	}
	if err := json.Unmarshal(text.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	phases, circuits, begun, ended := 0.0, 0.0, 0, 0
	for _, e := range file.TraceEvents {
		switch {
		case e.Ph == "X" && e.Pid == 0:
			phases += e.Dur
		case e.Ph == "X" && e.Pid == 1:
			circuits += e.Dur
		case e.Ph == "b":
			begun++
		case e.Ph == "e":
			ended++
		}
	}
	busy := units.Duration(0)
	for _, l := range r.Links {
		busy += l.Busy
	}
	if math.Abs(circuits-float64(busy)/1e6) > 1e-6 || math.Abs(phases-float64(r.Completion)/1e6) > 1e-6 {
		t.Errorf("circuits %vus of %v, phases %vus of %v", circuits, busy, phases, r.Completion)
	}
	if begun != 72 || ended != 72 {
		t.Errorf("%d flows begin, %d end", begun, ended)
	}
}

// TestObserverDoesNotChangeResults: neither a trace nor recording the times of flows changes
// anything else.
func TestObserverDoesNotChangeResults(t *testing.T) {
	p := &sim.Phase{Network: network(t, "Torus(3,3)"), Flows: simtest.AllToAll(9, 10000)}
	var text bytes.Buffer
	want, got := run(t, sim.PacketLevel, p, sim.Options{}), run(t, sim.PacketLevel, p, sim.Options{Observer: sim.NewTrace(&text)})
	if got.Completion != want.Completion || got.Events != want.Events || got.Phases[0].Flows != nil {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestTraceShowsGaps: packets that arrive more slowly than the circuit sends are separate
// spans.
func TestTraceShowsGaps(t *testing.T) {
	line := topology.New(3, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}})
	n := sim.Network{Graph: line, Vary: func(u, _ int) (units.Bandwidth, units.Duration) {
		return []units.Bandwidth{units.Gbps, 8 * units.Gbps}[u], 0
	}}
	var text strings.Builder
	trace := sim.NewTrace(&text)
	traffic(t, n, []sim.Flow{{Src: 0, Dst: 2, Bytes: 3000}}, sim.Options{Packet: 1000, Observer: trace})
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	for _, span := range []string{
		`"flow 0.0, 3 packets","ts":0,"dur":24}`,
		`"flow 0.0, 1 packets","ts":8,"dur":1}`, `"flow 0.0, 1 packets","ts":16,"dur":1}`, `"flow 0.0, 1 packets","ts":24,"dur":1}`,
	} {
		if !strings.Contains(text.String(), span) {
			t.Errorf("no %s in\n%s", span, text.String())
		}
	}
}

func TestWriteLinks(t *testing.T) {
	r := traffic(t, network(t, "UniRing(1,3)"), []sim.Flow{{Src: 0, Dst: 1, Bytes: 5000}}, sim.Options{})
	var text strings.Builder
	if err := sim.WriteLinks(&text, r); err != nil {
		t.Fatal(err)
	}
	want := `from,to,circuits,bytes,packets,busy_ns,utilization,queue_peak_ns,relay_peak_bytes
0,1,1,5000,2,50,0.0909091,50,0
1,2,1,0,0,0,0,0,0
2,0,1,0,0,0,0,0,0
`
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
}
