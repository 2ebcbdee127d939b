package emulating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// The ways in which ranks of an iteration compute.
const (
	ComputeSleep = "sleep"
	ComputeBurn  = "burn"
)

// defaultIterations are enough for a mean without the first.
const defaultIterations = 3

// EmulatedIteration is the result of emulated iterations.
type EmulatedIteration struct {
	Name    string `json:"name,omitempty"` // of the workload
	Policy  string `json:"policy"`
	Compute string `json:"compute"` // sleep or burn
	// Results is the number of checked results: one per rank for each of its communications.
	Results int `json:"results"`
	// Kinds compares the work of each kind with its expected time.
	Kinds []EmulatedKind `json:"kinds"`
}

// EmulatedKind stands for all computations, all communications in one kind of group, or all
// changes of circuits. Times are means over all ranks or groups and all iterations.
type EmulatedKind struct {
	Kind        string     `json:"kind"`
	Jobs        int        `json:"jobs"` // per iteration
	PredictedNs units.Time `json:"predicted_ns"`
	SimulatedNs units.Time `json:"simulated_ns"`
	MeasuredNs  units.Time `json:"measured_ns"`
}

// completeIteration fills in the defaults of a request with the plan of an iteration, and
// reports the first invalid field.
func (r *EmulateRequest) completeIteration() error {
	if err := iterating.One(r.Iteration, r.Plan != nil || r.PlanID != ""); err != nil {
		return err
	}
	alone := r.Iteration.Fabric.Initial != fabric.InitialFree
	if r.Iterations == 0 {
		if r.Iterations = defaultIterations; alone {
			r.Iterations = 1
		}
	}
	r.Compute = cmp.Or(r.Compute, ComputeSleep)
	ways := []string{ComputeSleep, ComputeBurn}
	switch {
	case r.Iterations < 0 || r.Iterations > emulate.MaxIterations:
		return field.Errorf("iterations", "%d; want 1 to %d", r.Iterations, emulate.MaxIterations)
	case r.Iterations > 1 && alone:
		return field.Errorf("iterations", "%d; this iteration stands by itself, as its circuits are not up at the start", r.Iterations)
	case !slices.Contains(ways, r.Compute):
		return field.Errorf("compute", "%.40q is not one of %s", r.Compute, strings.Join(ways, ", "))
	case r.Timing != command.TimingBarrier:
		return field.Errorf("timing", "not for the plan of an iteration: its groups never wait for one another")
	case r.Replan:
		return field.Errorf("replan", "not for the plan of an iteration")
	}
	for i, f := range r.Fail {
		if err := f.Check(r.Iteration.Ranks, r.Iterations); err != nil {
			return field.In(field.Index("fail", i), err)
		}
	}
	return nil
}

// longRun is how long an emulation may take without a warning.
const longRun = 30 * time.Second

// expected returns how long iterations take if times are slow times those of the fabric; 0:
// times are not kept.
func expected(a *iteration.Agenda, slow float64, times int) time.Duration {
	ns := float64(a.Iteration) * slow * float64(times)
	return time.Duration(min(ns, math.MaxInt64/2))
}

// emulateIteration verifies the plan of an iteration and runs it.
func (r *EmulateRequest) emulateIteration(ctx context.Context, e *command.Run) (*Emulation, error) {
	a, err := iterating.Agenda(ctx, r.Iteration)
	if err != nil {
		return nil, err
	}
	o := r.options(e)
	if !r.NoWait && r.Slow == 0 {
		host, err := r.measure(ctx, a.Ranks, e)
		if err != nil {
			return nil, err
		}
		jobs, err := iterations.New(ctx, a, 1)
		if err != nil {
			return nil, wrong(err)
		}
		programs, err := iterations.NewPrograms(jobs.Document).All(r.Type, jobs)
		if err != nil {
			return nil, err
		}
		o.Slow = host.SlowIteration(jobs, programs)
	}
	if long := expected(a, o.Slow, r.Iterations); e.Warn != nil && long > longRun {
		e.Warn(fmt.Sprintf("this will take about %v: %s of %v, %.0f times slower than the fabric", long.Round(time.Second), units.Count(r.Iterations, "iteration"), a.Iteration, o.Slow))
	}
	report, err := emulate.Iterate(ctx, a, r.Iterations, r.Compute == ComputeBurn, o)
	if err != nil {
		return nil, wrong(err)
	}
	answer := &Emulation{
		Schema: EmulateSchema, OK: report.OK, Ranks: report.Ranks, Processes: report.Processes, Type: r.Type, Exact: report.Exactly, Slow: report.Slow,
		BytesMoved: report.Moved, BytesIsland: report.Island, BytesFixed: report.Fixed, BytesRelayed: report.Relayed, BytesChecked: report.Checked,
		ElapsedNs: report.Elapsed.Nanoseconds(), PredictedNs: report.Predicted, SimulatedNs: report.Simulated, MeasuredNs: report.Measured,
		Steps: []EmulatedStep{}, Changes: []EmulatedChange{}, Circuits: []EmulatedCircuit{}, Fault: faultOf(report.Fault), FaultsUnused: report.Unused,
		Control:   controlled(report.Control, report.Commands),
		Iteration: &EmulatedIteration{Name: a.Name, Policy: a.Policy, Compute: r.Compute, Results: report.Results},
	}
	for i, t := range report.Iterations {
		answer.Steps = append(answer.Steps, EmulatedStep{Index: i + 1, PredictedNs: t.Predicted, SimulatedNs: t.Simulated, MeasuredNs: t.Measured})
	}
	for _, c := range report.Circuits {
		answer.Circuits = append(answer.Circuits, EmulatedCircuit{From: c.From, To: c.To, Bytes: c.Bytes})
	}
	for _, k := range report.Kinds {
		answer.Iteration.Kinds = append(answer.Iteration.Kinds, EmulatedKind{k.Kind, k.Jobs, k.Predicted, k.Simulated, k.Measured})
	}
	return answer, nil
}

// wrong turns an error into one that names the field of a plan that cannot be run.
func wrong(err error) error {
	if errors.Is(err, iterations.ErrShared) {
		return field.In("iteration", err)
	}
	return err
}
