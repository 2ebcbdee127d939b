package simulating

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// SlowGPU is a GPU whose computations take longer by a factor. Its text form is gpu:5:1.3.
type SlowGPU struct {
	GPU    int
	Factor float64
}

// String returns the text form.
func (s SlowGPU) String() string {
	return fmt.Sprintf("gpu:%d:%s", s.GPU, strconv.FormatFloat(s.Factor, 'g', -1, 64))
}

// MarshalText writes the text form.
func (s SlowGPU) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text form.
func (s *SlowGPU) UnmarshalText(text []byte) error {
	if parts := strings.Split(string(text), ":"); len(parts) == 3 && parts[0] == "gpu" {
		gpu, err := strconv.Atoi(parts[1])
		factor, bad := strconv.ParseFloat(parts[2], 64)
		if err == nil && bad == nil && gpu >= 0 && factor > 0 && factor <= mostSlow {
			*s = SlowGPU{gpu, factor}
			return nil
		}
	}
	return fmt.Errorf("%.40q; want gpu:5:1.3 for computations of GPU 5 that take 1.3 times as long", text)
}

// mostSlow bounds factors, so that times stay finite.
const mostSlow = 1e6

// SimulatedIteration is the result of a simulated iteration.
type SimulatedIteration struct {
	Name   string `json:"name,omitempty"` // of the workload
	Ranks  int    `json:"ranks"`
	Policy string `json:"policy"`
	// IterationsNs is how long each iteration took, from the end of the previous one.
	IterationsNs []units.Time `json:"iterations_ns"`
	// Communications are the distinct communications, each simulated once.
	Communications []SimulatedCommunication `json:"communications"`
	// Stalls says what each failure holds up.
	Stalls []SimulatedStall `json:"stalls,omitempty"`
}

// SimulatedCommunication compares a communication with the model.
type SimulatedCommunication struct {
	Kind        string           `json:"kind,omitempty"`
	Op          string           `json:"op"`
	Size        units.Bytes      `json:"size_bytes"`
	Ranks       int              `json:"ranks"` // in a group
	Times       int              `json:"times"` // how often classes of ranks do it per iteration
	PredictedNs units.Time       `json:"predicted_ns"`
	SimulatedNs units.Time       `json:"simulated_ns"`
	Explanation []SimulatedCause `json:"explanation,omitempty"`
}

// SimulatedStall says what a failure during an iteration holds up.
type SimulatedStall struct {
	Failure string     `json:"failure"` // as requested
	AtNs    units.Time `json:"at_ns"`   // after the iteration's beginning
	// First is the first operation of a rank that does not end; "": the failure hits nothing.
	First string `json:"first,omitempty"`
	Rank  int    `json:"rank"`
	// LastNs is when the last rank has finished everything that it can do.
	LastNs units.Time `json:"last_ns"`
	// Unfinished operations, of Of on all ranks, do not end.
	Unfinished int `json:"unfinished"`
	Of         int `json:"of"`
	// Replanned says how training continues with a plan that avoids what failed; nil if it does
	// not.
	Replanned *SimulatedRecovery `json:"replanned,omitempty"`
}

// SimulatedRecovery says how training continues after a failure. Operations in progress that do
// not need what failed run to their end; the others begin again, by the new plan.
type SimulatedRecovery struct {
	Ports int `json:"ports"` // per GPU used by the new plan
	// PredictedNs is how long an iteration takes by the new plan.
	PredictedNs units.Time `json:"predicted_ns"`
	// Restarted is the number of operations, of all ranks, that had begun and begin again.
	Restarted int `json:"restarted"`
	// FailingNs is the time of the iteration with the failure, and AfterNs are the times of the
	// iterations after it.
	FailingNs units.Time   `json:"failing_ns"`
	AfterNs   []units.Time `json:"after_ns"`
}

// Spread returns the shortest and the longest iteration, except for the first, which begins with
// all circuits up.
func (s *SimulatedIteration) Spread() (least, most units.Time) {
	all := s.IterationsNs
	if len(all) > 1 {
		all = all[1:]
	}
	return slices.Min(all), slices.Max(all)
}

