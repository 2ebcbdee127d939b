package netconf

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"maps"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
)

// TestEditsDoWhatAChangeDoes: an edit, written and read again, leads to the same state as the
// change, and has no pair twice.
func TestEditsDoWhatAChangeDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	draw := func() control.State {
		s, in, out := control.State{}, rng.Perm(6), rng.Perm(6)
		for i := range rng.IntN(7) {
			s[in[i]+1] = out[i] + 7
		}
		return s
	}
	for range 500 {
		from, to := draw(), draw()
		text, err := xml.Marshal(rpc{ID: "1", Edit: editOf(control.Difference(from, to))})
		if err != nil {
			t.Fatal(err)
		}
		var again rpc
		if err := decode(text, &again); err != nil || again.Edit == nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, bad := again.Edit.applied(from)
		if bad != nil || !got.Equal(to) {
			t.Fatalf("from %v to %v by %s: %v, %+v", from, to, text, got, bad)
		}
	}
}

// limits is a connection that records its deadline.
type limits struct {
	net.Conn
	last time.Time
}

func (l *limits) SetDeadline(at time.Time) error {
	l.last = at
	return l.Conn.SetDeadline(at)
}

// TestASessionOutlivesTheLimitOfAQuestion: no deadline remains between requests. A lost session
// is opened again, unless its lock was lost with it.
func TestASessionOutlivesTheLimitOfAQuestion(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go Face{User: "admin", Secret: "root"}.Serve(t.Context(), listener, emulated.New(8, 0, nil))
	c := &Client{Address: listener.Addr().String(), User: "admin", Secret: "root"}
	defer c.Close()
	ask := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := c.State(ctx)
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	watched := &limits{Conn: c.conn, last: time.Now()}
	c.conn = watched
	if err := ask(); err != nil || !watched.last.IsZero() {
		t.Errorf("%v; the limit left is %v", err, watched.last)
	}
	watched.Close()
	if err := ask(); err != nil || c.conn == watched {
		t.Errorf("after the session was lost: %v", err)
	}
	c.conn.Close()
	c.locked = true
	if err := ask(); err == nil {
		t.Error("a question under a lock went out without it")
	}
}

// TestPublishedRequestsAreAnswered: the server answers the requests of published clients.
func TestPublishedRequestsAreAnswered(t *testing.T) {
	sw := emulated.New(8, 0, nil)
	s := &server{to: sw}
	for _, c := range []struct {
		request, want string
		session       uint32
	}{
		{`<nc:rpc xmlns:nc="` + base + `" message-id="a"><nc:edit-config><nc:target><nc:running/></nc:target><nc:config><cross-connects xmlns="http://www.polatis.com/yang/optical-switch"><pair><ingress>1</ingress><egress>9</egress></pair></cross-connects></nc:config></nc:edit-config></nc:rpc>`, "<ok></ok>", 1},
		{`<rpc xmlns="` + base + `" message-id="b"><get-config><source><running/></source><filter><cross-connects xmlns="http://www.polatis.com/yang/optical-switch"><pair></pair></cross-connects></filter></get-config></rpc>`, "<ingress>1</ingress><egress>9</egress>", 1},
		{`<rpc xmlns="` + base + `" message-id="c"><get><filter type="subtree"><opsw:product-information xmlns:opsw="http://www.polatis.com/yang/optical-switch"/></filter></get></rpc>`, "emulated-8x8", 1},
		{`<rpc xmlns="` + base + `" message-id="d"><lock><target><running/></target></lock></rpc>`, "<ok>", 1},
		{`<rpc xmlns="` + base + `" message-id="e"><lock><target><running/></target></lock></rpc>`, "lock-denied", 2},
		{`<rpc xmlns="` + base + `" message-id="f"><edit-config><target><running/></target><config><cross-connects xmlns="http://www.polatis.com/yang/optical-switch"/></config></edit-config></rpc>`, "in-use", 2},
		{`<rpc xmlns="` + base + `" message-id="g"><unlock><target><running/></target></unlock></rpc>`, "operation-failed", 2},
		{`<rpc xmlns="` + base + `" message-id="h"><edit-config><target><running/></target><config><cross-connects xmlns="http://www.polatis.com/yang/optical-switch"><pair xmlns:n="` + base + `" n:operation="create"><ingress>1</ingress><egress>10</egress></pair></cross-connects></config></edit-config></rpc>`, "data-exists", 1},
		{`<rpc xmlns="` + base + `" message-id="i"><edit-config><target><running/></target><config><cross-connects xmlns="http://www.polatis.com/yang/optical-switch"><pair><ingress>2</ingress><egress>9</egress></pair></cross-connects></config></edit-config></rpc>`, "in-use", 1},
		{`<rpc xmlns="` + base + `" message-id="j"><edit-config><target><running/></target><config><cross-connects xmlns="http://www.polatis.com/yang/optical-switch"><pair><ingress>2</ingress><egress>99</egress></pair></cross-connects></config></edit-config></rpc>`, "operation-failed", 1},
		{`<rpc xmlns="` + base + `" message-id="k"><kill-session/></rpc>`, "operation-not-supported", 1},
		{`<rpc`, "malformed-message", 1},
	} {
		got, err := s.answer(t.Context(), []byte(c.request), c.session)
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %s, %v", c.request, got, err)
		}
	}
	if up, _ := sw.State(t.Context()); !up.Equal(control.State{1: 9}) {
		t.Error(up)
	}
}

// FuzzFraming: messages survive both framings unchanged. Any other input is a message or an
// error.
func FuzzFraming(f *testing.F) {
	f.Add([]byte("<hello/>]]>]]>"), false)
	f.Add([]byte("\n#4\n<rpc\n#2\n/>\n##\n"), true)
	f.Add([]byte("\n#4294967295\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, chunked bool) {
		in := framed{in: bufio.NewReaderSize(bytes.NewReader(text), 16), chunked: chunked}
		for {
			message, err := in.read()
			if err != nil {
				break
			}
			if len(message) == 0 {
				continue
			}
			var wire bytes.Buffer
			out := framed{out: &wire, in: bufio.NewReader(&wire), chunked: chunked}
			if err := out.write(message); err != nil {
				t.Fatal(err)
			}
			if again, err := out.read(); err != nil || !bytes.Equal(again, message) {
				t.Fatalf("%q is %q, %v", message, again, err)
			}
		}
	})
}

// FuzzRequests: the answer to any request is XML, and the switch never uses a port twice.
func FuzzRequests(f *testing.F) {
	text, _ := xml.Marshal(rpc{ID: "1", Edit: editOf(control.Change{Connect: []control.Cross{{Ingress: 1, Egress: 5}}})})
	f.Add(text)
	text, _ = xml.Marshal(rpc{ID: "1", Get: &read{}})
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		sw := emulated.New(4, 0, nil)
		s := &server{to: sw}
		answer, err := s.answer(t.Context(), text, 1)
		if err != nil {
			t.Fatal(err)
		}
		var r reply
		if err := decode(answer, &r); err != nil {
			t.Fatalf("%q: %q: %v", text, answer, err)
		}
		up, _ := sw.State(t.Context())
		if _, err := control.Up(maps.Clone(up).Crosses()); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var refusal *control.Refusal
		if err := r.refusal(); err != nil && (!errors.As(err, &refusal) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
