// Package emulating implements the commands emulate, which runs a plan with real bytes, and
// calibrate, which describes a host, or measured times, as a fabric.
package emulating

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/calibrate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// EmulateRequest asks to run a plan, or the plan of an iteration, with real bytes.
type EmulateRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
	// Iteration is the plan of a whole iteration, to be run instead of a plan.
	Iteration *iteration.Document `json:"iteration,omitempty"`

	Type number.Type `json:"dtype,omitempty" placeholder:"TYPE" help:"element type: float32 | float64 | int32 | bfloat16" default:"float32"`
	Seed *uint64     `json:"seed,omitempty" help:"seed of the random input data" default:"1"`
	// Slow multiplies every time of the fabric; 0: the smallest factor with which the host can
	// keep up, according to a measurement.
	Slow   float64 `json:"slow,omitempty" help:"run the fabric ${K} times slower; auto: the smallest factor this host can keep up with" default:"auto"`
	NoWait bool    `json:"no_wait,omitempty" help:"run as fast as this host can, ignoring the fabric's times"`
	// Timing is "barrier" (or ""): all ranks go from step to step together; or
	// "asynchronous": each continues as soon as it can, and circuits change one by one.
	Timing          string            `json:"timing,omitempty" help:"when ranks begin the next step, ${MODE}: barrier (all together) | asynchronous (each as soon as it can)" default:"barrier"`
	RanksPerProcess int               `json:"ranks_per_process,omitempty" help:"put ${K} GPUs in each process; 0: one up to 64 GPUs, then as many as needed for 64 processes" default:"0"`
	Fail            []fault.Injection `json:"fail,omitempty" help:"inject a failure, ${WHAT}: link:3-4@step:5, link:3>4@10us, slow:3-4:2.5@.. (2.5 times as slow), corrupt:3-4@.. (its bytes change), gpu:2@step:5, stall:2@.., restart:2@.., garbage:2@.., clock:2@.., secret:2@.., switch@..; may be repeated"`
	// Replan makes a new plan that avoids what failed, and restarts the collective from the
	// inputs.
	Replan bool `json:"replan,omitempty" help:"plan again around what failed, and restart"`
	// Iterations is how many iterations follow one another, and Compute how ranks compute in
	// them.
	Iterations int    `json:"iterations,omitempty" help:"of an iteration: run ${N}, one after the other" default:"3"`
	Compute    string `json:"compute,omitempty" help:"of an iteration: what ranks do while they compute, ${MODE}: sleep | burn (keep a processor busy)" default:"sleep"`
	// Control makes package control set circuits, as on a real switch.
	Control string `json:"control,omitempty" help:"set circuits as control does on a real switch, by ${PROTOCOL}: scpi | restconf | netconf | gnmi" default:"at once"`
	// Patience is how long nothing may happen before a rank counts as stalled; 0:
	// emulate.DefaultPatience.
	Patience units.Duration `json:"patience_ns,omitzero" help:"a process that is silent for longer counts as stalled" default:"5s"`
}

// MarshalJSON writes the JSON form.
func (r EmulateRequest) MarshalJSON() ([]byte, error) {
	type fields EmulateRequest
	return command.WriteWithPlan(r.Plan, r.PlanID, fields(r))
}

// UnmarshalJSON reads the JSON form.
func (r *EmulateRequest) UnmarshalJSON(data []byte) (err error) {
	type fields EmulateRequest
	r.Plan, r.PlanID, err = command.ReadWithPlan(data, (*fields)(r))
	return err
}

// Complete fills in the defaults and reports the first invalid field.
func (r *EmulateRequest) Complete() error {
	r.Type, r.Timing = cmp.Or(r.Type, number.Float32), cmp.Or(r.Timing, command.TimingBarrier)
	if _, err := number.Parse(string(r.Type)); err != nil {
		return field.In("dtype", err)
	}
	switch {
	case r.Timing != "" && r.Timing != command.TimingBarrier && r.Timing != command.TimingAsynchronous:
		return field.Errorf("timing", "%q; want %s or %s", r.Timing, command.TimingBarrier, command.TimingAsynchronous)
	case !(r.Slow >= 0) || r.Slow > emulate.MaxSlow:
		return field.Errorf("slow", "%v; want a factor up to %v, or 0 for the smallest that the host can keep up with", r.Slow, emulate.MaxSlow)
	case r.NoWait && r.Slow > 0:
		return field.Errorf("slow", "not with `no_wait`, which never waits")
	case r.Control != "" && !slices.Contains(inventory.Drivers(), r.Control):
		return field.Errorf("control", "%.20q is not one of %s", r.Control, strings.Join(inventory.Drivers(), ", "))
	case r.RanksPerProcess < 0:
		return field.Errorf("ranks_per_process", "%d; want 1 or more, or 0 for a choice", r.RanksPerProcess)
	case r.Patience < 0:
		return field.Errorf("patience_ns", "must be above 0s")
	}
	if r.Iteration != nil {
		return r.completeIteration()
	}
	switch {
	case r.Iterations != 0:
		return field.Errorf("iterations", "only for the plan of an iteration")
	case r.Compute != "":
		return field.Errorf("compute", "only for the plan of an iteration")
	}
	return command.OnePlan(r.Plan, r.PlanID)
}

