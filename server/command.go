package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/report"
)

// command is one of package lightpath's functions as the service offers it.
type command struct {
	name    string
	about   string
	job     bool   // it may take long: POST makes a job of it
	fresh   bool   // its answer is a measurement, so that an old one is none
	example string // a request that the description of the API shows; a test runs it
	read    func(body []byte) (*question, error)
}

// question is a request that was read.
type question struct {
	command *command
	request lightpath.Request
	ask     func(ctx context.Context, options ...lightpath.Option) (any, error)
}

// offer makes a command of a function of package lightpath.
func offer[R any, P interface {
	*R
	lightpath.Request
}, A any](name, about, example string, f func(context.Context, R, ...lightpath.Option) (A, error)) *command {
	c := &command{name: name, about: about, example: example}
	c.read = func(body []byte) (*question, error) {
		request := P(new(R))
		if err := json.Unmarshal(body, request); err != nil {
			return nil, err
		}
		return &question{command: c, request: request, ask: func(ctx context.Context, options ...lightpath.Option) (any, error) {
			return f(ctx, *request, options...)
		}}, nil
	}
	return c
}

// examplePlan is the plan that examples are about; the test makes it first.
const examplePlan = `{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"recursive-doubling"}],` +
	`"fabric":{"nodes":8,"ports":1,"reconfig":"10us"},"planner":"harvest"}`

// commands lists what there is. The word PLAN in an example stands for the plan of
// examplePlan, by its ID.
func commands() []*command {
	const machine = `"fabric":{"nodes":8,"ports":2,"reconfig":"10us"}`
	const planned = `{"plan":{"id":"PLAN"}`
	all := []*command{
		offer("plan", "Plan an operation, several in sequence, or a user-defined pattern", examplePlan, lightpath.Plan),
		offer("compare", "Plan with every algorithm and planner", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, lightpath.Compare),
		offer("frontier", "The best plan as a function of the delay of a reconfiguration", `{"operation":{"op":"allreduce","size":"1MiB"},`+machine+`}`, lightpath.FindFrontier),
		offer("explain", "Why a plan reconfigures when it does", planned+`}`, lightpath.Explain),
		offer("verify", "Check a plan on data, times and bounds", planned+`}`, lightpath.Verify),
		offer("topology", "Measure the graph of an expression", `{"topology":"Torus(4,4)"}`, lightpath.Topology),
		offer("schedule", "The breadth-first-broadcast schedule on a topology", `{"topology":"C(12;2,3)","op":"allreduce"}`, lightpath.MakeSchedule),
		offer("find", "The best topologies of a size and degree", `{"nodes":12,"degree":3}`, lightpath.Find),
		offer("simulate", "Replay a plan, or any traffic, in packets or flows", planned+`,"level":"packet","packet_bytes":4096}`, lightpath.Simulate),
		offer("compile", "The files of a plan for a runtime, a simulator or a switch", planned+`,"to":"timetable","inline":true}`, lightpath.Compile),
		offer("check", "Check a program of a runtime", `{"file":"a.xml","content":{"a.xml":"<algo name=\"x\" nchunksperloop=\"1\" ngpus=\"1\" proto=\"Simple\" coll=\"allreduce\" inplace=\"0\"></algo>"}}`, lightpath.Check),
		offer("collective", "The steps of an algorithm", `{"op":"allreduce","algorithm":"swing","nodes":8}`, lightpath.LayOut),
		offer("reproduce", "Published numbers beside ours", `{"id":"harvest/fig5","list":true}`, lightpath.Reproduce),
		offer("train", "The time of data-parallel training", `{"trace":"resnet50","topology":"Torus(4,4)"}`, lightpath.Train),
		offer("advise", "What one change of the fabric buys", `{"operation":{"op":"allreduce","size":"4MiB"},`+machine+`}`, lightpath.Advise),
		offer("tune", "What to use from which size on", `{"op":"allreduce","least_bytes":1024,"most_bytes":1048576,`+machine+`}`, lightpath.Tune),
		offer("sweep", "Plan every cell of a grid", `{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["1MiB..4MiB"]},{"name":"reconfig","values":["1us","1ms"]}],`+machine+`}`, lightpath.Sweep),
		offer("calibrate", "Fit latency and bandwidth to measured times, or to this host", `{"samples":[{"bytes":1024,"time_ns":5100},{"bytes":1048576,"time_ns":15500},{"bytes":4194304,"time_ns":47000}]}`, lightpath.Calibrate),
		offer("emulate", "Run a plan with real bytes", planned+`,"no_wait":true}`, lightpath.Emulate),
	}
	for _, c := range all {
		switch c.name {
		case "emulate", "calibrate": // which may measure
			c.job, c.fresh = true, true
		case "tune", "sweep":
			c.job = true
		}
	}
	return all
}

// key names a completed question by its content.
func (q *question) key() (string, []byte, error) {
	text, err := json.Marshal(q.request)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(lightpath.Version()), []byte(q.command.name), text} {
		sum.Write([]byte{0})
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil)), text, nil
}

// answer is what goes back, and what the store keeps.
type answer struct {
	body []byte // JSON, as --json prints it
	plan string // the ID of the plan that it is the summary of, or ""
}

// wholePlan is a plan as its file has it, and the line that lists it.
type wholePlan struct {
	StoredPlan
	body []byte
}

func newWholePlan(p *plan.Plan) (*wholePlan, error) {
	var all bytes.Buffer
	if err := p.Encode(&all); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(all.Bytes())
	return &wholePlan{body: all.Bytes(), StoredPlan: StoredPlan{
		ID: hex.EncodeToString(sum[:]), Op: string(p.Collective.Op), Algorithm: p.Collective.Algorithm, Planner: p.Planner,
		Nodes: p.Fabric.Nodes, SizeBytes: int64(p.Collective.Size), TotalNs: float64(p.Cost.Total()),
	}}, nil
}

// form writes an answer as --json does, and the whole plan where it is one.
func form(value any) (a answer, whole *wholePlan, err error) {
	var out bytes.Buffer
	if err := (report.JSON{}).Write(&out, value); err != nil {
		return a, nil, err
	}
	a.body = out.Bytes()
	if p, ok := value.(*plan.Plan); ok {
		if whole, err = newWholePlan(p); err != nil {
			return a, nil, err
		}
		a.plan = whole.ID
	}
	return a, whole, nil
}

// lookup finds a command by its name.
func (s *Server) lookup(name string) *command {
	i := slices.IndexFunc(s.commands, func(c *command) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return s.commands[i]
}
