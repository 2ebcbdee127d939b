package rank

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Options are what a rank needs to begin; the coordinator sends the rest.
type Options struct {
	Network     wire.Network
	Coordinator string // address
	Secret      []byte
	Digest      string // of the plan
	// Program returns the plan's program for elements of a type. Ranks of one process
	// share it.
	Program func(number.Type) (*program.Program, error)
	// Clock is a time that does not run backwards.
	Clock func() time.Duration
	// Results, if not nil, is given what the rank holds at the end, by chunk.
	Results func(rank int, chunks map[int][]byte)
	// Misbehave, if not nil, makes a rank that is a process of its own die or stall. It is
	// called where the coordinator asks for it, in tests of faults.
	Misbehave func(fault.Kind)
}

// Aborted is the end of a run in which something went wrong, here or elsewhere.
type Aborted struct{ Reason string }

// Error gives the reason.
func (a *Aborted) Error() string { return a.Reason }

// errRestart makes a rank begin again, as if its process had been restarted.
var errRestart = errors.New("restart")

// lastWord is how long a rank that has reported a fault waits to be told to end.
const lastWord = 2 * time.Second

// Run is a rank from its beginning to its end.
func Run(ctx context.Context, id int, o Options) error {
	err := runOnce(ctx, id, o)
	if errors.Is(err, errRestart) {
		err = runOnce(ctx, id, o)
	}
	return err
}

