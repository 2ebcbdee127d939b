package planning_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// TestBaselinesAreSimulated: a plan has the packet times of its baselines, which equal the
// results of simulate for those plans, and has speed-ups by the model and by packets.
func TestBaselinesAreSimulated(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 16, 2
	o := lightpath.Operation{Op: collective.AllReduce, Size: units.MiB}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}})
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][2]units.Time{
		"auto":       {p.Baselines.Static, p.SimulatedBaselines.Static},
		"every-step": {p.Baselines.EveryStep, p.SimulatedBaselines.EveryStep},
	} {
		r := lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}, Planner: name}
		if name == "auto" {
			r.Fabric.Reconfig.Base = units.Second // what stays is the same for any delay
		}
		other, err := lightpath.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: other})
		if err != nil || other.Cost.Total() != got[0] || s.CompletionNs != got[1] {
			t.Errorf("%s: %v; want %v and %v, %v", name, got, other.Cost.Total(), s.CompletionNs, err)
		}
	}
	var summary strings.Builder
	if err := p.EncodeSummary(&summary); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"simulated_baselines_ns": {`, `"speedups": {`, `"simulated_speedups": {`} {
		if !strings.Contains(summary.String(), want) {
			t.Errorf("no %s in %s", want, summary.String())
		}
	}
}

// TestChoiceBySimulatedTime: auto takes the plan with the least packet time of all that compare
// lists, with and without barriers. So it is never slower in packets than the choice by the
// model.
func TestChoiceBySimulatedTime(t *testing.T) {
	t.Parallel()
	changed := 0
	type choice struct {
		nodes, ports int
		op           collective.Op
		algorithm    string
		size         units.Bytes
		forwarding   fabric.Forwarding
		timing       replay.Timing
	}
	for _, c := range samples.Few(4, []choice{
		{32, 2, collective.AllReduce, "swing", 4 * units.MiB, fabric.CutThrough, replay.Barrier},
		{16, 2, collective.AllReduce, "", 256 * units.KiB, fabric.CutThrough, replay.Barrier},
		{12, 3, collective.AllToAll, "", 64 * units.KiB, fabric.CutThrough, replay.Barrier},
		{8, 1, collective.Broadcast, "", 256 * units.KiB, fabric.StoreAndForward, replay.Barrier},
		{9, 2, collective.AllGather, "", 100_000, fabric.CutThrough, replay.Barrier},
		{16, 2, collective.RootReduce, "", 256 * units.KiB, fabric.StoreAndForward, replay.Asynchronous},
		{9, 2, collective.AllReduce, "", 10_000, fabric.StoreAndForward, replay.Asynchronous},
		{8, 2, collective.Broadcast, "", 64 * units.KiB, fabric.CutThrough, replay.Asynchronous},
	}) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Forwarding = c.nodes, c.ports, c.forwarding
		o := lightpath.Operation{Op: c.op, Algorithm: c.algorithm, Size: c.size}
		r := lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}
		r.Timing = c.timing
		byModel, err := lightpath.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		r.ChooseBy = lightpath.ChooseBySimulated
		chosen, err := lightpath.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: o, PacketOptions: r.PacketOptions}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if chosen.Simulated > byModel.Simulated || chosen.Rival != nil {
			t.Errorf("%+v: %v by packets, %v by the model; rival %+v", c, chosen.Simulated, byModel.Simulated, chosen.Rival)
		}
		if byModel.Rival != nil {
			changed++
			if byModel.Rival.SimulatedNs >= byModel.Simulated || byModel.Rival.TotalNs < byModel.Cost.Total() {
				t.Errorf("%+v: rival %+v of %v, %v", c, byModel.Rival, byModel.Cost.Total(), byModel.Simulated)
			}
		}
		for i, row := range rows.Rows {
			if row.SimulatedNs > 0 && row.SimulatedNs < chosen.Simulated {
				t.Errorf("%+v: %s with %s takes %v, the choice %v", c, row.Algorithm, row.Planner, row.SimulatedNs, chosen.Simulated)
			}
			if i > 0 && row.SimulatedNs < rows.Rows[i-1].SimulatedNs {
				t.Errorf("%+v: row %d is faster than the one before it", c, i+1)
			}
		}
	}
	if changed == 0 {
		t.Error("in no case would the order change")
	}
}

// TestPlansSayWhenPacketsWouldChangeTheOrder: in one line, with what to do.
func TestPlansSayWhenPacketsWouldChangeTheOrder(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports = 32, 2
	o := lightpath.Operation{Op: collective.AllReduce, Algorithm: "swing", Size: 4 * units.MiB}
	r := lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}
	for _, r.ChooseBy = range []string{"", lightpath.ChooseBySimulated} {
		p, err := lightpath.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		report.Plan(&text, p)
		if said := strings.Contains(text.String(), "swing with static takes only 84.71us"); said != (r.ChooseBy == "") {
			t.Errorf("%q:\n%s", r.ChooseBy, text.String())
		}
	}
	r.ChooseBy = "luck"
	if _, err := lightpath.Plan(t.Context(), r); err == nil || !strings.Contains(err.Error(), "choose_by") {
		t.Error(err)
	}
}

// If packets cannot be simulated, a plan that was to be chosen by packets says that the model
// chose it.
func TestPlansSayWhenTheModelChoseAfterAll(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Delta = 8, 0
	r := lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB}}}
	for _, r.ChooseBy = range []string{"", lightpath.ChooseBySimulated} {
		p, err := lightpath.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.HasSuffix(p.Unsimulated, "; the model chose"); p.Unsimulated == "" || said != (r.ChooseBy != "") {
			t.Errorf("%q: %q", r.ChooseBy, p.Unsimulated)
		}
	}
}
