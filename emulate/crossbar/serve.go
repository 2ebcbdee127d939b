package crossbar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Options are what a switch needs to begin; the coordinator sends the rest.
type Options struct {
	Network     wire.Network
	Listen      string // address for the ports of ranks
	Coordinator string // address
	Secret      []byte
	Clock       func() time.Duration // does not run backwards
	Misbehave   func(fault.Kind)     // as for a rank
	// Refuse, if not nil, is asked before each command of a controller.
	Refuse func(control.Change) error
}

// Serve runs a switch from beginning to end.
func Serve(ctx context.Context, o Options) error {
	listener, err := o.Network.Listen(o.Listen)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	s := &server{o: o, over: make(chan struct{}), ports: map[Plug]*port{}, failed: make(chan *fault.Fault, 1), complete: make(chan struct{}, 1), wrong: make(chan struct{}, 1)}
	s.closers = append(s.closers, listener.Close)
	defer s.workers.Wait()
	defer s.hangUp()
	stop := context.AfterFunc(ctx, s.hangUp)
	defer stop()
	err = s.run(ctx, listener)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// server is a switch at work.
type server struct {
	o       Options
	config  wire.SwitchConfig
	control wire.Conn
	face    *face  // nil: no controller sets circuits
	address string // of the face
	over    chan struct{}
	workers sync.WaitGroup

	mu       sync.Mutex // guards everything below
	state    *State
	ports    map[Plug]*port
	closers  []func() error
	closed   bool
	step     int  // the latest step whose data came
	asked    bool // to misbehave
	injected bool
	stalled  bool

	failed   chan *fault.Fault
	wrong    chan struct{} // closed when it is time to misbehave
	complete chan struct{}
}

// port is a connection and the frames that are to come out of it.
type port struct {
	Plug
	conn wire.Conn
	out  *delay
}

func (s *server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.over)
	for _, c := range s.closers {
		c()
	}
	for _, p := range s.ports {
		p.out.close()
	}
}

// keep remembers a connection to close at the end.
func (s *server) keep(c wire.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closers = append(s.closers, c.Close)
	if s.closed {
		c.Close()
	}
}

func (s *server) run(ctx context.Context, listener wire.Listener) error {
	var err error
	if s.control, err = s.o.Network.Dial(ctx, s.o.Coordinator); err != nil {
		return fmt.Errorf("switch: coordinator %s: %w", s.o.Coordinator, err)
	}
	s.keep(s.control)
	err = wire.Join(s.control, s.o.Secret, wire.Identity{Role: wire.SwitchRole, Rank: fault.Nobody, Address: listener.Address()})
	if err != nil {
		return fmt.Errorf("switch: coordinator %s: %w", s.o.Coordinator, err)
	}
	f, err := s.control.Receive()
	if err == nil {
		err = wire.Decode(f, wire.Config, &s.config)
	}
	if err != nil {
		return fmt.Errorf("switch: coordinator: %w", err)
	}
	c := &s.config
	s.state = NewState(c.Nodes, c.Ports, c.PicosecondsPerByte, c.Delta, c.Harms)
	c.Beside.Plugs = cmp.Or(c.Beside.Plugs, c.Ports)
	s.state.With(c.Beside)
	if c.Control != "" {
		if s.address, err = s.speak(ctx); err != nil {
			return fmt.Errorf("switch: %s: %w", c.Control, err)
		}
	}
	s.workers.Go(func() { s.accept(listener) })
	return s.work(ctx)
}

// accept lets the ports of ranks in.
func (s *server) accept(listener wire.Listener) {
	for {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		s.keep(c)
		s.workers.Go(func() { s.admit(c) })
	}
}

func (s *server) admit(c wire.Conn) {
	id, err := wire.Admit(c, s.o.Secret, s.accepts)
	if err != nil {
		// Ranks have shown the coordinator that they know the secret. So this is a stranger, who
		// does not matter, or a second connection of a rank's port, which the rank reports
		// itself.
		c.Close()
		return
	}
	p := &port{Plug: Plug{id.Rank, id.Port}, conn: c, out: newDelay()}
	s.mu.Lock()
	if s.closed || s.ports[p.Plug] != nil {
		s.mu.Unlock()
		c.Close()
		return
	}
	s.ports[p.Plug] = p
	all := len(s.ports) == len(s.config.Ranks)*s.config.Beside.Plugs
	s.mu.Unlock()
	s.workers.Go(func() { p.out.run(s.o.Clock, s.over, func(f *wire.Frame) { s.deliver(p, f) }) })
	if all {
		s.complete <- struct{}{}
	}
	s.read(p)
}

