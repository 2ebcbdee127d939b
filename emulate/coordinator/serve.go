package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Server is everything that Serve needs.
type Server struct {
	Config
	Host
	// Progress, if not nil, is called after every step.
	Progress func(step StepTimes)
	// RankEnded, if not nil, is called when a rank has ended a step.
	RankEnded func(rank, step int)
}

// Host is the meeting point of a run.
type Host struct {
	Listener wire.Listener // closed at the end
	Secret   []byte
	Digest   string // of the plan
	Clock    func() time.Duration
	// Rank and Switch are the configurations for members; Serve fills in the address of the
	// switch.
	Rank   func(id int) wire.RankConfig
	Switch wire.SwitchConfig
	// Exits reports processes that have ended; nil if ranks are not processes.
	Exits <-chan Exit
}

// Exit is a process that has ended before the run did.
type Exit struct {
	Rank   int // Nobody: the switch
	Detail string
}

// Serve runs an emulation to its end. The error is for a cancelled context; if something goes
// wrong in the run, it is in the outcome's Fault.
func Serve(ctx context.Context, s Server) (*Outcome, error) {
	m := New(s.Clock(), s.Config)
	told := 0
	err := serve(ctx, &server{Host: s.Host, machine: m, ended: s.RankEnded, tell: func() {
		for s.Progress != nil && told < len(m.outcome.Steps) && m.outcome.Steps[told].End > 0 {
			s.Progress(m.outcome.Steps[told])
			told++
		}
	}})
	return m.Outcome(), err
}

// machine makes the decisions of a run: events go in, actions come out.
type machine interface {
	crewOf() *crew
	Ready(now time.Duration, rank int)
	Received(now time.Duration, rank, port int, f *fault.Fault)
	Fault(now time.Duration, f *fault.Fault)
	Done(now time.Duration, rank int, d wire.DoneMessage)
	Result(now time.Duration, rank int, r wire.ResultMessage)
	Connected(now time.Duration, up wire.ConnectedMessage)
	Refused(now time.Duration, number int, detail string)
	Stats(now time.Duration, s wire.StatsMessage)
	Tick(now time.Duration)
	// wakes returns when to call Tick next, if that is soon.
	wakes() (due time.Duration, soon bool)
}

func serve(ctx context.Context, c *server) error {
	c.events, c.over, c.conns = make(chan func(now time.Duration)), make(chan struct{}), map[int]wire.Conn{}
	defer c.workers.Wait()
	defer c.hangUp()
	c.workers.Go(c.accept)
	c.crew().controlled = c.Switch.Control != ""
	err := c.loop(ctx)
	if ctx.Err() == nil {
		c.drain()
	}
	return err
}

// farewell is how long members may take to hang up after their last order.
const farewell = 500 * time.Millisecond

// drain waits until members have hung up. Closing a connection with unread input would also drop
// the data sent over it.
func (s *server) drain() {
	timeout := time.After(farewell)
	for s.gone < len(s.conns) {
		select {
		case event := <-s.events:
			event(s.Clock())
		case <-timeout:
			return
		}
	}
}

type server struct {
	Host
	machine machine
	ended   func(rank, step int) // if not nil, called when a rank has ended a step
	tell    func()               // called after every event
	events  chan func(now time.Duration)
	over    chan struct{}
	workers sync.WaitGroup
	conns   map[int]wire.Conn // of members; owned by the loop
	waiting []int             // ranks waiting for the switch's address
	address string
	gone    int     // number of members whose connection has ended
	bridge  *bridge // nil: no controller sets circuits, or the switch is not ready

	mu   sync.Mutex
	open []wire.Conn // all connections, to close at the end
}

func (s *server) crew() *crew { return s.machine.crewOf() }

func (s *server) hangUp() {
	close(s.over)
	if s.bridge != nil {
		s.bridge.end()
	}
	s.Listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.open {
		c.Close()
	}
}

// post hands an event to the loop; it returns false when the run is over.
func (s *server) post(event func(now time.Duration)) bool {
	select {
	case s.events <- event:
		return true
	case <-s.over:
		return false
	}
}

