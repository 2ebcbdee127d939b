package plan_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// delayModels and overlaps list all that exist.
var (
	delayModels = []string{"20us", "per-port:5us+200ns", "per-circuit:5us+500ns", "per-switch:5us+5us", "per-switch/1:5us+5us"}
	overlaps    = []string{"none", "compute:3us", "ports", "circuits"}
	initials    = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}
)

// timed is a fabric of 8 GPUs.
func timed(t testing.TB, model, overlap, initial string, ports int, sync units.Duration) fabric.Fabric {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Initial, f.Sync, f.Routing = 8, ports, initial, sync, flow.Shortest
	var err error
	if f.Reconfig, err = fabric.ParseReconfig(model); err != nil {
		t.Fatal(err)
	}
	if f.Overlap, err = fabric.ParseOverlap(overlap); err != nil {
		t.Fatal(err)
	}
	return f
}

// chained is an allreduce by recursive doubling with the offsets 1, 2, 4, 4, 2 and 1, in which
// one circuit of every GPU stays at each change: step 2 uses circuits that stay and step 3
// those set up meanwhile.
func chained(t testing.TB, f fabric.Fabric, size units.Bytes) *plan.Plan {
	t.Helper()
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", 8, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	a, b, d := topology.DirectedCirculant(8, 1, 2), topology.DirectedCirculant(8, 2, 4), topology.DirectedCirculant(8, 1, 4)
	return onCircuits(t, f, c, size, a, b, b, d, a, a)
}

// narrow is chained with one circuit per GPU at a time, so that the second port is free for the
// next.
func narrow(t testing.TB, f fabric.Fabric, size units.Bytes) *plan.Plan {
	t.Helper()
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", 8, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	a, b, d := topology.DirectedCirculant(8, 1), topology.DirectedCirculant(8, 2), topology.DirectedCirculant(8, 4)
	return onCircuits(t, f, c, size, a, b, d, d, b, a)
}

// gaps returns how long each step waits after the previous one.
func gaps(p *plan.Plan) []units.Time {
	var all []units.Time
	ended := units.Time(0)
	for _, step := range p.Steps() {
		all = append(all, step.Start-ended)
		ended = step.Start + step.Cost.Total()
	}
	return all
}

// retime sets the starts of steps from their waits, and all other claims accordingly, so that
// only physics can object. Any reduction of a stage's wait is claimed to be hidden.
func retime(p *plan.Plan, gaps []units.Time) {
	now, k := units.Time(0), 0
	p.Cost.Reconfiguration = 0
	for i := range p.Stages {
		stage := &p.Stages[i]
		stage.Start = now
		was := stage.Reconfiguration
		for j := range stage.Steps {
			step := &stage.Steps[j]
			if j == 0 {
				stage.Reconfiguration = gaps[k]
			}
			now += gaps[k]
			p.Cost.Reconfiguration += gaps[k]
			step.Start = now
			now += step.Cost.Total()
			k++
		}
		stage.Hidden += was - stage.Reconfiguration
	}
}

// refused returns why the timing check refuses a plan.
func refused(t testing.TB, p *plan.Plan) (string, bool) {
	t.Helper()
	for _, c := range mustVerify(t, p).Checks {
		if c.Name == "timing" {
			return c.Detail, !c.OK
		}
	}
	t.Fatal("timing is not checked")
	return "", false
}

var namesPlace = regexp.MustCompile(`^stage \d+(, step \d+(, transfer \d+: circuit \d+->\d+ is dark until)?)?`)

