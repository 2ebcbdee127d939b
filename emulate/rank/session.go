package rank

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// maxEarly bounds the frames that wait for the coordinator to announce their job.
const maxEarly = 1 << 16

// of returns the progress of a step. The lock must be held.
func (s *session) of(step int) *progress {
	p := s.progress[step]
	if p == nil {
		p = &progress{relaying: s.rank.Step(step).Relayed}
		s.progress[step] = p
	}
	return p
}

// inbox returns the inbox of a step. The lock must be held.
func (s *session) inbox(step, packet int) *inbox {
	b := s.inboxes[step]
	if b == nil {
		b = newInbox(s.rank.Step(step), packet)
		s.inboxes[step] = b
	}
	return b
}

// begin starts the step of a session. Everything that the step sends is the rank's data of this
// moment.
func (r *performer) begin(s *session) error {
	packets, err := cutUp(s.rank.Step(s.step), s.memory, r.config.Packet, r.config.Through)
	if err != nil {
		return err
	}
	r.mu.Lock()
	p := s.of(s.step)
	p.began, p.unsent, s.begun = r.o.Clock()+r.jump, len(packets), true
	s.inbox(s.step, r.config.Packet)
	r.number = s.Base + s.step
	r.mu.Unlock()
	for _, k := range packets {
		k.frame.Step = uint32(s.Base + s.step)
		if err := r.dispatch(s, k.next, k.frame); err != nil {
			return err
		}
	}
	return nil
}

// dispatch puts a frame into the queue of a port that leads to a place of the group; of several
// ports, the one with the fewest bytes so far.
func (r *performer) dispatch(s *session, next int, f *wire.Frame) error {
	ports, seat := s.ports[next], uint16(0)
	if len(ports) == 0 {
		ports, seat = r.besides(s, next)
	}
	if len(ports) == 0 {
		return fmt.Errorf("no circuit leads from rank %d to rank %d", r.id, s.Group[next])
	}
	best := ports[0]
	for _, p := range ports[1:] {
		if r.queues[p].added() < r.queues[best].added() {
			best = p
		}
	}
	f.Seat = seat
	r.queues[best].add(f)
	return nil
}

// besides returns the ports without circuits that lead to a place of the group: those of fixed
// links, or the island's.
func (r *performer) besides(s *session, next int) (ports []int, seat uint16) {
	f, to := &s.program.Plan.Fabric, s.Group[next]
	island := s.Program.Plan == 0 && s.Program.Island || s.Program.Plan > 0 && f.OverFixed(s.place, next) == 0 && f.SameIsland(s.place, next)
	if !island {
		return r.beside.LinkPorts(r.id, to), 0
	}
	port, seat := r.beside.IslandPort(to)
	if port < 0 || !r.o.Fabric.SameIsland(r.id, to) {
		return nil, 0
	}
	return []int{port}, seat
}

func (r *performer) left(f *wire.Frame) {
	s := r.steps[int(f.Step)]
	if s == nil {
		return // injected garbage
	}
	p := s.of(int(f.Step) - s.Base)
	if f.Hop == 1 {
		p.unsent--
	} else {
		p.relaying -= len(f.Payload)
	}
	if p.unsent == 0 && p.relaying == 0 {
		r.nudge()
	}
}

// take handles a frame from a port. Frames of a job that the rank does not know yet, or of a
// stage that it has not begun, wait.
func (r *performer) take(port int, f *wire.Frame) bool {
	number := int(f.Step)
	r.mu.Lock()
	s := r.steps[number]
	wrong := f.Kind != wire.Data || number < 1 || number > r.config.Steps || r.ended[number] || s == nil && len(r.early[number]) >= maxEarly
	if s == nil && !wrong {
		r.early[number] = append(r.early[number], arrivedFrame{port, f})
	}
	r.mu.Unlock()
	if wrong {
		err := fmt.Errorf("data of step %d, which is not due", number)
		if number < 1 || number > r.config.Steps {
			err = fmt.Errorf("data of no step of this run, which has %d", r.config.Steps)
		}
		r.blame(port, err)
		return false
	}
	if s == nil {
		return true
	}
	t, _, next, err := s.rank.Locate(number-s.Base, f)
	if err == nil && next >= 0 {
		r.mu.Lock()
		s.relayed += int64(len(f.Payload))
		r.mu.Unlock()
		if err := r.dispatch(s, next, onward(f, t)); err != nil {
			r.fail(fault.Internal, s.Group[next], err)
			return false
		}
		return true
	}
	if err == nil {
		err = r.keep(s, number-s.Base, f)
	}
	if err != nil {
		r.blame(port, err)
	}
	return err == nil
}

