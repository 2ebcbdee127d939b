package rank

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// begin starts a step: all that is to be sent is what the rank holds now.
func (r *runner) begin(step int) error {
	r.mu.Lock()
	if step != r.step+1 || step >= r.rank.Steps() {
		r.mu.Unlock()
		return fmt.Errorf("rank %d: coordinator: step %d after step %d of %d", r.id, step+1, r.step+1, r.rank.Steps())
	}
	r.step = step
	r.began = r.o.Clock() + r.jump
	if step == 0 {
		r.first = r.began
	}
	r.inbox(step)
	r.mu.Unlock()
	packets, err := r.packets(step)
	if err != nil {
		r.fail(fault.Internal, fault.Nobody, err)
		return nil
	}
	r.mu.Lock()
	r.unsent = len(packets)
	r.mu.Unlock()
	for _, p := range packets {
		if err := r.dispatch(p.next, p.frame); err != nil {
			r.fail(fault.Internal, p.next, err)
			return nil
		}
	}
	r.nudge()
	return nil
}

// packet is a frame and the rank that it goes to first.
type packet struct {
	next  int
	frame *wire.Frame
}

// packets cuts what the rank sends in a step. Routes take turns, so that no transfer has
// to wait until all of another is on its way.
func (r *runner) packets(step int) ([]packet, error) {
	type part struct {
		transfer *program.Transfer
		route    int
		buffer   []byte
		at       int
	}
	var parts []*part
	for _, t := range r.rank.Step(step).Sends {
		buffer, err := r.memory.gather(t)
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
			end := min(p.at+r.config.Packet, route.To)
			f := &wire.Frame{
				Kind: wire.Data, Step: uint32(step + 1), Transfer: uint32(p.transfer.Number), Route: uint16(p.route), Hop: 1,
				Offset: uint64(p.at), Payload: p.buffer[p.at:end:end],
			}
			if r.config.Through && len(route.Path) > 2 {
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

// dispatch puts a frame into the queue of a port that leads to a rank: of several, the one
// that was given the least so far.
func (r *runner) dispatch(next int, f *wire.Frame) error {
	ports := r.rank.Ports(int(f.Step)-1, next)
	if len(ports) == 0 {
		return fmt.Errorf("no circuit leads to rank %d", next)
	}
	best := ports[0]
	for _, p := range ports[1:] {
		if r.queues[p].added() < r.queues[best].added() {
			best = p
		}
	}
	r.queues[best].add(f)
	return nil
}

// send empties the queue of a port.
func (r *runner) send(port int) {
	for {
		f, ok := r.queues[port].next()
		if !ok {
			return
		}
		own := f.Hop == 1
		if err := r.ports[port].Send(f); err != nil {
			r.fail(fault.SwitchLost, fault.Nobody, fmt.Errorf("port %d has lost the switch: %w", port, err))
			return
		}
		r.moved.Add(int64(len(f.Payload)))
		r.mu.Lock()
		if own {
			if r.unsent--; r.unsent == 0 {
				r.nudge()
			}
		}
		r.mu.Unlock()
	}
}

// receive takes in what comes out of a port: what is for this rank is kept, the rest goes on.
func (r *runner) receive(port int) {
	for {
		f, err := r.ports[port].Receive()
		if err != nil {
			r.fail(fault.SwitchLost, fault.Nobody, fmt.Errorf("port %d has lost the switch: %w", port, err))
			return
		}
		if f.Kind != wire.Data {
			r.blame(port, fmt.Errorf("a frame of kind %d came in at port %d", f.Kind, port))
			return
		}
		t, next, err := r.rank.Place(f, port)
		if err != nil {
			r.blame(port, err)
			return
		}
		if next >= 0 {
			on := *f // the frame may be somebody else's
			on.Hop++
			if int(on.Hop) == len(t.Routes[f.Route].Path)-1 {
				on.Flags &^= wire.Through
			}
			r.mu.Lock()
			r.relayed += int64(len(f.Payload))
			r.mu.Unlock()
			if err := r.dispatch(next, &on); err != nil {
				r.fail(fault.Internal, next, err)
				return
			}
			continue
		}
		if err := r.keep(f); err != nil {
			r.blame(port, err)
			return
		}
	}
}

// blame reports that the rank at the other end of a port's circuit sends what it must not.
func (r *runner) blame(port int, err error) {
	r.mu.Lock()
	step := r.step
	r.mu.Unlock()
	if from := r.rank.Feeder(max(step, 0), port); from >= 0 {
		r.raise(&fault.Fault{Kind: fault.Garbage, Rank: from, Step: step + 1, Peer: r.id, Detail: "sends what it must not: " + err.Error()})
		return
	}
	r.fail(fault.Garbage, fault.Nobody, err)
}

// keep puts data into the inbox of its step. Others may be a step ahead: they were told to
// begin before this rank was.
func (r *runner) keep(f *wire.Frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	step := int(f.Step) - 1
	if step != r.step && step != r.step+1 {
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

// inbox returns that of a step. The lock must be held.
func (r *runner) inbox(step int) *inbox {
	b := r.inboxes[step]
	if b == nil {
		b = newInbox(r.rank.Step(step), r.config.Packet)
		r.inboxes[step] = b
	}
	return b
}

// nudge wakes the loop.
func (r *runner) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// advance ends the step if nothing is left to do in it.
func (r *runner) advance() error {
	r.mu.Lock()
	b := r.inboxes[r.step]
	if b == nil || b.missing > 0 || r.unsent > 0 || r.stalled {
		r.mu.Unlock()
		return nil
	}
	delete(r.inboxes, r.step)
	step, began := r.step, r.began
	r.mu.Unlock()
	for _, a := range b.order {
		if err := r.memory.apply(a.transfer, a.buffer); err != nil {
			r.fail(fault.Internal, a.transfer.Src, err)
			return nil
		}
	}
	now := r.now()
	// The loop sees for itself when the coordinator has gone.
	wire.SendJSON(r.control, wire.Done, wire.DoneMessage{Step: step + 1, Took: now - began, Clock: now})
	if step == r.rank.Steps()-1 {
		result := r.memory.check(&r.moved)
		r.mu.Lock()
		result.Relayed = r.relayed
		r.mu.Unlock()
		if r.o.Results != nil {
			r.o.Results(r.id, r.memory.chunks)
		}
		wire.SendJSON(r.control, wire.Result, result)
	}
	return nil
}