func (s *server) accept() {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.open = append(s.open, c)
		s.mu.Unlock()
		select {
		case <-s.over:
			c.Close()
			return
		default:
		}
		s.workers.Go(func() { s.admit(c) })
	}
}

// admit lets a member in and passes on its messages.
func (s *server) admit(c wire.Conn) {
	id, err := wire.Admit(c, s.Secret, s.accepts)
	if err != nil {
		if errors.Is(err, wire.ErrSecret) {
			s.post(func(now time.Duration) { s.impostor(now, id) })
		}
		c.Close()
		return
	}
	if !s.post(func(now time.Duration) { s.joined(now, id, c) }) {
		return
	}
	for {
		f, err := c.Receive()
		if !s.post(func(now time.Duration) { s.heard(now, id.Rank, f, err) }) || err != nil {
			return
		}
	}
}

// accepts decides whether a client that knows the secret belongs to the run.
func (s *server) accepts(id wire.Identity) error {
	answer := make(chan error, 1)
	if !s.post(func(now time.Duration) { answer <- s.known(now, id) }) {
		return errors.New("the run is over")
	}
	return <-answer
}

func (s *server) known(now time.Duration, id wire.Identity) error {
	m := s.crew()
	switch id.Role {
	case wire.SwitchRole:
		if id.Rank != fault.Nobody || m.Here(fault.Nobody) {
			return errors.New("there is a switch already")
		}
		return nil
	case wire.RankRole:
	default:
		return fmt.Errorf("nothing for a %s here", id.Role)
	}
	who, here := m.ranks[id.Rank]
	switch {
	case !here:
		return fmt.Errorf("the plan has no rank %d", id.Rank)
	case id.Plan != s.Digest:
		m.blame(now, fault.OtherPlan, id.Rank, "has another plan")
		return errors.New("it has another plan")
	case who.joined:
		m.blame(now, fault.Restarted, id.Rank, "has come a second time: it was restarted, or there are two")
		return fmt.Errorf("rank %d is there already", id.Rank)
	}
	return nil
}

// impostor handles a client that does not know the secret. Once a rank has joined, strangers
// cannot harm the run by claiming to be that rank.
func (s *server) impostor(now time.Duration, id wire.Identity) {
	m := s.crew()
	switch {
	case id.Role == wire.RankRole && m.ranks[id.Rank] != nil && !m.Here(id.Rank):
		m.blame(now, fault.Secret, id.Rank, "does not know the secret of the run")
	case id.Role == wire.SwitchRole && !m.Here(fault.Nobody):
		m.blame(now, fault.Secret, fault.Nobody, "does not know the secret of the run")
	}
}

// joined gives a new member its configuration. Ranks must know where the switch is.
func (s *server) joined(now time.Duration, id wire.Identity, c wire.Conn) {
	if s.conns[id.Rank] != nil {
		c.Close() // two clients came at once
		return
	}
	s.conns[id.Rank] = c
	s.crew().Joined(now, id.Rank)
	if id.Rank == fault.Nobody {
		s.address = id.Address
		wire.SendJSON(c, wire.Config, s.Switch)
		for _, r := range s.waiting {
			s.configure(r)
		}
		return
	}
	if s.address == "" {
		s.waiting = append(s.waiting, id.Rank)
		return
	}
	s.configure(id.Rank)
}

func (s *server) configure(rank int) {
	config := s.Rank(rank)
	config.Switch = s.address
	wire.SendJSON(s.conns[rank], wire.Config, config) // reading finds out who has gone
}

