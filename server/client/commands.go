package client

import (
	"context"
	"net/http"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/topology"
)

// List returns what can be asked for: operations, algorithms, planners, machines.
func (c *Client) List(ctx context.Context) (*lightpath.Catalog, error) {
	return get[lightpath.Catalog](ctx, c, "/v1/list")
}

// Ask asks a command by its name: for those that have no method of their own.
func Ask[A any](ctx context.Context, c *Client, command string, request lightpath.Request) (*A, error) {
	return post[A](ctx, c, command, request)
}

// Run is Ask for a command that is a job: tell, unless it is nil, hears how far it is, and it is
// cancelled when ctx ends.
func Run[A any](ctx context.Context, c *Client, command string, request lightpath.Request, tell func(Event)) (*A, error) {
	return run[A](ctx, c, command, request, tell)
}

// Plan makes a plan and returns its summary and its ID, by which other requests name it.
func (c *Client) Plan(ctx context.Context, r lightpath.PlanRequest) (summary *plan.Summary, id string, err error) {
	summary, header, err := ask[plan.Summary](ctx, c, http.MethodPost, "/v1/plan", r)
	if err != nil {
		return nil, "", err
	}
	return summary, header.Get("Lightpath-Plan"), nil
}

// Compare plans with every algorithm and planner.
func (c *Client) Compare(ctx context.Context, r lightpath.CompareRequest) (*lightpath.Comparison, error) {
	return post[lightpath.Comparison](ctx, c, "compare", r)
}

// Frontier returns the best plan as a function of the delay of a reconfiguration.
func (c *Client) Frontier(ctx context.Context, r lightpath.FrontierRequest) (*lightpath.Frontier, error) {
	return post[lightpath.Frontier](ctx, c, "frontier", r)
}

// Explain says why a plan rewires when it does.
func (c *Client) Explain(ctx context.Context, r lightpath.ExplainRequest) (*explain.Explanation, error) {
	return post[explain.Explanation](ctx, c, "explain", r)
}

// Verify checks a plan.
func (c *Client) Verify(ctx context.Context, r lightpath.VerifyRequest) (*verify.Report, error) {
	return post[verify.Report](ctx, c, "verify", r)
}

// Topology measures the graph of an expression.
func (c *Client) Topology(ctx context.Context, r lightpath.TopologyRequest) (*topology.Metrics, error) {
	return post[topology.Metrics](ctx, c, "topology", r)
}

// Schedule returns the schedule on a topology.
func (c *Client) Schedule(ctx context.Context, r lightpath.ScheduleRequest) (*lightpath.Schedule, error) {
	return post[lightpath.Schedule](ctx, c, "schedule", r)
}

// Find returns the best topologies of a size and degree.
func (c *Client) Find(ctx context.Context, r lightpath.FindRequest) (*lightpath.TopologyFrontier, error) {
	return post[lightpath.TopologyFrontier](ctx, c, "find", r)
}

// Simulate replays a plan or traffic.
func (c *Client) Simulate(ctx context.Context, r lightpath.SimulateRequest) (*lightpath.Simulation, error) {
	return post[lightpath.Simulation](ctx, c, "simulate", r)
}

// Compile makes the files of a plan.
func (c *Client) Compile(ctx context.Context, r lightpath.CompileRequest) (*lightpath.Compilation, error) {
	return post[lightpath.Compilation](ctx, c, "compile", r)
}

// Check checks a program of a runtime.
func (c *Client) Check(ctx context.Context, r lightpath.CheckRequest) (*lightpath.Checked, error) {
	return post[lightpath.Checked](ctx, c, "check", r)
}

// Collective returns the steps of an algorithm.
func (c *Client) Collective(ctx context.Context, r lightpath.CollectiveRequest) (*lightpath.Layout, error) {
	return post[lightpath.Layout](ctx, c, "collective", r)
}

// Reproduce compares published numbers with ours.
func (c *Client) Reproduce(ctx context.Context, r lightpath.ReproduceRequest) (*lightpath.Reproduction, error) {
	return post[lightpath.Reproduction](ctx, c, "reproduce", r)
}

// Train returns the time of data-parallel training.
func (c *Client) Train(ctx context.Context, r lightpath.TrainRequest) (*lightpath.Training, error) {
	return post[lightpath.Training](ctx, c, "train", r)
}

// Advise says what one change of the fabric buys.
func (c *Client) Advise(ctx context.Context, r lightpath.AdviseRequest) (*lightpath.Advice, error) {
	return post[lightpath.Advice](ctx, c, "advise", r)
}

// Tune says what to use from which size on. It is a job: tell, unless it is nil, hears how far it
// is, and it is cancelled when ctx ends.
func (c *Client) Tune(ctx context.Context, r lightpath.TuneRequest, tell func(Event)) (*lightpath.Tuning, error) {
	return run[lightpath.Tuning](ctx, c, "tune", r, tell)
}

// Sweep plans every cell of a grid. It is a job: tell, unless it is nil, hears how far it
// is, and it is cancelled when ctx ends.
func (c *Client) Sweep(ctx context.Context, r lightpath.SweepRequest, tell func(Event)) (*sweep.Answer, error) {
	return run[sweep.Answer](ctx, c, "sweep", r, tell)
}

// Emulate runs a plan with real bytes. It is a job: tell, unless it is nil, hears how far it
// is, and it is cancelled when ctx ends.
func (c *Client) Emulate(ctx context.Context, r lightpath.EmulateRequest, tell func(Event)) (*lightpath.Emulation, error) {
	return run[lightpath.Emulation](ctx, c, "emulate", r, tell)
}

// Calibrate fits latency and bandwidth to measured times, or to the host of the service. It is a
// job: tell, unless it is nil, hears how far it is, and it is cancelled when ctx ends.
func (c *Client) Calibrate(ctx context.Context, r lightpath.CalibrateRequest, tell func(Event)) (*lightpath.Calibration, error) {
	return run[lightpath.Calibration](ctx, c, "calibrate", r, tell)
}
