package controlling

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/compile/iterations"
	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// RunRequest asks to make switches follow the demand of a training job.
type RunRequest struct {
	Reach
	// Iteration is a plan whose workload, fabric and policy are used; without it, Workload and
	// Fabric are used.
	Iteration *iteration.Document `json:"iteration,omitempty"`
	Workload  *workload.Workload  `json:"workload,omitempty"`
	Fabric    fabric.Fabric       `json:"fabric,omitzero"`
	// Policy says when to reconfigure within an iteration.
	Policy string `json:"policy,omitempty" help:"plan iterations by policy ${NAME}: best, static, phases, phases-ahead, each, one" default:"the plan's, or best"`
	// StateFile records decisions.
	StateFile string `json:"state,omitempty" help:"remember decisions in ${FILE}, from which the next run goes on" default:"the switches file with .run at its end"`
}

// Complete fills in the defaults and reports the first invalid field.
func (r *RunRequest) Complete() error {
	switch {
	case r.Iteration == nil && r.Workload == nil:
		return field.Errorf("workload", "missing; want the plan of an iteration, or a workload")
	case r.Iteration != nil && r.Workload != nil:
		return field.Errorf("workload", "there is the plan of an iteration already; want one of them")
	case r.PortMap == nil:
		return field.Errorf("port_map", "missing; want gpu,port,switch,ingress,egress")
	}
	if r.Iteration != nil {
		if err := iterating.One(r.Iteration, false); err != nil {
			return err
		}
		r.Policy = cmp.Or(r.Policy, r.Iteration.Policy)
	}
	if err := iterating.CompletePolicy(&r.Policy); err != nil {
		return err
	}
	if err := r.Reach.complete(); err != nil {
		return err
	}
	r.StateFile = cmp.Or(r.StateFile, r.SwitchesFile+".run")
	return nil
}

// iterate returns the request for the plans.
func (r *RunRequest) iterate() iterating.IterateRequest {
	if d := r.Iteration; d != nil {
		return iterating.IterateRequest{Workload: d.Workload, Fabric: d.Fabric, Policy: r.Policy}
	}
	return iterating.IterateRequest{Workload: r.Workload, Fabric: r.Fabric, Policy: r.Policy}
}

// sum returns a checksum by which two requests have the same plans on the same ports.
func (r *RunRequest) sum() (string, error) { return sumOf([]any{r.iterate(), r.PortMap}) }

// sumOf returns the checksum of a value's JSON form.
func sumOf(what any) (string, error) {
	text, err := json.Marshal(what)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// ErrSwitches means that switches did not do what a step needs. The circuits from before are up
// again, unless the error says that they are not; the step can be tried again.
var ErrSwitches = errors.New("the switches")

// ErrOrder means that a step or stage is out of order.
var ErrOrder = errors.New("out of order")

// Runner follows the demand of a training job, step by step. It is safe for concurrent use and
// does one step at a time.
type Runner struct {
	one        sync.Mutex // held during a step or stage
	request    RunRequest
	sum        string
	stream     *iterating.Stream
	controller *control.Controller
	program    *control.Program // of the current step
	last       *RanStep
	demand     string // checksum of the last step's demand, if known

	mu     sync.Mutex // of the fields below
	status Status
	meters meters
}

// NewRunner plans for even demand, resumes where the last run stopped, and brings the switches
// to the current stage.
func NewRunner(ctx context.Context, r RunRequest, options ...command.Option) (*Runner, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	stream, err := iterating.NewStream(ctx, r.iterate(), options...)
	if err != nil {
		return nil, err
	}
	n := &Runner{request: r, stream: stream, meters: newMeters()}
	if n.sum, err = r.sum(); err != nil {
		return nil, err
	}
	known, err := readState(r.StateFile, n.sum)
	if err != nil {
		return nil, field.In("state", err)
	}
	if known != nil {
		if err := stream.Resume(ctx, known.Stream); err != nil {
			if ctx.Err() == nil {
				err = field.In("state", fmt.Errorf("%s: %w", r.StateFile, err))
			}
			return nil, err
		}
		n.last, n.demand, n.status = known.Last, known.Demand, known.status()
	}
	a, err := stream.Present(ctx)
	if err != nil {
		return nil, err
	}
	if n.program, err = n.read(a); err != nil {
		return nil, field.In("port_map", err)
	}
	j, err := control.OpenJournal(r.JournalFile)
	if err != nil {
		return nil, field.In("journal", err)
	}
	if n.controller, err = r.controller(n.program.Own, j); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	if err := n.begin(ctx); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// read returns the switch program of a step's plan.
func (n *Runner) read(a *iteration.Agenda) (*control.Program, error) {
	table, err := iterations.Timetable(a)
	if err != nil {
		return nil, err
	}
	if table, err = table.WithPortMap(n.request.PortMap); err != nil {
		return nil, err
	}
	return control.NewIteration(table)
}

// begin brings the switches to the stage of the current step that was last set or begun.
func (n *Runner) begin(ctx context.Context) error {
	goal, known := n.program.Begin, n.controller.Journal.Memory()
	if known.Plan == n.program.Sum && known.Stage > 0 && known.Stage <= len(n.program.Stages) {
		goal = n.program.Stages[known.Stage-1]
	}
	result, err := n.reach(ctx, goal)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSwitches, err)
	}
	n.note(func(s *Status) {
		s.Resumed = result.Resumed
		s.Ranks, s.Members, s.Delay = n.stream.Ranks(), n.stream.Members(), n.stream.Delay()
		s.Stage, s.Stages, s.Surprises = goal.Stage, len(n.program.Stages), result.Surprises
	})
	return nil
}

