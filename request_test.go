package lightpath_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// draw gives requests random values.
type draw struct {
	*rand.Rand
	plan    *plan.Plan
	pattern *collective.PatternFile
	trace   *train.Trace
}

func (d *draw) maybe() bool { return d.IntN(2) == 0 }

func (d *draw) size() units.Bytes { return units.Bytes(d.Int64N(1 << (1 + d.IntN(45)))) }

func (d *draw) duration() units.Duration { return units.Duration(d.Int64N(1 << (1 + d.IntN(45)))) }

func (d *draw) fabric() fabric.Fabric {
	if d.IntN(4) == 0 {
		return fabric.Fabric{} // the default
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Bandwidth = 8, 1+d.IntN(4), units.Bandwidth(1+d.Int64N(1<<50))
	f.Alpha, f.Delta, f.Sync, f.Reconfig.Base = d.duration(), d.duration(), d.duration(), d.duration()
	if d.maybe() {
		f.Reconfig.Model, f.Reconfig.Each = fabric.PerPort, d.duration()
	}
	if d.maybe() {
		f.Overlap = fabric.Overlap{Kind: fabric.OverlapCompute, Compute: d.duration()}
	}
	f.CapTheta, f.Initial = d.maybe(), "DC(8;3)"
	return f
}

func (d *draw) operation() lightpath.Operation {
	ops := collective.Ops()
	o := lightpath.Operation{Op: ops[d.IntN(len(ops))], Size: d.size()}
	if d.maybe() {
		o.Algorithm = "swing:8x8"
	}
	if d.maybe() {
		o.GPUs = d.Perm(8)[:4]
	}
	switch d.IntN(3) {
	case 0:
		seed := d.Uint64()
		o.Generator, o.Seed = "zipf:1", &seed
	case 1:
		o.Demand = collective.Demand{{0, 7}, {d.Int64N(1 << 40), 0}}
	}
	return o
}

func (d *draw) seed() *uint64 {
	if d.maybe() {
		return nil
	}
	seed := d.Uint64()
	return &seed
}

// requests draws one of every kind.
func (d *draw) requests() []any {
	plans := &lightpath.PlanRequest{
		Fabric: d.fabric(), Planner: "harvest",
		Options: []lightpath.PlannerOptions{
			&lightpath.HarvestOptions{Synthesis: staged.SynthesisSearch, Budget: d.duration()},
			&lightpath.ExchangeOptions{Strategy: strategy.Auto, Stages: d.IntN(3), Chunk: d.size()},
		},
	}
	if d.maybe() {
		plans.Pattern = d.pattern
	} else {
		plans.Operations = []lightpath.Operation{d.operation(), d.operation()}
	}
	simulate := &lightpath.SimulateRequest{
		Level: sim.FlowLevel, Packet: d.size(), Jitter: d.duration(), Seed: d.seed(), Threads: d.IntN(3), Orbit: d.maybe(),
		Fail: []replay.Failure{{From: 1, To: 2, At: d.duration(), OneWay: d.maybe()}, {GPU: true, From: 3, To: 3}},
	}
	if d.maybe() {
		simulate.PlanID = fmt.Sprint(d.Uint64())
	} else {
		delta := d.duration()
		simulate.Topology, simulate.Delta, simulate.Bandwidth = "DC(4;1)", &delta, units.Bandwidth(d.Int64N(1<<40))
		simulate.Traffic = []sim.Flow{{Src: 1, Dst: 2, Bytes: d.size(), Start: d.duration(), Priority: int32(d.IntN(3))}}
		simulate.Forwarding = fabric.CutThrough
	}
	alpha := d.duration()
	return []any{
		plans, simulate,
		&lightpath.CompareRequest{Fabric: d.fabric(), Operation: d.operation()},
		&lightpath.FrontierRequest{Fabric: d.fabric(), Operation: d.operation(), Planner: "joint"},
		&lightpath.SweepRequest{
			Axes:   []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}, {Name: "size", Values: []string{"1KiB..1MiB", "3MB"}}},
			Fabric: d.fabric(), Points: []int{0, 2, 8}[d.IntN(3)], Simulate: d.maybe(), Packet: d.size(), Shard: "1/2",
		},
		&lightpath.TuneRequest{
			Op: collective.AllReduce, Algorithm: "ring", Planner: "static", Least: d.size(), Most: d.size(), Fabric: d.fabric(),
			For: []lightpath.NamedFabric{{Name: "another", Fabric: d.fabric()}},
		},
		&lightpath.AdviseRequest{Operation: d.operation(), Fabric: d.fabric(), Planner: "harvest", MostPorts: d.IntN(5)},
		&lightpath.VerifyRequest{PlanID: "abc"},
		&lightpath.EmulateRequest{
			PlanID: "abc", Type: number.BFloat16, Seed: d.seed(), Slow: d.Float64(), NoWait: d.maybe(), Timing: lightpath.TimingAsynchronous,
			RanksPerProcess: d.IntN(3), Replan: d.maybe(), Patience: d.duration(),
			Fail: []fault.Injection{{Kind: fault.Cut, From: 1, To: 2, Step: 1 + d.IntN(9)}, {Kind: fault.Died, From: 3, To: 3, At: d.duration()}},
		},
		&lightpath.CalibrateRequest{Samples: []lightpath.CalibrateSample{{Bytes: 1, TimeNs: 2.5, Steps: 3, Factor: 1.5}, {Bytes: d.Float64(), TimeNs: 1}}},
		&lightpath.CalibrateRequest{Nodes: 2 + d.IntN(9), Repeats: d.IntN(9)},
		&lightpath.ReproduceRequest{ID: "harvest/table1", Full: d.IntN(2) == 0}, &lightpath.ReproduceRequest{List: true},
		&lightpath.ExplainRequest{PlanID: "abc"},
		&lightpath.CompileRequest{PlanID: "abc", To: compile.RCCL, Inline: d.maybe(), Options: &compile.XMLOptions{
			BufferOptions: compile.BufferOptions{InPlace: d.maybe(), MinBytes: d.size()}, Protocol: program.LL, NoFuse: d.maybe(),
		}},
		&lightpath.CompileRequest{PlanID: "abc", To: compile.Dot, Inline: d.maybe()},
		&lightpath.CheckRequest{
			File: "a.xml", Content: map[string]string{"a.xml": "<algo>"}, For: compile.MSCCL, ToPlan: true, Base: "K(4)", Size: d.size(),
			Operation: &lightpath.Operation{Op: collective.AllReduce, Size: d.size(), Algorithm: "ring"},
		},
		&lightpath.TopologyRequest{Topology: "Torus(4,4)"},
		&lightpath.ScheduleRequest{Topology: "Torus(4,4)", Op: collective.AllReduce, Chunks: d.IntN(5), Best: d.maybe()},
		&lightpath.FindRequest{
			Nodes: d.IntN(100), Degree: d.IntN(5), Bidirectional: d.maybe(), Alpha: &alpha,
			NodeBandwidth: units.Bandwidth(d.Int64N(1 << 40)), Size: d.size(), Trace: d.trace, Bucket: d.size(),
		},
		&lightpath.FillRequest{Fill: d.IntN(100), Degree: d.IntN(5), Op: collective.AllGather},
		&lightpath.TrainRequest{
			Trace: d.trace, Speedup: d.Float64(), Topology: "K(4)", NodeBandwidth: units.Bandwidth(d.Int64N(1 << 40)), Fabric: d.fabric(),
			Planner: "static", Algorithm: "ring", Bucket: d.size(), AllToAllFirst: d.maybe(),
		},
		&lightpath.CollectiveRequest{
			Op: collective.AllToAll, Algorithm: "shift", Nodes: d.IntN(9), Ports: d.IntN(3), Seed: d.seed(),
			Demand: lightpath.Demand{Bytes: collective.Demand{{0, 1}, {2, 0}}},
		},
	}
}