// Under every model, kind of overlap and start, the times of Price are the earliest that the
// replay of ports allows: if any wait of any step is shortened, the replay objects and names
// the place.
func TestNoWaitCanBeCut(t *testing.T) {
	waits := map[string]int{}
	for _, model := range delayModels {
		for _, overlap := range overlaps {
			for _, initial := range initials {
				for _, sync := range []units.Duration{0, 700 * units.Nanosecond} {
					for _, size := range []units.Bytes{64 * units.KiB, 4 * units.MiB} {
						f := timed(t, model, overlap, initial, 2, sync)
						for kind, p := range map[string]*plan.Plan{"chained": chained(t, f, size), "narrow": narrow(t, f, size)} {
							name := fmt.Sprintf("%s %s %s sync=%v %v %s", model, overlap, initial, sync, size, kind)
							for k, gap := range gaps(p) {
								if gap == 0 {
									continue
								}
								waits[overlap]++
								for _, part := range []units.Time{1e-4, 1} {
									cut := clone(p)
									shorter := gaps(p)
									shorter[k] -= part * gap
									retime(cut, shorter)
									why, no := refused(t, cut)
									if !no {
										t.Fatalf("%s: step %d waits %v; %v less is not noticed", name, k+1, gap, part*gap)
									}
									if !namesPlace.MatchString(why) {
										t.Fatalf("%s: %q does not say where", name, why)
									}
								}
							}
						}
					}
				}
			}
		}
	}
	t.Logf("waits that were cut: %v", waits)
	if len(waits) != len(overlaps) {
		t.Errorf("only %v were cut", waits)
	}
}

// Plans that are correct on one fabric are refused on one that is slower in any way.
func TestTimesOfAFasterFabricAreRefused(t *testing.T) {
	slower := []struct {
		name    string
		applies func(f *fabric.Fabric) bool
		apply   func(f *fabric.Fabric)
	}{
		{"no overlap", func(f *fabric.Fabric) bool { return true }, func(f *fabric.Fabric) { f.Overlap = fabric.Overlap{} }},
		{"less computation", func(f *fabric.Fabric) bool { return f.Overlap.Kind == fabric.OverlapCompute },
			func(f *fabric.Fabric) { f.Overlap.Compute -= units.Nanosecond }},
		{"a slower switch", func(f *fabric.Fabric) bool { return true }, func(f *fabric.Fabric) { f.Reconfig.Base += 30 * units.Microsecond }},
		{"slower circuits", func(f *fabric.Fabric) bool { return f.Reconfig.Each > 0 }, func(f *fabric.Fabric) { f.Reconfig.Each *= 8 }},
		{"a longer barrier", func(f *fabric.Fabric) bool { return true }, func(f *fabric.Fabric) { f.Sync += units.Nanosecond }},
		{"dark at the start", func(f *fabric.Fabric) bool { return f.Initial == fabric.InitialFree }, func(f *fabric.Fabric) { f.Initial = fabric.InitialDark }},
		{"fewer switches", func(f *fabric.Fabric) bool {
			return f.Reconfig.Model == fabric.PerSwitch && f.Reconfig.Switches == 0 && f.Overlap.Kind != fabric.OverlapNone
		},
			func(f *fabric.Fabric) { f.Reconfig.Switches, f.Reconfig.Each = 1, 2*f.Reconfig.Each }},
	}
	seen := map[string]bool{}
	for _, model := range delayModels {
		for _, overlap := range overlaps {
			for _, initial := range initials {
				for _, size := range []units.Bytes{64 * units.KiB, 8 * units.MiB} {
					f := timed(t, model, overlap, initial, 2, units.Microsecond)
					for kind, p := range map[string]*plan.Plan{"chained": chained(t, f, size), "narrow": narrow(t, f, size)} {
						for _, s := range slower {
							changed := clone(p)
							if s.apply(&changed.Fabric); !s.applies(&f) || changed.Price() != nil || changed.Cost.Total() <= p.Cost.Total()*(1+1e-9) {
								continue
							}
							claims := clone(p)
							claims.Fabric = changed.Fabric
							if _, no := refused(t, claims); !no {
								t.Errorf("%s %s %s %s: %s is not noticed", model, overlap, initial, kind, s.name)
							}
							seen[s.name] = true
						}
					}
				}
			}
		}
	}
	if len(seen) != len(slower) {
		t.Errorf("only %v made a plan slower", seen)
	}
}