// reach runs a transaction. Once begun, it completes even if the run is told to stop: half a
// change is worse than a late end.
func (n *Runner) reach(ctx context.Context, goal control.Goal) (*control.Result, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	start := time.Now()
	result, err := n.controller.Reach(context.WithoutCancel(ctx), goal)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.meters.apply(result, err, time.Since(start))
	return result, err
}

// Step begins the next step, given its demand: it decides whether to reconfigure, and returns
// when the circuits are up. The number of the step may be -1. A request for the last step again,
// with the same demand, gets the same answer and changes nothing. at is the position of the
// demand in a feed and may be nil.
func (n *Runner) Step(ctx context.Context, number int, d collective.Demand, at *Position) (*RanStep, error) {
	n.one.Lock()
	defer n.one.Unlock()
	next := n.stream.Step()
	sum, err := sumOf(d)
	if err != nil {
		return nil, err
	}
	if number >= 0 && n.last != nil && number == n.last.Step {
		if n.demand != "" && n.demand != sum {
			return nil, fmt.Errorf("%w: step %d came before with another demand", ErrOrder, number)
		}
		return n.last, nil
	}
	if number >= 0 && number != next {
		return nil, fmt.Errorf("%w: step %d; want %d, or %d again", ErrOrder, number, next, next-1)
	}
	start := time.Now()
	c, program, result, refused, err := n.enter(ctx, d)
	if err != nil {
		return nil, err
	}
	n.stream.Take(c)
	total, home := n.stream.Totals()
	step := &RanStep{Step: next, Plan: c.State, Own: c.Own, Rewired: c.Rewired, Time: c.Time, Static: c.Home, Bound: c.Bound,
		Total: total, StaticTotal: home, Stages: len(program.Stages), Resumed: result.Resumed, Surprises: result.Surprises, Refused: refused}
	for _, change := range result.Changes {
		step.Disconnects += len(change.Disconnect)
		step.Connects += len(change.Connect)
	}
	n.program, n.last, n.demand = program, step, sum
	n.note(func(s *Status) {
		s.Last, s.Stage, s.Stages, s.Surprises, s.Reason = step, 0, step.Stages, step.Surprises, ""
		s.Steps, s.Total, s.Static = next+1, total, home
		if step.Rewired {
			s.Rewired++
		}
		if at != nil {
			s.Feed = at
		}
		n.meters.decide.Observe(time.Since(start).Seconds())
	})
	return step, n.save()
}

