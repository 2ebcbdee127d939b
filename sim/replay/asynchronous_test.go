package replay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// freePlans visits plans of all planners, with one stage and with several.
func freePlans(t *testing.T, visit func(name string, p *plan.Plan)) {
	t.Helper()
	for _, m := range []machine{{nodes: 8, ports: 1}, {nodes: 9, ports: 2}, {nodes: 8, ports: 3}, {nodes: 12, ports: 2, duplex: true}} {
		for _, forwarding := range both {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Duplex, f.Forwarding, f.Reconfig.Base = m.nodes, m.ports, m.duplex, forwarding, 2*units.Microsecond
			for _, operation := range []string{"allreduce/recursive-doubling", "alltoall/direct", "broadcast/binomial", "allreduce/double-binary-tree", "allgather/bfb"} {
				for _, by := range []string{"static", "every-step", "light-bends", "harvest", "direct-connect"} {
					if p := makePlan(t, f, operation, 64*units.KiB, by, "", ""); p != nil {
						visit(fmt.Sprint(by, " ", operation, " ", m, " ", forwarding), p)
					}
				}
			}
		}
	}
}

// TestOneStepNeedsNoBarrier: for a single step both simulators find the same, to the last
// packet, at any pace.
func TestOneStepNeedsNoBarrier(t *testing.T) {
	seen := 0
	freePlans(t, func(name string, p *plan.Plan) {
		if p.CountSteps() > 1 {
			return
		}
		seen++
		for _, pace := range replay.Paces() {
			for _, packet := range []units.Bytes{500, 4096} {
				o := sim.Options{Packet: packet, Forwarding: p.Fabric.Forwarding}
				want, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, pace), o)
				if err != nil {
					t.Fatal(err)
				}
				got, err := replay.RunAsynchronous(t.Context(), p, pace, o)
				if err != nil {
					t.Fatal(err)
				}
				if got.Completion != want.Completion || got.ArrivalSum.Cmp(want.ArrivalSum) != 0 || got.PacketHops != want.PacketHops || got.Packets != want.Packets {
					t.Errorf("%s, pace %s, %v: %v, sum %v, not %v, %v", name, pace, packet, got.Completion, got.ArrivalSum, want.Completion, want.ArrivalSum)
				}
				idle := func(l sim.LinkResult) bool { return l.Packets == 0 }
				a, b := slices.DeleteFunc(got.Links, idle), slices.DeleteFunc(want.Links, idle)
				if !slices.Equal(a, b) {
					t.Errorf("%s, pace %s: links %v, not %v", name, pace, a, b)
				}
			}
		}
	})
	if seen < 4 {
		t.Errorf("only %d plans of one step", seen)
	}
}

// TestGPUsReduceBeforeTheyGoOn: if all GPUs do the same at the same time, reducing adds the
// same to every step without barriers as with them.
func TestGPUsReduceBeforeTheyGoOn(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	f.Gamma = fabric.Gamma{Time: 100 * units.Microsecond, Per: units.MiB}
	for _, by := range []string{"static", "every-step", "harvest"} {
		for _, operation := range []string{"allreduce/ring", "allreduce/recursive-doubling", "reducescatter/ring"} {
			p := makePlan(t, f, operation, 64*units.KiB, by, "", "")
			if p == nil {
				continue
			}
			o := sim.Options{Forwarding: f.Forwarding}
			want, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := replay.RunAsynchronous(t.Context(), p, replay.PaceOff, o)
			if err != nil || got.Completion != want.Completion {
				t.Errorf("%s %s: %v, %v; with barriers %v", by, operation, got.Completion, err, want.Completion)
			}
		}
	}
}

// reduced returns the bytes that each GPU reduces in a step.
func reduced(p *plan.Plan, step int) map[int]float64 {
	bytes := map[int]float64{}
	for _, s := range p.Steps() {
		for t := range s.All(p.Collective.Space) {
			if s.Index == step+1 && t.Action == collective.Reduce {
				bytes[t.Dst] += p.Bytes(t.Chunks)
			}
		}
	}
	return bytes
}

