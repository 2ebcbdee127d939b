package replay_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// doubling is an allreduce by recursive doubling on 8 GPUs with the offsets 1, 2, 4, 4, 2 and
// 1, each over separate circuits, for which a plan and packets agree.
func doubling(t *testing.T, f fabric.Fabric, size units.Bytes, graphs ...*topology.Graph) *plan.Plan {
	t.Helper()
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Fabric: f, Collective: plan.Collective{Op: c.Op, Algorithm: c.Algorithm, Size: size, Space: c.Space}}
	for i, step := range c.Steps {
		if i == 0 || graphs[i] != graphs[i-1] {
			p.Stages = append(p.Stages, plan.Stage{Topology: graphs[i]})
		}
		made := plan.Step{Group: step.Group}
		for _, x := range step.Base {
			made.Base = append(made.Base, plan.Transfer{Transfer: x, Routes: []flow.Route{{Path: []int32{int32(x.Src), int32(x.Dst)}, Share: 1}}})
		}
		stage := &p.Stages[len(p.Stages)-1]
		stage.Steps = append(stage.Steps, made)
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Fatalf("%s: %s", bad.Name, bad.Detail)
	}
	return p
}

func replayed(t *testing.T, p *plan.Plan, level sim.Level) *sim.Result {
	t.Helper()
	r, err := sim.Run(t.Context(), level, replay.Program(p), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Under every delay model, kind of overlap and start, the table of ports and the clock of Price
// give the same time if nothing queues, whatever the plan claims about its time.
func TestPortsComeToTheTimeOfThePlan(t *testing.T) {
	jump := func(jumps ...int) *topology.Graph { return topology.DirectedCirculant(8, jumps...) }
	a, b, d := jump(1, 2), jump(2, 4), jump(1, 4)
	one, two, four := jump(1), jump(2), jump(4)
	sequences := map[string][]*topology.Graph{
		"chained": {a, b, b, d, a, a},
		"narrow":  {one, two, four, four, two, one},
		"wider":   {one, a, b, four, b, a},
		"double":  {jump(1, 1), jump(1, 2), jump(4, 4), d, b, a},
	}
	hidden := map[string]bool{}
	for _, model := range []string{"20us", "1ms", "per-port:5us+200ns", "per-circuit:5us+500ns", "per-switch:5us+5us", "per-switch/1:5us+5us"} {
		for _, overlap := range []string{"none", "compute:3us", "ports", "circuits"} {
			for _, initial := range []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase} {
				for name, graphs := range sequences {
					for _, size := range []units.Bytes{64 * units.KiB, 8 * units.MiB} {
						f := fabric.Default()
						f.Nodes, f.Ports, f.Initial, f.Sync, f.Routing = 8, 2, initial, 300*units.Nanosecond, flow.Shortest
						f.Reconfig, _ = fabric.ParseReconfig(model)
						f.Overlap, _ = fabric.ParseOverlap(overlap)
						p := doubling(t, f, size, graphs...)
						where := fmt.Sprintf("%s %s %s %s %v", model, overlap, initial, name, size)
						want := float64(p.Cost.Total())
						// Allow for one packet more or less on one of two parallel circuits, and for whole
						// picoseconds.
						slack := 0.1
						if name == "double" {
							slack += 2 * float64(f.Bandwidth.Transmit(float64(sim.DefaultPacket)))
						}
						for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
							if got := float64(replayed(t, p, level).Completion.Time()); math.Abs(got-want) > slack {
								t.Errorf("%s: %v simulated at level %v, the plan says %v", where, units.Time(got), level, units.Time(want))
							}
						}
						for i := range p.Stages {
							hidden[overlap] = hidden[overlap] || p.Stages[i].Hidden > 0
							stage := &p.Stages[i]
							stage.Start, stage.Reconfiguration = 0, 0
							for j := range stage.Steps {
								stage.Steps[j].Start = 0
							}
						}
						if got := float64(replayed(t, p, sim.FlowLevel).Completion.Time()); math.Abs(got-want) > slack {
							t.Errorf("%s: %v simulated when the plan claims to need no time, not %v", where, units.Time(got), units.Time(want))
						}
					}
				}
			}
		}
	}
	if hidden["none"] || !hidden["compute:3us"] || !hidden["ports"] || !hidden["circuits"] {
		t.Errorf("hidden with %v", hidden)
	}
}

// The parts of an explanation add up to the difference even if steps wait for circuits.
func TestWaitsForCircuitsAreExplained(t *testing.T) {
	a, b, d := topology.DirectedCirculant(8, 1, 2), topology.DirectedCirculant(8, 2, 4), topology.DirectedCirculant(8, 1, 4)
	for _, overlap := range []string{"ports", "circuits"} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Routing = 8, 2, flow.Shortest
		f.Overlap, _ = fabric.ParseOverlap(overlap)
		p := doubling(t, f, units.MiB, a, b, b, d, a, a)
		r := replayed(t, p, sim.PacketLevel)
		e, err := replay.Explain(p, sim.PacketLevel, sim.Options{}, r.Phases, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum := units.Time(0)
		for _, part := range e.Total {
			sum += part.Time
		}
		if diff := r.Completion.Time() - p.Cost.Total(); math.Abs(float64(diff-sum)) > 0.01 {
			t.Errorf("%s: %v are explained of %v", overlap, sum, diff)
		}
	}
}

// Transfers over circuits that stay start at once, those over new ones when these are up. The
// plan lets the early ones pause for a propagation delay when the others begin, and packets do
// not: that is their only difference.
func TestEarlyAndLateTransfersOfAStep(t *testing.T) {
	c, err := algorithms.New(collective.AllToAll, "direct", 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []units.Bytes{3 * units.KiB, 300 * units.KiB, 3 * units.MiB, 30 * units.MiB} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Initial, f.Routing = 3, 2, "DC(3;1)", flow.Shortest
		f.Overlap.Kind = fabric.OverlapCircuits
		p := &plan.Plan{Fabric: f, Collective: plan.Collective{Op: c.Op, Algorithm: c.Algorithm, Size: size, Space: c.Space}}
		p.Stages = []plan.Stage{{Topology: topology.DirectedCirculant(3, 1, 2)}}
		for _, step := range c.Steps {
			made := plan.Step{Group: step.Group}
			for _, x := range step.Base {
				made.Base = append(made.Base, plan.Transfer{Transfer: x, Routes: []flow.Route{{Path: []int32{int32(x.Src), int32(x.Dst)}, Share: 1}}})
			}
			p.Stages[0].Steps = append(p.Stages[0].Steps, made)
		}
		if err := p.Price(); err != nil {
			t.Fatal(err)
		}
		wait := units.Time(10_000)
		if got := p.Cost.Total(); math.Abs(float64(got-wait-p.Stages[0].Steps[0].Cost.Total())) > 1 {
			t.Errorf("%v: %v, but new circuits are as busy as old ones", size, got)
		}
		for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
			r := replayed(t, p, level)
			if diff := p.Cost.Total() - r.Completion.Time(); diff < -0.01 || diff > f.Delta.Time() {
				t.Errorf("%v: %v simulated, the plan says %v", size, r.Completion.Time(), p.Cost.Total())
			}
		}
	}
}