// heard handles a message of a member, or the end of its connection.
func (s *server) heard(now time.Duration, rank int, f *wire.Frame, err error) {
	m, c := s.machine, s.crew()
	if err != nil {
		s.gone++
		var garbage *wire.Error
		if errors.As(err, &garbage) {
			s.garbage(now, rank, err)
			return
		}
		c.Lost(now, rank, "its connection has ended")
		return
	}
	isSwitch := rank == fault.Nobody
	switch {
	case f.Kind == wire.Ready && isSwitch && s.Switch.Control != "":
		decoded(s, now, rank, f, func(now time.Duration, rank int, ready wire.ReadyMessage) {
			if s.bridge == nil {
				s.bridge = s.control(ready.Control)
			}
			m.Ready(now, rank)
		})
	case f.Kind == wire.Ready:
		m.Ready(now, rank)
	case f.Kind == wire.Beat:
		decoded(s, now, rank, f, c.Beat)
	case f.Kind == wire.Fault:
		decoded(s, now, rank, f, func(now time.Duration, rank int, message wire.FaultMessage) {
			if message.Port != nil && !isSwitch && *message.Port >= 0 && *message.Port < s.Switch.Ports {
				m.Received(now, rank, *message.Port, fault.Of(&message))
				return
			}
			m.Fault(now, fault.Of(&message))
		})
	case f.Kind == wire.Done && !isSwitch:
		decoded(s, now, rank, f, func(now time.Duration, rank int, d wire.DoneMessage) {
			if m.Done(now, rank, d); s.ended != nil && len(c.faults) == 0 {
				s.ended(rank, d.Step)
			}
		})
	case f.Kind == wire.Result && !isSwitch:
		decoded(s, now, rank, f, m.Result)
	case f.Kind == wire.Connected && isSwitch:
		decoded(s, now, rank, f, func(now time.Duration, _ int, up wire.ConnectedMessage) { m.Connected(now, up) })
		if s.bridge != nil {
			s.bridge.answer()
		}
	case f.Kind == wire.Expect && isSwitch && s.bridge != nil:
		s.bridge.answer()
	case f.Kind == wire.Stats && isSwitch:
		decoded(s, now, rank, f, func(now time.Duration, _ int, stats wire.StatsMessage) { m.Stats(now, stats) })
	default:
		s.garbage(now, rank, fmt.Errorf("a frame of kind %d", f.Kind))
	}
}

// decoded hands a message on, or blames its sender.
func decoded[M any](s *server, now time.Duration, rank int, f *wire.Frame, handle func(time.Duration, int, M)) {
	var message M
	if err := wire.Decode(f, f.Kind, &message); err != nil {
		s.garbage(now, rank, err)
		return
	}
	handle(now, rank, message)
}

func (s *server) garbage(now time.Duration, rank int, err error) {
	s.crew().blame(now, fault.Garbage, rank, fmt.Sprintf("tells the coordinator what is %v", err))
}

// resolution is the interval at which the loop wakes up if nothing else happens.
const resolution = 20 * time.Millisecond

func (s *server) loop(ctx context.Context) error {
	m := s.crew()
	timer := time.NewTimer(resolution)
	defer timer.Stop()
	exits := s.Exits
	for !m.Over() {
		wait := resolution
		if due, soon := s.machine.wakes(); soon {
			wait = min(wait, max(0, due-s.Clock()))
		}
		timer.Reset(wait)
		select {
		case event := <-s.events:
			event(s.Clock())
		case e, ok := <-exits:
			if !ok {
				exits = nil
				continue
			}
			m.Exited(s.Clock(), e.Rank, e.Detail)
		case <-timer.C:
		case <-ctx.Done():
			if s.pending(); m.GiveUp() { // launchers kill all processes when one dies
				break
			}
			s.act(Action{Everybody, wire.Abort, wire.EndMessage{Reason: "interrupted"}})
			s.act(Action{fault.Nobody, wire.Abort, wire.EndMessage{Reason: "interrupted"}})
			return ctx.Err()
		}
		s.machine.Tick(s.Clock())
		for _, a := range m.Actions {
			s.act(a)
		}
		m.Actions = m.Actions[:0]
		s.tell()
	}
	return nil
}

// pending handles the messages that members have already sent.
func (s *server) pending() {
	for {
		select {
		case event := <-s.events:
			event(s.Clock())
		default:
			return
		}
	}
}

// act sends what the machine wants sent. Reading finds out who has gone.
func (s *server) act(a Action) {
	if m, ok := a.Message.(wire.ConnectMessage); ok && s.bridge != nil {
		s.bridge.ask(m)
		return
	}
	if a.Rank != Everybody {
		if c := s.conns[a.Rank]; c != nil {
			wire.SendJSON(c, a.Kind, a.Message)
		}
		return
	}
	for rank, c := range s.conns {
		if rank != fault.Nobody {
			wire.SendJSON(c, a.Kind, a.Message)
		}
	}
}
