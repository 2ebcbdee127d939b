package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Iterations configures a run of iterations.
type Iterations struct {
	Watch
	Jobs *iterations.Jobs
	// Programs are the programs of all communications.
	Programs map[wire.ProgramID]*program.Program
	// Slow multiplies every time of the fabric and of computations; 0: no waiting at all.
	Slow float64
	Burn bool   // computations keep a processor busy
	Seed uint64 // of the inputs
}

// IterationsOutcome is the result of a run. Times are by the coordinator's clock.
type IterationsOutcome struct {
	wire.StatsMessage // the bytes that the switch has carried

	Begin        time.Duration
	Start, End   []time.Duration // of every job; 0: not reached
	Dark         []time.Duration // of changes, at the switch
	Ended        int             // jobs
	Checked      int             // number of correct results
	CheckedBytes int64           // of these results
	Relayed      int64           // bytes that ranks forwarded
	Fault        *fault.Fault
}

// ServeIterations runs iterations to their end, as Serve runs a plan. progress, if not nil, is
// called with the number of jobs that have ended.
func ServeIterations(ctx context.Context, h Host, c Iterations, progress func(done int)) (*IterationsOutcome, error) {
	m := newConductor(h.Clock(), c)
	told := -1
	err := serve(ctx, &server{Host: h, machine: m, tell: func() {
		if progress != nil && told != m.outcome.Ended {
			told = m.outcome.Ended
			progress(told)
		}
	}})
	m.outcome.StatsMessage, m.outcome.Fault = m.carried, m.cause
	return m.outcome, err
}

// conductor is the coordinator of iterations without input and output: a job begins when all
// jobs that it waits for have ended. The ranks of a group run the steps of a stage by
// themselves; circuits within a job change when all of these ranks have ended the previous
// stage.
type conductor struct {
	crew

	c         Iterations
	followers [][]int
	left      []int // number of jobs that each job still waits for
	ready     []int // jobs that can begin
	running   map[int]*running
	doing     map[int]int    // by rank: the last job that it was told to do
	feeds     map[[2]int]int // by rank and port: the rank whose circuit ended there last
	results   int            // number of results still to come
	due       time.Duration  // the time by which ranks must have joined
	busy      time.Duration  // before this time, no progress is expected
	outcome   *IterationsOutcome
}

// running is a job that has begun.
type running struct {
	part    int          // of its program
	undone  map[int]bool // ranks that have not ended the part
	setting bool         // circuits of the stage are being set
	waits   bool         // for these circuits
}

func newConductor(now time.Duration, c Iterations) *conductor {
	all := arithmetic.UpTo(c.Jobs.Agenda.Ranks)
	n := len(c.Jobs.List)
	m := &conductor{
		crew: newCrew(now, all, c.Watch, c.Slow), c: c, followers: make([][]int, n), left: make([]int, n), running: map[int]*running{},
		doing: map[int]int{}, feeds: map[[2]int]int{}, due: now + c.Rendezvous,
		outcome: &IterationsOutcome{Start: make([]time.Duration, n), End: make([]time.Duration, n), Dark: make([]time.Duration, n)},
	}
	m.place = m.where
	for j := range c.Jobs.List {
		job := &c.Jobs.List[j]
		m.left[j] = len(job.After)
		for _, before := range job.After {
			m.followers[before] = append(m.followers[before], j)
		}
		if job.Kind == iterations.Communicates {
			m.results += len(job.Group)
		}
	}
	return m
}

func (m *conductor) wakes() (time.Duration, bool) { return 0, false }

// Ready is the event that a rank, or the switch, has all its connections.
func (m *conductor) Ready(now time.Duration, rank int) {
	who := m.member(rank)
	who.ready, who.heard = true, now
	if m.phase != joining || !m.allReady() {
		return
	}
	if m.phase = connecting; len(m.c.Jobs.Initial) > 0 {
		m.connect(initially, m.c.Jobs.Initial, 0, now)
		return
	}
	m.begin(now)
}

// initially is the number of the request for the initial circuits.
const initially = -1

func (m *conductor) connect(number int, circuits []wire.Circuit, dark time.Duration, now time.Duration) {
	message := wire.ConnectMessage{Stage: number, Dark: dark, Partial: number != initially, Circuits: make([][4]int, len(circuits))}
	for i, c := range circuits {
		message.Circuits[i] = [4]int{c.From, c.FromPort, c.To, c.ToPort}
		m.feeds[[2]int{c.To, c.ToPort}] = c.From
	}
	m.busy = max(m.busy, m.until(now, dark, len(circuits)))
	m.say(fault.Nobody, wire.Connect, message)
}

func (m *conductor) begin(now time.Duration) {
	m.phase, m.moved, m.outcome.Begin = stepping, now, now
	for j, left := range m.left {
		if left == 0 {
			m.ready = append(m.ready, j)
		}
	}
	m.proceed(now)
}

