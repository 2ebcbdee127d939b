package lightpath_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// eightGPUs have a port each and a switch that is quick.
func eightGPUs() fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, 2*units.Microsecond
	return f
}

// doubling is an allreduce by recursive doubling on them.
func doubling() *plan.Plan {
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Fabric: eightGPUs(), Planner: "harvest",
		Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB}},
	})
	if err != nil {
		panic(err)
	}
	return p
}

func ExampleVerify() {
	report, err := lightpath.Verify(context.Background(), lightpath.VerifyRequest{Plan: doubling()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Checks[:3] {
		fmt.Println(c.Name, c.OK, c.Detail)
	}
	fmt.Println(report.OK)
	// Output:
	// form true stages: 3, steps: 6, transfers: 48
	// ports true no GPU has more circuits than its ports (1)
	// topology true the circuits match the names of the topologies
	// true
}

func ExampleExplain() {
	why, err := lightpath.Explain(context.Background(), lightpath.ExplainRequest{Plan: doubling()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range why.Changes {
		fmt.Println("to", c.To, "saves", c.SavedNs, "and costs", c.PaidNs)
	}
	// Output:
	// to DC(8;2) saves 13.49us and costs 4.000us
	// to DC(8;1) saves 13.49us and costs 4.000us
}

func ExampleSimulate() {
	s, err := lightpath.Simulate(context.Background(), lightpath.SimulateRequest{Plan: doubling(), Packet: units.KiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the model says", s.PredictedNs, "and the last packet arrives after", s.CompletionNs)
	// Output: the model says 31.97us and the last packet arrives after 30.97us
}

func ExampleCompile() {
	c, err := lightpath.Compile(context.Background(), lightpath.CompileRequest{Plan: doubling(), To: compile.MSCCL})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range c.Files {
		fmt.Println(f.Path)
	}
	// Output:
	// manifest.json
	// timetable.json
	// stage-1.xml
	// stage-2.xml
	// stage-3.xml
}

func ExampleCheck() {
	c, err := lightpath.Compile(context.Background(), lightpath.CompileRequest{Plan: doubling(), To: compile.MSCCL, Inline: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	content := map[string]string{}
	for _, f := range c.Files {
		content[f.Path] = string(f.Content)
	}
	checked, err := lightpath.Check(context.Background(), lightpath.CheckRequest{File: "manifest.json", Content: content})
	fmt.Println(checked.OK, checked.Format, err)
	// Output: true msccl <nil>
}

func ExampleCompare() {
	all, err := lightpath.Compare(context.Background(), lightpath.CompareRequest{
		Fabric: eightGPUs(), Operation: lightpath.Operation{Op: collective.AllReduce, Algorithm: "swing", Size: units.MiB},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range all.Rows {
		fmt.Println(r.Algorithm, r.Planner, r.TotalNs, r.Reconfigurations)
	}
	// Output:
	// swing every-step 32.35us 4
	// swing light-bends 32.35us 4
	// swing harvest 32.35us 4
	// swing static 95.40us 0
}

func ExampleFindFrontier() {
	f, err := lightpath.FindFrontier(context.Background(), lightpath.FrontierRequest{
		Fabric: eightGPUs(), Planner: "harvest", Operation: lightpath.Operation{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range f.Points {
		fmt.Println("from a delay of", p.FromNs, "on", p.Reconfigurations, "changes")
	}
	fmt.Println("with one of 5us:", f.At(5000))
	// Output:
	// from a delay of 0ns on 4 changes
	// from a delay of 1.811us on 2 changes
	// from a delay of 6.743us on 0 changes
	// with one of 5us: 37.97us
}

func ExamplePlanners() {
	harvest, err := lightpath.Planners().Lookup("harvest")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(harvest.Name())
	_, err = lightpath.Planners().Lookup("nobody")
	fmt.Println(err != nil)
	// Output:
	// harvest
	// true
}

func ExampleLayOut() {
	l, err := lightpath.LayOut(context.Background(), lightpath.CollectiveRequest{Op: collective.AllGather, Algorithm: "recursive-doubling", Nodes: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Algorithm, "has", len(l.Steps), "steps on", l.Nodes, "GPUs")
	// Output: recursive-doubling has 3 steps on 8 GPUs
}

func ExampleList() {
	c := lightpath.List()
	fmt.Println(c.Operations)
	// Output: [allreduce allgather reducescatter alltoall broadcast reduce gather scatter]
}

// An emulation starts the program once for every GPU; see lightpath emulate.
func ExampleEmulate() {
	e, err := lightpath.Emulate(context.Background(), lightpath.EmulateRequest{Plan: doubling(), NoWait: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.OK, e.Ranks)
}

// Commands is the one list of commands: the command line, the service and the schemas come from it.
func ExampleCommands() {
	for _, c := range lightpath.Commands()[:3] {
		fmt.Println(c.Name, "takes a", c.Request.Name())
	}
	// Output:
	// plan takes a PlanRequest
	// compare takes a CompareRequest
	// frontier takes a FrontierRequest
}

// A function that answers a request becomes a command: it reads the request's JSON form and
// answers it.
func ExampleNewCommand() {
	c := lightpath.NewCommand("shape", "Measure a topology", `{"topology":"Torus(4,4)"}`, lightpath.Topology)
	request, err := c.Read([]byte(c.Example))
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := c.Ask(context.Background(), request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%T\n", answer)
	// Output: *topology.Metrics
}

// The same answer for a terminal, as rows for a spreadsheet and as a picture.
func ExampleRender() {
	answer, err := lightpath.Find(context.Background(), lightpath.FindRequest{Nodes: 12, Degree: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	shown := lightpath.Render(answer)
	if err := errors.Join(shown.Text(os.Stdout, false), shown.CSV(os.Stdout)); err != nil {
		fmt.Println(err)
	}
	scene, err := shown.Picture()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scene.Title)
	// Output:
	// allreduce on 12 nodes of degree 3, one-way circuits: best found 207.8us
	//
	//          steps  x M/B     time  schedule  topology
	//   best       4      2  207.8us  line      Kautz(3,1)
	//              6   11/6  213.8us  bfb       DC(12;1,2,5)
	//   bound      4   11/6  193.8us            lower bounds for any topology
	// expr,steps,bandwidth,time_ns,method
	// "Kautz(3,1)",4,2,207772.16,line
	// "DC(12;1,2,5)",6,11/6,213791.14666666667,bfb
	// Topologies of 12 nodes with degree 3 for allreduce
}

func ExamplePlan() {
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Fabric:     fabric.Default(),
		Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Collective.Algorithm, p.Planner, p.Cost.Total(), p.Reconfigurations)
	// Output: joint joint 129.0us 2
}
