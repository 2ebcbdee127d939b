package rank

import (
	"fmt"
	"math"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// performer is a rank that computes and communicates as it is told, in an iteration. Several
// communications may run at once, on different ports.
type performer struct {
	*station
	elements number.Type
	beside   program.Beside
	parts    map[partKey]*part // the rank's parts of communications

	sessions  map[int]*session       // by job
	steps     map[int]*session       // by the number of a step in frames
	early     map[int][]arrivedFrame // frames of steps not yet announced, by number
	ended     map[int]bool           // steps, by number
	starting  []*session             // sessions whose start-up is over
	iteration int                    // the latest, from 1
	number    int                    // of the last step begun
}

type partKey struct {
	program wire.ProgramID
	place   int
}

// part is what the rank does in a communication, at a place of the group.
type part struct {
	program *program.Program
	rank    *program.Rank
}

// arrivedFrame is a frame that has arrived at a port.
type arrivedFrame struct {
	port  int
	frame *wire.Frame
}

// session is a running communication.
type session struct {
	*part
	wire.PerformMessage
	place    int
	memory   *memory
	ports    map[int][]int // by the place at the other end of their circuits
	step     int           // current step, from 0
	begun    bool          // whether the step has begun
	told     int           // number of steps reported as ended
	inboxes  map[int]*inbox
	progress map[int]*progress
	relayed  int64
}

func newPerformer(s *station) *performer {
	return &performer{
		station: s, parts: map[partKey]*part{}, sessions: map[int]*session{}, steps: map[int]*session{}, early: map[int][]arrivedFrame{}, ended: map[int]bool{},
	}
}

func (r *performer) prepare(t number.Type) (plugs int, err error) {
	if r.o.Programs == nil || r.o.Fabric == nil {
		return 0, fmt.Errorf("the coordinator runs iterations, and this rank has a plan")
	}
	r.elements, r.beside = t, program.NewBeside(r.o.Fabric)
	return r.beside.Plugs, nil
}

func (r *performer) obey(f *wire.Frame) (over bool, err error) {
	switch f.Kind {
	case wire.Compute:
		var m wire.ComputeMessage
		if err := wire.Decode(f, wire.Compute, &m); err != nil {
			return true, fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		r.reach(m.Iteration)
		r.workers.Go(func() { r.compute(&m) })
		return false, nil
	case wire.Perform:
		var m wire.PerformMessage
		if err := wire.Decode(f, wire.Perform, &m); err != nil {
			return true, fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		r.reach(m.Iteration)
		return false, r.perform(&m)
	}
	return r.end(f)
}

// reach records that an iteration has begun.
func (r *performer) reach(iteration int) {
	r.mu.Lock()
	r.iteration = max(r.iteration, iteration)
	r.mu.Unlock()
}

// at returns the number of the last step that the rank has begun, and the peer it waits for.
func (r *performer) at() (step, peer int) {
	for _, s := range r.sessions {
		if b := s.inboxes[s.step]; b != nil && s.begun {
			if place := b.lacks(); place >= 0 {
				return r.number, s.Group[place]
			}
		}
	}
	return r.number, fault.Nobody
}

func (r *performer) due() bool { return r.iteration >= r.config.InStep }

func (r *performer) late() error { return nil }

// compute keeps the rank busy for some time.
func (r *performer) compute(m *wire.ComputeMessage) {
	began := r.now()
	if m.Burn {
		r.burn(m.Takes)
	} else {
		t := time.NewTimer(m.Takes)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.over:
			return
		}
	}
	r.done(m.Job, began)
}

// burn keeps a processor busy.
func (r *performer) burn(takes time.Duration) {
	x := 1.0
	for end := r.o.Clock() + takes; r.o.Clock() < end; {
		for range 1 << 10 {
			x = math.Sqrt(x + 1)
		}
		select {
		case <-r.over:
			return
		default:
		}
	}
	r.moved.Add(1 + int64(x)%2)
}

// done reports to the coordinator that a job, or a part of it, has ended here.
func (r *performer) done(job int, began time.Duration) {
	r.mu.Lock()
	stalled := r.stalled
	r.mu.Unlock()
	if now := r.now(); !stalled {
		wire.SendJSON(r.control, wire.Done, wire.DoneMessage{Step: job, Took: now - began, Clock: now})
	}
}

// part returns what the rank does in a communication.
func (r *performer) part(id wire.ProgramID, place int) (*part, error) {
	key := partKey{id, place}
	if r.parts[key] == nil {
		g, err := r.o.Programs(r.elements, id)
		if err != nil {
			return nil, err
		}
		r.parts[key] = &part{g, g.For([]int{place})[0]}
	}
	return r.parts[key], nil
}

// perform begins steps of a communication, after their start-up.
func (r *performer) perform(m *wire.PerformMessage) error {
	s := r.sessions[m.Job]
	if s == nil {
		made, err := r.open(m)
		if err != nil {
			return fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		s = made
	}
	if m.First < 0 || m.Last < m.First || m.Last >= s.rank.Steps() || m.First != s.told {
		return fmt.Errorf("rank %d: coordinator: steps %d to %d of %d, after %d", r.id, m.First+1, m.Last+1, s.rank.Steps(), s.told)
	}
	r.mu.Lock()
	r.sessions[m.Job], s.PerformMessage, s.ports = s, *m, map[int][]int{}
	for _, p := range m.Ports {
		s.ports[p[0]] = append(s.ports[p[0]], p[1])
	}
	var due []arrivedFrame
	for step := m.First; step <= m.Last; step++ {
		r.steps[m.Base+step] = s
		due = append(due, r.early[m.Base+step]...)
		delete(r.early, m.Base+step)
	}
	s.step, s.begun = m.First, false
	r.mu.Unlock()
	for _, a := range due {
		r.take(a.port, a.frame)
	}
	r.schedule(s)
	return nil
}

// open makes a session.
func (r *performer) open(m *wire.PerformMessage) (*session, error) {
	place := -1
	for i, rank := range m.Group {
		if rank == r.id {
			place = i
		}
	}
	if place < 0 {
		return nil, fmt.Errorf("a job of ranks %v", m.Group)
	}
	part, err := r.part(m.Program, place)
	if err != nil {
		return nil, err
	}
	if len(m.Group) != part.program.Plan.Fabric.Nodes {
		return nil, fmt.Errorf("a job of %d ranks; its plan is for %d", len(m.Group), part.program.Plan.Fabric.Nodes)
	}
	return &session{
		part: part, place: place, memory: newMemory(part.program, m.Seed, place), inboxes: map[int]*inbox{}, progress: map[int]*progress{},
	}, nil
}

// schedule makes the step of a session begin after its start-up.
func (r *performer) schedule(s *session) {
	begin := func() {
		r.mu.Lock()
		r.starting = append(r.starting, s)
		r.mu.Unlock()
		r.nudge()
	}
	wait := time.Duration(float64(s.program.Startup(s.step)) * r.config.Slow)
	if wait <= 0 {
		begin()
		return
	}
	time.AfterFunc(wait, begin)
}