// These are ways to cheat time, one by one.
func TestEveryWayToCheatTimeIsRefused(t *testing.T) {
	const small = 64 * units.KiB
	for _, c := range []struct {
		name, model, overlap string
		make                 func(testing.TB, fabric.Fabric, units.Bytes) *plan.Plan
		says                 string
		cheat                func(p *plan.Plan)
	}{
		{"a circuit that is still dark is used", "1ms", "circuits", chained, `stage 2, step 2, transfer 1: circuit 0->4 is dark until`, func(p *plan.Plan) {
			g := gaps(p)
			g[2] = 0
			retime(p, g)
		}},
		{"stages that are each shorter than the delay", "1ms", "circuits", chained, `stage 2, step 2, transfer 1: circuit \d->\d is dark until`, func(p *plan.Plan) {
			retime(p, make([]units.Time, 6)) // eight rewirings of 1 ms in 13 us, as it once was
			for i := 1; i < len(p.Stages); i++ {
				p.Stages[i].Hidden = p.Fabric.Reconfig.Base.Time()
			}
		}},
		{"a change begins before the last is over", "1ms", "circuits", chained, `stage 4: the change takes`, func(p *plan.Plan) {
			g := gaps(p)
			g[4] /= 4
			retime(p, g)
		}},
		{"hidden time that there is not", "20us", "circuits", chained, `stage 2: .* said to be hidden`, func(p *plan.Plan) { p.Stages[1].Hidden += us }},
		{"hidden time without overlap", "20us", "none", chained, `stage 2: 1\.000us .* said to be hidden, but 0ns`, func(p *plan.Plan) { p.Stages[1].Hidden = us }},
		{"more hidden than computation takes", "20us", "compute:3us", chained, `stage 2: the change takes 17\.00us, but 16\.00us`, func(p *plan.Plan) {
			g := gaps(p)
			g[1] -= us
			retime(p, g)
		}},
		{"hidden on ports that are not free", "20us", "ports", chained, `stage 2: the change takes 20\.00us`, func(p *plan.Plan) {
			g := gaps(p)
			g[1] -= stepAt(p, 1).Cost.Total()
			retime(p, g)
		}},
		{"hidden before the stage began", "20us", "ports", narrow, `stage 3: the change takes`, func(p *plan.Plan) {
			g := gaps(p)
			g[2] -= min(g[2], stepAt(p, 1).Cost.Total())
			retime(p, g)
		}},
		{"circuits of two stages are swapped", "20us", "circuits", chained, `stage 1, step 1|stage 2`, func(p *plan.Plan) {
			p.Stages[1].Topology, p.Stages[2].Topology = p.Stages[2].Topology, p.Stages[1].Topology
			p.Stages[1].Steps[0].Base = slices.Clone(p.Stages[1].Steps[0].Base)
		}},
		{"circuits that carry on, on a switch that changes", "per-switch:5us+5us", "circuits", chained, `stage \d`, func(p *plan.Plan) {
			p.Fabric.Reconfig.Switches = 1
		}},
		{"the change said to be shorter than the step waits", "20us", "none", chained, `stage 2: the change takes 20\.00us, but 19\.00us`, func(p *plan.Plan) { p.Stages[1].Reconfiguration -= us }},
		{"a step in the middle of a stage early", "1ms", "circuits", chained, `stage 2, step 2`, func(p *plan.Plan) {
			p.Stages[1].Steps[1].Start -= us
		}},
		{"what is hidden is no number", "20us", "circuits", chained, `said to be hidden`, func(p *plan.Plan) { p.Stages[1].Hidden = nan }},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			p := c.make(t, timed(t, c.model, c.overlap, fabric.InitialFree, 2, 0), small)
			c.cheat(p)
			report := mustVerify(t, p)
			first := report.First()
			if first == nil || first.Name != "timing" && first.Name != "routes" || !regexp.MustCompile(c.says).MatchString(first.Detail) {
				t.Errorf("%+v, want timing: %s", first, c.says)
			}
		})
	}
}