// harder returns the same plan with costly reductions, and on circuits that have, in part, their
// own bandwidths and delays.
func harder(p *plan.Plan, seed uint64) []*plan.Plan {
	slow, uneven := *p, *p
	slow.Fabric.Gamma = fabric.Gamma{Time: 90 * units.Microsecond, Per: units.MiB}
	r := rand.New(rand.NewPCG(seed, 22))
	var links []fabric.Link
	for e := range p.Stages[0].Topology.Edges() {
		if r.IntN(2) == 0 {
			links = append(links, fabric.Link{
				From: e.From, To: e.To, Bandwidth: units.Bandwidth(1+r.IntN(15)) * 100 * units.Gbps, Delay: units.Duration(1+r.IntN(900)) * units.Nanosecond, Delayed: true,
			})
		}
	}
	uneven.Fabric.Links = fabric.LinksOf(links...)
	both := uneven
	both.Fabric.Gamma = slow.Fabric.Gamma
	return []*plan.Plan{p, &slow, &uneven, &both}
}

// TestAsynchronousStepsEqualTwin: on circuits that stay, messages start when what their senders
// wait for has arrived and is reduced, packets keep the order that they have with barriers, and
// everything ends when the twin says so. The plans are those of planners, and some in which
// GPUs have different amounts to do. Groups are removed, as in the twin.
func TestAsynchronousStepsEqualTwin(t *testing.T) {
	several, sooner := 0, 0
	check := func(name string, p *plan.Plan) {
		if len(p.Stages) > 1 || p.CountSteps() == 1 {
			return
		}
		several++
		p = withoutGroups(p)
		for i, p := range harder(p, uint64(several)) {
			if several%2 != i%2 {
				continue // half of them are enough
			}
			packet := []units.Bytes{1500, 4096}[i/2]
			o := sim.Options{Packet: packet, Forwarding: p.Fabric.Forwarding}
			got, err := replay.RunAsynchronous(t.Context(), p, replay.PaceOff, o)
			if err != nil {
				t.Fatal(err)
			}
			if want := freeTwin(t, p, o); got.Completion != want {
				t.Errorf("%s, %v: %v, not %v", name, packet, got.Completion, want)
			}
			with, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), o)
			if err != nil {
				t.Fatal(err)
			}
			if got.Completion < with.Completion {
				sooner++
			}
		}
	}
	freePlans(t, check)
	for seed := range uint64(20) {
		check(fmt.Sprint("uneven ", seed), unevenPlan(rng{rand.New(rand.NewPCG(seed, 3))}))
	}
	if several < 20 || sooner < 10 {
		t.Errorf("%d plans of several steps, %d sooner without barriers", several, sooner)
	}
}

// withoutGroups lists the transfers of all steps one by one.
func withoutGroups(p *plan.Plan) *plan.Plan {
	q := *p
	q.Stages = slices.Clone(p.Stages)
	for k := range q.Stages {
		q.Stages[k].Steps = slices.Clone(p.Stages[k].Steps)
		for j := range q.Stages[k].Steps {
			step := &q.Stages[k].Steps[j]
			step.Base = slices.Collect(p.Stages[k].Steps[j].All(p.Collective.Space))
			step.Group = topology.Translations{}
		}
	}
	return &q
}

// unevenPlan draws a plan of one stage in which every GPU sends some chunks to some others over
// a ring, in several steps. It moves bytes but is not a collective.
func unevenPlan(r rng) *plan.Plan {
	n := 4 + r.IntN(4)
	f := fabric.Default()
	f.Nodes, f.Alpha, f.Delta = n, 100*units.Nanosecond, units.Duration(1+r.IntN(3)*200_000)
	p := &plan.Plan{Fabric: f, Stages: []plan.Stage{{Topology: topology.DirectedCirculant(n, 1)}}}
	p.Collective = plan.Collective{Op: collective.AllToAll, Size: 100_000, Space: collective.SpaceOf(collective.AllToAll, n, 1)}
	for range 2 + r.IntN(4) {
		step := plan.Step{Index: len(p.Stages[0].Steps) + 1}
		for range 1 + r.IntN(2*n) {
			u := r.IntN(n)
			nodes := []int32{int32(u)}
			for range 1 + r.IntN(n-1) {
				nodes = append(nodes, (nodes[len(nodes)-1]+1)%int32(n))
			}
			transfer := collective.Transfer{Src: u, Dst: int(nodes[len(nodes)-1]), Chunks: collective.Every(0, 1, 1+r.IntN(3))}
			step.Base = append(step.Base, plan.Transfer{Transfer: transfer, Routes: path(nodes...)})
		}
		p.Stages[0].Steps = append(p.Stages[0].Steps, step)
	}
	return p
}

// spy records transmissions.
type spy struct{ sent []sim.Transmission }

func (s *spy) Phase(int, *sim.Phase, *sim.PhaseResult) {}
func (s *spy) Transmission(t sim.Transmission)         { s.sent = append(s.sent, t) }

