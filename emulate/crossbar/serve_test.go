package crossbar_test

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

const secret = "secret"

// rig is a switch with two ranks of one port each, seen by its coordinator.
type rig struct {
	control wire.Conn
	ports   [2]wire.Conn
	address string
	face    string // where a controller is waited for
	network wire.Network
}

func start(t *testing.T) *rig { return startOn(t, wire.NewMemory()) }

func startOn(t *testing.T, network wire.Network) *rig { return startWith(t, network, "", 0) }

// startWith starts a switch whose controller speaks a protocol (none if ""), with circuits of
// the given delay.
func startWith(t *testing.T, network wire.Network, protocol string, delta time.Duration) *rig {
	t.Helper()
	listener, err := network.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		crossbar.Serve(ctx, crossbar.Options{
			Network: network, Listen: "127.0.0.1:0", Coordinator: listener.Address(), Secret: []byte(secret), Clock: func() time.Duration { return time.Since(begin) },
		})
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
		listener.Close()
	})
	r := &rig{network: network}
	if r.control, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	id, err := wire.Admit(r.control, []byte(secret), nil)
	if err != nil || id.Role != wire.SwitchRole {
		t.Fatal(id, err)
	}
	r.address = id.Address
	if err := wire.SendJSON(r.control, wire.Config, wire.SwitchConfig{Nodes: 2, Ports: 1, Ranks: []int{0, 1}, Beat: 10 * time.Millisecond, Control: protocol, Delta: delta}); err != nil {
		t.Fatal(err)
	}
	for u := range r.ports {
		if r.ports[u], err = r.join(t, secret, u); err != nil {
			t.Fatal(err)
		}
	}
	var ready wire.ReadyMessage
	r.hears(t, wire.Ready, &ready)
	r.face = ready.Control
	return r
}

// join connects a port.
func (r *rig) join(t *testing.T, secret string, rank int) (wire.Conn, error) {
	t.Helper()
	c, err := r.network.Dial(t.Context(), r.address)
	if err != nil {
		t.Fatal(err)
	}
	return c, wire.Join(c, []byte(secret), wire.Identity{Role: wire.PortRole, Rank: rank})
}

// hears waits for a message to the coordinator, ignoring heartbeats.
func (r *rig) hears(t *testing.T, kind wire.Kind, into any) {
	t.Helper()
	for {
		f, err := r.control.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind == wire.Beat {
			continue
		}
		if err := wire.Decode(f, kind, into); err != nil {
			t.Fatalf("%v: %s", err, f.Payload)
		}
		return
	}
}

func (r *rig) connect(t *testing.T, circuits ...[4]int) {
	t.Helper()
	if err := wire.SendJSON(r.control, wire.Connect, wire.ConnectMessage{Circuits: circuits}); err != nil {
		t.Fatal(err)
	}
	r.hears(t, wire.Connected, &wire.ConnectedMessage{})
}

func TestTheSwitchCarriesBothWaysOfACircuit(t *testing.T) {
	r := start(t)
	r.connect(t, [4]int{0, 0, 1, 0}, [4]int{1, 0, 0, 0})
	for from := range r.ports {
		if err := r.ports[from].Send(&wire.Frame{Kind: wire.Data, Step: 1, Payload: []byte("light")}); err != nil {
			t.Fatal(err)
		}
		if f, err := r.ports[1-from].Receive(); err != nil || string(f.Payload) != "light" {
			t.Errorf("%+v, %v", f, err)
		}
	}
	wire.SendJSON(r.control, wire.Finish, wire.EndMessage{})
	var stats wire.StatsMessage
	if r.hears(t, wire.Stats, &stats); len(stats.Circuits) != 2 || stats.Circuits[0] != [3]int64{0, 1, 5} {
		t.Errorf("%+v", stats)
	}
}

func TestTheSwitchReportsWhatItMustNotHide(t *testing.T) {
	for name, c := range map[string]struct {
		wrong func(t *testing.T, r *rig)
		want  wire.FaultMessage
	}{
		"bytes into a dark port": {func(_ *testing.T, r *rig) {
			r.ports[1].Send(&wire.Frame{Kind: wire.Data, Step: 3, Payload: []byte("light")})
		}, wire.FaultMessage{Kind: "dark", Rank: 1, Step: 3, Peer: -1}},
		"a rank that hangs up": {func(t *testing.T, r *rig) {
			r.connect(t, [4]int{0, 0, 1, 0})
			r.ports[0].Close()
		}, wire.FaultMessage{Kind: "died", Rank: 0, Peer: 1}},
		"a frame that is no data": {func(_ *testing.T, r *rig) { wire.SendJSON(r.ports[0], wire.Ready, wire.EndMessage{}) },
			wire.FaultMessage{Kind: "garbage", Rank: 0, Peer: -1}},
		"circuits that cannot be": {func(_ *testing.T, r *rig) {
			wire.SendJSON(r.control, wire.Connect, wire.ConnectMessage{Circuits: [][4]int{{0, 0, 5, 0}}})
		}, wire.FaultMessage{Kind: "invalid", Rank: 0, Peer: 5}},
	} {
		r := start(t)
		c.wrong(t, r)
		var got wire.FaultMessage
		r.hears(t, wire.Fault, &got)
		if got.Detail == "" {
			t.Errorf("%s: no detail", name)
		}
		if got.Detail = ""; got != c.want {
			t.Errorf("%s: %+v; want %+v", name, got, c.want)
		}
	}
}

// TestStrangersDoNoHarm: a client without the secret, or a second client for the same rank, is
// turned away, and the run continues.
func TestStrangersDoNoHarm(t *testing.T) {
	r := start(t)
	if _, err := r.join(t, "another", 0); err == nil {
		t.Error("a stranger was let in")
	}
	if _, err := r.join(t, secret, 1); err == nil {
		t.Error("a second port 0 of rank 1 was let in")
	}
	if _, err := r.join(t, secret, 2); err == nil {
		t.Error("a rank that is not in the run was let in")
	}
	r.connect(t, [4]int{0, 0, 1, 0})
	r.ports[0].Send(&wire.Frame{Kind: wire.Data, Step: 1, Payload: []byte("light")})
	if f, err := r.ports[1].Receive(); err != nil || string(f.Payload) != "light" {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestBytesThatAreNoFramesAreReported: an admitted rank that writes bytes outside the protocol is
// reported.
func TestBytesThatAreNoFramesAreReported(t *testing.T) {
	r := startOn(t, wire.TCP{})
	r.connect(t, [4]int{0, 0, 1, 0})
	if _, err := r.ports[0].(io.Writer).Write(bytes.Repeat([]byte("garbage "), 100)); err != nil {
		t.Fatal(err)
	}
	var got wire.FaultMessage
	if r.hears(t, wire.Fault, &got); got.Kind != "garbage" || got.Rank != 0 || got.Peer != 1 {
		t.Errorf("%+v", got)
	}
}
