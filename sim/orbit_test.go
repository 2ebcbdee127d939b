package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// symmetric returns circuits that look the same from every node, with their groups.
func symmetric() []sim.Phase {
	phase := func(g *topology.Graph, group topology.Translations) sim.Phase {
		return sim.Phase{
			Network: sim.Network{Graph: g, Bandwidth: 8 * units.Gbps, Delay: 2 * units.Microsecond},
			Group:   group,
		}
	}
	two := topology.Union("", topology.Circulant(10, 1, 3), topology.DirectedCirculant(10, 3))
	return []sim.Phase{
		phase(topology.Circulant(9, 1), topology.Rotations(9, 1)),
		phase(topology.Circulant(12, 1, 5), topology.Rotations(12, 3)),
		phase(two, topology.Rotations(10, 2)),
		phase(topology.Torus(3, 4), topology.Translation(3, 4)),
		phase(topology.Hypercube(3), topology.Translation(2, 2, 2)),
	}
}

// representatives draws flows with routes, and lists their images.
func representatives(r *rand.Rand, p *sim.Phase) (flows int, routes []twinRoute) {
	p.Flows, p.Routes = nil, nil
	order := p.Group.Order()
	for i := range 1 + r.IntN(4) {
		path := walk(r, p.Network.Graph)
		f := sim.Flow{
			Src: path[0], Dst: path[len(path)-1], Bytes: units.Bytes(1 + r.IntN(7)*700),
			Start: units.Duration(r.IntN(3)) * units.Microsecond, Priority: int32(r.IntN(2)),
		}
		p.Flows = append(p.Flows, f)
		p.Routes = append(p.Routes, []flow.Route{{Path: path, Share: 1}})
		for k := range order {
			image := make([]int32, len(path))
			for h, u := range path {
				image[h] = int32(p.Group.Apply(k, int(u)))
			}
			if f.Src != f.Dst {
				routes = append(routes, twinRoute{i*order + k, int(f.Bytes), int64(f.Start), image, f.Priority})
			}
		}
	}
	return len(p.Flows) * order, routes
}

// TestOrbitEqualsFullRun: one representative of each orbit gives the result of all flows, at
// both levels; and all flows give that of the twin.
func TestOrbitEqualsFullRun(t *testing.T) {
	for i, p := range symmetric() {
		for seed := range uint64(20) {
			flows, routes := representatives(rand.New(rand.NewPCG(seed, 2)), &p)
			for _, o := range []sim.Options{
				{Packet: 1000, FlowTimes: true},
				{Packet: 1000, FlowTimes: true, Forwarding: "cut-through", Relay: units.MiB},
				{Packet: 1000, FlowTimes: true, Priorities: true},
			} {
				name := fmt.Sprintf("%d, seed %d, %v", i, seed, o)
				full := run(t, sim.PacketLevel, &p, o)
				compare(t, name, &p, full, twinRun(&p, o, flows, routes))
				for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
					o.Orbit = false
					want := run(t, level, &p, o)
					o.Orbit = true
					got := run(t, level, &p, o)
					got.Events = want.Events
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %s:\n%+v, want\n%+v", name, level, got, want)
					}
				}
			}
		}
	}
}

func run(t testing.TB, level sim.Level, p *sim.Phase, o sim.Options) *sim.Result {
	t.Helper()
	r, err := sim.Run(context.Background(), level, sim.Sequence(p), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOrbitOfShortestPaths: ties between shortest paths are broken in the same way everywhere,
// so an all-to-all given by its representatives equals one given in full.
func TestOrbitOfShortestPaths(t *testing.T) {
	for _, c := range []struct {
		expr  string
		group topology.Translations
	}{
		{"BiRing(2,16)", topology.Rotations(16, 1)},
		{"Torus(4,6)", topology.Translation(4, 6)},
		{"Q(4)", topology.Translation(2, 2, 2, 2)},
	} {
		n := network(t, c.expr)
		var flows []sim.Flow
		for v := int32(1); int(v) < n.Graph.Nodes(); v++ {
			flows = append(flows, sim.Flow{Src: 0, Dst: v, Bytes: 10000})
		}
		orbit := run(t, sim.PacketLevel, &sim.Phase{Network: n, Flows: flows, Group: c.group}, sim.Options{Orbit: true})
		full := run(t, sim.PacketLevel, &sim.Phase{Network: n, Flows: flows, Group: c.group}, sim.Options{})
		if orbit.Completion != full.Completion || orbit.ArrivalSum.Cmp(full.ArrivalSum) != 0 || !reflect.DeepEqual(orbit.Links, full.Links) {
			t.Errorf("%s: orbit %v, %d; full %v, %d", c.expr, orbit.Completion, orbit.ArrivalSum, full.Completion, full.ArrivalSum)
		}
		var list []sim.Flow
		for _, f := range flows {
			for k := range c.group.Order() {
				list = append(list, sim.Flow{Src: int32(c.group.Apply(k, 0)), Dst: int32(c.group.Apply(k, int(f.Dst))), Bytes: f.Bytes})
			}
		}
		listed := run(t, sim.PacketLevel, &sim.Phase{Network: n, Flows: list}, sim.Options{})
		for i, l := range listed.Links {
			if l.Bytes != full.Links[i].Bytes {
				t.Errorf("%s: listed flows put %d bytes on %d -> %d, want %d", c.expr, l.Bytes, l.From, l.To, full.Links[i].Bytes)
			}
		}
	}
}

// TestOrbitRefusesWhatHasNone: a phase that differs between images cannot be simulated by one
// of them.
func TestOrbitRefusesWhatHasNone(t *testing.T) {
	base := symmetric()[0]
	base.Flows = []sim.Flow{{Src: 0, Dst: 1, Bytes: 1}}
	for _, c := range []struct {
		want string
		o    sim.Options
		edit func(*sim.Phase)
	}{
		{"different times", sim.Options{Skew: sim.Skew{Node: 1}}, func(*sim.Phase) {}},
		{"failures", sim.Options{}, func(p *sim.Phase) { p.Failures = []sim.Failure{{From: 0, To: 1}} }},
		{"circuits are not invariant", sim.Options{}, func(p *sim.Phase) {
			p.Network.Graph = topology.New(9, "", []topology.Edge{{From: 0, To: 1, Count: 1}})
		}},
		{"after change 0", sim.Options{}, func(p *sim.Phase) {
			p.Changes = []sim.Change{{Graph: topology.New(9, "", []topology.Edge{{From: 0, To: 1, Count: 1}})}}
		}},
		{"not like its images", sim.Options{}, func(p *sim.Phase) {
			p.Network.Vary = func(u, _ int) (units.Bandwidth, units.Duration) { return units.Gbps, units.Duration(1 + u) }
		}},
	} {
		p := base
		c.edit(&p)
		c.o.Orbit = true
		_, err := sim.Run(context.Background(), sim.PacketLevel, sim.Sequence(&p), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}
