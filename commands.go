package lightpath

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
)

// Command is a question that this package answers, as its faces offer it: the command line, the
// service with its description, the schemas and the clients.
type Command struct {
	Name     string
	About    string // in one line
	Example  string // a request in JSON; PLAN stands for the ID of the plan that ExamplePlan asks for
	Long     bool   // it may take long: the service makes a job of it
	Measures bool   // its answer is a measurement, so that an old one is none

	Request reflect.Type // a struct; its pointer is a Request
	Answer  reflect.Type // of the answer as JSON
	// Ask answers a request, which is a pointer to a value of the type above.
	Ask func(ctx context.Context, r Request, options ...Option) (any, error)
}

// Read reads a request of the command from its JSON form.
func (c *Command) Read(data []byte) (Request, error) {
	request := reflect.New(c.Request).Interface().(Request) //nolint:forcetypeassert // see NewCommand
	if _, own := request.(json.Unmarshaler); own {
		return request, json.Unmarshal(data, request)
	}
	return request, readRequest(data, request)
}

// NewCommand makes a command of a function that answers requests of a type.
func NewCommand[R any, P interface {
	*R
	Request
}, A any](name, about, example string, f func(context.Context, R, ...Option) (*A, error)) Command {
	return Command{
		Name: name, About: about, Example: example, Request: reflect.TypeFor[R](), Answer: reflect.TypeFor[A](),
		Ask: func(ctx context.Context, r Request, options ...Option) (any, error) {
			return f(ctx, *r.(P), options...) //nolint:forcetypeassert // the caller's promise
		},
	}
}

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