func runOnce(ctx context.Context, id int, o Options) error {
	r := &runner{id: id, o: o, step: -1, wired: -1, inboxes: map[int]*inbox{}, progress: map[int]*progress{}, lit: map[int]bool{-1: true},
		dim: map[int][]waiting{}, over: make(chan struct{}), wake: make(chan struct{}, 1), failed: make(chan report, 1)}
	defer r.workers.Wait()
	defer r.hangUp()
	stop := context.AfterFunc(ctx, r.hangUp)
	defer stop()
	err := r.run(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// runner is a rank at work.
type runner struct {
	id     int
	o      Options
	config wire.RankConfig
	rank   *program.Rank
	memory *memory

	mu       sync.Mutex
	conns    []wire.Conn // all that are open
	closed   bool
	step     int // under way, from 0; -1 before the first
	inboxes  map[int]*inbox
	progress map[int]*progress // of steps that are not done
	told     int               // steps that the coordinator knows to be done
	wired    int               // the last step whose circuits are up, in a free run
	held     []packet          // to be passed on when their circuits are up
	lit      map[int]bool      // stages whose circuits are up, where steps do not wait for them
	dim      map[int][]waiting // frames for circuits of a stage that are not up
	relayed  int64
	stalled  bool
	jump     time.Duration // of the clock, injected
	injected bool

	control wire.Conn
	ports   []wire.Conn
	queues  []*queue
	moved   atomic.Int64 // bytes sent, received and checked: whether there is progress
	later   *time.Timer  // when the next step is to begin, if nobody says so
	wake    chan struct{}
	failed  chan report
	over    chan struct{}
	workers sync.WaitGroup
}

// dial connects and says who this is.
func (r *runner) dial(ctx context.Context, address string, id wire.Identity) (wire.Conn, error) {
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
func (r *runner) hangUp() {
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

func (r *runner) run(ctx context.Context) error {
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
	if err := r.prepare(ctx); err != nil {
		return r.giveUp(&fault.Fault{Kind: fault.Internal, Rank: r.id, Peer: fault.Nobody, Detail: err.Error()})
	}
	r.start()
	if err := wire.SendJSON(r.control, wire.Ready, wire.EndMessage{}); err != nil {
		return fmt.Errorf("rank %d: coordinator: %w", r.id, err)
	}
	return r.work(ctx)
}

// prepare gets everything that the steps need.
func (r *runner) prepare(ctx context.Context) error {
	if r.config.Packet < 1 {
		return fmt.Errorf("packets of %d bytes", r.config.Packet)
	}
	t, err := number.Parse(r.config.Type)
	if err != nil {
		return err
	}
	g, err := r.o.Program(t)
	if err != nil {
		return err
	}
	r.rank = g.For([]int{r.id})[0]
	r.memory = newMemory(g, r.config.Seed, r.id)
	for p := range r.rank.Plugs() {
		c, err := r.dial(ctx, r.config.Switch, wire.Identity{Role: wire.PortRole, Rank: r.id, Port: p, Plan: r.o.Digest})
		if err != nil {
			return fmt.Errorf("port %d at the switch: %w", p, err)
		}
		r.ports = append(r.ports, c)
	}
	return nil
}

// start makes the goroutines that send, receive and give signs of life.
func (r *runner) start() {
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

// work does what the coordinator says until it says that all is over.
func (r *runner) work(ctx context.Context) error {
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
			if over, err = r.obey(f); over {
				return err
			}
		case cause := <-lost:
			return fmt.Errorf("rank %d: lost the coordinator: %w", r.id, cause)
		case <-r.wake:
			err = r.advance()
		case f := <-r.failed:
			if silent == nil {
				r.tell(f)
				silent = time.After(lastWord)
			}
		case <-r.later.C:
			err = r.begin(r.step + 1)
		case <-timed.C:
			err = r.misbehave(ctx)
		case <-silent:
			return fmt.Errorf("rank %d: the coordinator does not answer", r.id)
		case <-ctx.Done():
			return ctx.Err()
		}
		if err == nil && r.due() {
			err = r.misbehave(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// obey follows an order; over says that it was the last.
func (r *runner) obey(f *wire.Frame) (over bool, err error) {
	switch f.Kind {
	case wire.Step:
		var m wire.StepMessage
		if err := wire.Decode(f, wire.Step, &m); err != nil {
			return true, fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		if r.config.Free { // circuits are up; the start-up passes here
			r.later.Reset(r.startup(m.Step - 1))
			return false, r.release(m.Step - 1)
		}
		return false, r.begin(m.Step - 1)
	case wire.Connected:
		var m wire.ConnectedMessage
		if err := wire.Decode(f, wire.Connected, &m); err != nil {
			return true, fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		r.workers.Go(func() { r.light(m.Stage) })
		return false, nil
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
func (r *runner) tell(f report) {
	message := f.fault.Message()
	message.Port = f.port
	wire.SendJSON(r.control, wire.Fault, message)
}

// giveUp tells of a fault of a rank that has no steps yet, and waits for the end.
func (r *runner) giveUp(f *fault.Fault) error {
	r.tell(report{nil, f})
	ended := time.AfterFunc(lastWord, r.hangUp)
	defer ended.Stop()
	for {
		frame, err := r.control.Receive()
		if err != nil {
			return f
		}
		if frame.Kind == wire.Abort {
			return f
		}
	}
}

// fail remembers the first fault for the loop to report.
func (r *runner) fail(kind fault.Kind, peer int, err error) {
	r.mu.Lock()
	step := r.step + 1
	r.mu.Unlock()
	r.raise(report{nil, &fault.Fault{Kind: kind, Rank: r.id, Step: step, Peer: peer, Detail: err.Error()}})
}

// report is a fault, and the port at which it was seen if it came in from elsewhere.
type report struct {
	port  *int
	fault *fault.Fault
}

func (r *runner) raise(f report) {
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
func (r *runner) now() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.o.Clock() + r.jump
}

// beats gives signs of life, however busy the rank is.
func (r *runner) beats(over <-chan struct{}) {
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

func (r *runner) beat() {
	m := wire.BeatMessage{Peer: fault.Nobody, Moved: r.moved.Load(), Clock: r.now()}
	r.mu.Lock()
	m.Step = r.step + 1
	if b := r.inboxes[r.step]; b != nil {
		m.Peer = b.lacks()
	}
	stalled := r.stalled
	r.mu.Unlock()
	if !stalled {
		wire.SendJSON(r.control, wire.Beat, m) // a coordinator that has gone is seen elsewhere
	}
}