// proceed begins all jobs that can.
func (m *conductor) proceed(now time.Duration) {
	for len(m.ready) > 0 && len(m.faults) == 0 {
		j := m.ready[0]
		m.ready = m.ready[1:]
		m.start(now, j)
	}
	if m.phase == stepping && m.outcome.Ended == len(m.c.Jobs.List) && m.results == 0 && len(m.faults) == 0 {
		m.phase = ending
		m.say(fault.Nobody, wire.Finish, wire.EndMessage{})
	}
}

func (m *conductor) start(now time.Duration, j int) {
	job := &m.c.Jobs.List[j]
	m.outcome.Start[j] = now
	switch takes := m.scaled(job.Compute); {
	case job.Kind == iterations.Waits || job.Kind == iterations.Computes && takes == 0:
		m.end(now, j)
	case job.Kind == iterations.Computes:
		m.busy = max(m.busy, now+takes)
		m.run(j, job.Group)
		m.say(job.Group[0], wire.Compute, wire.ComputeMessage{Job: j + 1, Iteration: job.Round + 1, Takes: takes, Burn: m.c.Burn})
	case job.Kind == iterations.Changes:
		m.running[j] = &running{setting: true}
		m.connect(j, job.Circuits, m.scaled(job.Dark), now)
	default:
		m.run(j, job.Group)
		m.enter(now, j)
	}
}

// run records that ranks are doing a job.
func (m *conductor) run(j int, group []int) {
	r := m.running[j]
	if r == nil {
		r = &running{}
		m.running[j] = r
	}
	r.undone = map[int]bool{}
	for _, rank := range group {
		r.undone[rank], m.doing[rank] = true, j
	}
}

// enter begins the next part of a communication: steps of one stage.
func (m *conductor) enter(now time.Duration, j int) {
	job, r := &m.c.Jobs.List[j], m.running[j]
	g := m.c.Programs[job.Program]
	part := g.Parts[r.part]
	first := r.part == 0 || g.Parts[r.part-1].Stage != part.Stage
	if first && part.Stage < len(job.Stages) && len(job.Stages[part.Stage].Set) > 0 {
		r.setting = true
		m.connect(j, job.Stages[part.Stage].Set, m.scaled(g.Dark(part.Stage)), now)
	}
	if r.waits = part.Waits && r.setting; r.waits {
		return
	}
	m.perform(j, part)
}

// perform makes the ranks of a group do steps.
func (m *conductor) perform(j int, part program.Part) {
	job := &m.c.Jobs.List[j]
	m.run(j, job.Group)
	var circuits []wire.Circuit
	if part.Stage < len(job.Stages) {
		circuits = job.Stages[part.Stage].Circuits
	}
	for _, rank := range job.Group {
		message := wire.PerformMessage{
			Job: j + 1, Iteration: job.Round + 1, Program: job.Program, Group: job.Group, Base: job.First, First: part.First, Last: part.Last,
			Seed: m.c.Seed + uint64(j),
		}
		for _, c := range circuits {
			if c.From == rank {
				message.Ports = append(message.Ports, [2]int{slices.Index(job.Group, c.To), c.FromPort})
			}
		}
		m.say(rank, wire.Perform, message)
	}
}

// end records that a job has ended, and which jobs can now begin.
func (m *conductor) end(now time.Duration, j int) {
	delete(m.running, j)
	m.outcome.End[j] = now
	m.outcome.Ended++
	for _, next := range m.followers[j] {
		if m.left[next]--; m.left[next] == 0 {
			m.ready = append(m.ready, next)
		}
	}
}

// Connected is the event that circuits are up.
func (m *conductor) Connected(now time.Duration, up wire.ConnectedMessage) {
	m.heardFrom(now, fault.Nobody, up.Clock)
	m.moved = now
	r := m.running[up.Stage]
	switch {
	case up.Stage == initially && m.phase == connecting:
		m.begin(now)
	case r == nil || !r.setting:
		m.blame(now, fault.Garbage, fault.Nobody, "says that circuits are up; nobody has asked for them")
	case m.c.Jobs.List[up.Stage].Kind == iterations.Changes:
		m.outcome.Dark[up.Stage] = up.Dark
		m.end(now, up.Stage)
		m.proceed(now)
	default:
		if r.setting = false; r.waits {
			r.waits = false
			m.perform(up.Stage, m.c.Programs[m.c.Jobs.List[up.Stage].Program].Parts[r.part])
		}
	}
}

// Refused is the event that a controller could not set the circuits of a job.
func (m *conductor) Refused(now time.Duration, number int, detail string) {
	f := &fault.Fault{Kind: fault.Refused, Rank: fault.Nobody, Peer: fault.Nobody, Detail: detail}
	if number != initially {
		m.at(f, number)
		f.Where = cmp.Or(f.Where, "a change of circuits")
	}
	m.crew.Fault(now, f)
}

