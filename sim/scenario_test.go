package sim_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

const scenarioText = `src,dst,bytes,start_ns,rewire,route,priority,dark_ns
0,2,4096,0,,0-1-2:0.25|0-3-2:0.75,2,
1,2,4096,5,,,,
,,,1000,"C(4;1)",,,500
3,0,1,2000.5,,3-0,-1,
`

func TestReadScenario(t *testing.T) {
	got, err := sim.ReadScenario(strings.NewReader(scenarioText), 4)
	want := &sim.Scenario{
		Flows: []sim.Flow{
			{Src: 0, Dst: 2, Bytes: 4096, Priority: 2}, {Src: 1, Dst: 2, Bytes: 4096, Start: 5000},
			{Src: 3, Dst: 0, Bytes: 1, Start: 2000500, Priority: -1},
		},
		Routes: [][]flow.Route{
			{{Path: []int32{0, 1, 2}, Share: 0.25}, {Path: []int32{0, 3, 2}, Share: 0.75}}, nil, {{Path: []int32{3, 0}, Share: 1}},
		},
		Lines:     []int{2, 3, 5},
		Rewirings: []sim.Rewiring{{At: units.Microsecond, Dark: 500 * units.Nanosecond, Topology: "C(4;1)"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// badScenarios are files that are refused, with their errors.
var badScenarios = []struct{ text, want string }{
	{"src,dst,bytes,start_ns,color\n", `line 1: column "color"`},
	{"src,dst,bytes,start_ns,route,route\n", `line 1: column "route"`},
	{"src,dst,bytes,start_ns,route\n0,1,2,0\n", "line 2: 4 fields; want 5"},
	{"src,dst,bytes,start_ns,route\n0,1,2,0,0-2\n", `line 2: route "0-2": route [0 2] does not lead from 0 to 1`},
	{"src,dst,bytes,start_ns,route\n0,1,2,0,0-x\n", `line 2: route "0-x": node "x"`},
	{"src,dst,bytes,start_ns,route\n0,1,2,0,0-1:0.5\n", "line 2: route"},
	{"src,dst,bytes,start_ns,priority\n0,1,2,0,high\n", `line 2: priority "high"`},
	{"src,dst,bytes,start_ns,rewire\n0,1,2,0,K(4)\n", `line 2: src "0"; want none with rewire`},
	{"src,dst,bytes,start_ns,rewire\n,,,0,K(5)\n", "line 2: rewire: K(5) has 5 nodes; want 4"},
	{"src,dst,bytes,start_ns,rewire\n,,,0,Nonsense\n", "line 2: rewire:"},
	{"src,dst,bytes,start_ns,rewire\n,,,x,K(4)\n", `line 2: start_ns "x"`},
	{"src,dst,bytes,start_ns,dark_ns,rewire\n,,,0,x,K(4)\n", `line 2: dark_ns "x"`},
	{"src,dst,bytes,start_ns,dark_ns\n0,1,2,0,5\n", `line 2: dark_ns "5"; want it only with rewire`},
	{"src,dst,bytes,start_ns,dark_ns,rewire\n,,,5,10,K(4)\n,,,9,10,K(4)\n", `line 3: start_ns "9"`},
}

func TestReadScenarioNamesTheLine(t *testing.T) {
	for _, bad := range append(badTraffic[:1:1], badScenarios...) {
		_, err := sim.ReadScenario(strings.NewReader(bad.text), 4)
		if err == nil || !strings.HasPrefix(err.Error(), bad.want) {
			t.Errorf("%q: %v; want %q", bad.text, err, bad.want)
		}
	}
}

// FuzzScenario: reading any text does not panic, and an error is one line that names a line.
func FuzzScenario(f *testing.F) {
	for _, bad := range append(badTraffic, badScenarios...) {
		f.Add([]byte(bad.text))
	}
	f.Add([]byte(scenarioText))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := sim.ReadScenario(bytes.NewReader(data), 4)
		if err != nil {
			if m := err.Error(); !strings.HasPrefix(m, "line ") || strings.ContainsAny(m, "\n\r") {
				t.Errorf("%q", m)
			}
			return
		}
		if s.Routes != nil && len(s.Routes) != len(s.Flows) {
			t.Errorf("%d routes of %d flows", len(s.Routes), len(s.Flows))
		}
	})
}

// TestMultipathTakesShortestPaths: every path drawn is a shortest one, sprayed packets use all
// of them about equally often, the same seed gives the same routes, and without drawing they
// are the routes of flows without routes.
func TestMultipathTakesShortestPaths(t *testing.T) {
	n := network(t, "Torus(4,4)")
	flows := simtest.RandomPairs(16, 60, 400*4096, 3)
	for _, spread := range sim.Spreads() {
		var before *sim.Phase
		for _, seed := range []uint64{7, 7, 8} {
			p := &sim.Phase{Network: n, Flows: flows}
			if err := sim.Multipath(t.Context(), p, spread, 4096, seed); err != nil {
				t.Fatal(err)
			}
			for i, routes := range p.Routes {
				dist, queue := make([]int32, 16), make([]int32, 16)
				n.Graph.Distances(int(flows[i].Src), dist, queue)
				sum := 0.0
				for _, r := range routes {
					sum += r.Share
					if len(r.Path)-1 != int(dist[flows[i].Dst]) {
						t.Fatalf("%s: %v is not a shortest path", spread, r.Path)
					}
				}
				if math.Abs(sum-1) > 1e-9 || spread != sim.SpreadSpray && len(routes) != 1 {
					t.Fatalf("%s: %v", spread, routes)
				}
			}
			if before != nil && (seed == 7 || spread == sim.SpreadNone) != reflect.DeepEqual(before.Routes, p.Routes) {
				t.Errorf("%s, seed %d: the same routes, or others", spread, seed)
			}
			before = p
		}
		if _, err := sim.Run(t.Context(), sim.PacketLevel, sim.Sequence(before), sim.Options{}); err != nil {
			t.Error(err)
		}
	}
	p := &sim.Phase{Network: n, Flows: flows}
	streams, err := sim.Streams(t.Context(), p, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Multipath(t.Context(), p, sim.SpreadNone, 4096, 0); err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if !slices.Equal(s.Path, p.Routes[s.Flow][0].Path) {
			t.Errorf("flow %d: %v, not %v", s.Flow, p.Routes[s.Flow][0].Path, s.Path)
		}
	}
}

// TestSprayIsEven: of the two shortest paths between opposite corners of a square, each takes
// about half of the packets.
func TestSprayIsEven(t *testing.T) {
	p := &sim.Phase{Network: network(t, "Torus(2,2)"), Flows: []sim.Flow{{Src: 0, Dst: 3, Bytes: 10_000}}}
	if err := sim.Multipath(t.Context(), p, sim.SpreadSpray, 1, 1); err != nil {
		t.Fatal(err)
	}
	if r := p.Routes[0]; len(r) != 2 || math.Abs(r[0].Share-0.5) > 0.02 {
		t.Errorf("%v", r)
	}
	gap := &sim.Phase{Network: sim.Network{Graph: topology.New(2, "", nil)}, Flows: []sim.Flow{{Src: 0, Dst: 1, Bytes: 1}}}
	if err := sim.Multipath(t.Context(), gap, sim.SpreadFlow, 1, 1); !errors.Is(err, flow.ErrUnreachable) {
		t.Error(err)
	}
	if err := sim.Multipath(t.Context(), gap, "luck", 1, 1); err == nil {
		t.Error("an unknown spread")
	}
}
