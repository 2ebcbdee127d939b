package exchange

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// onPlanes are random requests on planes that reconfigure independently.
func onPlanes(count int, seed uint64) []setting {
	random := rand.New(rand.NewPCG(seed, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var list []setting
	for range count {
		s := setting{
			nodes: 4 + random.IntN(5), ports: 2 + random.IntN(3), size: units.Bytes(1) << (18 + random.IntN(7)),
			demand: pick("", "random", "random", "zipf:0.5", "zipf:1", "moe:1", "moe:2", "uniform"),
			set: map[string]string{
				"reconfig": pick("100ns", "1us", "5us", "20us", "per-port:1us+100ns", "per-circuit:500ns+200ns", "per-switch:1us+1us"),
				"sync":     pick("0ns", "0ns", "2us"), "initial": pick("free", "free", "dark", "base"),
				"alpha": pick("0ns", "500ns", "3us"), "delta": pick("1ns", "500ns"),
				"forwarding": pick("cut-through", "cut-through", "store-and-forward"),
			},
		}
		if random.IntN(4) == 0 && s.ports%2 == 0 {
			s.set["duplex"] = "true"
		}
		if random.IntN(5) == 0 {
			s.members = []int{0, 2, 3}
		}
		list = append(list, s)
	}
	return list
}

// with returns the setting with a fabric's setting changed.
func (s setting) with(name, value string) setting {
	set := map[string]string{name: value}
	for k, v := range s.set {
		if k != name {
			set[k] = v
		}
	}
	s.set = set
	return s
}

// Planes that may reconfigure independently are never slower than planes that reconfigure
// together, and no plan is faster than the bound. The file of a plan says the same as the plan.
func TestPlanesApartAreNeverSlowerThanTogether(t *testing.T) {
	apart, faster, most := 0, 0, 1.0
	draws := samples.Draws(48, 80)
	for _, s := range onPlanes(draws, 11) {
		together, p := s.with("overlap", "none").planned(t, Options{}), s.with("overlap", "planes").planned(t, Options{})
		if (together == nil) != (p == nil) && p == nil {
			t.Fatalf("%v: no plan", s)
		}
		if p == nil || together == nil {
			continue
		}
		if p.Cost.Total() > together.Cost.Total()*(1+1e-9) {
			t.Errorf("%v: %v apart, %v together", s, p.Cost.Total(), together.Cost.Total())
		}
		if bound := p.OperationBound().Total(); bound > p.Cost.Total()*(1+1e-9) {
			t.Errorf("%v: %v, faster than the bound of %v", s, p.Cost.Total(), bound)
		}
		if p.Independent {
			apart++
			most = max(most, float64(together.Cost.Total()/p.Cost.Total()))
			reread(t, p)
		}
		if p.Cost.Total() < together.Cost.Total()*(1-1e-3) {
			faster++
		}
	}
	t.Logf("%d of %d are apart, %d of them by more than 0.1%%, at most %.3f times as fast", apart, draws, faster, most)
	if faster < draws*16/80 {
		t.Errorf("only %d plans are faster with planes apart", faster)
	}
}

// reread checks that the file of a plan is one of the same plan.
func reread(t *testing.T, p *plan.Plan) {
	t.Helper()
	var file, again bytes.Buffer
	if err := p.Encode(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	q, err := plan.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Encode(&again); err != nil || again.String() != text || !q.Independent {
		t.Fatalf("the file says something else when it is read and written: %v", err)
	}
	report, err := verify.Plan(context.Background(), q)
	if err != nil || !report.OK {
		t.Fatal(report.First(), err)
	}
}

// With shorter delays planes apart are never slower.
func TestPlanesApartAreNeverSlowerWithShorterDelays(t *testing.T) {
	for _, s := range onPlanes(samples.Draws(12, 24), 12) {
		s = s.with("overlap", "planes").with("initial", "free").with("forwarding", "cut-through").with("duplex", "false").with("sync", "0ns")
		s.members = nil
		last := units.Time(math.Inf(1))
		for _, delay := range []string{"20us", "5us", "2us", "500ns", "1ns"} {
			p := s.with("reconfig", delay).planned(t, Options{})
			if p.Cost.Total() > last*(1+1e-9) {
				t.Errorf("%v: %v with %s, %v with a longer delay", s, p.Cost.Total(), delay, last)
			}
			last = p.Cost.Total()
		}
	}
}

// Packets of planes apart take as long as the plan says, to the rounding of bytes and packets,
// where every message has one hop; without barriers they take no longer.
func TestPacketsOfPlanesApartTakeAsLongAsPlanned(t *testing.T) {
	looked := 0
	for _, s := range onPlanes(60, 13) {
		p := s.with("overlap", "planes").with("forwarding", "cut-through").with("delta", "500ns").planned(t, Options{})
		if p == nil || !p.Independent {
			continue
		}
		looked++
		o := sim.Options{Forwarding: p.Fabric.Forwarding, Packet: 4096}
		result, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.PaceMerging), o)
		if err != nil {
			t.Fatal(err)
		}
		hops := 0
		for _, step := range p.Steps() {
			hops = max(hops, step.Cost.Hops)
		}
		planned, took := p.Cost.Total(), result.Completion.Time()
		if late := took - planned; late > planned*1e-3 || hops == 1 && -late > planned*1e-3 {
			t.Errorf("%v: %v in packets, %v planned, up to %d hops", s, took, planned, hops)
		}
		why, err := replay.Explain(p, sim.PacketLevel, o, result.Phases, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum := units.Time(0)
		for _, part := range why.Total {
			sum += part.Time
		}
		if slack := replay.Resolution * units.Time(2+len(why.Total)*len(p.Stages)); math.Abs(float64(took-planned-sum)) > float64(slack) {
			t.Errorf("%v: %v is explained of a difference of %v", s, sum, took-planned)
		}
		free, err := replay.RunAsynchronous(t.Context(), p, replay.PaceMerging, o)
		if err != nil {
			t.Fatal(err)
		}
		if p.Fabric.Sync == 0 && free.Completion > result.Completion {
			t.Errorf("%v: %v without barriers, %v with", s, free.Completion, result.Completion)
		}
	}
	if looked < 10 {
		t.Errorf("only %d plans are apart", looked)
	}
}

// A plan takes the time that the search computed.
func TestTimesOfPlanesApartAreThoseOfPlans(t *testing.T) {
	looked := 0
	for _, s := range onPlanes(40, 14) {
		r := s.with("overlap", "planes").with("alpha", "500ns").request(t)
		if r.Fabric.CanStagger() != nil {
			continue
		}
		task, err := newTask(&r, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		task.copies = 1
		x := &spreader{task: task, model: r.Fabric.Reconfig.Remembering(), best: spread{time: units.Time(math.Inf(1))}}
		if err := x.search(t.Context()); err != nil {
			t.Fatal(err)
		}
		if x.best.turns == nil {
			continue
		}
		looked++
		made, err := x.build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// Amounts are rounded to bytes, for each of the parts that pass a circuit in a turn.
		slack := r.Fabric.Bandwidth.Transmit(float64(len(made.Stages) * r.Fabric.Nodes))
		if got, want := made.Cost.Total(), x.best.time; math.Abs(float64(got-want)) > 1e-9*float64(want)+float64(slack) {
			t.Errorf("%v: the plan takes %v, not %v: %v more, not up to %v", s, got, want, got-want, slack)
		}
	}
	if looked < 30 {
		t.Errorf("only %d", looked)
	}
}

// Planes stay together on fabrics that reconfigure all planes together, with failed parts, with
// a requested number of topologies, and with one port.
func TestPlanesStayTogetherWhereTheyMust(t *testing.T) {
	s := setting{nodes: 8, ports: 2, size: 16 * units.MiB, demand: "random", set: map[string]string{"reconfig": "1us", "overlap": "planes"}}
	if !s.planned(t, Options{}).Independent {
		t.Fatal("not apart at all")
	}
	for _, kind := range []fabric.OverlapKind{fabric.OverlapPorts, fabric.OverlapCircuits, "none", "compute:1us"} {
		if s.with("overlap", string(kind)).planned(t, Options{}).Independent {
			t.Errorf("apart with overlap %s", kind)
		}
	}
	for _, set := range [][2]string{{"avoid", "link:0-1"}, {"theta", "1"}, {"ports", "1"}} {
		if s.with(set[0], set[1]).planned(t, Options{}).Independent {
			t.Errorf("apart with %v", set)
		}
	}
	for stages := 2; stages < 5; stages++ {
		if p := s.planned(t, Options{Stages: stages}); p != nil && p.Independent {
			t.Errorf("apart with %d topologies", stages)
		}
	}
	for _, name := range strategy.Alone() {
		if p := s.planned(t, Options{Strategy: Strategy(name)}); p != nil && p.Independent && p.Strategy != name {
			t.Errorf("strategy %s instead of %s", p.Strategy, name)
		}
	}
}

// With an uneven demand and short delays, four ports are faster with planes apart than with
// planes together.
func TestPlanesApartGainOnDemandsThatDiffer(t *testing.T) {
	s := setting{nodes: 12, ports: 4, size: 64 * units.MiB, demand: "random", set: map[string]string{"reconfig": "100ns"}}
	together, apart := s.with("overlap", "none").planned(t, Options{}), s.with("overlap", "planes").planned(t, Options{})
	if gain := float64(together.Cost.Total() / apart.Cost.Total()); gain < 1.005 {
		t.Errorf("%.3f times as fast", gain)
	}
}
