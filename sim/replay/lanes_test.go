package replay_test

import (
	"bytes"
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

func lanesPlan(t *testing.T) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 3
	f.Reconfig.Base, f.Overlap = 20*units.Microsecond, fabric.Overlap{Kind: fabric.OverlapPlanes}
	c, err := algorithms.New(collective.AllReduce, "halving-doubling", f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	p, err := staggered.New(staged.Harvest(staged.HarvestOptions{})).Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB})
	if err != nil || !p.Staggered() {
		t.Fatal(p, err)
	}
	return p
}

// watcher records the events of GPUs.
type watcher struct {
	t       *testing.T
	plan    *plan.Plan
	packets int64
	flows   int
}

func (w *watcher) Transmission(x sim.Transmission) {
	lane := w.plan.Stages[x.Phase].Lanes[x.Circuit]
	if lane.Circuits == nil || lane.Circuits.Count(x.From, x.To) == 0 {
		w.t.Errorf("step %d: packets from %d to %d on plane %d, which has no such circuit", x.Phase+1, x.From, x.To, x.Circuit+1)
	}
	w.packets += x.Packets
}

func (w *watcher) Phase(_ int, p *sim.Phase, _ *sim.PhaseResult) {
	for _, f := range p.Flows {
		if int(f.Src) >= w.plan.Fabric.Nodes || int(f.Dst) >= w.plan.Fabric.Nodes {
			w.t.Errorf("a flow from %d to %d", f.Src, f.Dst)
		}
	}
	w.flows += p.Count()
}

// Packets stay on the plane of their share, links and flows are those of GPUs, and all bytes
// arrive.
func TestPacketsStayOnTheirPlanes(t *testing.T) {
	p := lanesPlan(t)
	w := &watcher{t: t, plan: p}
	result, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), sim.Options{Forwarding: p.Fabric.Forwarding, Observer: replay.OnGPUs(p, w)})
	if err != nil {
		t.Fatal(err)
	}
	if w.packets != result.PacketHops || w.flows == 0 {
		t.Errorf("%d packet-hops were told, %d simulated; %d flows", w.packets, result.PacketHops, w.flows)
	}
	bytes, folded := units.Bytes(0), replay.Folded(p, result.Links)
	for i, l := range folded {
		bytes += l.Bytes
		if l.From >= p.Fabric.Nodes || l.To >= p.Fabric.Nodes || i > 0 && folded[i-1].From == l.From && folded[i-1].To >= l.To {
			t.Errorf("%+v", l)
		}
	}
	sent := 0.0
	for _, step := range p.Steps() {
		for x := range step.All(p.Collective.Space) {
			for _, r := range x.Routes {
				sent += r.Share * p.Bytes(x.Chunks) * float64(len(r.Path)-1)
			}
		}
	}
	// Bytes are whole on every hop.
	if diff := float64(bytes) - sent; diff < -1 || diff > float64(w.flows)*4 {
		t.Errorf("%v on circuits, the plan sends %v", bytes, sent)
	}
}

// If a plane is dark for longer than the plan claims, its packets are delayed: the replay takes
// delays from the fabric and not from the plan's times.
func TestTheReplayOfPlanesDoesNotBelieveThePlan(t *testing.T) {
	p := lanesPlan(t)
	honest := completion(t, p)
	var file bytes.Buffer
	if err := p.Encode(&file); err != nil {
		t.Fatal(err)
	}
	slow, err := plan.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range slow.Stages {
		slow.Stages[i].Start, slow.Stages[i].Reconfiguration = 0, 0
		slow.Stages[i].Steps[0].Start = 0
	}
	if got := completion(t, slow); got != honest {
		t.Errorf("%v with other claims, %v", got, honest)
	}
	slow.Fabric.Reconfig.Base *= 2
	if got := completion(t, slow); got < honest+10*units.Microsecond {
		t.Errorf("%v with twice the delay, %v", got, honest)
	}
}

func completion(t *testing.T, p *plan.Plan) units.Duration {
	t.Helper()
	result, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), sim.Options{Forwarding: p.Fabric.Forwarding, Orbit: true})
	if err != nil {
		t.Fatal(err)
	}
	return result.Completion
}

// Differences from the plan are explained, step by step and in total.
func TestTheReplayOfPlanesIsExplained(t *testing.T) {
	p := lanesPlan(t)
	o := sim.Options{Forwarding: p.Fabric.Forwarding, Packet: units.KiB}
	result, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := replay.Explain(p, sim.PacketLevel, o, result.Phases, nil)
	if err != nil || len(e.Steps) != p.CountSteps() {
		t.Fatal(e, err)
	}
	sum := units.Time(0)
	for _, part := range e.Total {
		sum += part.Time
	}
	if diff := result.Completion.Time() - p.Cost.Total() - sum; diff < -0.01 || diff > 0.01 {
		t.Errorf("%v is not explained", diff)
	}
}
