package emulate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/rank"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Iterate runs iterations one after the other: ranks compute, communicate in their groups over
// the circuits that are up, and check the result of every communication. If something goes wrong
// in the run, it is in the report's Fault, as in Run; the step of a fault is the iteration.
func Iterate(ctx context.Context, a *iteration.Agenda, count int, burn bool, o Options) (*IterationReport, error) {
	if err := o.fill(a.Ranks); err != nil {
		return nil, err
	}
	if count < 1 || count > MaxIterations {
		return nil, fmt.Errorf("%d iterations; want 1 to %d", count, MaxIterations)
	}
	for _, f := range o.Faults {
		if err := f.Check(a.Ranks, count); err != nil {
			return nil, err
		}
	}
	jobs, err := iterations.New(ctx, a, count)
	if err != nil {
		return nil, err
	}
	digest, err := iterations.Digest(jobs.Document)
	if err != nil {
		return nil, err
	}
	r := &iterationRun{o: o, jobs: jobs, digest: digest, burn: burn, made: iterations.NewPrograms(jobs.Document), clock: NewClock(), secret: newSecret()}
	if r.programs, err = r.made.All(o.Type, jobs); err != nil {
		return nil, err
	}
	if r.simulated, r.level, err = rehearse(ctx, a, count); err != nil {
		return nil, err
	}
	outcome, err := r.run(ctx)
	if err != nil {
		return nil, err
	}
	return r.describe(outcome), nil
}

// MaxIterations bounds the iterations of a run.
const MaxIterations = 10_000

// rehearse simulates the iterations.
func rehearse(ctx context.Context, a *iteration.Agenda, count int) (*rehearsal.Result, sim.Level, error) {
	level := sim.PacketLevel
	if a.Fabric.Forwarding == fabric.CutThrough && a.Fabric.Delta == 0 {
		level = sim.FlowLevel
	}
	result, err := rehearsal.Run(ctx, a, rehearsal.Options{Level: level, Iterations: count})
	return result, level, err
}

type iterationRun struct {
	o         Options
	jobs      *iterations.Jobs
	made      *iterations.Programs
	programs  map[wire.ProgramID]*program.Program
	digest    string
	secret    string
	burn      bool
	clock     func() time.Duration
	processes int
	simulated *rehearsal.Result
	level     sim.Level
}

func (r *iterationRun) run(ctx context.Context) (*coordinator.IterationsOutcome, error) {
	a, f := r.jobs.Agenda, &r.jobs.Agenda.Fabric
	ranks := arithmetic.UpTo(a.Ranks)
	m := &meeting{o: &r.o, secret: r.secret, clock: r.clock, ranks: ranks, rank: rank.Options{Digest: r.digest, Programs: r.made.Of, Fabric: f}}
	host, stop, err := m.begin(ctx, Workers{Iteration: r.jobs.Document})
	if err != nil {
		return nil, err
	}
	defer stop()
	r.processes = m.processes
	beside := program.NewBeside(f)
	host.Secret, host.Digest, host.Clock = []byte(r.secret), r.digest, r.clock
	inSteps := r.o
	inSteps.Faults = slices.Clone(r.o.Faults)
	for i := range inSteps.Faults { // the switch counts steps, many per iteration
		if s := &inSteps.Faults[i]; s.Step > 0 {
			s.Step = r.jobs.FirstStep[s.Step-1]
		}
	}
	host.Switch = switched(f, ranks, &beside, &inSteps)
	common := wire.RankConfig{
		Type: string(r.o.Type), Seed: r.o.Seed, Packet: IterationPacket(r.programs), Beat: r.o.beat(), Through: f.Forwarding == fabric.CutThrough,
		Slow: r.o.Slow, Jobs: true, Steps: r.jobs.Steps,
	}
	host.Rank = func(id int) wire.RankConfig {
		c := common
		injected(&c, id, &r.o)
		return c
	}
	c := coordinator.Iterations{
		Watch: coordinator.Watch{Patience: r.o.Patience, Rendezvous: r.o.Rendezvous, Settle: settle},
		Jobs:  r.jobs, Programs: r.programs, Slow: r.o.Slow, Burn: r.burn, Seed: r.o.Seed,
	}
	var progress func(int)
	if tell := r.o.Progress; tell != nil {
		progress = func(done int) { tell(done, len(r.jobs.List)) }
	}
	outcome, err := coordinator.ServeIterations(ctx, *host, c, progress)
	if err == nil && outcome.Fault != nil {
		err = ctx.Err() // the ranks end too, and are not to blame for it
	}
	return outcome, err
}

// injected fills in the fault that a rank is to inject.
func injected(c *wire.RankConfig, id int, o *Options) {
	for _, f := range o.Faults {
		if f.From == id && !f.OfLink() && f.Kind != fault.Secret {
			c.Injected, c.InStep, c.At = string(f.Kind), f.Step, injectedAt(f, o.Slow)
		}
	}
}

// IterationReport is the result of a run of iterations. Times are as in Report.
type IterationReport struct {
	OK        bool    // every rank has found every result correct
	Ranks     int     // that took part
	Processes int     // number of processes
	Slow      float64 // 0: no time of the fabric passed
	Moved     int64   // bytes, counting every hop
	Island    int64   // of these, within islands
	Fixed     int64   // of these, over fixed links
	Relayed   int64   // bytes that ranks forwarded for others
	Checked   int64   // bytes of results that were checked
	Results   int     // one per rank for each of its communications
	Control   string  // the controller's protocol; "": no controller
	Commands  int     // that the switch has executed in it
	Elapsed   time.Duration
	// Predicted, Simulated and Measured are the times of an iteration: the mean of all but the
	// first, which begins when ranks have just joined.
	Predicted, Simulated, Measured units.Time
	Iterations                     []IterationTimes
	Kinds                          []KindTimes
	Circuits                       []Circuit
	Fault                          *fault.Fault
	Unused                         []fault.Injection // as in Report
	Exactly                        bool              // results are checked bit for bit
	SimulateBy                     sim.Level
}