// TestCircuitsChangeWhenTheirEndsAreDone: a new circuit of a stage carries nothing before
// everything that its ends send, forward and receive in the previous stages is over, and a
// reconfiguration has passed. The whole plan is never slower than with barriers, and takes at
// least the work of its busiest circuit.
func TestCircuitsChangeWhenTheirEndsAreDone(t *testing.T) {
	changed, sooner := 0, 0
	check := func(name string, p *plan.Plan) {
		watch := &spy{}
		o := sim.Options{Packet: units.KiB, Forwarding: p.Fabric.Forwarding}
		with, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.PaceMerging), o)
		if err != nil {
			t.Fatal(name, err)
		}
		o.Observer = watch
		got, err := replay.RunAsynchronous(t.Context(), p, replay.PaceMerging, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if got.Completion < with.Completion {
			sooner++
		}
		if got.Completion > with.Completion {
			t.Errorf("%s: %v, with barriers %v", name, got.Completion, with.Completion)
		}
		for _, l := range got.Links {
			if l.Utilization(got.Completion) > 1 {
				t.Errorf("%s: %+v in %v", name, l, got.Completion)
			}
		}
		if p.Fabric.Overlap.Kind == fabric.OverlapNone {
			changed += checkChanges(t, name, p, watch.sent)
		}
	}
	freePlans(t, check)
	for _, kind := range []string{"compute:1us", "ports", "circuits"} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = 8, 3, 2*units.Microsecond
		var err error
		if f.Overlap, err = fabric.ParseOverlap(kind); err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"every-step", "light-bends", "harvest"} {
			for _, operation := range []string{"allreduce/recursive-doubling", "broadcast/binomial"} {
				check(fmt.Sprint(kind, " ", by, " ", operation), makePlan(t, f, operation, 64*units.KiB, by, "", ""))
			}
		}
	}
	if changed < 100 || sooner < 20 {
		t.Errorf("only %d changes, %d plans sooner", changed, sooner)
	}
}

// checkChanges returns how many circuits it has checked.
func checkChanges(t *testing.T, name string, p *plan.Plan, sent []sim.Transmission) int {
	t.Helper()
	var stageOf []int
	for k := range p.Stages {
		for range p.Stages[k].Steps {
			stageOf = append(stageOf, k)
		}
	}
	busy := make([][]units.Duration, len(p.Stages)) // until when a GPU is busy in a stage
	for k := range busy {
		busy[k] = make([]units.Duration, p.Fabric.Nodes)
	}
	for _, x := range sent {
		k, end := stageOf[x.Phase], x.Start+x.Each
		busy[k][x.From] = max(busy[k][x.From], end)
		busy[k][x.To] = max(busy[k][x.To], end+p.Fabric.Delta)
	}
	count := 0
	for _, x := range sent {
		k := stageOf[x.Phase]
		if k == 0 || p.Stages[k-1].Topology.Count(x.From, x.To) > 0 {
			continue
		}
		count++
		if soonest := max(busy[k-1][x.From], busy[k-1][x.To]) + p.Fabric.Reconfig.Base; x.Start < soonest {
			t.Fatalf("%s: stage %d sends %d -> %d at %v, before %v", name, k+1, x.From, x.To, x.Start, soonest)
		}
	}
	return count
}

// TestAsynchronousPlansOfParallelSwitches: switches that are dark as a whole change when all
// are done.
func TestAsynchronousPlansOfParallelSwitches(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	var err error
	if f.Reconfig, err = fabric.ParseReconfig("per-switch:1us+1us"); err != nil {
		t.Fatal(err)
	}
	p := makePlan(t, f, "allreduce/recursive-doubling", 64*units.KiB, "every-step", "", "")
	got, err := replay.RunAsynchronous(t.Context(), p, replay.PaceOff, sim.Options{Forwarding: f.Forwarding})
	if err != nil {
		t.Fatal(err)
	}
	with, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), sim.Options{Forwarding: f.Forwarding})
	if err != nil || got.Completion != with.Completion {
		t.Errorf("%v; with barriers %v, %v", got.Completion, with.Completion, err)
	}
}

// TestWhatNeedsBarriers: an unsupported combination is an error in one line.
func TestWhatNeedsBarriers(t *testing.T) {
	p := makePlan(t, fabric.Default(), "allreduce/ring", 1000, "static", "", "")
	for _, o := range []sim.Options{{Orbit: true}, {Priorities: true}, {Relay: 1}, {Skew: sim.Skew{Node: 1}}, {Packet: -1}} {
		if _, err := replay.RunAsynchronous(t.Context(), p, replay.PaceOff, o); err == nil {
			t.Errorf("%+v", o)
		}
	}
}
