package crossbar_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/control/scpi"
	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// expect announces circuits.
func (r *rig) expect(t *testing.T, requests ...wire.ConnectMessage) {
	t.Helper()
	if err := wire.SendJSON(r.control, wire.Expect, wire.ExpectMessage{Requests: requests}); err != nil {
		t.Fatal(err)
	}
	r.hears(t, wire.Expect, &wire.ExpectMessage{})
}

// A controller sets circuits of the switch in every protocol, and bytes go over them. The
// coordinator's messages about circuits only ask whether they are up.
func TestAControllerSetsCircuits(t *testing.T) {
	for _, protocol := range inventory.Drivers() {
		t.Run(protocol, func(t *testing.T) { controllerSets(t, protocol) })
	}
}

func controllerSets(t *testing.T, protocol string) {
	r := startWith(t, wire.NewMemory(), protocol, 0)
	driver, err := inventory.Lookup(protocol)
	if err != nil {
		t.Fatal(err)
	}
	client := driver.Dial(r.face, inventory.Access{User: crossbar.ControlUser, Secret: secret})
	defer client.Close()
	if protocol != "scpi" { // which knows no passwords
		stranger := driver.Dial(r.face, inventory.Access{User: crossbar.ControlUser, Secret: "another"})
		if _, err := stranger.State(t.Context()); err == nil {
			t.Error("a stranger was let in")
		}
		stranger.Close()
	}
	if size, err := client.Size(t.Context()); err != nil || size != (control.Size{Ingress: 2, Egress: 2}) {
		t.Fatal(size, err)
	}
	const dark = 20 * time.Millisecond
	want := wire.ConnectMessage{Stage: 7, Dark: dark, Circuits: [][4]int{{0, 0, 1, 0}, {1, 0, 0, 0}}}
	r.expect(t, want)
	change := control.Change{Connect: []control.Cross{{Ingress: 1, Egress: 4}, {Ingress: 2, Egress: 3}}}
	if err := client.Change(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if up, err := client.State(t.Context()); err != nil || !up.Equal(control.State{1: 4, 2: 3}) {
		t.Fatal(up, err)
	}
	wire.SendJSON(r.control, wire.Connect, want)
	var up wire.ConnectedMessage
	if r.hears(t, wire.Connected, &up); up.Stage != 7 || up.Changed != 2 || up.Dark < dark {
		t.Errorf("%+v", up)
	}
	r.ports[0].Send(&wire.Frame{Kind: wire.Data, Step: 1, Payload: []byte("light")})
	if f, err := r.ports[1].Receive(); err != nil || string(f.Payload) != "light" {
		t.Errorf("%+v, %v", f, err)
	}
	var refusal *control.Refusal
	for _, wrong := range []control.Change{
		{Connect: []control.Cross{{Ingress: 1, Egress: 3}}}, // in use
		{Connect: []control.Cross{{Ingress: 3, Egress: 4}}}, // no such port
	} {
		if err := client.Change(t.Context(), wrong); !errors.As(err, &refusal) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	wire.SendJSON(r.control, wire.Finish, wire.EndMessage{})
	var stats wire.StatsMessage
	if r.hears(t, wire.Stats, &stats); stats.Commands != 1 {
		t.Errorf("%+v", stats)
	}
}

// With a controller, nothing else changes circuits, and the switch sends the same reports as
// without one.
func TestAControlledSwitchReportsWhatItMustNotHide(t *testing.T) {
	for name, c := range map[string]struct {
		delta time.Duration
		wrong func(t *testing.T, r *rig, c *scpi.Client)
		want  wire.FaultMessage
	}{
		"circuits that nobody has set": {0, func(t *testing.T, r *rig, _ *scpi.Client) {
			m := wire.ConnectMessage{Circuits: [][4]int{{0, 0, 1, 0}}}
			r.expect(t, m)
			wire.SendJSON(r.control, wire.Connect, m)
		}, wire.FaultMessage{Kind: "refused", Rank: 0, Peer: 1}},
		"circuits that nobody has taken down": {0, func(t *testing.T, r *rig, c *scpi.Client) {
			c.Change(t.Context(), control.Change{Connect: []control.Cross{{Ingress: 2, Egress: 3}}})
			c.State(t.Context())
			wire.SendJSON(r.control, wire.Connect, wire.ConnectMessage{})
		}, wire.FaultMessage{Kind: "refused", Rank: 1, Peer: 0}},
		"circuits that cannot be": {0, func(_ *testing.T, r *rig, _ *scpi.Client) {
			wire.SendJSON(r.control, wire.Connect, wire.ConnectMessage{Circuits: [][4]int{{0, 0, 5, 0}}})
		}, wire.FaultMessage{Kind: "invalid", Rank: 0, Peer: 5}},
		"bytes into a port that the controller has made dark": {0, func(t *testing.T, r *rig, c *scpi.Client) {
			up := []control.Cross{{Ingress: 1, Egress: 4}}
			c.Change(t.Context(), control.Change{Connect: up})
			c.Change(t.Context(), control.Change{Disconnect: up})
			r.ports[0].Send(&wire.Frame{Kind: wire.Data, Step: 2, Payload: []byte("light")})
		}, wire.FaultMessage{Kind: "dark", Rank: 0, Step: 2, Peer: -1}},
		"a change while bytes are under way": {time.Hour, func(t *testing.T, r *rig, c *scpi.Client) {
			up := []control.Cross{{Ingress: 1, Egress: 4}}
			c.Change(t.Context(), control.Change{Connect: up})
			r.ports[0].Send(&wire.Frame{Kind: wire.Data, Step: 4, Payload: []byte("light")})
			for beat := (wire.BeatMessage{}); beat.Step < 4; { // until they are under way
				f, err := r.control.Receive()
				if err == nil {
					err = wire.Decode(f, wire.Beat, &beat)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			var refusal *control.Refusal
			if err := c.Change(t.Context(), control.Change{Disconnect: up}); !errors.As(err, &refusal) {
				t.Error(err)
			}
		}, wire.FaultMessage{Kind: "torn", Rank: 0, Step: 4, Peer: 1}},
	} {
		r := startWith(t, wire.NewMemory(), "scpi", c.delta)
		client := &scpi.Client{Address: r.face}
		c.wrong(t, r, client)
		var got wire.FaultMessage
		r.hears(t, wire.Fault, &got)
		if got.Detail = ""; got != c.want {
			t.Errorf("%s: %+v; want %+v", name, got, c.want)
		}
		client.Close()
	}
}

// A change that would tear bytes changes nothing, and circuits that were set are up.
func TestATornChangeLeavesCircuitsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s := crossbar.NewState(4, 1, 1000, us, nil)
		before, after := ring(4, 1), ring(4, 2+rng.IntN(2))
		if _, _, err := s.Connect(0, before, 0); err != nil {
			t.Fatal(err)
		}
		port := rng.IntN(4)
		if _, err := s.Send(0, port, 1000, 1, false); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Connect(us, after, 0); kind(t, err) != crossbar.Torn {
			t.Fatal(err)
		}
		if !slices.Equal(s.Circuits(), before) || s.Has(us, before, false) != nil || kind(t, s.Has(us, after, true)) != crossbar.Unset {
			t.Fatal(s.Circuits())
		}
		if _, _, err := s.Connect(3*us, after, 5*us); err != nil || kind(t, s.Has(7*us, after, true)) != crossbar.Unset || s.Has(8*us, after, false) != nil {
			t.Fatal(err, s.Circuits())
		}
		if s.Has(8*us, after[:2], true) != nil || kind(t, s.Has(8*us, after[:2], false)) != crossbar.Unset {
			t.Fatal(s.Circuits())
		}
	}
}
