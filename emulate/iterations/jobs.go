package iterations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Jobs is the work of several successive iterations.
type Jobs struct {
	Agenda *iteration.Agenda
	// Document is the document of the agenda, with the plans of operations over shared circuits
	// added to those of collectives.
	Document *iteration.Document
	Rounds   int
	// List has every job after the jobs that it waits for.
	List    []Job
	Initial []wire.Circuit // circuits that are up before
	// FirstStep is the number of the first step of every iteration; steps of communications are
	// numbered consecutively from 1.
	FirstStep []int
	Steps     int // of all iterations
}

// Job is what a group of ranks does once, or a change of its circuits.
type Job struct {
	Round, Item int   // Item -1 is the end of an iteration, for which the next one waits
	Group       []int // ranks, by place; for a send, the ranks on its route
	After       []int // jobs
	Kind        Kind
	Compute     units.Time      // of a computation
	Dark        units.Time      // of a change
	Circuits    []wire.Circuit  // of a change
	Program     wire.ProgramID  // of a communication
	First       int             // number of its first step
	Stages      []StageCircuits // of a communication that uses circuits
}

// StageCircuits are circuits of a group in a stage, and which of them are set at its beginning.
type StageCircuits struct {
	Circuits, Set []wire.Circuit
}

// Kind is what a job does.
type Kind int

// The kinds.
const (
	Waits        Kind = iota // for other jobs; takes no time
	Computes                 // on one rank
	Changes                  // circuits
	Communicates             // in a group
)

// ErrShared means that there is no plan for a collective over circuits that all groups share.
var ErrShared = errors.New("its groups share circuits, and it has no plan of its own")

// New makes the jobs of several successive iterations.
func New(ctx context.Context, a *iteration.Agenda, rounds int) (*Jobs, error) {
	if rounds > 1 && a.Fabric.Initial != fabric.InitialFree {
		return nil, fmt.Errorf("%d iterations; this one stands by itself, as its circuits are not up at the start", rounds)
	}
	document := *a.Document
	document.Plans = slices.Clone(document.Plans)
	b := &builder{
		shared: map[string]int{},
		Jobs:   &Jobs{Agenda: a, Document: &document, Rounds: rounds, FirstStep: make([]int, rounds)}, lanes: map[[3]int]int{}, islands: map[int]int{}, seats: map[[2]int]int{},
		wirings: map[int][]layout.Circuit{}, ended: map[[2]int]int{}, received: map[[2]int]int{}, waits: a.Graph.Waits(), barrier: -1,
	}
	b.learn()
	for i := range a.Up {
		up, err := a.SetUp(&a.Up[i])
		if err != nil {
			return nil, err
		}
		b.wirings[a.Up[i].Circuits] = up
		for _, c := range up {
			b.Initial = append(b.Initial, wire.Circuit{From: c.From, FromPort: c.FromPort, To: c.To, ToPort: c.ToPort})
		}
	}
	type turn struct {
		round, item int
		at          units.Time
	}
	var order []turn
	for round := range rounds {
		for i := range a.Items {
			order = append(order, turn{round, i, a.Items[i].Start + units.Time(round)*a.Iteration})
		}
	}
	// Changes of an iteration may begin in the previous one; its operations may not.
	slices.SortStableFunc(order, func(x, y turn) int { return cmp.Compare(x.at, y.at) })
	for i, t := range order {
		if i%(1<<10) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := b.item(t.round, t.item); err != nil {
			return nil, err
		}
	}
	b.Steps = b.steps
	return b.Jobs, nil
}

