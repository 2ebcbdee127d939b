package lightpath_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

func ExampleSweep() {
	table, err := lightpath.Sweep(context.Background(), lightpath.SweepRequest{
		Fabric: eightGPUs(),
		Axes: []sweep.Axis{
			{Name: "op", Values: []string{"allreduce"}}, {Name: "algorithm", Values: []string{"recursive-doubling"}},
			{Name: "planner", Values: []string{"harvest"}}, {Name: "size", Values: []string{"1MiB"}},
			{Name: "reconfig", Values: []string{"100ns..1ms/5"}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range table.Cells {
		fmt.Println(c.Request.Fabric.Reconfig, c.Total, c.Reconfigurations)
	}
	// Output:
	// 100ns 24.75us 4
	// 1us 28.35us 4
	// 10us 41.46us 0
	// 100us 41.46us 0
	// 1ms 41.46us 0
}

func ExampleTune() {
	t, err := lightpath.Tune(context.Background(), lightpath.TuneRequest{
		Fabric: eightGPUs(), Op: collective.AllReduce, Planner: "static", Least: units.KiB, Most: units.GiB,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range t.Rows {
		fmt.Println("from", units.Bytes(r.FromBytes), "on", r.Algorithm)
	}
	// Output:
	// from 1KiB on direct-exchange
	// from 50KB on recursive-doubling
	// from 320KB on ring
}

func ExampleAdvise() {
	a, err := lightpath.Advise(context.Background(), lightpath.AdviseRequest{
		Fabric: eightGPUs(), Planner: "harvest", MostPorts: 2,
		Operation: lightpath.Operation{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := a.Changes[0]
	fmt.Println(a.TotalNs, "now; with", best.Change, best.TotalNs)
	// Output: 31.97us now; with one more port per GPU 21.49us
}

func ExampleWire() {
	f := eightGPUs()
	f.Ports = 2
	w, err := lightpath.Wire(context.Background(), lightpath.WireRequest{
		Fabric: f, Radix: 8, For: []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := w.Layouts[0]
	fmt.Printf("%s: %d switches of 8 ports, %d fibres, loss %.0f%%\n", w.Best, best.Switches, best.Fibres, 100*best.Loss)
	// Output: rails: 2 switches of 8 ports, 32 fibres, loss 0%
}

func ExampleMakeDesign() {
	f := eightGPUs()
	f.Reconfig.Base = 10 * units.Microsecond // as it is by default: technologies have their own
	d, err := lightpath.MakeDesign(context.Background(), lightpath.DesignRequest{
		Fabric: f, Mix: []string{"allreduce/1MiB:2"}, Ports: []int{1, 2}, Technology: []string{"polatis"}, BudgetCost: 250_000, Planner: "harvest",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := d.Choices[d.Best]
	fmt.Printf("%s with %d ports: %v for %.0f USD\n", best.Name(), best.Ports, best.IterationNs, best.CostUSD.Likely)
	// Output: fat-tree with 2 ports: 28.97us for 190624 USD
}

func ExampleAssessAvailability() {
	a, err := lightpath.AssessAvailability(context.Background(), lightpath.AvailabilityRequest{
		Fabric: eightGPUs(), Technology: "rotornet", For: []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range a.Cases {
		fmt.Printf("replanning %v: full %.3f%%, down %.3f%%\n", c.Replanning, 100*c.Shares.Full, 100*c.Shares.Down)
	}
	// Output:
	// replanning false: full 99.983%, down 0.017%
	// replanning true: full 99.983%, down 0.017%
}

func ExamplePlace() {
	f := eightGPUs()
	if err := f.Set("held", "0-1,5"); err != nil {
		fmt.Println(err)
		return
	}
	p, err := lightpath.Place(context.Background(), lightpath.PlaceRequest{
		Fabric: f, NodesNeeded: 4, Operation: lightpath.Operation{Op: collective.AllReduce, Size: units.MiB},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.GPUs, p.TotalNs, "among", p.Among)
	// Output: [2 3 4 6] 21.73us among all 5 slices
}

func ExampleTopology() {
	m, err := lightpath.Topology(context.Background(), lightpath.TopologyRequest{Topology: "Torus(4,4)"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Nodes, m.Degree, *m.Diameter, *m.MooreDiameter)
	// Output: 16 4 4 2
}

func ExampleMakeSchedule() {
	s, err := lightpath.MakeSchedule(context.Background(), lightpath.ScheduleRequest{Topology: "Torus(4,4)", Op: collective.AllGather})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Steps, "steps,", s.Bandwidth, "of the size over the bandwidth; optimal:", s.BandwidthOptimal)
	// Output: 4 steps, 15/16 of the size over the bandwidth; optimal: true
}

func ExampleFind() {
	f, err := lightpath.Find(context.Background(), lightpath.FindRequest{Nodes: 16, Degree: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range f.Frontier {
		fmt.Println(p.Expr, p.Steps, p.Bandwidth)
	}
	// Output:
	// Cayley(8,2,7,1,6,10,13) 4 2
	// C(16;3,4) 6 15/8
}

func ExampleTrain() {
	trace, err := train.Builtin("resnet50")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := lightpath.Train(context.Background(), lightpath.TrainRequest{Trace: trace, Topology: "Torus(8,8)"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Trace, t.Layers, "layers")
	// Output: resnet50 107 layers
}

func ExampleIterate() {
	m, err := model.Named("llama3-8b")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := lightpath.Iterate(context.Background(), lightpath.IterateRequest{Model: m, Config: parallel.Config{TP: 2, DP: 2, GlobalBatch: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Ranks, "GPUs,", d.Iteration < d.Baselines["one"])
	// Output: 4 GPUs, true
}

func ExampleTraces() {
	list, err := lightpath.Traces()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range list.Traces[:2] {
		fmt.Println(t.Name)
	}
	// Output:
	// alexnet
	// bert_base
}

func ExampleCalibrate() {
	var samples []lightpath.CalibrateSample
	for _, size := range []int64{1 << 10, 1 << 16, 1 << 22} { // 1us, and 100Gbps
		samples = append(samples, lightpath.CalibrateSample{Bytes: float64(size), TimeNs: units.Time(1000 + 0.08*float64(size))})
	}
	c, err := lightpath.Calibrate(context.Background(), lightpath.CalibrateRequest{Samples: samples})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.AlphaNs, c.BandwidthBps)
	// Output: 1.000us 100Gbps
}

func ExampleReproduce() {
	r, err := lightpath.Reproduce(context.Background(), lightpath.ReproduceRequest{ID: "harvest/table1/G1-G1-G1/congestion"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Rows[0].Published, *r.Rows[0].Ours, r.Rows[0].Verdict)
	// Output: 4 4 matched
}

func ExampleReadTuning() {
	t, err := lightpath.Tune(context.Background(), lightpath.TuneRequest{
		Fabric: eightGPUs(), Op: collective.AllReduce, Planner: "static", Least: units.KiB, Most: units.GiB,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(t) // what tune -o writes
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "lightpath")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "tuned.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		fmt.Println(err)
		return
	}
	again, err := lightpath.ReadTuning(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(again.Rows) == len(t.Rows))
	// Output: true
}

func ExampleFill() {
	dir, err := os.MkdirTemp("", "lightpath")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := finder.Open(filepath.Join(dir, "found"))
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := lightpath.Fill(context.Background(), lightpath.FillRequest{Fill: 12, Degree: 2}, lightpath.WithStore(store))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("every size up to", content.Most)
	// Output: every size up to 12
}

func ExampleMakeWorkload() {
	m, err := model.Named("llama3-70b")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := lightpath.MakeWorkload(context.Background(), lightpath.WorkloadRequest{
		Model: m, Config: parallel.Config{TP: 8, PP: 4, DP: 2, GlobalBatch: 16, SequenceParallel: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Workload.Ranks, "ranks compute for", w.Compute)
	for _, t := range w.Totals {
		fmt.Println(t.Kind, t.Op, t.Most, "times, at most", t.Largest)
	}
	// Output:
	// 64 ranks compute for 2.245s
	// dp allreduce 21 times, at most 256528KiB
	// pp send 16 times, at most 16MiB
	// tp allgather 648 times, at most 128MiB
	// tp reducescatter 648 times, at most 128MiB
}

func ExampleModels() {
	list, err := lightpath.Models()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range list.Models[:3] {
		fmt.Println(m.Name, m.Parameters)
	}
	// Output:
	// llama3-8b 8030261248
	// llama3-70b 70553706496
	// llama3-405b 405853388800
}
