package exploring

import (
	"cmp"
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
	"github.com/lightpath-net/lightpath/units"
)

// ScheduleSchema names the JSON form of a schedule and its version.
const ScheduleSchema = "lightpath.schedule/v1"

// ScheduleRequest asks for the breadth-first-broadcast schedule on a topology.
type ScheduleRequest struct {
	Topology string        `json:"topology"` // expression
	Op       collective.Op `json:"op,omitempty" placeholder:"OP" help:"collective operation: allgather | reducescatter | allreduce" default:"allgather"`
	Chunks   int           `json:"chunks,omitempty" help:"cut every shard into ${P} chunks that travel whole (default: cut anywhere)"`
	// Best also tries schedules of expansions, which may beat breadth-first broadcast.
	Best bool `json:"best,omitempty" help:"also try schedules built for expansions, which may be better"`
	// Links are user-defined circuits that differ in bandwidth or delay, instead of Topology.
	// Links without a bandwidth have Bandwidth; 0: 800Gbps. The schedule is then the fastest for
	// a buffer of Size (0: 4MiB), and its steps are points in time.
	Links     []wiring.Link   `json:"links,omitempty"`
	Bandwidth units.Bandwidth `json:"bandwidth_bps,omitzero" help:"rate of circuits without their own rate, if circuits differ (default: 800Gbps)"`
	Size      units.Bytes     `json:"size_bytes,omitzero" help:"buffer size, if circuits differ (default: 4MiB)"`
}

// UnmarshalJSON reads the JSON form.
func (r *ScheduleRequest) UnmarshalJSON(data []byte) error {
	type plain ScheduleRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *ScheduleRequest) Complete() error { return r.complete(nil) }

// complete is Complete with user-defined families, which may be nil.
func (r *ScheduleRequest) complete(families *topology.Registry) error {
	r.Op = cmp.Or(r.Op, collective.AllGather)
	if _, ok := direct.Schedulable(r.Op); !ok {
		return field.Errorf("op", "a schedule is for allgather, reducescatter or allreduce, not %s", r.Op)
	}
	if r.Chunks < 0 {
		return field.Errorf("chunks", "%d; want 1 or more", r.Chunks)
	}
	if r.Links != nil {
		return r.completeLinks()
	}
	if r.Size != 0 || r.Bandwidth != 0 {
		return field.Errorf("size_bytes", "only with unequal links; for equal ones bandwidth is in units of M/B")
	}
	_, err := families.ParseExpr(r.Topology)
	return field.In("topology", err)
}

// Schedule summarizes a schedule.
type Schedule struct {
	Schema           string        `json:"schema"`
	Expr             string        `json:"expr"`
	Op               collective.Op `json:"op"`
	Nodes            int           `json:"nodes"`
	Degree           int           `json:"degree"`
	Steps            int           `json:"steps"`
	Bandwidth        string        `json:"bandwidth"` // "p/q" of M/B, exact
	BandwidthOptimal bool          `json:"bandwidth_optimal"`
	Chunks           int           `json:"chunks"` // per shard; 0: shards are cut anywhere
	// Method is how the schedule was made, and Derivation is what it was made from.
	Method     string `json:"method"`
	Derivation string `json:"derivation"`
	// PerStep is the load of the busiest circuit in each step, in shards.
	PerStep []string `json:"per_step"`
	// TimeNs is the total time if links differ, and PerStepNs the time of each step; Bandwidth
	// is then empty, because M/B is not defined.
	TimeNs units.Time `json:"time_ns,omitempty"`
	// Rounded is the largest fraction by which rounding lengthens the time of a shard over any
	// link. It is nonzero only if bandwidths and sizes have no common unit that fits in 64 bits.
	Rounded   float64      `json:"rounded,omitempty"`
	PerStepNs []units.Time `json:"per_step_ns,omitempty"`
}

// MakeSchedule computes the breadth-first-broadcast schedule on a topology.
func MakeSchedule(ctx context.Context, r ScheduleRequest, options ...command.Option) (*Schedule, error) {
	e := command.NewRun(options)
	if err := r.complete(e.Known.Families); err != nil {
		return nil, err
	}
	if r.Links != nil {
		return r.uneven(ctx, e)
	}
	expr, err := e.Known.Families.ParseExpr(r.Topology)
	if err != nil {
		return nil, field.In("topology", err)
	}
	op, _ := direct.Schedulable(r.Op)
	how := expand.Options{Op: op, Chunks: r.Chunks, Methods: expand.OnlyBFB}
	if r.Best {
		how.Methods = expand.AnyMethod
	}
	how.Progress = func(_ string, done, total int) { e.Report(done, total) }
	s, err := expand.Solve(ctx, expr, how)
	if err != nil {
		return nil, err
	}
	answer := &Schedule{
		Schema: ScheduleSchema, Expr: expr.String(), Op: r.Op, Nodes: s.Nodes, Degree: s.Degree, Steps: s.Steps,
		Bandwidth: s.Bandwidth.RatString(), BandwidthOptimal: s.BandwidthOptimal, Chunks: r.Chunks, PerStep: []string{},
		Method: s.Method, Derivation: s.Derivation,
	}
	for _, u := range s.PerStep {
		answer.PerStep = append(answer.PerStep, u.RatString())
	}
	return answer, nil
}