func (s *server) accepts(id wire.Identity) error {
	c := &s.config
	if id.Role != wire.PortRole || !slices.Contains(c.Ranks, id.Rank) || id.Port < 0 || id.Port >= c.Beside.Plugs {
		return fmt.Errorf("the switch has no port %d of rank %d", id.Port, id.Rank)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ports[Plug{id.Rank, id.Port}] != nil {
		return fmt.Errorf("port %d of rank %d is connected already", id.Port, id.Rank)
	}
	return nil
}

// ahead is how long before a circuit is free the next frame is taken from a port, so that a late
// wake-up does not leave the circuit idle.
const ahead = 5 * time.Millisecond

// read takes the frames that a rank sends into a port and puts them on the port's circuit.
func (s *server) read(p *port) {
	for {
		f, err := p.conn.Receive()
		if err != nil {
			s.lost(p, err)
			return
		}
		if f.Kind != wire.Data {
			s.blame(p, fault.Garbage, fmt.Sprintf("sends a frame of kind %d into port %d", f.Kind, p.Port))
			return
		}
		s.mu.Lock()
		if int(f.Step) < 1<<31-1 {
			s.step = max(s.step, int(f.Step))
		}
		if s.config.Injected != "" && s.config.InStep > 0 && s.step >= s.config.InStep && !s.asked {
			s.asked = true
			s.wrong <- struct{}{}
		}
		now := s.o.Clock()
		d, at, err := s.state.SendFrom(now, p.Plug, f)
		to := s.ports[at]
		if err == nil && len(f.Payload) > 0 && s.state.Corrupts(p.Node, at.Node, int(f.Step), d.At) {
			f.Payload[len(f.Payload)/2] ^= 0x55 // it gets a new checksum on the next fibre
		}
		stalled := s.stalled
		s.mu.Unlock()
		if stalled {
			<-s.over
			return
		}
		if err != nil {
			s.refuse(p, f, err)
			return
		}
		to.out.add(f, d.At)
		if wait := d.Free - ahead - now; wait > 0 && !s.sleep(wait) {
			return
		}
	}
}

// sleep waits; it returns false when the switch ends.
func (s *server) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.over:
		return false
	}
}

// deliver hands a frame to the rank at the end of its circuit.
func (s *server) deliver(p *port, f *wire.Frame) {
	if err := p.conn.Send(f); err != nil {
		s.lost(p, err)
	}
}

// refuse reports that a frame could not be carried.
func (s *server) refuse(p *port, f *wire.Frame, err error) {
	var cause *Fault
	if !errors.As(err, &cause) {
		s.blame(p, fault.Garbage, err.Error())
		return
	}
	s.fail(&fault.Fault{Kind: fault.Kind(cause.Kind), Rank: cause.From, Step: int(f.Step), Peer: cause.To, Detail: cause.Detail})
}

// lost reports that the connection of a rank's port has ended.
func (s *server) lost(p *port, err error) {
	var garbage *wire.Error
	if errors.As(err, &garbage) {
		s.blame(p, fault.Garbage, fmt.Sprintf("sends what is %v into port %d", err, p.Port))
		return
	}
	s.blame(p, fault.Died, fmt.Sprintf("its port %d has left the switch", p.Port))
}

func (s *server) blame(p *port, kind fault.Kind, detail string) {
	s.mu.Lock()
	step, peer := s.step, s.state.PeerOf(p.Plug)
	s.mu.Unlock()
	s.fail(&fault.Fault{Kind: kind, Rank: p.Node, Step: step, Peer: peer, Detail: detail})
}

// fail keeps the first fault for the loop to report.
func (s *server) fail(f *fault.Fault) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return
	}
	select {
	case s.failed <- f:
	default:
	}
}
