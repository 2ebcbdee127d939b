package lightpath

import (
	"context"
	"reflect"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
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

// NewCommand makes a command of a function that answers requests of a type.
func NewCommand[R any, P interface {
	*R
	Request
}, A any](name, about, example string, f func(context.Context, R, ...Option) (*A, error)) Command {
	return command.New[R, P](name, about, example, f)
}

// Version is the version of the program, as the build recorded it.
func Version() string { return command.Version() }

// ExamplePlan is the request for the plan that examples are about.
const ExamplePlan = `{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"recursive-doubling"}],` +
	`"fabric":{"nodes":8,"ports":1,"reconfig":"10us"},"planner":"harvest"}`

// Commands lists what there is. It is the only list: a command that is added here has a route of
// the service, a description, schemas and, from the fields of its request, a command line.
func Commands() []Command {
	const machine = `"fabric":{"nodes":8,"ports":2,"reconfig":"10us"}`
	const planned = `{"plan":{"id":"PLAN"}`
	all := []Command{
		NewCommand("plan", "Plan an operation, several in sequence, or a user-defined pattern", ExamplePlan, Plan),
		NewCommand("compare", "Plan with every algorithm and planner", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, Compare),
		NewCommand("frontier", "The best plan as a function of the delay of a reconfiguration", `{"operation":{"op":"allreduce","size":"1MiB"},`+machine+`}`, FindFrontier),
		NewCommand("explain", "Why a plan reconfigures when it does", planned+`}`, Explain),
		NewCommand("verify", "Check a plan on data, times and bounds", planned+`}`, Verify),
		NewCommand("topology", "Measure the graph of an expression", `{"topology":"Torus(4,4)"}`, Topology),
		NewCommand("schedule", "The breadth-first-broadcast schedule on a topology", `{"topology":"C(12;2,3)","op":"allreduce"}`, MakeSchedule),
		NewCommand("find", "The best topologies of a size and degree", `{"nodes":12,"degree":3}`, Find),
		NewCommand("simulate", "Replay a plan, or any traffic, in packets or flows", planned+`,"level":"packet","packet_bytes":4096}`, Simulate),
		NewCommand("compile", "The files of a plan for a runtime, a simulator or a switch", planned+`,"to":"timetable","inline":true}`, Compile),
		NewCommand("check", "Check a program of a runtime", `{"file":"a.xml","content":{"a.xml":"<algo name=\"x\" nchunksperloop=\"1\" ngpus=\"1\" proto=\"Simple\" coll=\"allreduce\" inplace=\"0\"></algo>"}}`, Check),
		NewCommand("collective", "The steps of an algorithm", `{"op":"allreduce","algorithm":"swing","nodes":8}`, LayOut),
		NewCommand("reproduce", "Published numbers beside ours", `{"id":"harvest/fig5","list":true}`, Reproduce),
		NewCommand("train", "The time of data-parallel training", `{"trace":"resnet50","topology":"Torus(4,4)"}`, Train),
		NewCommand("advise", "What one change of the fabric buys", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, Advise),
		NewCommand("tune", "What to use from which size on", `{"op":"allreduce","least_bytes":1024,"most_bytes":1048576,`+machine+`}`, Tune),
		NewCommand("sweep", "Plan every cell of a grid", `{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["1MiB..4MiB"]},{"name":"reconfig","values":["1us","1ms"]}],`+machine+`}`, Sweep),
		NewCommand("calibrate", "Fit latency and bandwidth to measured times, or to this host", `{"samples":[{"bytes":1024,"time_ns":5100},{"bytes":1048576,"time_ns":15500},{"bytes":4194304,"time_ns":47000}]}`, Calibrate),
		NewCommand("emulate", "Run a plan with real bytes", planned+`,"no_wait":true}`, Emulate),
	}
	for i := range all {
		switch c := &all[i]; c.Name {
		case "plan": // whose JSON is the summary
			c.Answer = reflect.TypeFor[plan.Summary]()
		case "emulate", "calibrate":
			c.Long, c.Measures = true, true
		case "tune":
			c.Long = true
		case "sweep":
			c.Long, c.Answer = true, reflect.TypeFor[sweep.Answer]()
		}
	}
	return all
}
