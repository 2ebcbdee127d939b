package planning_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// unevenlyRefereed returns the time of a plan on circuits that differ. It goes transfer by
// transfer and takes the properties of each circuit from the test's own random table.
func unevenlyRefereed(p *plan.Plan, like map[[2]int]fabric.Link) float64 {
	f := &p.Fabric
	total, up := 0.0, ""
	if f.Initial == fabric.InitialFree {
		up = fmt.Sprint(links(p, 0))
	}
	for s := range p.Stages {
		now := fmt.Sprint(links(p, s))
		if now != up {
			total += float64(f.Reconfig.Base) / 1000
		}
		up = now
		for _, step := range p.Stages[s].Steps {
			sends := map[[2]int]float64{}
			longest, busiest := 0.0, 0.0
			for t := range step.All(p.Collective.Space) {
				size := p.Bytes(t.Chunks)
				for _, r := range t.Routes {
					way, serial := 0.0, 0.0
					for h := 1; h < len(r.Path); h++ {
						at := [2]int{int(r.Path[h-1]), int(r.Path[h])}
						bandwidth, delay := float64(f.Bandwidth), float64(f.Delta)
						if l, ok := like[at]; ok {
							bandwidth, delay = float64(l.Bandwidth), float64(l.Delay)
						}
						took := 8e9 * r.Share * size / bandwidth / float64(p.Stages[s].Topology.Count(at[0], at[1]))
						sends[at] += took
						serial += took
						way += delay / 1000
						busiest = max(busiest, sends[at])
					}
					longest = max(longest, way)
					if f.Forwarding == fabric.StoreAndForward {
						busiest = max(busiest, serial)
					}
				}
			}
			total += float64(f.Alpha)/1000 + longest + busiest
		}
	}
	return total
}

// drawLinks draws the properties of some circuits of the base.
func drawLinks(rng *rand.Rand, f *fabric.Fabric) map[[2]int]fabric.Link {
	base, err := f.BaseTopology()
	if err != nil {
		return nil
	}
	like := map[[2]int]fabric.Link{}
	var all []fabric.Link
	for e := range base.Edges() {
		if rng.IntN(3) == 0 {
			continue
		}
		l := fabric.Link{
			From: e.From, To: e.To, Bandwidth: units.Bandwidth(1+rng.IntN(12)) * 100 * units.Gbps,
			Delay: units.Duration(1+rng.IntN(6)) * 250 * units.Nanosecond, Delayed: true,
		}
		like[[2]int{e.From, e.To}] = l
		all = append(all, l)
	}
	f.Links = fabric.LinksOf(all...)
	return like
}

// On circuits that differ, plans of auto and of every planner that takes the differences into
// account take the time that a referee computes. They verify, also when read from their file,
// bounds hold, packets take about the same time, better circuits make no plan slower, and a
// misstated circuit is detected.
func TestPlansOnCircuitsThatDiffer(t *testing.T) {
	t.Parallel()
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast, collective.AllToAll}
	for seed := range uint64(samples.Draws(10, 20)) {
		rng := rand.New(rand.NewPCG(13, seed))
		f := commandtest.DrawPlain(rng, 3, 6, 3*units.Microsecond, 3)
		if seed%3 == 2 {
			f.Forwarding = fabric.StoreAndForward
		}
		like := drawLinks(rng, &f)
		r := lightpath.PlanRequest{
			Operations: []lightpath.Operation{{Op: ops[seed%4], Size: units.Bytes(1000) << rng.IntN(14)}}, Fabric: f,
			Planner: []string{"static", "every-step", "light-bends", "harvest", "auto"}[seed%5],
		}
		where := fmt.Sprintf("seed %d: %s by %s on %d GPUs, links %s", seed, r.Operations[0].Op, r.Planner, f.Nodes, f.Links)
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()) // which verifies it
		if err != nil {
			t.Fatal(where, err)
		}
		if want, got := unevenlyRefereed(p, like), float64(p.Cost.Total()); math.Abs(want-got) > 1e-9*want {
			t.Errorf("%s, %s: %v, the referee has %v", where, p.Collective.Algorithm, got, want)
		}
		if bound := p.OperationBound().Total(); p.Bound > p.Cost.Total()*(1+1e-9) || bound > p.Cost.Total()*(1+1e-9) {
			t.Errorf("%s: takes %v, bounds %v and %v", where, p.Cost.Total(), p.Bound, bound)
		}
		var file bytes.Buffer
		if err := p.Encode(&file); err != nil {
			t.Fatal(where, err)
		}
		again, err := plan.Decode(&file)
		if err != nil {
			t.Fatal(where, err)
		}
		if report, err := verify.Plan(t.Context(), again); err != nil || report.First() != nil {
			t.Errorf("%s: read from its file: %v, %+v", where, err, report.First())
		}
		simulated, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
		if err != nil {
			t.Fatal(where, err)
		}
		// A packet waits at most for packets of other flows on every circuit of its route; a
		// packet on one of the slowest circuits takes 328 ns.
		if time, most := float64(simulated.CompletionNs), 1.5*float64(p.Cost.Total())+8000*float64(p.CountSteps()); time < 0.4*float64(p.Cost.Total()) || time > most {
			t.Errorf("%s: simulated %v, planned %v", where, time, p.Cost.Total())
		}
		betterCircuits(t, where, r, p, like)
		misstated(t, where, p, like)
	}
}