// builder makes jobs in the plan's order.
type builder struct {
	*Jobs
	waits    func(class, task int) (own []int, sent int)
	tasks    []map[int]int            // of every node, by class
	lanes    map[[3]int]int           // by rank, side and port: the last job there
	islands  map[int]int              // by rank
	seats    map[[2]int]int           // by rank and circuits: the last job that used or set them
	wirings  map[int][]layout.Circuit // by circuits: where they were last set
	ended    map[[2]int]int           // by rank and node: the job that does the node
	received map[[2]int]int           // by rank and node: the send that the node receives
	round    int
	now      []int // jobs of the current iteration's operations
	barrier  int   // the end of the previous iteration; -1: none
	steps    int
	// shared are the plans of operations over shared circuits, by operation.
	shared      map[string]int
	sharedPlans []*plan.Plan
}

func (b *builder) learn() {
	tasks := b.Agenda.Graph.TasksOf()
	for i := range b.Agenda.Nodes {
		b.tasks = append(b.tasks, tasks(i))
	}
}

// item adds the jobs of an item, one for each group.
func (b *builder) item(round, item int) error {
	x := &b.Agenda.Items[item]
	if (x.Change == nil || x.Late) && round > b.round {
		b.List = append(b.List, Job{Round: b.round, Item: -1, After: b.now})
		b.barrier, b.round, b.now = len(b.List)-1, round, nil
	}
	job := Job{Round: round, Item: item}
	var stages []stage
	var err error
	switch {
	case x.Change != nil:
		stages, err = b.change(x, &job)
	case x.Communicates:
		stages, err = b.communicate(x, &job)
	default:
		if t := b.Agenda.Task(x); t.Type == workload.Computation && *t.Op.Compute > 0 {
			job.Kind, job.Compute = Computes, t.Op.Compute.Time()
		}
	}
	if err != nil {
		return err
	}
	for _, group := range x.Groups {
		own := job
		own.Group = group
		for _, s := range stages {
			own.Stages = append(own.Stages, StageCircuits{Circuits: within(s.circuits, group), Set: within(s.set, group)})
		}
		if own.Kind == Changes {
			own.Circuits, own.Stages = own.Stages[0].Circuits, nil
			if len(own.Circuits) == 0 {
				own.Kind = Waits
			}
		}
		b.add(x, own)
	}
	return nil
}

// stage is the circuits of all groups in a stage.
type stage struct{ circuits, set []layout.Circuit }

// within returns the circuits between ranks of a group.
func within(circuits []layout.Circuit, group []int) []wire.Circuit {
	var list []wire.Circuit
	for _, c := range circuits {
		if slices.Contains(group, c.From) && slices.Contains(group, c.To) {
			list = append(list, wire.Circuit{From: c.From, FromPort: c.FromPort, To: c.To, ToPort: c.ToPort})
		}
	}
	return list
}

func (b *builder) change(x *iteration.Item, job *Job) ([]stage, error) {
	up, err := b.Agenda.SetUp(&x.Change.DocumentSeat)
	if err != nil {
		return nil, err
	}
	b.wirings[x.Change.Circuits] = up
	job.Kind, job.Dark = Changes, x.End-x.Start
	return []stage{{circuits: up}}, nil
}

// communicate finds the program and the circuits of a communication.
func (b *builder) communicate(x *iteration.Item, job *Job) ([]stage, error) {
	a := b.Agenda
	if b.FirstStep[job.Round] == 0 {
		b.FirstStep[job.Round] = b.steps + 1
	}
	job.Kind, job.First = Communicates, b.steps+1
	stages := []stage{{circuits: b.wirings[x.Op.Circuits]}}
	if a.Shared(x) {
		id, p, err := b.share(x)
		if err != nil {
			return nil, err
		}
		job.Program = id
		b.steps += p.CountSteps()
		return stages, nil
	}
	if x.Op.Plan == 0 {
		b.steps++
		way, f := a.Way(x), &a.Fabric
		job.Program = wire.ProgramID{Bytes: int64(a.Task(x).Op.Size), Hops: max(1, way.Hops), Island: way.Island, Startup: f.Alpha}
		if way.Hops == 0 {
			job.Program.Startup = f.FixedAlpha()
			if way.Island {
				job.Program.Startup = f.IslandAlpha()
			}
		}
		return stages, nil
	}
	job.Program = wire.ProgramID{Plan: x.Op.Plan}
	p := a.Made[x.Op.Plan-1]
	b.steps += p.CountSteps()
	for k := 1; k < len(p.Stages); k++ {
		made, err := a.SetUpStage(x, k)
		if err != nil {
			return nil, err
		}
		before := stages[k-1].circuits
		if made == nil {
			stages = append(stages, stage{circuits: before})
			continue
		}
		stages = append(stages, stage{replaced(before, made), made})
	}
	if x.Op.Circuits > 0 && len(p.Stages) > 1 {
		b.wirings[cmp.Or(x.Op.Leaves, x.Op.Circuits)] = stages[len(stages)-1].circuits
	}
	return stages, nil
}

