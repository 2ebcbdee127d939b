package rank

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Aborted means that the run ended with a fault, here or elsewhere.
type Aborted struct{ Reason string }

// Error gives the reason.
func (a *Aborted) Error() string { return a.Reason }

// lastWord is how long a rank that has reported a fault waits to be told to end.
const lastWord = 2 * time.Second

// station is the connections of a rank: its ports with their queues, and the coordinator. The
// rank's duty handles what arrives.
type station struct {
	id     int
	o      Options
	config wire.RankConfig
	duty   duty

	mu       sync.Mutex  // guards the fields below and the duty's state
	conns    []wire.Conn // all open connections
	closed   bool
	stalled  bool
	jump     time.Duration // injected jump of the clock
	injected bool

	control wire.Conn
	ports   []wire.Conn
	queues  []*queue
	moved   atomic.Int64 // bytes sent, received and checked, to detect progress
	later   *time.Timer  // fires when the next step is to begin by itself
	wake    chan struct{}
	failed  chan report
	over    chan struct{}
	workers sync.WaitGroup
}

// duty is the work of a rank: the steps of a plan, or jobs on request.
type duty interface {
	// prepare sets up everything needed, and returns the number of ports.
	prepare(t number.Type) (plugs int, err error)
	// obey executes an order; over says that it was the last.
	obey(f *wire.Frame) (over bool, err error)
	// take handles a frame from a port; it returns false if reading on is useless.
	take(port int, f *wire.Frame) bool
	left(f *wire.Frame)   // a frame was sent; the lock is held
	advance() error       // does what can be done now
	late() error          // the timer has gone off
	at() (step, peer int) // for heartbeats; the lock is held
	due() bool            // whether to misbehave; the lock is held
}

func newStation(id int, o Options) *station {
	return &station{id: id, o: o, over: make(chan struct{}), wake: make(chan struct{}, 1), failed: make(chan report, 1)}
}

// dial connects and identifies the rank.
func (r *station) dial(ctx context.Context, address string, id wire.Identity) (wire.Conn, error) {
	c, err := r.o.Network.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.conns = append(r.conns, c)
	closed := r.closed
	r.mu.Unlock()
	if closed {
		c.Close()
	}
	return c, wire.Join(c, r.o.Secret, id)
}

// hangUp closes every connection and ends every goroutine of the rank.
func (r *station) hangUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		close(r.over)
	}
	r.closed = true
	for _, c := range r.conns {
		c.Close()
	}
	for _, q := range r.queues {
		q.close()
	}
}

func (r *station) run(ctx context.Context) error {
	var err error
	r.control, err = r.dial(ctx, r.o.Coordinator, wire.Identity{Role: wire.RankRole, Rank: r.id, Plan: r.o.Digest})
	if err != nil {
		return fmt.Errorf("rank %d: coordinator %s: %w", r.id, r.o.Coordinator, err)
	}
	f, err := r.control.Receive()
	if err == nil {
		err = wire.Decode(f, wire.Config, &r.config)
	}
	if err != nil {
		return fmt.Errorf("rank %d: coordinator: %w", r.id, err)
	}
	r.duty = newRunner(r)
	if r.config.Jobs {
		r.duty = newPerformer(r)
	}
	if err := r.plug(ctx); err != nil {
		return r.giveUp(&fault.Fault{Kind: fault.Internal, Rank: r.id, Peer: fault.Nobody, Detail: err.Error()})
	}
	r.start()
	if err := wire.SendJSON(r.control, wire.Ready, wire.EndMessage{}); err != nil {
		return fmt.Errorf("rank %d: coordinator: %w", r.id, err)
	}
	return r.work(ctx)
}

// plug connects all ports.
func (r *station) plug(ctx context.Context) error {
	if r.config.Packet < 1 {
		return fmt.Errorf("packets of %d bytes", r.config.Packet)
	}
	t, err := number.Parse(r.config.Type)
	if err != nil {
		return err
	}
	plugs, err := r.duty.prepare(t)
	if err != nil {
		return err
	}
	for p := range plugs {
		c, err := r.dial(ctx, r.config.Switch, wire.Identity{Role: wire.PortRole, Rank: r.id, Port: p, Plan: r.o.Digest})
		if err != nil {
			return fmt.Errorf("port %d at the switch: %w", p, err)
		}
		r.ports = append(r.ports, c)
	}
	return nil
}

// start starts the goroutines that send, receive and send heartbeats.
func (r *station) start() {
	r.mu.Lock()
	for range r.ports {
		r.queues = append(r.queues, newQueue())
	}
	if r.closed {
		for _, q := range r.queues {
			q.close()
		}
	}
	r.mu.Unlock()
	for p := range r.ports {
		r.workers.Go(func() { r.receive(p) })
		r.workers.Go(func() { r.send(p) })
	}
}