// betterCircuits checks that the same planner is not slower if all circuits have twice the
// bandwidth and half the delay.
func betterCircuits(t *testing.T, where string, r lightpath.PlanRequest, p *plan.Plan, like map[[2]int]fabric.Link) {
	t.Helper()
	var better []fabric.Link
	base, err := r.Fabric.BaseTopology()
	if err != nil {
		t.Fatal(err)
	}
	for e := range base.Edges() {
		if l, ok := like[[2]int{e.From, e.To}]; ok {
			l.Bandwidth, l.Delay = 2*l.Bandwidth, l.Delay/2
			better = append(better, l)
		}
	}
	r.Fabric.Links = fabric.LinksOf(better...)
	r.Fabric.Bandwidth, r.Fabric.Delta = 2*r.Fabric.Bandwidth, r.Fabric.Delta/2
	if faster, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()); err != nil || faster.Cost.Total() > p.Cost.Total()*(1+1e-9) {
		t.Errorf("%s: better circuits take longer: %v", where, err)
	}
}

// misstated checks that a plan with the times of another circuit is rejected.
func misstated(t *testing.T, where string, p *plan.Plan, like map[[2]int]fabric.Link) {
	t.Helper()
	used := map[[2]int]bool{}
	for _, step := range p.Steps() {
		for x := range step.All(p.Collective.Space) {
			for _, r := range x.Routes {
				for h := 1; h < len(r.Path); h++ {
					used[[2]int{int(r.Path[h-1]), int(r.Path[h])}] = true
				}
			}
		}
	}
	for at, l := range like {
		if !used[at] {
			continue
		}
		wrong := *p
		others := []fabric.Link{{From: at[0], To: at[1], Bandwidth: l.Bandwidth / 100, Delay: l.Delay + units.Millisecond, Delayed: true}}
		for pair, other := range like {
			if pair != at {
				others = append(others, other)
			}
		}
		wrong.Fabric.Links = fabric.LinksOf(others...)
		report, err := verify.Plan(t.Context(), &wrong)
		if err != nil || report.First() == nil {
			t.Errorf("%s: the times of a better circuit %v are taken for right: %v", where, at, err)
		}
		return
	}
}

// A planner that assumes equal circuits also plans on circuits that differ: its plan takes the
// time that a referee computes, verifies, and auto is not slower than any named planner or
// algorithm.
func TestAutoIsNeverSlowerThanAnythingByNameOnCircuitsThatDiffer(t *testing.T) {
	t.Parallel()
	made := map[string]int{}
	for seed := range uint64(samples.Draws(3, 6)) {
		rng := rand.New(rand.NewPCG(21, seed))
		f := commandtest.DrawPlain(rng, 3, 5, 2*units.Microsecond, 4)
		if seed%3 == 2 {
			f.Forwarding = fabric.StoreAndForward
		}
		like := drawLinks(rng, &f)
		op := []collective.Op{collective.AllReduce, collective.AllToAll, collective.Broadcast, collective.AllGather, collective.RootReduce, collective.ReduceScatter}[seed%6]
		r := lightpath.PlanRequest{Operations: []lightpath.Operation{{Op: op, Size: units.Bytes(1000) << rng.IntN(14)}}, Fabric: f}
		where := fmt.Sprintf("seed %d: %s of %v on %d GPUs, %d ports, links %s", seed, op, r.Operations[0].Size, f.Nodes, f.Ports, f.Links)
		best, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(where, err)
		}
		for _, name := range []string{"static", "every-step", "light-bends", "harvest", "exchange", "direct-connect", "joint"} {
			r.Planner = name
			p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()) // which verifies it
			if err != nil {
				continue // it is not for the operation
			}
			made[name]++
			if want, got := unevenlyRefereed(p, like), float64(p.Cost.Total()); math.Abs(want-got) > 1e-9*want {
				t.Errorf("%s: %s takes %v, the referee has %v", where, name, got, want)
			}
			if best.Cost.Total() > p.Cost.Total()*commandtest.Rounding {
				t.Errorf("%s: auto takes %v by %s, %s takes %v", where, best.Cost.Total(), best.Planner, name, p.Cost.Total())
			}
			misstated(t, where+" by "+name, p, like)
		}
	}
	for _, name := range []string{"static", "exchange", "direct-connect", "joint"} {
		if made[name] < 1 {
			t.Errorf("%s made %d plans", name, made[name])
		}
	}
}

