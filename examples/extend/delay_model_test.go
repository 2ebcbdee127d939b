package extend_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// batches is a delay model of our own: a controller moves a limited number of ports at a time,
// and each batch settles before the next. A change takes Base and Each for every batch.
type batches struct {
	fabric.Terms
	size int
}

func batchesOf(size int) fabric.DelayModel {
	return batches{fabric.Terms{Name: fmt.Sprintf("batches-of-%d", size), Each: "PER_BATCH"}, size}
}

// Charge implements fabric.DelayModel.
func (b batches) Charge(r fabric.Reconfig, c fabric.Change) units.Time {
	return units.Time((c.Ports()+b.size-1)/b.size) * r.Each.Time()
}

func TestOurDelayModelKeepsTheContract(t *testing.T) {
	for _, size := range []int{1, 4, 1000} {
		fabrictest.Model(t, batchesOf(size),
			fabric.Reconfig{Base: units.Microsecond, Each: 700 * units.Nanosecond}, fabric.Reconfig{Base: units.Microsecond}, fabric.Reconfig{})
	}
}

// batched is a fabric with our delay, by its text.
func batched(t *testing.T, size, nodes, ports int) fabric.Fabric {
	t.Helper()
	model := batchesOf(size)
	f := fabric.Default().With(fabric.Known{Models: []fabric.DelayModel{model}})
	f.Nodes, f.Ports = nodes, ports
	if err := f.Set("reconfig", fmt.Sprintf("batches-of-%d:1us+100ns", size)); err != nil {
		t.Fatal(err)
	}
	return f
}

// cases are requests for plans that reconfigure.
func cases() []lightpath.PlanRequest {
	var all []lightpath.PlanRequest
	for _, c := range []struct {
		op      collective.Op
		size    units.Bytes
		planner string
		overlap fabric.OverlapKind
	}{
		{collective.AllReduce, 4 * units.MiB, "auto", fabric.OverlapNone},
		{collective.AllReduce, 4 * units.MiB, "harvest", fabric.OverlapNone},
		{collective.AllToAll, units.MiB, "auto", fabric.OverlapNone},
		{collective.AllGather, 4 * units.MiB, "harvest", fabric.OverlapPorts},
		{collective.AllGather, 4 * units.MiB, "harvest", fabric.OverlapCircuits},
		{collective.AllToAll, 4 * units.MiB, "staggered", fabric.OverlapPlanes},
	} {
		r := lightpath.PlanRequest{Planner: c.planner, Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}}
		if c.planner == "staggered" {
			r.Operations[0].Algorithm = "shift"
		}
		r.Fabric.Overlap.Kind = c.overlap
		all = append(all, r)
	}
	return all
}

// on returns a request for a fabric, with the overlap that the request has.
func on(f fabric.Fabric, r lightpath.PlanRequest) lightpath.PlanRequest {
	f.Overlap = r.Fabric.Overlap
	r.Fabric = f
	return r
}

// moved counts the ports of a change in a table of all pairs.
func moved(from, to *topology.Graph) int {
	ports := 0
	for u := range from.Nodes() {
		var most [4]int
		for v := range from.Nodes() {
			for way, pair := range [][2]int{{u, v}, {v, u}} {
				gained := to.Count(pair[0], pair[1]) - from.Count(pair[0], pair[1])
				most[2*way], most[2*way+1] = most[2*way]+max(0, gained), most[2*way+1]+max(0, -gained)
			}
		}
		ports += max(most[0], most[1], most[2], most[3])
	}
	return ports
}

// Plans for our delay are charged by it, the verifier agrees and refuses another charge, and
// a plan file is read by those who know the model alone.
func TestPlansPayOurDelay(t *testing.T) {
	rewired := 0
	for _, c := range cases() {
		r := on(batched(t, 4, 8, 2), c)
		known := plan.Known{Delays: []fabric.DelayModel{batchesOf(4)}}
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithKnown(known))
		if err != nil {
			t.Fatal(err)
		}
		report, err := lightpath.Verify(t.Context(), lightpath.VerifyRequest{Plan: p})
		if err != nil || !report.OK {
			t.Fatalf("%s: %+v, %v", p.Planner, report, err)
		}
		if r.Fabric.Overlap.Kind == fabric.OverlapNone {
			paid := units.Time(0)
			for i := 1; i < len(p.Stages); i++ {
				ports := moved(p.Stages[i-1].Topology, p.Stages[i].Topology)
				paid += 1000 + units.Time((ports+3)/4)*100
				rewired++
			}
			if d := p.Cost.Reconfiguration - paid; d > 1e-6 || d < -1e-6 {
				t.Errorf("%s pays %v for its changes, they take %v", p.Planner, p.Cost.Reconfiguration, paid)
			}
		}
		var file bytes.Buffer
		if err := p.Encode(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Decode(bytes.NewReader(file.Bytes())); err == nil || !strings.Contains(err.Error(), "batches-of-4") {
			t.Errorf("without our model: %v", err)
		}
		read, err := known.Decode(&file)
		if err != nil || !read.Fabric.Equal(p.Fabric) {
			t.Fatalf("read %v, %v", read, err)
		}
		for i := range read.Stages {
			if stage := &read.Stages[i]; i > 0 && stage.Reconfiguration > 0 {
				stage.Reconfiguration -= 100 // a batch is left out
				if report, err = lightpath.Verify(t.Context(), lightpath.VerifyRequest{Plan: read}); err != nil || report.OK {
					t.Errorf("%s: a batch that is not paid passes: %+v, %v", p.Planner, report, err)
				}
				break
			}
		}
	}
	if rewired == 0 {
		t.Error("no plan reconfigures")
	}
}