// Done is the event that a rank has ended a job, or its part of it.
func (m *conductor) Done(now time.Duration, rank int, d wire.DoneMessage) {
	m.heardFrom(now, rank, d.Clock)
	j := d.Step - 1
	r := m.running[j]
	if r == nil || !r.undone[rank] {
		m.blame(now, fault.Garbage, rank, fmt.Sprintf("says that it has ended job %d", d.Step))
		return
	}
	m.moved = now
	delete(r.undone, rank)
	if len(r.undone) > 0 || len(m.faults) > 0 {
		return
	}
	job := &m.c.Jobs.List[j]
	if job.Kind == iterations.Communicates && r.part+1 < len(m.c.Programs[job.Program].Parts) {
		r.part++
		m.enter(now, j)
		return
	}
	m.end(now, j)
	m.proceed(now)
}

// Result is the event that a rank has checked its data after a communication.
func (m *conductor) Result(now time.Duration, rank int, r wire.ResultMessage) {
	m.member(rank).heard, m.moved = now, now
	if j := r.Job - 1; j < 0 || j >= len(m.c.Jobs.List) || m.c.Jobs.List[j].Kind != iterations.Communicates || !slices.Contains(m.c.Jobs.List[j].Group, rank) {
		m.blame(now, fault.Garbage, rank, "gives a result that is not due")
		return
	}
	if r.Wrong != "" {
		f := &fault.Fault{Kind: fault.WrongData, Rank: rank, Peer: fault.Nobody, Detail: "its result is wrong: " + r.Wrong}
		m.at(f, r.Job-1)
		m.crew.Fault(now, f)
		return
	}
	m.results--
	m.outcome.Checked++
	m.outcome.CheckedBytes += r.Bytes
	m.outcome.Relayed += r.Relayed
	m.proceed(now)
}

// Fault is the event that something is wrong, in a step by the members' numbering.
func (m *conductor) Fault(now time.Duration, f *fault.Fault) {
	list := m.c.Jobs.List
	found := -1
	for j := range list {
		if list[j].Kind == iterations.Communicates && list[j].First <= f.Step && (found < 0 || list[j].First > list[found].First || slices.Contains(list[j].Group, f.Rank) && list[j].First == list[found].First) {
			found = j
		}
	}
	if f.Step = 0; found >= 0 {
		m.at(f, found)
	}
	m.crew.Fault(now, f)
}

// Received is the event that a rank has received invalid data at a port.
func (m *conductor) Received(now time.Duration, rank, port int, f *fault.Fault) {
	if from, known := m.feeds[[2]int{rank, port}]; known {
		f.Rank, f.Peer = from, rank
	}
	m.Fault(now, f)
}

// where fills in the last job of a rank and a peer of that job.
func (m *conductor) where(f *fault.Fault) {
	j, known := m.doing[f.Rank]
	if !known {
		return
	}
	m.at(f, j)
	for _, peer := range m.c.Jobs.List[j].Group {
		if peer != f.Rank && f.Peer == fault.Nobody {
			f.Peer = peer
		}
	}
}

// at fills in the job in which a fault is.
func (m *conductor) at(f *fault.Fault, j int) {
	job := &m.c.Jobs.List[j]
	f.Step = job.Round + 1
	if x := &m.c.Jobs.Agenda.Items[job.Item]; x.Op != nil {
		f.Where = x.Op.ID
	}
}

// Tick is the event that time has passed. It must be called at intervals much shorter than
// Watch.Settle.
func (m *conductor) Tick(now time.Duration) {
	if m.tick(now) {
		return
	}
	switch {
	case m.phase == joining && now >= m.due:
		m.absent(now)
	case m.phase == joining || m.silent(now):
	case now-max(m.moved, m.busy) > m.patience():
		culprit := fault.Nobody
		for _, rank := range m.numbers {
			if j, at := m.doing[rank]; at && m.running[j] != nil && m.running[j].undone[rank] {
				culprit = rank
				break
			}
		}
		m.blame(now, fault.Stalled, culprit, fmt.Sprintf("has stalled: no progress for %v", (now-m.moved).Round(time.Millisecond)))
	}
}

// patience returns how long there may be no progress: data may be in flight for the time that
// the fabric itself needs.
func (m *conductor) patience() time.Duration {
	f := &m.c.Jobs.Agenda.Fabric
	slowest := f.Delta.Time() + f.Bandwidth.Transmit(MaxPacket)
	if !f.Island.IsZero() {
		slowest = max(slowest, f.IslandDelta().Time()+f.Island.Bandwidth.Transmit(MaxPacket))
	}
	if !f.Fixed.IsZero() {
		slowest = max(slowest, f.FixedDelta().Time()+f.FixedBandwidth().Transmit(MaxPacket))
	}
	return m.watching.Patience + m.scaled(2*slowest+f.Alpha.Time())
}
