package replay_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// TestPlanesWithoutBarriers: if all GPUs do the same, planes take as long without barriers as
// with them, to the picosecond; otherwise they take no longer. All packets stay on their
// planes, and links carry the same. A new circuit of a plane carries nothing before its ends
// have sent and received everything over the plane's previous circuits, and a reconfiguration
// has passed.
func TestPlanesWithoutBarriers(t *testing.T) {
	changes := 0
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		nodes     int
		ports     int
		same      bool
		reconfig  string
	}{
		{collective.AllReduce, "halving-doubling", 8, 3, true, "5us"},
		{collective.AllReduce, "recursive-doubling", 8, 2, true, "per-switch:5us+1us"},
		{collective.Broadcast, "binomial", 8, 2, false, "10us"},
		{collective.RootReduce, "binomial", 8, 2, false, "10us"},
		{collective.Scatter, "binomial", 8, 3, false, "1us"},
		{collective.Gather, "binomial", 8, 2, false, "5us"},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Overlap = c.nodes, c.ports, fabric.Overlap{Kind: fabric.OverlapPlanes}
		f.Gamma = fabric.Gamma{Time: units.Microsecond, Per: units.MiB}
		var err error
		if f.Reconfig, err = fabric.ParseReconfig(c.reconfig); err != nil {
			t.Fatal(err)
		}
		algorithm, err := algorithms.New(c.op, c.algorithm, f.Nodes, f.Ports)
		if err != nil {
			t.Fatal(err)
		}
		p, err := staggered.New(staged.Harvest(staged.HarvestOptions{})).Plan(t.Context(), planner.Request{Fabric: f, Collective: algorithm, Size: units.MiB})
		if err != nil {
			t.Fatal(err)
		}
		if !p.Staggered() {
			t.Fatalf("%s on %d GPUs is not staggered", c.algorithm, c.nodes)
		}
		o := sim.Options{Forwarding: f.Forwarding}
		want, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), o)
		if err != nil {
			t.Fatal(err)
		}
		w, seen := &watcher{t: t, plan: p}, &spy{}
		o.Observer = pair{replay.OnGPUs(p, w), replay.OnGPUs(p, seen)}
		got, err := replay.RunAsynchronous(t.Context(), p, replay.PaceMerging, o)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.same && got.Completion != want.Completion:
			t.Errorf("%s on %d GPUs: %v; with barriers %v", c.algorithm, c.nodes, got.Completion, want.Completion)
		case got.Completion > want.Completion:
			t.Errorf("%s on %d GPUs: %v is longer than %v with barriers", c.algorithm, c.nodes, got.Completion, want.Completion)
		}
		if w.packets != want.PacketHops || len(got.Phases) != len(want.Phases) {
			t.Errorf("%d packet-hops in %d phases, with barriers %d in %d", w.packets, len(got.Phases), want.PacketHops, len(want.Phases))
		}
		carried := func(links []sim.LinkResult) (list [][3]int64) {
			for _, l := range replay.Folded(p, links) {
				if l.Packets > 0 {
					list = append(list, [3]int64{int64(l.From), int64(l.To), int64(l.Bytes)})
				}
			}
			return list
		}
		if a, b := carried(got.Links), carried(want.Links); !slices.Equal(a, b) {
			t.Errorf("links carry %v, with barriers %v", a, b)
		}
		changes += checkPlanes(t, p, seen.sent)
	}
	if changes < 1000 {
		t.Errorf("only %d packets over circuits that planes got later", changes)
	}
}

// pair calls two observers.
type pair [2]sim.Observer

func (b pair) Phase(i int, p *sim.Phase, r *sim.PhaseResult) {
	for _, o := range b {
		o.Phase(i, p, r)
	}
}

func (b pair) Transmission(t sim.Transmission) {
	for _, o := range b {
		o.Transmission(t)
	}
}

// checkPlanes returns how many transmissions over changed circuits it has checked.
func checkPlanes(t *testing.T, p *plan.Plan, sent []sim.Transmission) (count int) {
	t.Helper()
	for plane := range p.Fabric.Ports {
		epoch := make([]int, len(p.Stages)) // epoch of each step
		now, last := 0, -1
		for k := range p.Stages {
			if g := p.Stages[k].Lanes[plane].Circuits; g != nil {
				if last >= 0 && !p.Stages[last].Lanes[plane].Circuits.Equal(g) {
					now++
				}
				last = k
			}
			epoch[k] = now
		}
		busy := map[[2]int]units.Duration{} // by epoch and GPU
		for _, x := range sent {
			if x.Circuit == plane {
				from, to := [2]int{epoch[x.Phase], x.From}, [2]int{epoch[x.Phase], x.To}
				busy[from] = max(busy[from], x.Start+x.Each)
				busy[to] = max(busy[to], x.Start+x.Each+p.Fabric.Delta)
			}
		}
		for _, x := range sent {
			if e := epoch[x.Phase]; x.Circuit == plane && e > 0 {
				count++
				if soonest := max(busy[[2]int{e - 1, x.From}], busy[[2]int{e - 1, x.To}]) + p.Fabric.Reconfig.Base; x.Start < soonest {
					t.Fatalf("step %d sends %d -> %d on plane %d at %v, before %v", x.Phase+1, x.From, x.To, plane+1, x.Start, soonest)
				}
			}
		}
	}
	return count
}
