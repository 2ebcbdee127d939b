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
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/internal/each"
)

// ControlUser is the user name of a controller, in protocols that need one. The password is the
// secret of the run.
const ControlUser = "lightpath"

// face is the switch as its controller sees it: a control.Switch whose cross-connects are the
// circuits. It executes one command at a time and answers when the circuits are up.
type face struct {
	s   *server
	one sync.Mutex

	// The mutex of the server guards the fields below.
	expected map[wire.Circuit]expectation
	requests map[int]*request
	commands int
}

// expectation is what the coordinator announced about a circuit before the controller requests
// it.
type expectation struct {
	request int
	dark    time.Duration
}

// request is circuits that the coordinator wants and the controller sets.
type request struct {
	changed int           // number of new circuits
	dark    time.Duration // measured
}

// speak waits for the controller, on this machine only, and returns its address.
func (s *server) speak(ctx context.Context) (string, error) {
	driver, err := inventory.Lookup(s.config.Control)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.face = &face{s: s, expected: map[wire.Circuit]expectation{}, requests: map[int]*request{}}
	within, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.closers = append(s.closers, func() error { cancel(); return nil })
	if s.closed {
		cancel()
	}
	s.mu.Unlock()
	s.workers.Go(func() {
		// It ends with the switch, or the controller notices.
		driver.Serve(within, listener, s.face, inventory.Access{User: ControlUser, Secret: string(s.o.Secret)})
	})
	return listener.Addr().String(), nil
}

// size returns the number of ports.
func (f *face) size() control.Size {
	ports := f.s.config.Nodes * f.s.config.Ports
	return control.Size{Ingress: ports, Egress: ports}
}

// Size implements control.Switch.
func (f *face) Size(context.Context) (control.Size, error) { return f.size(), nil }

// State implements control.Switch.
func (f *face) State(context.Context) (control.State, error) {
	f.one.Lock()
	defer f.one.Unlock()
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.up(), nil
}

// up returns the cross-connects.
func (f *face) up() control.State {
	up := control.State{}
	for _, c := range f.s.state.Circuits() {
		x := c.Cross(f.s.config.Nodes, f.s.config.Ports)
		up[x[0]] = x[1]
	}
	return up
}

// Change implements control.Switch.
func (f *face) Change(ctx context.Context, c control.Change) error {
	f.one.Lock()
	defer f.one.Unlock()
	s := f.s
	began, up, fresh, err := f.carryOut(c)
	if err != nil {
		return err
	}
	if wait := up - began; wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.over:
			return control.ErrSilent
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dark := s.o.Clock() - began
	for _, r := range fresh {
		r.dark = max(r.dark, dark)
	}
	return nil
}

// carryOut changes circuits. It returns until when ports are dark, and the requests with new
// circuits.
func (f *face) carryOut(c control.Change) (began, up time.Duration, fresh []*request, err error) {
	s := f.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range [][]control.Cross{c.Disconnect, c.Connect} {
		for _, x := range list {
			if err := f.size().Check(x); err != nil {
				return 0, 0, nil, &control.Refusal{Why: err.Error()}
			}
		}
	}
	want := f.up()
	err = c.Apply(want)
	if err == nil && s.o.Refuse != nil {
		err = s.o.Refuse(c)
	}
	if err != nil {
		return 0, 0, nil, &control.Refusal{Why: err.Error()}
	}
	circuits := make([]wire.Circuit, 0, len(want))
	circuits = append(circuits, each.Of(want.Crosses(), f.circuit)...)
	began = s.o.Clock()
	up = began
	_, _, err = s.state.connect(began, circuits, func(c wire.Circuit) time.Duration {
		e, known := f.expected[c]
		if r := f.requests[e.request]; known && r != nil {
			r.changed++
			fresh = append(fresh, r)
		}
		up = max(up, began+e.dark)
		return e.dark
	})
	if err != nil {
		s.report(err)
		return 0, 0, nil, &control.Refusal{Why: err.Error()}
	}
	f.commands++
	return began, up, fresh, nil
}

// circuit converts a cross-connect between existing ports to a circuit.
func (f *face) circuit(x control.Cross) wire.Circuit {
	ports := f.s.config.Ports
	in, out := x.Ingress-1, x.Egress-1-f.s.config.Nodes*ports
	return wire.Circuit{From: in / ports, FromPort: in % ports, To: out / ports, ToPort: out % ports}
}

// Close implements control.Switch.
func (f *face) Close() error { return nil }

// expect records what the controller is going to request.
func (f *face) expect(m *wire.ExpectMessage) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	clear(f.expected)
	for _, r := range m.Requests {
		f.requests[r.Stage] = &request{}
		for _, c := range r.List() {
			f.expected[c] = expectation{r.Stage, r.Dark}
		}
	}
}

// check answers whether the circuits that the controller was to set are up.
func (f *face) check(m *wire.ConnectMessage) (*wire.ConnectedMessage, error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if err := f.s.state.Has(f.s.o.Clock(), m.List(), m.Partial); err != nil {
		f.s.report(err)
		return nil, err
	}
	r := f.requests[m.Stage]
	if r == nil {
		err := fmt.Errorf("circuits of request %d are asked for that were not announced", m.Stage)
		f.s.report(err)
		return nil, err
	}
	delete(f.requests, m.Stage)
	return &wire.ConnectedMessage{Stage: m.Stage, Changed: r.changed, Dark: r.dark, Clock: f.s.o.Clock()}, nil
}

// errUncontrolled is the answer to an announcement if there is no controller.
var errUncontrolled = errors.New("switch: coordinator: announces a controller that there is not")