// Emulate verifies a plan, or the plan of an iteration, and runs it: ranks send real bytes over
// circuits of a software switch and check what they hold at the end. Whatever goes wrong in the
// run is the answer's Fault; an error means that there was nothing to run.
func Emulate(ctx context.Context, r EmulateRequest, options ...command.Option) (*Emulation, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if r.Iteration != nil {
		return r.emulateIteration(ctx, e)
	}
	p, err := e.CorrectPlan(ctx, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	o, err := r.Options(ctx, p, options...)
	if err != nil {
		return nil, err
	}
	if !r.Replan {
		report, err := emulate.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return Emulated(report, r.Type, nil), nil
	}
	report, attempts, err := emulate.RunAround(ctx, p, o, func(ctx context.Context, avoid fabric.Failures) (*plan.Plan, error) {
		return replan(ctx, p, avoid, options)
	})
	if err != nil {
		return nil, err
	}
	return Emulated(report, r.Type, attempts), nil
}

// Options turns a complete request into options of package emulate. It measures the host if the
// factor of time depends on that.
func (r *EmulateRequest) Options(ctx context.Context, p *plan.Plan, options ...command.Option) (emulate.Options, error) {
	if err := command.OnlyChanges(&p.Fabric, "an emulation, whose switch sets only circuits that change"); err != nil {
		return emulate.Options{}, field.In("plan", err)
	}
	e := command.NewRun(options)
	o := r.options(e)
	o.Ended, o.RankEnded = e.StepEnded, e.RankEnded
	steps := p.CountSteps()
	for i, f := range r.Fail {
		if err := f.Check(p.Fabric.Nodes, steps); err != nil {
			return o, field.In(field.Index("fail", i), err)
		}
	}
	if r.NoWait || r.Slow > 0 {
		return o, nil
	}
	host, err := r.measure(ctx, p.Fabric.Nodes, e)
	if err != nil {
		return o, err
	}
	o.Slow = host.Slow(p)
	return o, nil
}

// options returns the options that do not depend on the plan.
func (r *EmulateRequest) options(e *command.Run) emulate.Options {
	o := emulate.Options{
		Type: r.Type, Seed: collective.DefaultSeed, Slow: r.Slow, RanksPerProcess: r.RanksPerProcess, Faults: r.Fail, Control: r.Control,
		Asynchronous: r.Timing == command.TimingAsynchronous,
		Patience:     r.Patience.Std(), Launcher: e.Launcher, Progress: e.Progress,
	}
	if r.Seed != nil {
		o.Seed = *r.Seed
	}
	return o
}

// measure measures the speed of this host.
func (r *EmulateRequest) measure(ctx context.Context, nodes int, e *command.Run) (*calibrate.Host, error) {
	host, _, err := calibrate.Measure(ctx, calibrate.Options{
		Nodes: min(nodes, probeNodes), Repeats: probeRepeats, Launcher: e.Launcher, Patience: r.Patience.Std(),
	})
	if err != nil {
		return nil, fmt.Errorf("this host could not be measured: %w", err)
	}
	return host, nil
}

// The size of the measurement before a run: enough for an order of magnitude.
const (
	probeNodes   = 8
	probeRepeats = 3
)

// replan makes a plan for the same operation as another plan, without the failed parts.
func replan(ctx context.Context, p *plan.Plan, avoid fabric.Failures, options []command.Option) (*plan.Plan, error) {
	request := planning.PlanRequest{Fabric: p.Fabric}
	request.Fabric.Avoid = avoid
	c := &p.Collective
	sections := c.Space.Sections
	if c.Space.Kind != collective.Sections {
		sections = []collective.Section{{Op: c.Op, Size: c.Size, Space: c.Space}}
	}
	for i := range sections {
		o, err := survivors(&sections[i], avoid)
		if err != nil {
			return nil, err
		}
		request.Operations = append(request.Operations, o)
	}
	return planning.Plan(ctx, request, append(options, command.WithoutBaselines())...)
}

// survivors returns the operation among the GPUs that have not failed.
func survivors(s *collective.Section, failed fabric.Failures) (collective.Operation, error) {
	o := collective.Operation{Op: s.Op, Size: s.Size}
	if s.Space.Kind == collective.Listed {
		return o, fmt.Errorf("a pattern fixes who sends what; it cannot be planned another way")
	}
	members := s.Space.Members
	if members == nil {
		members = arithmetic.UpTo(s.Space.Nodes)
	}
	var left []int // by their number among the members
	for i, u := range members {
		if !failed.GPU(u) {
			left = append(left, i)
			o.GPUs = append(o.GPUs, u)
		}
	}
	if len(o.GPUs) < 2 {
		return o, fmt.Errorf("fewer than two GPUs are left")
	}
	if sizes := s.Space.Sizes; sizes != nil {
		o.Size = 0
		for _, i := range left {
			row := make([]int64, len(left))
			for k, j := range left {
				row[k] = sizes[i][j]
			}
			o.Demand = append(o.Demand, row)
		}
	}
	if slices.Equal(o.GPUs, arithmetic.UpTo(s.Space.Nodes)) {
		o.GPUs = nil
	}
	return o, nil
}