// replaced returns circuits after others were set, without those whose fibres the new ones take.
func replaced(before, made []layout.Circuit) []layout.Circuit {
	out, in := map[[2]int]bool{}, map[[2]int]bool{}
	for _, c := range made {
		out[[2]int{c.From, c.FromPort}], in[[2]int{c.To, c.ToPort}] = true, true
	}
	list := slices.Clone(made)
	for _, c := range before {
		if !out[[2]int{c.From, c.FromPort}] && !in[[2]int{c.To, c.ToPort}] {
			list = append(list, c)
		}
	}
	return list
}

// add adds a job of a group, with the jobs that it waits for.
func (b *builder) add(x *iteration.Item, job Job) {
	a, number := b.Agenda, len(b.List)
	operation := x.Change == nil
	after := func(j int, known bool) {
		if known && j != number {
			job.After = append(job.After, j)
		}
	}
	after(b.barrier, b.barrier >= 0 && (operation || x.Late))
	send := x.Node >= 0 && a.Sends(x.Node)
	walks := operation && a.Shared(x) // all senders and receivers together
	for i, rank := range job.Group {
		class := a.Graph.Of[rank]
		if operation || x.Late && x.Node >= 0 {
			// A send waits only for its sender, the first rank on its route.
			if task, takesPart := b.tasks[x.Node][class]; takesPart && (i == 0 || !send || !operation || walks) {
				b.ready(rank, class, task, after)
			}
		}
		for _, l := range x.Lanes {
			if l[0] == class {
				lane := [3]int{rank, l[1], l[2]}
				last, used := b.lanes[lane]
				after(last, used)
				b.lanes[lane] = number
			}
		}
		if slices.Contains(x.Islands, class) {
			last, used := b.islands[rank]
			after(last, used)
			b.islands[rank] = number
		}
		for _, c := range x.Circuits {
			last, used := b.seats[[2]int{rank, c}]
			after(last, used)
			b.seats[[2]int{rank, c}] = number
		}
	}
	slices.Sort(job.After)
	job.After = slices.Compact(job.After)
	b.List = append(b.List, job)
	if !operation {
		return
	}
	b.now = append(b.now, number)
	if send && walks {
		for _, rank := range job.Group {
			b.ended[[2]int{rank, x.Node}], b.received[[2]int{rank, x.Node}] = number, number
		}
		return
	}
	if send {
		b.ended[[2]int{job.Group[0], x.Node}] = number
		b.received[[2]int{job.Group[len(job.Group)-1], x.Node}] = number
		return
	}
	for _, rank := range job.Group {
		b.ended[[2]int{rank, x.Node}] = number
	}
}

// ready makes a job wait for whatever a rank's task waits for.
func (b *builder) ready(rank, class, task int, after func(j int, known bool)) {
	own, sent := b.waits(class, task)
	for _, node := range own {
		j, known := b.ended[[2]int{rank, node}]
		after(j, known)
	}
	if sent >= 0 {
		j, known := b.received[[2]int{rank, sent}]
		after(j, known)
	}
}
