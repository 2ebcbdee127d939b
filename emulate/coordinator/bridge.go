package coordinator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// bridge sets circuits through a controller, in the protocol of a real switch, instead of by
// Connect. It knows all circuits that are to be up. Requests that come during a change wait for
// its end and are then combined as far as possible.
type bridge struct {
	s          *server
	protocol   string
	controller *control.Controller
	want       control.State
	reached    int
	ended      context.Context
	end        context.CancelFunc
	answers    chan struct{} // the switch has answered

	mu    sync.Mutex
	asked []wire.ConnectMessage
	some  chan struct{}
}

// theSwitch is the name of the only switch.
const theSwitch = "emulated"

// How often and how fast a controller retries. Nothing is lost on the way to this switch.
const (
	attempts = 2
	pause    = 5 * time.Millisecond
)

// control starts a controller for the switch at an address.
func (s *server) control(address string) *bridge {
	b := &bridge{s: s, protocol: s.Switch.Control, want: control.State{}, answers: make(chan struct{}, 1), some: make(chan struct{}, 1)}
	b.ended, b.end = context.WithCancel(context.Background())
	driver, err := inventory.Lookup(b.protocol)
	if err != nil {
		panic("coordinator: a protocol that was not checked: " + err.Error())
	}
	ports := control.Ports{Ingress: map[int]bool{}, Egress: map[int]bool{}}
	for i := range s.Switch.Nodes * s.Switch.Ports {
		ports.Ingress[i+1], ports.Egress[s.Switch.Nodes*s.Switch.Ports+i+1] = true, true
	}
	client := driver.Dial(address, inventory.Access{User: crossbar.ControlUser, Secret: string(s.Secret)})
	b.controller = &control.Controller{
		Switches: map[string]control.Switch{theSwitch: &mortal{client, b.ended}},
		Own:      map[string]control.Ports{theSwitch: ports},
		Journal:  control.JournalInMemory(),
		Patience: control.Patience{Attempts: attempts, Pause: pause, Quiet: pause},
		Sleep: func(_ context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-b.ended.Done():
				return b.ended.Err()
			}
		},
	}
	s.workers.Go(func() {
		b.run()
		client.Close()
	})
	return b
}

// ask requests circuits. It does not wait.
func (b *bridge) ask(m wire.ConnectMessage) {
	b.mu.Lock()
	b.asked = append(b.asked, m)
	b.mu.Unlock()
	select {
	case b.some <- struct{}{}:
	default:
	}
}

// answer is the event that the switch has answered the coordinator.
func (b *bridge) answer() {
	select {
	case b.answers <- struct{}{}:
	default:
	}
}

// run serves requests until the run ends.
func (b *bridge) run() {
	for {
		if batch := b.take(); len(batch) > 0 {
			if !b.set(batch) {
				return
			}
			continue
		}
		select {
		case <-b.some:
		case <-b.ended.Done():
			return
		}
	}
}

// take takes the requests that can be done together: one for all circuits, or several for
// circuits that share no fibre.
func (b *bridge) take() []wire.ConnectMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	in, out := map[int]bool{}, map[int]bool{}
	count := 0
	for i := range b.asked {
		m := &b.asked[i]
		shares := false
		for _, c := range m.List() {
			x := b.cross(c)
			shares = shares || in[x.Ingress] || out[x.Egress]
		}
		if i > 0 && (shares || !m.Partial) {
			break
		}
		for _, c := range m.List() {
			x := b.cross(c)
			in[x.Ingress], out[x.Egress] = true, true
		}
		if count++; !m.Partial {
			break
		}
	}
	batch := b.asked[:count:count]
	b.asked = b.asked[count:]
	return batch
}

func (b *bridge) cross(c wire.Circuit) control.Cross {
	x := c.Cross(b.s.Switch.Nodes, b.s.Switch.Ports)
	return control.Cross{Ingress: x[0], Egress: x[1]}
}

// set sets the requested circuits and makes the switch confirm them. It returns false if the
// bridge has nothing more to do.
func (b *bridge) set(batch []wire.ConnectMessage) bool {
	next := maps.Clone(b.want)
	limit := time.Duration(0)
	for i := range batch {
		m := &batch[i]
		limit += m.Dark * time.Duration(1+len(m.Circuits)/perCommand)
		if !b.add(next, m) {
			b.tell(wire.Connect, *m) // these are impossible, and the switch says why
			return false
		}
	}
	if !b.tell(wire.Expect, wire.ExpectMessage{Requests: batch}) {
		return false
	}
	b.reached++
	if b.reached%journalLength == 0 {
		b.controller.Journal = control.Remembering(b.controller.Journal.Memory())
	}
	b.controller.Timeout = b.s.crew().watching.Patience + limit
	_, err := b.controller.Reach(b.ended, control.Goal{Stage: b.reached, Want: map[string]control.State{theSwitch: next}})
	if err != nil {
		detail := fmt.Sprintf("does not set circuits over %s: %s", b.protocol, strings.ReplaceAll(err.Error(), "\n", "; "))
		b.s.post(func(now time.Duration) { b.s.machine.Refused(now, batch[0].Stage, detail) })
		return false
	}
	b.want = next
	return !slices.ContainsFunc(batch, func(m wire.ConnectMessage) bool {
		return !b.tell(wire.Connect, m)
	})
}

// journalLength is the number of changes after which a journal in memory starts anew.
const journalLength = 256

// add puts circuits into a state. It returns false if they are impossible.
func (b *bridge) add(up control.State, m *wire.ConnectMessage) bool {
	list := m.List()
	crosses := make([]control.Cross, len(list))
	n, k := b.s.Switch.Nodes, b.s.Switch.Ports
	for i, c := range list {
		if c.From < 0 || c.From >= n || c.To < 0 || c.To >= n || c.FromPort < 0 || c.FromPort >= k || c.ToPort < 0 || c.ToPort >= k {
			return false
		}
		crosses[i] = b.cross(c)
	}
	some, err := control.Up(crosses)
	if err != nil {
		return false
	}
	if !m.Partial {
		clear(up)
	}
	fed := make(map[int]bool, len(some))
	for _, out := range some {
		fed[out] = true
	}
	maps.DeleteFunc(up, func(_, out int) bool { return fed[out] })
	maps.Copy(up, some)
	return true
}

// tell sends the switch a message and waits for its answer. It returns false when the run is
// over.
func (b *bridge) tell(kind wire.Kind, message any) bool {
	sent := b.s.post(func(time.Duration) {
		if c := b.s.conns[fault.Nobody]; c != nil && !b.s.crew().Over() {
			wire.SendJSON(c, kind, message)
		}
	})
	if !sent {
		return false
	}
	select {
	case <-b.answers:
		return true
	case <-b.ended.Done():
		return false
	}
}

// mortal is a switch whose commands end with the run, including commands that undo others.
type mortal struct {
	control.Switch
	ended context.Context
}

// until returns a context that ends with another context or with the run.
func (m *mortal) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(m.ended, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// Size implements control.Switch.
func (m *mortal) Size(ctx context.Context) (control.Size, error) {
	ctx, end := m.until(ctx)
	defer end()
	return m.Switch.Size(ctx)
}

// State implements control.Switch.
func (m *mortal) State(ctx context.Context) (control.State, error) {
	ctx, end := m.until(ctx)
	defer end()
	return m.Switch.State(ctx)
}

// Change implements control.Switch.
func (m *mortal) Change(ctx context.Context, c control.Change) error {
	ctx, end := m.until(ctx)
	defer end()
	return m.Switch.Change(ctx, c)
}
