package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sweep"
)

// Command is a question that Lightpath answers, as its faces offer it: the command line, the
// service with its description, the schemas and the clients.
type Command = command.Command

// Request is a question to a command: a plain value whose zero fields mean documented defaults,
// with a JSON form in which fields have the names of the flags.
type Request = command.Request

// FieldError says which field of a request is wrong and what would be right.
type FieldError = field.Error

// NewCommand makes a command of a function that answers requests of a type. Traits are what else
// is to be known of it: command.Long, command.Measures, command.AnswersAs.
func NewCommand[R any, P interface {
	*R
	Request
}, A any](name, about, example string, f func(context.Context, R, ...Option) (*A, error), traits ...func(*Command)) Command {
	return command.New[R, P](name, about, example, f, traits...)
}

// Version is the version of the program, as the build recorded it.
func Version() string { return command.Version() }

// ExamplePlan is the request for the plan that examples are about.
const ExamplePlan = `{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"recursive-doubling"}],` +
	`"fabric":{"nodes":8,"ports":1,"reconfig":"10us"},"planner":"harvest"}`

// Commands lists what there is. It is the only list: a command that is added here has a route of
// the service, a description, schemas and, from the fields of its request, a command line. Planners
// of one's own are tried beside Lightpath's, and their options are fields of the plan request.
func Commands(own ...planner.Planner) []Command {
	const machine = `"fabric":{"nodes":8,"ports":2,"reconfig":"10us"}`
	const planned = `{"plan":{"id":"PLAN"}`
	list := []Command{
		NewCommand("plan", "Plan operations or a pattern: circuits, steps, time, bound", ExamplePlan, Plan, command.AnswersAs[plan.Summary], planning.By(own...)),
		NewCommand("compare", "Compare every algorithm with every planner", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, Compare),
		NewCommand("frontier", "Find the best plan for every reconfiguration delay", `{"operation":{"op":"allreduce","size":"1MiB"},`+machine+`}`, FindFrontier),
		NewCommand("explain", "Explain why a plan reconfigures when it does", planned+`}`, Explain),
		NewCommand("verify", "Check a plan: circuits, routes, data, times, bounds", planned+`}`, Verify),
		NewCommand("topology", "Measure a topology", `{"topology":"Torus(4,4)"}`, Topology),
		NewCommand("schedule", "Find the best breadth-first-broadcast schedule on a topology", `{"topology":"C(12;2,3)","op":"allreduce"}`, MakeSchedule),
		NewCommand("find", "Find the best static topologies for a size and degree", `{"nodes":12,"degree":3}`, Find),
		NewCommand("simulate", "Replay a plan, or any traffic, packet by packet or flow by flow", planned+`,"level":"packet","packet_bytes":4096}`, Simulate),
		NewCommand("compile", "Compile a plan into files for runtimes, simulators and switches", planned+`,"to":"timetable","inline":true}`, Compile, command.Beside(compile.Known().Options()...)),
		NewCommand("check", "Check a program of MSCCL, RCCL or MSCCL++, whatever wrote it", `{"file":"a.xml","content":{"a.xml":"<algo name=\"x\" nchunksperloop=\"1\" ngpus=\"1\" proto=\"Simple\" coll=\"allreduce\" inplace=\"0\"></algo>"}}`, Check),
		NewCommand("collective", "Show the steps of a collective algorithm", `{"op":"allreduce","algorithm":"swing","nodes":8}`, LayOut),
		NewCommand("reproduce", "Recompute published numbers and compare", `{"id":"harvest/fig5","list":true}`, Reproduce),
		NewCommand("train", "Simulate data-parallel training: minibatch time and overlap", `{"trace":"resnet50","topology":"Torus(4,4)"}`, Train),
		NewCommand("advise", "Show what one change of the fabric would buy", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, Advise),
		NewCommand("tune", "Find the best algorithm, planner and topologies for every size", `{"op":"allreduce","least_bytes":1024,"most_bytes":1048576,`+machine+`}`, Tune, command.Long),
		NewCommand("sweep", "Plan every combination of sizes, delays, ports, ..", `{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["1MiB..4MiB"]},{"name":"reconfig","values":["1us","1ms"]}],`+machine+`}`, Sweep, command.Long, command.AnswersAs[sweep.Answer]),
		NewCommand("calibrate", "Fit latency and bandwidth to measured times, or measure this host", `{"samples":[{"bytes":1024,"time_ns":5100},{"bytes":1048576,"time_ns":15500},{"bytes":4194304,"time_ns":47000}]}`, Calibrate, command.Long, command.Measures),
		NewCommand("emulate", "Run a plan: real processes, real bytes, a software switch", planned+`,"no_wait":true}`, Emulate, command.Long, command.Measures),
	}
	for i := range list {
		list[i].PlanWith(own)
	}
	return list
}