// A plan without overlap is also valid with overlap, and takes no longer; and a plan takes no
// longer with a smaller delay or barrier.
func TestPriceIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	faster := 0
	for range 300 {
		model := delayModels[rng.IntN(len(delayModels))]
		initial := initials[rng.IntN(len(initials))]
		p := random(t, rng, timed(t, model, "none", initial, 2, units.Duration(rng.IntN(2))*units.Microsecond))
		for _, overlap := range overlaps[1:] {
			other := clone(p)
			other.Fabric.Overlap, _ = fabric.ParseOverlap(overlap)
			price(t, other)
			if other.Cost.Total() > p.Cost.Total()*(1+1e-12) {
				t.Fatalf("%s %s: %v with overlap, %v without", model, overlap, other.Cost.Total(), p.Cost.Total())
			}
			if other.Cost.Total() < p.Cost.Total() {
				faster++
			}
			quick := clone(other)
			quick.Fabric.Reconfig.Base = quick.Fabric.Reconfig.Base * units.Duration(rng.IntN(100)) / 100
			quick.Fabric.Reconfig.Each = quick.Fabric.Reconfig.Each * units.Duration(rng.IntN(100)) / 100
			quick.Fabric.Sync = quick.Fabric.Sync * units.Duration(rng.IntN(100)) / 100
			price(t, quick)
			if quick.Cost.Total() > other.Cost.Total()*(1+1e-12) {
				t.Fatalf("%s %s: %v with %+v, %v with %+v", model, overlap, quick.Cost.Total(), quick.Fabric.Reconfig, other.Cost.Total(), other.Fabric.Reconfig)
			}
		}
	}
	if faster < 100 {
		t.Errorf("overlap helped %d times only", faster)
	}
}

// The timetable of the switches has a command for every change, one at a time, and no step
// starts before the change that sets up its circuits is over.
func TestCommandsAreOneAtATime(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for range 200 {
		model, overlap, initial := delayModels[rng.IntN(len(delayModels))], overlaps[rng.IntN(len(overlaps))], initials[rng.IntN(len(initials))]
		p := random(t, rng, timed(t, model, overlap, initial, 2, units.Duration(rng.IntN(2))*units.Microsecond))
		commands, err := p.Commands()
		if err != nil || len(commands) != p.Reconfigurations {
			t.Fatalf("%d commands for %d changes, %v", len(commands), p.Reconfigurations, err)
		}
		over := units.Time(0)
		for _, c := range commands {
			stage := &p.Stages[c.Stage]
			if compute := p.Fabric.Overlap.Compute.Time(); c.At+compute < over*(1-1e-12) {
				t.Fatalf("%s %s: stage %d is set up at %v, the last change is over at %v", model, overlap, c.Stage+1, c.At, over)
			}
			if p.Fabric.Overlap.Kind != fabric.OverlapCircuits && stage.Steps[0].Start < c.Over*(1-1e-12) {
				t.Fatalf("%s %s: stage %d sends at %v, its circuits are up at %v", model, overlap, c.Stage+1, stage.Steps[0].Start, c.Over)
			}
			over = c.Over
		}
	}
}

// random returns an allreduce by recursive doubling on random circulants that have its jumps or
// route them over others.
func random(t testing.TB, rng *rand.Rand, f fabric.Fabric) *plan.Plan {
	t.Helper()
	f.Routing = []flow.Policy{flow.Shortest, flow.ShortestSplit, flow.Optimal}[rng.IntN(3)]
	if rng.IntN(3) == 0 {
		f.Forwarding = fabric.StoreAndForward
	}
	f.CapTheta = rng.IntN(3) == 0
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", 8, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	graphs := make([]*topology.Graph, len(c.Steps))
	for i := range graphs {
		if i > 0 && rng.IntN(2) == 0 {
			graphs[i] = graphs[i-1]
			continue
		}
		graphs[i] = topology.DirectedCirculant(8, 2*rng.IntN(4)+1, 1+rng.IntN(7))
	}
	return onCircuits(t, f, c, units.KiB<<rng.IntN(18), graphs...)
}

func price(t testing.TB, p *plan.Plan) {
	t.Helper()
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	if why, no := refused(t, p); no {
		t.Fatalf("refused: %s", why)
	}
}