// completeIteration reports the first invalid field for the plan of an iteration.
func (r *SimulateRequest) completeIteration() error {
	const ofPlans = "not for the plan of an iteration"
	if err := iterating.One(r.Iteration, r.Plan != nil || r.PlanID != "" || r.Schedule != nil); err != nil {
		return err
	}
	r.Pace, r.Iterations = cmp.Or(r.Pace, replay.PaceMerging), cmp.Or(r.Iterations, rehearsal.DefaultIterations)
	switch {
	case !slices.Contains(replay.Paces(), r.Pace):
		return field.Errorf("pace", "%q is not one of %v", r.Pace, replay.Paces())
	case r.Orbit:
		return field.Errorf("orbit", ofPlans+": symmetric transfers are always simulated once")
	case r.Timing != "" && r.Timing != replay.Barrier:
		return field.Errorf("timing", ofPlans+": its collectives have barriers")
	case r.Iterations < 0 || r.Iterations > rehearsal.MaxIterations:
		return field.Errorf("iterations", "%d; want 1 to %d", r.Iterations, rehearsal.MaxIterations)
	}
	for i, s := range r.Slow {
		if s.GPU >= r.Iteration.Ranks {
			return field.Errorf(field.Index("slow", i), "there is no GPU %d: the iteration has %d", s.GPU, r.Iteration.Ranks)
		}
		if slices.ContainsFunc(r.Slow[:i], func(other SlowGPU) bool { return other.GPU == s.GPU }) {
			return field.Errorf(field.Index("slow", i), "%v: GPU %d is slow already; want one factor for each GPU", s, s.GPU)
		}
	}
	if r.Replan && len(r.Fail) == 0 {
		return field.Errorf("replan", "nothing fails; want a port or a switch in `fail`")
	}
	if r.ReplanDelay != 0 && (!r.Replan || r.ReplanDelay < 0) {
		return field.Errorf("replan_delay_ns", "only with `replan`, and not negative")
	}
	for i, f := range r.Fail {
		err := f.Check(r.Iteration.Ranks)
		if ports := r.Iteration.Fabric.Ports; err == nil && f.OnePort && f.Port >= ports {
			err = fmt.Errorf("%v: GPU %d has no port %d; ports are 0 to %d", f, f.From, f.Port, ports-1)
		}
		if err == nil && f.Switch {
			switches := 1
			if plugged := r.Iteration.Fabric.Plugging(); plugged != nil {
				switches = plugged.Switches()
			}
			if f.From >= switches {
				err = fmt.Errorf("%v: there is no switch %d; switches are 0 to %d", f, f.From, switches-1)
			}
		}
		if err == nil && r.Replan {
			err = r.canReplan(f)
		}
		if err != nil {
			return field.In(field.Index("fail", i), err)
		}
	}
	return nil
}

// picosecond is the smallest difference reported.
const picosecond = 1e-3

// simulateIteration executes the plan of an iteration.
func (r *SimulateRequest) simulateIteration(ctx context.Context, e *command.Run) (*Simulation, error) {
	f := &r.Iteration.Fabric
	if r.Level == sim.PacketLevel && f.Forwarding == fabric.CutThrough && f.Delta == 0 {
		return nil, field.Errorf("iteration.fabric.delta_ns", "0ns per hop, "+cutThroughNeeds)
	}
	a, err := iterating.Agenda(ctx, r.Iteration)
	if err != nil {
		return nil, err
	}
	o := rehearsal.Options{Level: r.Level, Packet: r.Packet, Threads: r.Threads, Pace: r.Pace, Jitter: r.Jitter, Seed: collective.DefaultSeed, Iterations: r.Iterations, Failures: r.Fail, Progress: e.Report}
	if r.Seed != nil {
		o.Seed = *r.Seed
	}
	if r.Replan {
		o.Replan, o.ReplanDelay = func(ctx context.Context, _ replay.Failure) (*iteration.Agenda, error) { return r.replan(ctx, e) }, r.ReplanDelay
	}
	for _, s := range r.Slow {
		if o.Slow == nil {
			o.Slow = map[int]float64{}
		}
		o.Slow[s.GPU] = s.Factor
	}
	begin := time.Now()
	result, err := rehearsal.Run(ctx, a, o)
	if err != nil {
		return nil, err
	}
	answer := &Simulation{
		Schema: SimulateSchema, Level: r.Level, Pace: r.Pace, CompletionNs: result.Iteration, PredictedNs: r.Iteration.Iteration,
		Packets: result.Packets, PacketHops: result.PacketHops, Links: []SimulatedLink{},
		Iteration: &SimulatedIteration{Name: r.Iteration.Name, Ranks: r.Iteration.Ranks, Policy: r.Iteration.Policy, IterationsNs: result.Iterations},
	}
	for _, c := range []SimulatedCause{{replay.Communications, result.Calm - r.Iteration.Iteration}, {replay.Stragglers, result.Iteration - result.Calm}} {
		if math.Abs(float64(c.Ns)) >= picosecond {
			answer.Explanation = append(answer.Explanation, c)
		}
	}
	for i := range result.Communications {
		c := &result.Communications[i]
		answer.Iteration.Communications = append(answer.Iteration.Communications, SimulatedCommunication{
			Kind: c.Kind, Op: c.Op, Size: c.Size, Ranks: c.Ranks, Times: c.Times, PredictedNs: c.Model, SimulatedNs: c.Took, Explanation: explained(c.Causes),
		})
	}
	for i, s := range result.Stalls {
		answer.Iteration.Stalls = append(answer.Iteration.Stalls, SimulatedStall{
			Failure: r.Fail[i].String(), AtNs: r.Fail[i].At.Time(), First: s.First, Rank: s.Rank, LastNs: s.Last, Unfinished: s.Unfinished, Of: s.Of,
			Replanned: recovered(s.Recovery),
		})
	}
	answer.WallNs = time.Since(begin).Nanoseconds()
	if e.Trace != nil {
		err = result.WriteTrace(e.Trace, a)
	}
	return answer, err
}