// keep puts data into the inbox of its step.
func (r *performer) keep(s *session, step int, f *wire.Frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := s.progress[step]; step < s.told || p != nil && p.applied {
		return fmt.Errorf("data of step %d, which has ended", f.Step)
	}
	b := s.inbox(step, r.config.Packet)
	if err := b.take(f); err != nil {
		return err
	}
	r.moved.Add(int64(len(f.Payload)))
	if b.missing == 0 {
		r.nudge()
	}
	return nil
}

// blame reports invalid data at a port. The coordinator knows who sent it.
func (r *performer) blame(port int, err error) {
	r.mu.Lock()
	step, _ := r.at()
	r.mu.Unlock()
	r.raise(report{&port, &fault.Fault{Kind: fault.Garbage, Rank: fault.Nobody, Step: step, Peer: r.id, Detail: "sends what it must not: " + err.Error()}})
}

// advance begins steps whose start-up is over, applies the data that has arrived, and goes on to
// next steps.
func (r *performer) advance() error {
	r.mu.Lock()
	starting := r.starting
	r.starting = nil
	active := slices.Collect(maps.Values(r.sessions))
	r.mu.Unlock()
	for _, s := range starting {
		if err := r.begin(s); err != nil {
			r.fail(fault.Internal, fault.Nobody, err)
			return nil
		}
	}
	for _, s := range active {
		if err := r.apply(s); err != nil {
			r.fail(fault.Internal, fault.Nobody, err)
			return nil
		}
		r.tellDone(s)
	}
	return nil
}

// apply ends the step of a session if all of its data is there, and schedules the next.
func (r *performer) apply(s *session) error {
	r.mu.Lock()
	b := s.inboxes[s.step]
	if !s.begun || b == nil || b.missing > 0 || r.stalled {
		r.mu.Unlock()
		return nil
	}
	delete(s.inboxes, s.step)
	r.mu.Unlock()
	replaced := map[int]bool{}
	for _, a := range b.order {
		if err := s.memory.apply(a.transfer, a.buffer, replaced); err != nil {
			return err
		}
	}
	r.mu.Lock()
	s.of(s.step).applied = true
	s.begun = false
	more := s.step < s.Last
	if more {
		s.step++
	}
	r.mu.Unlock()
	if more {
		r.schedule(s)
	}
	return nil
}

// tellDone reports to the coordinator that the steps of a stage have ended and, after the last
// stage, the verdict on the result.
func (r *performer) tellDone(s *session) {
	r.mu.Lock()
	before := s.told
	for s.told <= s.Last {
		p := s.progress[s.told]
		if p == nil || !p.applied || p.unsent > 0 || p.relaying > 0 || r.stalled {
			break
		}
		delete(r.steps, s.Base+s.told)
		r.ended[s.Base+s.told] = true
		s.told++
	}
	if s.told == before || s.told <= s.Last {
		r.mu.Unlock()
		return
	}
	began := s.progress[s.First].began
	for step := range s.progress {
		if step < s.told {
			delete(s.progress, step)
		}
	}
	over := s.told == s.rank.Steps()
	if over {
		delete(r.sessions, s.Job)
	}
	r.mu.Unlock()
	r.done(s.Job, began)
	if over {
		r.workers.Go(func() { r.check(s) })
	}
}

// check compares the rank's data with what the communication promises.
func (r *performer) check(s *session) {
	result := s.memory.check(&r.moved)
	result.Job, result.Relayed = s.Job, s.relayed
	wire.SendJSON(r.control, wire.Result, result)
}
