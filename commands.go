package lightpath

import (
	"context"
	"io"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/page"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/workload"
)

// Command is a question that Lightpath answers, as its faces offer it: the command line, the
// service with its description, the schemas and the clients.
type Command = command.Command

// Request is a question to a command: a plain value whose zero fields mean documented defaults,
// with a JSON form in which fields have the names of the flags.
type Request = command.Request

// FieldError says which field of a request is wrong and what would be right.
type FieldError = field.Error

// NewCommand makes a command of a function that answers requests of a type. Traits describe it
// further: command.Long, command.Measures, command.AnswersAs, command.WithView.
func NewCommand[R any, P interface {
	*R
	Request
}, A any](name, about, example string, f func(context.Context, R, ...Option) (*A, error), traits ...func(*Command)) Command {
	return command.New[R, P](name, about, example, f, traits...)
}

// Version returns the version of the program that the build recorded.
func Version() string { return command.Version() }

// ExamplePlan is the request for the plan that the examples use.
const ExamplePlan = `{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"recursive-doubling"}],` +
	`"fabric":{"nodes":8,"ports":1,"reconfig":"10us"},"planner":"harvest"}`

// Render joins an answer with its view: it can then be written as text, JSON or CSV, and drawn as
// a picture or a page.
func Render(answer any, more ...Command) command.Rendering {
	return command.Render(append(Commands(), more...), nil, answer)
}