func newDraw(t *testing.T) *draw {
	t.Helper()
	pattern, err := collective.ReadPattern(strings.NewReader(`{"schema":"lightpath.pattern/v1","nodes":8,"chunks":[{"bytes":9.5,"from":[0],"to":[1]}],
		"steps":[{"transfers":[{"src":0,"dst":1,"chunks":[0]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	trace, err := train.Builtin("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Operations: []lightpath.Operation{{Op: collective.AllReduce}}})
	if err != nil {
		t.Fatal(err)
	}
	return &draw{Rand: rand.New(rand.NewPCG(11, 12)), plan: p, pattern: pattern, trace: trace}
}

func TestRequestsThroughJSONAreTheSame(t *testing.T) {
	d := newDraw(t)
	for range 60 {
		for _, r := range d.requests() {
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			again := reflect.New(reflect.TypeOf(r).Elem()).Interface()
			if err := json.Unmarshal(data, again); err != nil || !reflect.DeepEqual(again, r) {
				t.Fatalf("%s\nis read as %+v, %v\nwant %+v", data, again, err, r)
			}
		}
	}
}

// A plan in a request is the plan of its file.
func TestPlansInRequestsStayWhatTheyAre(t *testing.T) {
	d := newDraw(t)
	id, err := d.plan.ID()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(lightpath.VerifyRequest{Plan: d.plan})
	if err != nil {
		t.Fatal(err)
	}
	var r lightpath.VerifyRequest
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if again, err := r.Plan.ID(); err != nil || again != id || len(id) != 64 {
		t.Errorf("%s became %s, %v", id, again, err)
	}
	if report, err := lightpath.Verify(t.Context(), r); err != nil || !report.OK {
		t.Errorf("%+v, %v", report, err)
	}
}

// store is one plan by its ID.
type store struct{ plan *plan.Plan }

func (s store) Plan(_ context.Context, id string) (*plan.Plan, error) {
	if known, err := s.plan.ID(); err != nil || id != known {
		return nil, errors.Join(err, errors.New("no such plan"))
	}
	return s.plan, nil
}

func TestPlansAreFoundByTheirID(t *testing.T) {
	d := newDraw(t)
	id, err := d.plan.ID()
	if err != nil {
		t.Fatal(err)
	}
	here := lightpath.WithPlans(store{d.plan})
	s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{PlanID: id}, here)
	if err != nil || s.PredictedNs != d.plan.Cost.Total() {
		t.Errorf("%v", err)
	}
	for _, wrong := range []struct {
		id      string
		options []lightpath.Option
	}{{id, nil}, {"0123", []lightpath.Option{here}}} {
		_, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{PlanID: wrong.id}, wrong.options...)
		var named *lightpath.FieldError
		if !errors.As(err, &named) || named.Path != "plan.id" {
			t.Errorf("%v", err)
		}
	}
}

// The zero value of every field means its default.
func TestRequestsWithoutAnythingOptionalWork(t *testing.T) {
	ctx := t.Context()
	allreduce := lightpath.Operation{Op: collective.AllReduce}
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{Operations: []lightpath.Operation{allreduce}})
	if err != nil || p.Collective.Size != collective.DefaultSize || !p.Fabric.Equal(fabric.Default()) {
		t.Fatal(err)
	}
	trace, err := train.Builtin("alexnet")
	if err != nil {
		trace, err = train.Builtin(train.Names()[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() error{
		"simulate": func() error { _, err := lightpath.Simulate(ctx, lightpath.SimulateRequest{Plan: p}); return err },
		"verify":   func() error { _, err := lightpath.Verify(ctx, lightpath.VerifyRequest{Plan: p}); return err },
		"explain":  func() error { _, err := lightpath.Explain(ctx, lightpath.ExplainRequest{Plan: p}); return err },
		"compare": func() error {
			_, err := lightpath.Compare(ctx, lightpath.CompareRequest{Operation: allreduce})
			return err
		},
		"frontier": func() error {
			_, err := lightpath.FindFrontier(ctx, lightpath.FrontierRequest{Operation: allreduce})
			return err
		},
		"find": func() error { _, err := lightpath.Find(ctx, lightpath.FindRequest{}); return err },
		"topology": func() error {
			_, err := lightpath.Topology(ctx, lightpath.TopologyRequest{Topology: "K(4)"})
			return err
		},
		"schedule": func() error {
			_, err := lightpath.MakeSchedule(ctx, lightpath.ScheduleRequest{Topology: "K(4)"})
			return err
		},
		"train": func() error {
			_, err := lightpath.Train(ctx, lightpath.TrainRequest{Trace: trace, Topology: "K(4)"})
			return err
		},
		"collective": func() error {
			_, err := lightpath.LayOut(ctx, lightpath.CollectiveRequest{Op: collective.AllReduce, Algorithm: "ring"})
			return err
		},
	} {
		if err := ask(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The request that the contract shows.
func ExamplePlanRequest() {
	var r lightpath.PlanRequest
	err := json.Unmarshal([]byte(`{"operations": [{"op": "allreduce", "size_bytes": 4194304}],
		"fabric": {"nodes": 64, "ports": 2, "reconfig": "10us"}}`), &r)
	fmt.Println(r.Operations[0], r.Fabric.Ports, r.Fabric.Reconfig, err)
	err = json.Unmarshal([]byte(`{"operations": ["allreduce"], "fabric": {"ports": 0}}`), &r)
	fmt.Println(err)
	// Output:
	// allreduce/4MiB 2 10us <nil>
	// fabric.ports: 0 is not in 1..1024
}

func TestWrongRequestsNameTheField(t *testing.T) {
	ask := func(r lightpath.Request, text string) error {
		if err := json.Unmarshal([]byte(text), r); err != nil {
			return err
		}
		return r.Complete()
	}
	for _, c := range []struct {
		request lightpath.Request
		text    string
		path    string
	}{
		{&lightpath.PlanRequest{}, `{}`, "operations"},
		{&lightpath.PlanRequest{}, `{"operation":[]}`, "operation"},
		{&lightpath.PlanRequest{}, `{"operations":["allreduce"],"Planner":"auto"}`, "Planner"},
		{&lightpath.PlanRequest{}, `{"operations":[{"op":"allreduce","size":"4"}]}`, "operations[0].size"},
		{&lightpath.PlanRequest{}, `{"operations":["allreduce",{"op":"sum"}]}`, "operations[1].op"},
		{&lightpath.PlanRequest{}, `{"operations":["allreduce"],"fabric":{"reconfig":"soon"}}`, "fabric.reconfig"},
		{&lightpath.PlanRequest{}, `{"operations":["allreduce"],"fabric":{"nodes":4},"strategy":"magic"}`, "strategy"},
		{&lightpath.PlanRequest{}, `{"operations":["allreduce"],"budget":"5"}`, "budget"},
		{&lightpath.PlanRequest{}, `{"operations":["allreduce"],"chunk_bytes":-1}`, "chunk_bytes"},
		{&lightpath.PlanRequest{}, `{"operations":["allreduce/gpus=0-99"]}`, "operations[0].gpus"},
		{&lightpath.PlanRequest{}, `{"operations":[{"op":"broadcast","demand":"zipf:1"}]}`, "operations[0].demand"},
		{&lightpath.PlanRequest{}, `{"pattern":{"schema":"x"}}`, "pattern"},
		{&lightpath.CompareRequest{}, `{"operation":"allreduce","fabric":{"ports":0}}`, "fabric.ports"},
		{&lightpath.SimulateRequest{}, `{}`, "plan"},
		{&lightpath.SimulateRequest{}, `{"plan":{"id":""}}`, "plan.id"},
		{&lightpath.SimulateRequest{}, `{"plan":{"id":"a","di":1}}`, "plan.di"},
		{&lightpath.SimulateRequest{}, `{"plan":{"id":"a"},"level":"atom"}`, "level"},
		{&lightpath.SimulateRequest{}, `{"plan":{"id":"a"},"fail":["link:1"]}`, "fail[0]"},
		{&lightpath.SimulateRequest{}, `{"plan":{"id":"a"},"delta":"5ns"}`, "delta_ns"},
		{&lightpath.SimulateRequest{}, `{"topology":"K(4)"}`, "traffic"},
		{&lightpath.EmulateRequest{}, `{}`, "plan"},
		{&lightpath.EmulateRequest{}, `{"plan":{"id":"a"},"dtype":"float8"}`, "dtype"},
		{&lightpath.EmulateRequest{}, `{"plan":{"id":"a"},"slow":-1}`, "slow"},
		{&lightpath.EmulateRequest{}, `{"plan":{"id":"a"},"slow":2,"no_wait":true}`, "slow"},
		{&lightpath.EmulateRequest{}, `{"plan":{"id":"a"},"timing":"soon"}`, "timing"},
		{&lightpath.EmulateRequest{}, `{"plan":{"id":"a"},"fail":["gpu:1"]}`, "fail[0]"},
		{&lightpath.EmulateRequest{}, `{"plan":{"id":"a"},"ranks_per_process":-1}`, "ranks_per_process"},
		{&lightpath.CalibrateRequest{}, `{"nodes":1}`, "nodes"},
		{&lightpath.ReproduceRequest{}, `{"id":"nothing"}`, "id"},
		{&lightpath.ReproduceRequest{}, `{"list":true,"full":true}`, "full"},
		{&lightpath.CalibrateRequest{}, `{"samples":[{"bytes":1,"time_ns":0}]}`, "samples[0]"},
		{&lightpath.CalibrateRequest{}, `{"samples":[{"bytes":1,"time_ns":1}],"repeats":2}`, "repeats"},
		{&lightpath.SimulateRequest{}, `{"topology":"K(4)","traffic":[{"src":0,"dst":1,"bytes":1,"start_ns":0,"colour":1}]}`, "traffic[0].colour"},
		{&lightpath.TrainRequest{}, `{"trace":"nomodel"}`, "trace"},
		{&lightpath.TrainRequest{}, `{"trace":"resnet50","speedup":-1}`, "speedup"},
		{&lightpath.FindRequest{}, `{"nodes":1}`, "nodes"},
		{&lightpath.FindRequest{}, `{"op":"alltoall"}`, "op"},
		{&lightpath.ScheduleRequest{}, `{"topology":"K(4"}`, "topology"},
		{&lightpath.TopologyRequest{}, `{"topology":"Tours(4)"}`, "topology"},
		{&lightpath.CollectiveRequest{}, `{"op":"allreduce"}`, "algorithm"},
	} {
		err := ask(c.request, c.text)
		var named *lightpath.FieldError
		if !errors.As(err, &named) || named.Path != c.path {
			t.Errorf("%s: %v, want an error of %s", c.text, err, c.path)
		}
	}
}