// work obeys the coordinator until it ends the run.
func (r *station) work(ctx context.Context) error {
	orders, lost := make(chan *wire.Frame), make(chan error, 1)
	over := make(chan struct{})
	defer close(over)
	r.workers.Go(func() {
		for {
			f, err := r.control.Receive()
			if err != nil {
				lost <- err
				return
			}
			select {
			case orders <- f:
			case <-over:
				return
			}
		}
	})
	r.workers.Go(func() { r.beats(over) })
	timed := r.timer()
	defer timed.Stop()
	r.later = time.NewTimer(time.Hour)
	r.later.Stop()
	defer r.later.Stop()
	var silent <-chan time.Time // after a fault was reported
	for {
		var err error
		select {
		case f := <-orders:
			var over bool
			if over, err = r.duty.obey(f); over {
				return err
			}
		case cause := <-lost:
			return fmt.Errorf("rank %d: lost the coordinator: %w", r.id, cause)
		case <-r.wake:
			err = r.duty.advance()
		case f := <-r.failed:
			if silent == nil {
				r.tell(f)
				silent = time.After(lastWord)
			}
		case <-r.later.C:
			err = r.duty.late()
		case <-timed.C:
			err = r.misbehave(ctx)
		case <-silent:
			return fmt.Errorf("rank %d: the coordinator does not answer", r.id)
		case <-ctx.Done():
			return ctx.Err()
		}
		if err == nil && r.isDue() {
			err = r.misbehave(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// end executes the last order.
func (r *station) end(f *wire.Frame) (over bool, err error) {
	switch f.Kind {
	case wire.Finish:
		return true, nil
	case wire.Abort:
		var m wire.EndMessage
		if err := wire.Decode(f, wire.Abort, &m); err != nil {
			return true, fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		return true, &Aborted{m.Reason}
	}
	return true, fmt.Errorf("rank %d: coordinator: a frame of kind %d", r.id, f.Kind)
}

// tell reports a fault to the coordinator, which may have gone.
func (r *station) tell(f report) {
	message := f.fault.Message()
	message.Port = f.port
	wire.SendJSON(r.control, wire.Fault, message)
}

// giveUp reports a fault of a rank that has no steps yet, and waits for the end.
func (r *station) giveUp(f *fault.Fault) error {
	r.tell(report{nil, f})
	ended := time.AfterFunc(lastWord, r.hangUp)
	defer ended.Stop()
	for {
		frame, err := r.control.Receive()
		if err != nil || frame.Kind == wire.Abort {
			return f
		}
	}
}

// fail remembers the first fault for the loop to report.
func (r *station) fail(kind fault.Kind, peer int, err error) {
	r.mu.Lock()
	step, _ := r.duty.at()
	r.mu.Unlock()
	r.raise(report{nil, &fault.Fault{Kind: kind, Rank: r.id, Step: step, Peer: peer, Detail: err.Error()}})
}

// report is a fault, and the port at which it was seen if others caused it.
type report struct {
	port  *int
	fault *fault.Fault
}

func (r *station) raise(f report) {
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	if closed {
		return
	}
	select {
	case r.failed <- f:
	default:
	}
}

// now is the rank's clock.
func (r *station) now() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.o.Clock() + r.jump
}

// beats sends heartbeats, however busy the rank is.
func (r *station) beats(over <-chan struct{}) {
	ticker := time.NewTicker(max(r.config.Beat, time.Millisecond))
	defer ticker.Stop()
	for {
		r.beat()
		select {
		case <-ticker.C:
		case <-over:
			return
		}
	}
}

func (r *station) beat() {
	m := wire.BeatMessage{Moved: r.moved.Load(), Clock: r.now()}
	r.mu.Lock()
	m.Step, m.Peer = r.duty.at()
	stalled := r.stalled
	r.mu.Unlock()
	if !stalled {
		wire.SendJSON(r.control, wire.Beat, m) // others notice a coordinator that has gone
	}
}

// accuse reports that a rank sent invalid data, which arrived at a port; negative: unknown.
func (r *station) accuse(from, step, port int, err error) {
	if from >= 0 {
		r.raise(report{&port, &fault.Fault{Kind: fault.Garbage, Rank: from, Step: step, Peer: r.id, Detail: "sends what it must not: " + err.Error()}})
		return
	}
	r.fail(fault.Garbage, fault.Nobody, err)
}

// send empties the queue of a port.
func (r *station) send(port int) {
	for {
		f, ok := r.queues[port].next()
		if !ok {
			return
		}
		if err := r.ports[port].Send(f); err != nil {
			r.fail(fault.SwitchLost, fault.Nobody, fmt.Errorf("port %d has lost the switch: %w", port, err))
			return
		}
		r.moved.Add(int64(len(f.Payload)))
		r.mu.Lock()
		r.duty.left(f)
		r.mu.Unlock()
	}
}

// receive hands the frames from a port to the rank's duty.
func (r *station) receive(port int) {
	for {
		f, err := r.ports[port].Receive()
		if err != nil {
			r.fail(fault.SwitchLost, fault.Nobody, fmt.Errorf("port %d has lost the switch: %w", port, err))
			return
		}
		if !r.duty.take(port, f) {
			return
		}
	}
}

// nudge wakes the loop.
func (r *station) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
