package rank

import (
	"fmt"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// progress tracks what is left to do in a step.
type progress struct {
	began    time.Duration
	unsent   int  // own packets still in queues
	relaying int  // bytes still to forward
	applied  bool // everything has arrived and is applied
}

// of returns the progress of a step. The lock must be held. Because others may be ahead, a rank
// may forward data of a step that it has not begun.
func (r *runner) of(step int) *progress {
	p := r.progress[step]
	if p == nil {
		p = &progress{relaying: r.rank.Step(step).Relayed}
		r.progress[step] = p
	}
	return p
}

// begin starts a step. Everything that the step sends is the rank's data of this moment.
func (r *runner) begin(step int) error {
	r.mu.Lock()
	before := r.progress[r.step]
	if step != r.step+1 || step >= r.rank.Steps() || before != nil && !before.applied {
		r.mu.Unlock()
		return fmt.Errorf("rank %d: coordinator: step %d after step %d of %d", r.id, step+1, r.step+1, r.rank.Steps())
	}
	r.step = step
	p := r.of(step)
	p.began = r.o.Clock() + r.jump
	r.inbox(step)
	r.mu.Unlock()
	packets, err := r.packets(step)
	if err != nil {
		r.fail(fault.Internal, fault.Nobody, err)
		return nil
	}
	r.mu.Lock()
	p.unsent = len(packets)
	r.mu.Unlock()
	for _, k := range packets {
		if err := r.dispatch(k.next, k.frame); err != nil {
			r.fail(fault.Internal, k.next, err)
			return nil
		}
	}
	r.nudge()
	return nil
}

// packet is a frame and its first hop.
type packet struct {
	next  int
	frame *wire.Frame
}

// packets returns the packets that the rank sends in a step.
func (r *runner) packets(step int) ([]packet, error) {
	packets, err := cutUp(r.rank.Step(step), r.memory, r.config.Packet, r.config.Through)
	for _, p := range packets {
		p.frame.Step = uint32(step + 1)
	}
	return packets, err
}

// cutUp cuts what a rank sends in a step into frames of at most the given bytes. Routes take
// turns, so that no transfer has to wait for all of another one.
func cutUp(step *program.Step, m *memory, most int, through bool) ([]packet, error) {
	type part struct {
		transfer *program.Transfer
		route    int
		buffer   []byte
		at       int
	}
	var parts []*part
	for _, t := range step.Sends {
		buffer, err := m.gather(t)
		if err != nil {
			return nil, err
		}
		for i := range t.Routes {
			if t.Routes[i].To > t.Routes[i].From {
				parts = append(parts, &part{t, i, buffer, t.Routes[i].From})
			}
		}
	}
	var list []packet
	for len(parts) > 0 {
		left := parts[:0]
		for _, p := range parts {
			route := &p.transfer.Routes[p.route]
			end := min(p.at+most, route.To)
			f := &wire.Frame{
				Kind: wire.Data, Transfer: uint32(p.transfer.Number), Route: uint16(p.route), Hop: 1,
				Offset: uint64(p.at), Payload: p.buffer[p.at:end:end],
			}
			if through && len(route.Path) > 2 {
				f.Flags = wire.Through
			}
			list = append(list, packet{int(route.Path[1]), f})
			if p.at = end; p.at < route.To {
				left = append(left, p)
			}
		}
		parts = left
	}
	return list, nil
}

// dispatch puts a frame into the queue of a port that leads to a rank; of several ports, the one
// with the fewest bytes so far.
func (r *runner) dispatch(next int, f *wire.Frame) error {
	ports := r.rank.Ports(int(f.Step)-1, next)
	if len(ports) == 0 {
		return fmt.Errorf("no circuit leads to rank %d", next)
	}
	best := ports[0]
	f.Seat = r.rank.Seat(best, next)
	for _, p := range ports[1:] {
		if r.queues[p].added() < r.queues[best].added() {
			best = p
		}
	}
	if r.config.Carry {
		since := r.rank.Since(int(f.Step)-1, best)
		r.mu.Lock()
		dark := !r.lit[since]
		if dark {
			r.dim[since] = append(r.dim[since], waiting{best, f})
		}
		r.mu.Unlock()
		if dark {
			return nil
		}
	}
	r.queues[best].add(f)
	return nil
}

// startup returns the start-up of a step, in an asynchronous run.
func (r *runner) startup(step int) time.Duration {
	if r.config.Slow == 0 || step < 0 || step >= r.rank.Steps() {
		return r.config.Startup
	}
	return time.Duration(float64(r.rank.Startup(step)) * r.config.Slow)
}

// waiting is a frame for a port that is dark.
type waiting struct {
	port  int
	frame *wire.Frame
}

// light sends the frames that have waited for the circuits of a stage, after the start-up.
func (r *runner) light(stage int) {
	if wait := r.config.Startup; wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.over:
			return
		}
	}
	r.mu.Lock()
	r.lit[stage] = true
	due := r.dim[stage]
	delete(r.dim, stage)
	r.mu.Unlock()
	for _, w := range due {
		r.queues[w.port].add(w.frame)
	}
}