// Links with the fabric's own values change nothing.
func TestLinksThatSayNothingNew(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	for _, planner := range []string{"static", "every-step", "light-bends", "harvest", "exchange", "direct-connect", "joint"} {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllToAll} {
			composes := slices.Contains([]string{"exchange", "direct-connect", "joint"}, planner)
			if composes && (planner == "exchange") != (op == collective.AllToAll) {
				continue
			}
			r := lightpath.PlanRequest{Operations: []lightpath.Operation{{Op: op, Size: 4 * units.MiB}}, Fabric: f, Planner: planner}
			plain, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			r.Fabric.Links = fabrictest.Links("0>1:800Gbps+500ns,3>2:800Gbps+500ns")
			with, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			// Planners that compose plans try more, so they may be faster.
			if a, b := float64(plain.Cost.Total()), float64(with.Cost.Total()); math.Abs(a-b) > 1e-9*a && (!composes || b > a) {
				t.Errorf("%s by %s: %v, with links %v", op, planner, a, b)
			}
		}
	}
}

// While some circuits change, those that stay keep sending, each at its own bandwidth and delay.
// Plans verify, take no longer than without overlap, and a misstated circuit is detected.
func TestCircuitsThatDifferGoOnWhileOthersChange(t *testing.T) {
	t.Parallel()
	hidden := 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(25, seed))
		f := fabric.Default()
		f.Nodes, f.Ports = 4+rng.IntN(4), 2+rng.IntN(2)
		f.Reconfig.Base = units.Duration(1+rng.IntN(4)) * 2 * units.Microsecond
		f.Initial = []string{fabric.InitialDark, fabric.InitialBase}[rng.IntN(2)]
		if seed%3 == 2 {
			f.Forwarding = fabric.StoreAndForward
		}
		like := drawLinks(rng, &f)
		op := []collective.Op{collective.AllToAll, collective.AllReduce, collective.AllGather, collective.RootReduce}[seed%4]
		r := lightpath.PlanRequest{Operations: []lightpath.Operation{{Op: op, Size: units.Bytes(32000) << rng.IntN(10)}}, Fabric: f, Planner: []string{"harvest", "auto", "light-bends"}[seed%3]}
		where := fmt.Sprintf("seed %d: %s of %v by %s on %d GPUs, links %s", seed, op, r.Operations[0].Size, r.Planner, f.Nodes, f.Links)
		plain, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(where, err)
		}
		r.Fabric.Overlap = fabric.Overlap{Kind: fabric.OverlapCircuits}
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()) // which verifies it
		if err != nil {
			t.Fatal(where, err)
		}
		if p.Cost.Total() > plain.Cost.Total()*commandtest.Rounding {
			t.Errorf("%s: %v, without overlap %v", where, p.Cost.Total(), plain.Cost.Total())
		}
		if bound := p.OperationBound().Total(); bound > p.Cost.Total()*commandtest.Rounding {
			t.Errorf("%s: takes %v, bound %v", where, p.Cost.Total(), bound)
		}
		for i := range p.Stages {
			if p.Stages[i].Hidden > 0 {
				hidden++
			}
			if wait := p.Stages[i].Reconfiguration; i > 0 && wait > 0 {
				wrong := sooner(p, i, wait/50)
				if report, err := verify.Plan(t.Context(), wrong); err != nil || report.First() == nil {
					t.Errorf("%s: stage %d waits %v, and as much less as a fiftieth is taken for right: %v", where, i+1, wait, err)
				}
			}
		}
		simulated, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
		if err != nil {
			t.Fatal(where, err)
		}
		if time, most := float64(simulated.CompletionNs), 1.5*float64(p.Cost.Total())+8000*float64(p.CountSteps()); time < 0.4*float64(p.Cost.Total()) || time > most {
			t.Errorf("%s: simulated %v, planned %v", where, time, p.Cost.Total())
		}
		misstated(t, where, p, like)
	}
	if hidden == 0 {
		t.Error("no change was hidden: the test shows nothing")
	}
}

// sooner returns a plan that claims that everything from a stage on begins earlier by the given
// time.
func sooner(p *plan.Plan, stage int, by units.Time) *plan.Plan {
	wrong := *p
	wrong.Stages = slices.Clone(p.Stages)
	wrong.Cost.Reconfiguration -= by
	for i := stage; i < len(wrong.Stages); i++ {
		s := &wrong.Stages[i]
		s.Steps = slices.Clone(s.Steps)
		if i == stage {
			s.Reconfiguration, s.Hidden = s.Reconfiguration-by, s.Hidden+by
		} else {
			s.Start -= by
		}
		for j := range s.Steps {
			s.Steps[j].Start -= by
		}
	}
	return &wrong
}