// Commands lists all commands. It is the only list: a command that is added here gets a route of
// the service, a description, schemas and, from the fields of its request, a command line. Its
// views say how its answer looks. Your own planners are tried beside Lightpath's, and their
// options become fields of the plan request.
func Commands(own ...planner.Planner) []Command {
	const machine = `"fabric":{"nodes":8,"ports":2,"reconfig":"10us"}`
	const planned = `{"plan":{"id":"PLAN"}`
	list := []Command{
		NewCommand("plan", "Plan operations or a pattern: circuits, steps, time, bound", ExamplePlan, Plan, command.AnswersAs[plan.Summary], planning.By(own...),
			command.WithView(command.View[plan.Plan]{Text: report.Brief, Verbose: report.Plan, JSON: report.PlanJSON, Picture: figure.Timeline, Page: page.Plan}),
			command.WithView(command.View[Catalog]{Text: report.Catalog, CSV: report.Rows(func(c *Catalog) []AlgorithmInfo { return c.Algorithms })})),
		NewCommand("compare", "Compare every algorithm with every planner", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, Compare,
			command.WithView(command.View[Comparison]{Text: report.Compare, Picture: figure.Compare,
				CSV: report.Rows(func(c *Comparison) []ComparisonRow { return c.Rows })})),
		NewCommand("frontier", "Find the best plan for every reconfiguration delay", `{"operation":{"op":"allreduce","size":"1MiB"},`+machine+`}`, FindFrontier,
			command.WithView(command.View[Frontier]{Text: report.Frontier, Picture: figure.Frontier,
				CSV: report.Rows(func(f *Frontier) []frontier.Point { return f.Points })})),
		NewCommand("explain", "Explain why a plan reconfigures when it does", planned+`}`, Explain,
			command.WithView(command.View[explain.Explanation]{Text: report.Explain, PlanPicture: figure.Explain, Picture: figure.Budget,
				CSV: report.ExplainCSV})),
		NewCommand("verify", "Check a plan: circuits, routes, data, times, bounds", planned+`}`, Verify,
			command.WithView(command.View[verify.Report]{Text: report.Verify, PlanPicture: figure.Verified,
				CSV: report.Rows(func(r *verify.Report) []verify.Check { return r.Checks })})),
		NewCommand("topology", "Measure a topology", `{"topology":"Torus(4,4)"}`, Topology,
			command.WithView(command.View[topology.Metrics]{Text: report.Topology, Picture: figure.Measured})),
		NewCommand("schedule", "Find the best breadth-first-broadcast schedule on a topology", `{"topology":"C(12;2,3)","op":"allreduce"}`, MakeSchedule,
			command.WithView(command.View[Schedule]{Text: report.Schedule, Picture: figure.Schedule})),
		NewCommand("find", "Find the best static topologies for a size and degree", `{"nodes":12,"degree":3}`, Find,
			command.WithView(command.View[TopologyFrontier]{Text: report.TopologyFrontier, Picture: figure.Find,
				CSV: report.Rows(func(f *TopologyFrontier) []TopologyPoint { return f.Frontier })}),
			command.WithView(command.View[StoreContent]{Text: report.StoreContent})),
		NewCommand("simulate", "Replay a plan, or any traffic, packet by packet or flow by flow", planned+`,"level":"packet","packet_bytes":4096}`, Simulate,
			command.WithView(command.View[Simulation]{Text: report.Simulation, Picture: figure.Simulation, Page: page.Simulation,
				CSV:       report.SimulationCSV,
				Recognise: simulating.IsFile, Load: simulating.Load})),
		NewCommand("compile", "Compile a plan into files for runtimes, simulators and switches", planned+`,"to":"timetable","inline":true}`, Compile, command.Beside(compile.Known().Options()...),
			command.WithView(command.View[Compilation]{Text: report.Compilation, PlanPicture: figure.Compiled})),
		NewCommand("check", "Check a program of MSCCL, RCCL or MSCCL++, whatever wrote it",
			`{"file":"a.xml","content":{"a.xml":"<algo name=\"x\" nchunksperloop=\"1\" ngpus=\"1\" proto=\"Simple\" coll=\"allreduce\" inplace=\"0\"></algo>"}}`, Check,
			command.WithView(command.View[Checked]{Text: report.Checked, Picture: figure.Checked})),
		NewCommand("collective", "Show the steps of a collective algorithm", `{"op":"allreduce","algorithm":"swing","nodes":8}`, LayOut,
			command.WithView(command.View[AlgorithmSteps]{Text: report.AlgorithmSteps, Picture: figure.Collective,
				CSV: report.Rows(func(l *AlgorithmSteps) []AlgorithmStep { return l.Steps })}),
			command.WithView(command.View[AlgorithmList]{Text: report.Algorithms,
				CSV: report.Rows(func(l *AlgorithmList) []AlgorithmInfo { return l.Algorithms })})),
		NewCommand("reproduce", "Recompute published numbers and compare", `{"id":"harvest/fig5","list":true}`, Reproduce,
			command.WithView(command.View[Reproduction]{Text: report.Reproduction, Picture: figure.Reproduce, Page: page.Reproduction,
				CSV: report.Rows(report.ReproductionRows)})),
		NewCommand("train", "Simulate data-parallel training: minibatch time and overlap", `{"trace":"resnet50","topology":"Torus(4,4)"}`, Train,
			command.WithView(command.View[Training]{Text: report.Training, Picture: figure.Train,
				CSV: report.Rows(func(t *Training) []train.Collective { return t.Collectives })}),
			command.WithView(command.View[TraceList]{Text: report.Traces, CSV: report.Rows(func(l *TraceList) []TraceInfo { return l.Traces })})),
		NewCommand("workload", "Describe a training iteration, from a model or from traces",
			`{"model":"llama3-8b","tp":2,"pp":2,"dp":2,"global_batch":8}`, MakeWorkload, command.AnswersAs[workload.Workload],
			command.WithView(command.View[WorkloadSummary]{Text: report.Workload, Verbose: report.WorkloadVerbose, Picture: figure.Workload, Page: page.Workload,
				JSON: func(w io.Writer, i *WorkloadSummary) error { return i.WriteJSON(w) },
				CSV:  report.Rows(func(i *WorkloadSummary) []workload.Total { return i.Totals }), Recognise: workloads.IsFile, Load: workloads.Load}),
			command.WithView(command.View[ModelList]{Text: report.Models, CSV: report.Rows(func(l *ModelList) []ModelInfo { return l.Models })})),
		NewCommand("iterate", "Plan a training iteration: collectives, compute, circuits",
			`{"model":"llama3-8b","tp":4,"dp":2,"global_batch":4,"fabric":{"ports":2,"reconfig":"10us"}}`, Iterate, command.Long, command.Summarises,
			command.WithView(command.View[Iteration]{Text: report.Iteration, JSON: report.IterationJSON, Picture: figure.Iteration, Page: page.Iteration,
				CSV: report.Rows(report.IterationOps), Recognise: iteration.IsDocument, Load: iterating.Load})),
		NewCommand("advise", "Show what one change of the fabric would buy", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, Advise,
			command.WithView(command.View[Advice]{Text: report.Advice, CSV: report.AdviceCSV, Picture: figure.Advise})),
		NewCommand("wire", "Find which ports to plug into which switches", `{"radix":8,"for":[{"op":"allreduce","size":"4MiB"}],"fabric":{"nodes":16,"ports":2,"reconfig":"10us"}}`, Wire,
			command.WithView(command.View[LayoutTable]{Text: report.LayoutTable, CSV: report.Rows(func(w *LayoutTable) []PluggedLayout { return w.Layouts })})),
		NewCommand("design", "Find which fabric to buy for a load: time, cost, power",
			`{"mix":["allreduce/4MiB:1","alltoall/1MiB:4"],"ports":[1,2],"technology":["polatis","rotornet"],"fabric":{"nodes":8}}`, MakeDesign, command.Long,
			command.WithView(command.View[Design]{Text: report.Design, Picture: figure.Design, Page: page.Design, CSV: report.Rows(func(d *Design) []DesignChoice { return d.Choices })})),
		NewCommand("availability", "Find how long a fabric whose parts fail works, and how fast",
			`{"for":[{"op":"allreduce","size":"4MiB"}],"technology":"rotornet","plans":2,"fabric":{"nodes":8,"ports":2}}`, AssessAvailability, command.Long,
			command.WithView(command.View[Availability]{Text: report.Availability, CSV: report.Rows((*Availability).Rows)})),
		NewCommand("place", "Find the best GPUs for a job on a shared fabric",
			`{"nodes_needed":4,"operation":{"op":"allreduce","size":"4MiB"},"fabric":{"nodes":16,"ports":2,"reconfig":"10us","held":"0-7"}}`, Place,
			command.WithView(command.View[Placement]{Text: report.Placement, Picture: figure.Placement, CSV: report.Rows(func(p *Placement) []PlacedSlice { return p.Choices })})),
		NewCommand("tune", "Find the best algorithm, planner and topologies for every size", `{"op":"allreduce","least_bytes":1024,"most_bytes":1048576,`+machine+`}`, Tune, command.Long,
			command.WithView(command.View[Tuning]{Text: report.Tuning, CSV: report.TuningCSV, Picture: figure.Tune})),
		NewCommand("sweep", "Plan every combination of sizes, delays, ports, ...",
			`{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["1MiB..4MiB"]},{"name":"reconfig","values":["1us","1ms"]}],`+machine+`}`,
			Sweep, command.Long, command.Continues, command.AnswersAs[sweep.Answer],
			command.WithView(command.View[sweep.Table]{Text: report.Sweep, CSV: report.SweepCSV, Table: "cells", Picture: figure.Speedup, Page: page.Sweep,
				Recognise: sweep.IsStore, Load: sweep.LoadLast}),
			command.WithView(command.View[sweep.Comparison]{Text: report.SweepDiff})),
		NewCommand("calibrate", "Fit latency and bandwidth to measured times, or measure this host",
			`{"samples":[{"bytes":1024,"time_ns":5100},{"bytes":1048576,"time_ns":15500},{"bytes":4194304,"time_ns":47000}]}`, Calibrate, command.Long, command.Measures,
			command.WithView(command.View[Calibration]{Text: report.Calibration, Picture: figure.Calibrate})),
		NewCommand("emulate", "Run a plan: real processes, real bytes, a software switch", planned+`,"no_wait":true}`, Emulate, command.Long, command.Measures,
			command.WithView(command.View[Emulation]{Text: report.Emulation, Picture: figure.Emulate,
				CSV: report.Rows(func(e *Emulation) []EmulatedStep { return e.Steps })})),
	}
	for i := range list {
		list[i].PlanWith(own)
	}
	return list
}