// Batches of one port are a delay per port: with our model every answer is that of the built-in
// model, except for its name.
func TestBatchesOfOnePortAreADelayPerPort(t *testing.T) {
	ours, theirs := batched(t, 1, 8, 2), fabric.Default()
	theirs.Nodes, theirs.Ports = 8, 2
	if err := theirs.Set("reconfig", "per-port:1us+100ns"); err != nil {
		t.Fatal(err)
	}
	same := func(what string, answer func(f fabric.Fabric) (any, error)) {
		t.Helper()
		var texts [2]string
		for i, f := range []fabric.Fabric{ours, theirs} {
			made, err := answer(f)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			data, err := json.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = strings.ReplaceAll(string(data), "batches-of-1", "per-port")
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: %s\nand per port %s", what, texts[0], texts[1])
		}
	}
	for _, c := range cases() {
		made := func(f fabric.Fabric) (*plan.Plan, error) { return lightpath.Plan(t.Context(), on(f, c)) }
		what := fmt.Sprintf("%s by %s, overlap %s", c.Operations[0].Op, c.Planner, c.Fabric.Overlap)
		same(what, func(f fabric.Fabric) (any, error) {
			p, err := made(f)
			if err != nil {
				return nil, err
			}
			var whole bytes.Buffer
			err = p.Encode(&whole)
			return whole.String(), err
		})
		same(what+", simulated", func(f fabric.Fabric) (any, error) {
			p, err := made(f)
			if err != nil {
				return nil, err
			}
			s, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
			if err != nil {
				return nil, err
			}
			return []any{s.CompletionNs, s.PacketHops, s.Steps}, nil
		})
		same(what+", timetable", func(f fabric.Fabric) (any, error) {
			p, err := made(f)
			if err != nil {
				return nil, err
			}
			return lightpath.Compile(t.Context(), lightpath.CompileRequest{Plan: p, To: compile.Format("timetable"), Inline: true})
		})
		if c.Fabric.Overlap.Kind == fabric.OverlapNone {
			same(what+", explained", func(f fabric.Fabric) (any, error) {
				p, err := made(f)
				if err != nil {
					return nil, err
				}
				return lightpath.Explain(t.Context(), lightpath.ExplainRequest{Plan: p})
			})
		}
	}
	same("sweep", func(f fabric.Fabric) (any, error) {
		table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: f, Axes: []sweep.Axis{
			{Name: sweep.AxisOp, Values: []string{"allreduce", "alltoall"}}, {Name: sweep.AxisSize, Values: []string{"16KiB", "4MiB"}},
			{Name: "ports", Values: []string{"1", "2"}},
		}})
		if err != nil {
			return nil, err
		}
		var cells []any
		for _, c := range table.Cells {
			cells = append(cells, c.Outcome.Algorithm, c.Outcome.Planner, c.Total, c.Same, c.Baselines, c.Reconfigurations)
		}
		return cells, nil
	})
}

// A sweep may have our delays on its axis, and each cell is the plan that is made for it alone.
func TestSweepsOverOurDelay(t *testing.T) {
	f := batched(t, 4, 8, 2)
	delays := []string{"batches-of-4:0ns+50ns", "batches-of-4:5us+1us", "2us"}
	table, err := lightpath.Sweep(t.Context(), lightpath.SweepRequest{Fabric: f, Axes: []sweep.Axis{
		{Name: sweep.AxisOp, Values: []string{"allreduce"}}, {Name: sweep.AxisSize, Values: []string{"4MiB"}},
		{Name: sweep.AxisReconfig, Values: delays},
	}}, lightpath.WithKnown(plan.Known{Delays: []fabric.DelayModel{batchesOf(4)}}))
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Cells) != len(delays) {
		t.Fatalf("%d cells", len(table.Cells))
	}
	for i := range table.Cells {
		c := &table.Cells[i]
		alone, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: c.Fabric, Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}}})
		if err != nil {
			t.Fatal(err)
		}
		if d := c.Total / alone.Cost.Total(); d > 1+1e-9 || d < 1-1e-9 {
			t.Errorf("%v: the cell takes %v, the plan %v", c.Fabric.Reconfig, c.Total, alone.Cost.Total())
		}
	}
}

// A model is a value: two of the same numbers are equal, so fabrics with them have one key.
func TestOurModelIsAValue(t *testing.T) {
	a, b := batched(t, 4, 8, 2), batched(t, 4, 8, 2)
	if !a.Equal(b) || !reflect.DeepEqual(a.Key(), b.Key()) || a.Equal(batched(t, 5, 8, 2)) {
		t.Error("which fabrics are equal")
	}
}
