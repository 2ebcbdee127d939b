package gnmi_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/gnmi"
)

// listening serves gNMI for an emulated switch and returns a client.
func listening(t *testing.T, to control.Switch) *gnmi.Client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { gnmi.Face{User: "u", Secret: "s"}.Serve(ctx, listener, to) })
	c := &gnmi.Client{Address: listener.Addr().String(), User: "u", Secret: "s"}
	t.Cleanup(func() {
		c.Close()
		cancel()
		serving.Wait()
	})
	return c
}

// TestASwitchTellsOfChanges: a switch eventually reports every change, by this client or by
// others, without polling.
func TestASwitchTellsOfChanges(t *testing.T) {
	s := emulated.New(8, 0, nil)
	c := listening(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	states, ended := make(chan control.State, 10), make(chan error, 1)
	go func() {
		ended <- events(ctx, c, time.Hour, func(up control.State, err error) bool {
			if err != nil {
				t.Error(err)
			}
			states <- up
			return true
		})
	}()
	expect := func(want control.State) {
		t.Helper()
		if got := <-states; !got.Equal(want) {
			t.Errorf("%v, not %v", got, want)
		}
	}
	expect(control.State{})
	for _, up := range []control.State{{1: 9}, {1: 10, 2: 9}, {}, {8: 16}} {
		s.Put(up) // as others do
		expect(up)
	}
	other := &gnmi.Client{Address: c.Address, User: "u", Secret: "s"}
	defer other.Close()
	if err := other.Change(t.Context(), control.Change{Connect: []control.Cross{{Ingress: 3, Egress: 11}}}); err != nil {
		t.Fatal(err)
	}
	expect(control.State{3: 11, 8: 16})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// silent is a switch that does not report changes.
type silent struct{ control.Switch }

// TestWhoCannotTellRefuses: a switch that cannot report changes refuses subscriptions, and so
// does a switch that does not know the client.
func TestWhoCannotTellRefuses(t *testing.T) {
	var refusal *control.Refusal
	c := listening(t, silent{emulated.New(4, 0, nil)})
	if err := c.Tell(t.Context(), func() { t.Error("told") }); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "does not tell") {
		t.Error(err)
	}
	stranger := &gnmi.Client{Address: c.Address, User: "u", Secret: "wrong"}
	if err := stranger.Tell(t.Context(), func() { t.Error("told") }); !errors.As(err, &refusal) {
		t.Error(err)
	}
	control.Listen(t.Context(), c, time.Hour, nil) // returns, as there is nothing to hear
}

// events yields every change of a switch's state and every error, including the first reading,
// until the context ends or yield returns false. It reads the switch periodically and, if the
// protocol has notifications, also right after a notification.
func events(ctx context.Context, s control.Switch, every time.Duration, yield func(control.State, error) bool) error {
	var last control.State
	var failed error
	tick := time.NewTicker(max(every, time.Millisecond))
	defer tick.Stop()
	told := make(chan struct{}, 1)
	listening, stop := context.WithCancel(ctx)
	defer stop()
	go control.Listen(listening, s, max(every, time.Millisecond), told)
	for first := true; ; first = false {
		up, err := s.State(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		news := first || !errors.Is(err, failed) && (err == nil || failed == nil || err.Error() != failed.Error()) || err == nil && !up.Equal(last)
		if news && !yield(up, err) {
			return nil
		}
		if failed = err; err == nil {
			last = up
		}
		select {
		case <-tick.C:
		case <-told:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
