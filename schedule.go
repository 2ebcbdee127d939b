package lightpath

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

// ScheduleSchema names the JSON form of a schedule and its version.
const ScheduleSchema = "lightpath.schedule/v1"

// ScheduleRequest asks for the breadth-first-broadcast schedule on a topology.
type ScheduleRequest struct {
	Topology string        // expression
	Op       collective.Op // allgather, reducescatter or allreduce
	Chunks   int           // per shard, each of which travels whole; 0: shards are cut anywhere
	// Best has the schedules of expansions compete, which may beat breadth-first broadcast.
	Best     bool
	Progress func(done, total int)
}

// Schedule sums a schedule up.
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
	// Method is how it was made, and Derivation from what.
	Method     string `json:"method"`
	Derivation string `json:"derivation"`
	// PerStep is the load of the busiest circuit in each step, in shards.
	PerStep []string `json:"per_step"`
}

// MakeSchedule finds the schedule.
func MakeSchedule(ctx context.Context, r ScheduleRequest) (*Schedule, error) {
	expr, err := topology.ParseExpr(r.Topology)
	if err != nil {
		return nil, err
	}
	op, ok := direct.Schedulable(r.Op)
	if !ok {
		return nil, fmt.Errorf("op: a schedule is for allgather, reducescatter or allreduce, not %s", r.Op)
	}
	options := expand.Options{Op: op, Chunks: r.Chunks, Methods: expand.OnlyBFB}
	if r.Best {
		options.Methods = expand.AnyMethod
	}
	if r.Progress != nil {
		options.Progress = func(_ string, done, total int) { r.Progress(done, total) }
	}
	s, err := expand.Solve(ctx, expr, options)
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
