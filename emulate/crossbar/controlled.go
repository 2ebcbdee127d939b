package crossbar

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// controlled sets the circuits of a switch from outside, as if it were a real one: package control
// reaches it by one of its protocols, over this machine's network.
type controlled struct {
	optics optics
	plane  *control.Controller

	mu    sync.Mutex // one change at a time
	stage int
}

// name is what the controller calls the switch.
const name = "crossbar"

// beControlled has the switch speak a protocol, and a controller speak to it.
func (s *server) beControlled(ctx context.Context, protocol string) error {
	d, err := inventory.Lookup(protocol)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	c := &controlled{optics: optics{server: s}}
	ctx, cancel := context.WithCancel(ctx)
	client := d.Dial(listener.Addr().String(), inventory.Access{})
	all := control.Ports{Ingress: map[int]bool{}, Egress: map[int]bool{}}
	for i := range s.state.lines {
		all.Ingress[i+1], all.Egress[len(s.state.lines)+i+1] = true, true
	}
	c.plane = &control.Controller{
		Switches: map[string]control.Switch{name: client}, Own: map[string]control.Ports{name: all}, Journal: control.JournalInMemory(),
		Patience: control.Patience{Timeout: 10 * time.Second, Attempts: 2, Pause: 50 * time.Millisecond, Quiet: 50 * time.Millisecond},
	}
	s.mu.Lock()
	s.controlled = c
	s.closers = append(s.closers, func() error { cancel(); return nil })
	s.mu.Unlock()
	s.workers.Go(func() {
		defer client.Close()
		_ = d.Serve(ctx, listener, &c.optics, inventory.Access{}) // until the end of the run
	})
	return nil
}

// connect sets circuits through the controller, and returns how many are new once all are up.
func (c *controlled) connect(ctx context.Context, m *wire.ConnectMessage) (changed int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	up, err := c.optics.State(ctx)
	if err != nil {
		return 0, err
	}
	want, err := c.optics.wanted(up, m)
	if err != nil {
		return 0, err
	}
	c.optics.setDark(m.Dark)
	c.stage++
	_, err = c.plane.Reach(ctx, control.Goal{Stage: c.stage, Want: map[string]control.State{name: want}})
	return len(control.Difference(up, want).Connect), err
}

// optics is the switch as controllers see it: the transmit fibre of port i is ingress port i+1, and
// the receive fibre is the egress port that is as many further as there are ports.
type optics struct {
	server *server
	dark   time.Duration // of ports that get a circuit
}

func (o *optics) setDark(d time.Duration) {
	o.server.mu.Lock()
	defer o.server.mu.Unlock()
	o.dark = d
}

// Size returns the ports.
func (o *optics) Size(context.Context) (control.Size, error) {
	n := len(o.server.state.lines)
	return control.Size{Ingress: n, Egress: n}, nil
}

// State returns what is up.
func (o *optics) State(context.Context) (control.State, error) {
	o.server.mu.Lock()
	defer o.server.mu.Unlock()
	lines := o.server.state.lines
	up := control.State{}
	for i := range lines {
		if to := lines[i].to; to >= 0 {
			up[i+1] = len(lines) + int(to) + 1
		}
	}
	return up, nil
}

// wanted returns what is to be up after an order of the coordinator.
func (o *optics) wanted(up control.State, m *wire.ConnectMessage) (control.State, error) {
	state := o.server.state
	var list []control.Cross
	sends, receives := map[int]bool{}, map[int]bool{}
	for _, c := range m.Circuits {
		circuit := wire.Circuit{From: c[0], FromPort: c[1], To: c[2], ToPort: c[3]}
		if err := state.check(circuit); err != nil {
			return nil, err
		}
		x := control.Cross{Ingress: c[0]*state.ports + c[1] + 1, Egress: len(state.lines) + c[2]*state.ports + c[3] + 1}
		sends[x.Ingress], receives[x.Egress] = true, true
		list = append(list, x)
	}
	if m.Partial {
		for _, x := range up.Crosses() {
			if !sends[x.Ingress] && !receives[x.Egress] {
				list = append(list, x)
			}
		}
	}
	return control.Up(list)
}

// Change carries out a command, and waits until its circuits are up.
func (o *optics) Change(ctx context.Context, c control.Change) error {
	up, err := o.State(ctx)
	if err != nil {
		return err
	}
	if err := c.Apply(up); err != nil {
		return &control.Refusal{Why: err.Error()}
	}
	s := o.server
	n, ports := len(s.state.lines), s.state.ports
	var circuits []wire.Circuit
	for _, x := range up.Crosses() {
		from, to := x.Ingress-1, x.Egress-n-1
		if from < 0 || from >= n || to < 0 || to >= n {
			return &control.Refusal{Why: fmt.Sprintf("%v: there are %d ports", x, n)}
		}
		circuits = append(circuits, wire.Circuit{From: from / ports, FromPort: from % ports, To: to / ports, ToPort: to % ports})
	}
	s.mu.Lock()
	now, dark := s.o.Clock(), o.dark
	if len(c.Connect) == 0 {
		dark = 0
	}
	_, ready, err := s.state.Connect(now, circuits, dark)
	s.commands++
	s.mu.Unlock()
	if err != nil {
		s.notSet(err)
		return &control.Refusal{Why: err.Error()}
	}
	if !s.sleep(ready - now) {
		return errors.New("the run is over")
	}
	return nil
}

// Close does nothing.
func (o *optics) Close() error { return nil }

// notSet reports circuits that could not be set.
func (s *server) notSet(err error) {
	var cause *Fault
	s.mu.Lock()
	f := &fault.Fault{Kind: fault.Invalid, Rank: fault.Nobody, Step: s.step, Peer: fault.Nobody, Detail: err.Error()}
	s.mu.Unlock()
	if errors.As(err, &cause) {
		f.Kind, f.Rank, f.Peer = fault.Kind(cause.Kind), cause.From, cause.To
	}
	s.fail(f)
}