// enter decides the plan of a step and sets its circuits. It does not choose a plan again that
// switches have refused in this step.
func (n *Runner) enter(ctx context.Context, d collective.Demand) (c *iterating.Choice, p *control.Program, result *control.Result, refused string, err error) {
	var blocked []int
	for {
		if c, err = n.stream.Decide(ctx, d, blocked...); err != nil {
			if refused != "" {
				err = fmt.Errorf("%w: %s; and %w", ErrSwitches, refused, err)
			}
			return nil, nil, nil, refused, err
		}
		a, err := n.stream.Agenda(ctx, c)
		if err != nil {
			return nil, nil, nil, refused, err
		}
		if p, err = n.read(a); err != nil {
			return nil, nil, nil, refused, err
		}
		if result, err = n.reach(ctx, p.Begin); err == nil {
			return c, p, result, refused, nil
		}
		if ctx.Err() != nil {
			return nil, nil, nil, refused, ctx.Err()
		}
		n.note(func(s *Status) { s.Reason = err.Error() })
		if result.Outcome != control.Undone {
			return nil, nil, nil, refused, fmt.Errorf("%w: %w", ErrSwitches, err)
		}
		refused = err.Error()
		blocked = append(blocked, c.State)
	}
}

// Stage sets a stage of the current step, from 1, and returns when its circuits are up. The
// number of the step may be -1.
func (n *Runner) Stage(ctx context.Context, number, stage int) (*Status, error) {
	n.one.Lock()
	defer n.one.Unlock()
	if number >= 0 && (n.last == nil || number != n.last.Step) {
		return nil, fmt.Errorf("%w: stage %d of step %d, which is not under way", ErrOrder, stage, number)
	}
	goal := n.program.Begin
	if stage != 0 {
		var err error
		if goal, err = n.program.Stage(stage); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOrder, err)
		}
	}
	result, err := n.reach(ctx, goal)
	if err != nil {
		n.note(func(s *Status) { s.Reason = err.Error() })
		return nil, fmt.Errorf("%w: stage %d: %w", ErrSwitches, stage, err)
	}
	n.note(func(s *Status) { s.Stage, s.Surprises, s.Reason = stage, result.Surprises, "" })
	now := n.Status()
	return &now, nil
}

// note changes the status.
func (n *Runner) note(change func(s *Status)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(&n.status)
}

// Bad counts invalid input.
func (n *Runner) Bad() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.meters.bad++
}

// Close ends the connections and lets others control the switches.
func (n *Runner) Close() error {
	n.one.Lock()
	defer n.one.Unlock()
	return errors.Join(closeAll(n.controller), n.controller.Journal.Close())
}

// RanStep records what was decided and done for a step. Times are those of the plans.
type RanStep struct {
	Step int `json:"step"` // from 0
	// Plan is the number of the plan; 0 is the plan for even demand.
	Plan    int        `json:"plan"`
	Own     bool       `json:"own,omitempty"` // the plan was made for the demand of this step
	Rewired bool       `json:"rewired"`       // the step before had another plan
	Time    units.Time `json:"time_ns"`
	Static  units.Time `json:"static_ns"` // with the plan for even demand throughout
	Bound   units.Time `json:"bound_ns"`  // no plan in which ranks use only their own ports is faster
	// Total and StaticTotal are sums over all steps so far.
	Total       units.Time `json:"total_ns"`
	StaticTotal units.Time `json:"static_total_ns"`
	// Stages is the number of circuit changes within the step, which the client must request.
	Stages      int  `json:"stages"`
	Disconnects int  `json:"disconnects"`
	Connects    int  `json:"connects"`
	Resumed     bool `json:"resumed,omitempty"` // an earlier change had been interrupted
	// Refused says why a better plan was given up.
	Refused   string   `json:"refused,omitempty"`
	Surprises []string `json:"surprises,omitempty"`
}

// Status is the state of a run.
type Status struct {
	Schema  string     `json:"schema"`
	Ranks   int        `json:"ranks"`
	Members int        `json:"members"` // ranks of a demand
	Delay   units.Time `json:"delay_ns"`
	Steps   int        `json:"steps"`
	Rewired int        `json:"rewired"`
	Total   units.Time `json:"total_ns"`
	Static  units.Time `json:"static_ns"`
	Last    *RanStep   `json:"last,omitempty"`
	Stage   int        `json:"stage"`
	Stages  int        `json:"stages"`
	Feed    *Position  `json:"feed,omitempty"` // how far it has been read
	Resumed bool       `json:"resumed,omitempty"`
	// Surprises are differences between the circuits in the journal and the circuits that were
	// up.
	Surprises []string `json:"surprises,omitempty"`
	Reason    string   `json:"reason,omitempty"`  // why the last transaction failed
	Unsaved   string   `json:"unsaved,omitempty"` // why the last decision could not be saved
}

// Status returns the state of the run.
func (n *Runner) Status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.status
	s.Schema = RunSchema
	return s
}