// relay forwards data. In an asynchronous run, data may arrive before the rank's own circuits
// are up.
func (r *runner) relay(next int, f *wire.Frame) error {
	r.mu.Lock()
	r.relayed += int64(len(f.Payload))
	if r.config.Free && int(f.Step)-1 > r.wired {
		r.held = append(r.held, packet{next, f})
		r.mu.Unlock()
		return nil
	}
	r.mu.Unlock()
	return r.dispatch(next, f)
}

// release forwards data that was waiting for the circuits of a step.
func (r *runner) release(step int) error {
	if step < 0 || step >= r.rank.Steps() {
		return fmt.Errorf("rank %d: coordinator: step %d of %d", r.id, step+1, r.rank.Steps())
	}
	r.mu.Lock()
	r.wired = r.rank.Through(step)
	var due []packet
	r.held = slices.DeleteFunc(r.held, func(p packet) bool {
		if int(p.frame.Step)-1 > r.wired {
			return false
		}
		due = append(due, p)
		return true
	})
	r.mu.Unlock()
	for _, p := range due {
		if err := r.dispatch(p.next, p.frame); err != nil {
			r.fail(fault.Internal, p.next, err)
			return nil
		}
	}
	return nil
}

// blame reports that the rank at the other end of a port's circuit sent invalid data.
func (r *runner) blame(port int, err error) {
	r.mu.Lock()
	step := r.step
	r.mu.Unlock()
	r.accuse(r.rank.Feeder(max(step, 0), port), step+1, port, err)
}

// keep puts data into the inbox of its step. Others may be a step ahead: they were told to
// begin before this rank was.
func (r *runner) keep(f *wire.Frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	step := int(f.Step) - 1
	p := r.progress[step]
	if step < r.step || step < r.told || p != nil && p.applied || step > r.step+1 && !r.config.Free {
		return fmt.Errorf("data of step %d in step %d", step+1, r.step+1)
	}
	b := r.inbox(step)
	if err := b.take(f); err != nil {
		return err
	}
	r.moved.Add(int64(len(f.Payload)))
	if b.missing == 0 && step == r.step {
		r.nudge()
	}
	return nil
}

// inbox returns the inbox of a step. The lock must be held.
func (r *runner) inbox(step int) *inbox {
	b := r.inboxes[step]
	if b == nil {
		b = newInbox(r.rank.Step(step), r.config.Packet)
		r.inboxes[step] = b
	}
	return b
}

// advance does what can be done now: it applies the data that has arrived, begins the next step
// if that needs no order, and reports to the coordinator which steps are done.
func (r *runner) advance() error {
	r.mu.Lock()
	if b := r.inboxes[r.step]; b != nil && b.missing == 0 && !r.stalled {
		delete(r.inboxes, r.step)
		step := r.step
		r.mu.Unlock()
		replaced := map[int]bool{}
		for _, a := range b.order {
			if err := r.memory.apply(a.transfer, a.buffer, replaced); err != nil {
				r.fail(fault.Internal, a.transfer.Src, err)
				return nil
			}
		}
		r.mu.Lock()
		r.of(step).applied = true
		if r.config.Free && r.rank.Continues(step+1) {
			r.later.Reset(r.startup(step + 1))
		}
	}
	r.mu.Unlock()
	for r.tellDone() {
	}
	return nil
}

// tellDone reports to the coordinator that the first unreported step is done; it returns false
// if that step is not done. The loop notices by itself if the coordinator has gone.
func (r *runner) tellDone() bool {
	r.mu.Lock()
	p := r.progress[r.told]
	if p == nil || !p.applied || p.unsent > 0 || p.relaying > 0 || r.stalled {
		r.mu.Unlock()
		return false
	}
	delete(r.progress, r.told)
	r.told++
	step := r.told
	now := r.o.Clock() + r.jump
	r.mu.Unlock()
	wire.SendJSON(r.control, wire.Done, wire.DoneMessage{Step: step, Took: now - p.began, Clock: now})
	if step < r.rank.Steps() {
		return true
	}
	result := r.memory.check(&r.moved)
	r.mu.Lock()
	result.Relayed = r.relayed
	r.mu.Unlock()
	if r.o.Results != nil {
		r.o.Results(r.id, r.memory.chunks)
	}
	wire.SendJSON(r.control, wire.Result, result)
	return false
}