// IterationTimes compares an iteration with its expected times.
type IterationTimes struct {
	Predicted, Simulated, Measured units.Time // Measured is 0 if the iteration did not end
}

// KindTimes compares the work of one kind: computations, communications in one kind of group, or
// changes of circuits. Times are means.
type KindTimes struct {
	Kind string
	Jobs int // per iteration, of all groups and ranks
	IterationTimes
}

// Kinds that are not kinds of groups.
const (
	ComputeKind  = "compute"
	RewiringKind = "rewiring"
)

// describe makes the report of a run.
func (r *iterationRun) describe(outcome *coordinator.IterationsOutcome) *IterationReport {
	a := r.jobs.Agenda
	report := &IterationReport{
		OK: outcome.Fault == nil, Ranks: a.Ranks, Processes: r.processes, Slow: r.o.Slow, Relayed: outcome.Relayed, Checked: outcome.CheckedBytes,
		Results: outcome.Checked, Control: r.o.Control, Commands: outcome.Commands, Fault: outcome.Fault, Predicted: a.Iteration, Simulated: r.simulated.Iteration, Exactly: r.o.Type.Exact(), SimulateBy: r.level,
		Island: outcome.Island, Fixed: outcome.Fixed, Moved: outcome.Island + outcome.Fixed,
	}
	for _, c := range outcome.Circuits {
		report.Circuits = append(report.Circuits, Circuit{int(c[0]), int(c[1]), c[2]})
		report.Moved += c[2]
	}
	report.Kinds = r.kinds(outcome)
	ends := r.ends(outcome)
	at := outcome.Begin
	for i, end := range ends {
		times := IterationTimes{Predicted: a.Iteration, Simulated: r.simulated.Iterations[i]}
		if end > 0 {
			times.Measured = measured(end-at, r.o.Slow)
			at = end
		}
		report.Iterations = append(report.Iterations, times)
	}
	if !report.OK {
		return report
	}
	report.Unused = endings(r.o.Faults)
	last := len(ends) - 1
	report.Elapsed = ends[last] - outcome.Begin
	report.Measured = report.Iterations[0].Measured
	if last > 0 {
		report.Measured = measured(ends[last]-ends[0], r.o.Slow) / units.Time(last)
	}
	return report
}

// ends returns when iterations have ended; 0: not ended.
func (r *iterationRun) ends(outcome *coordinator.IterationsOutcome) []time.Duration {
	ends := make([]time.Duration, r.jobs.Rounds)
	for j := range r.jobs.List {
		job := &r.jobs.List[j]
		if job.Kind == iterations.Changes || job.Item >= 0 && r.jobs.Agenda.Items[job.Item].Change != nil {
			continue
		}
		if outcome.End[j] == 0 {
			ends[job.Round] = math.MaxInt64
		}
		ends[job.Round] = max(ends[job.Round], outcome.End[j])
	}
	for i := range ends {
		if ends[i] == math.MaxInt64 {
			ends[i] = 0
		}
	}
	return ends
}

// kinds compares jobs by their kind.
func (r *iterationRun) kinds(outcome *coordinator.IterationsOutcome) []KindTimes {
	a := r.jobs.Agenda
	sums := map[string]*KindTimes{}
	ended := map[string]int{}
	for j := range r.jobs.List {
		job := &r.jobs.List[j]
		var kind string
		var times IterationTimes
		switch job.Kind {
		case iterations.Computes:
			kind, times.Predicted, times.Simulated = ComputeKind, job.Compute, job.Compute
		case iterations.Changes:
			kind, times.Predicted, times.Simulated = RewiringKind, job.Dark, job.Dark
		case iterations.Communicates:
			x := &a.Items[job.Item]
			kind, times.Predicted, times.Simulated = x.Op.Kind, x.End-x.Start, r.simulated.Communications[r.simulated.Of[job.Item]].Took
		case iterations.Waits:
			continue
		}
		k := sums[kind]
		if k == nil {
			k = &KindTimes{Kind: kind}
			sums[kind] = k
		}
		k.Jobs++
		k.Predicted += times.Predicted
		k.Simulated += times.Simulated
		if outcome.End[j] > 0 {
			ended[kind]++
			k.Measured += measured(outcome.End[j]-outcome.Start[j], r.o.Slow)
		}
	}
	var list []KindTimes
	for kind, k := range sums {
		k.Predicted /= units.Time(k.Jobs)
		k.Simulated /= units.Time(k.Jobs)
		k.Measured /= units.Time(max(1, ended[kind]))
		k.Jobs /= r.jobs.Rounds
		list = append(list, *k)
	}
	slices.SortFunc(list, func(x, y KindTimes) int {
		return cmp.Or(cmp.Compare(place(x.Kind), place(y.Kind)), cmp.Compare(x.Kind, y.Kind))
	})
	return list
}

// place sorts computations first and changes of circuits last.
func place(kind string) int {
	switch kind {
	case ComputeKind:
		return 0
	case RewiringKind:
		return 2
	}
	return 1
}
