package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

var example = &wire.Frame{
	Kind: wire.Data, Step: 7, Transfer: 1 << 20, Route: 3, Hop: 300, Flags: wire.Through, Offset: 1 << 40, Payload: []byte("light"),
}

func TestFramesAreReadAsTheyWereWritten(t *testing.T) {
	var b bytes.Buffer
	frames := []*wire.Frame{example, {Kind: wire.Ready, Payload: []byte("{}")}, {Kind: wire.Data, Payload: []byte{}}}
	for _, f := range frames {
		if err := wire.Write(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range frames {
		if got, err := wire.Read(&b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	if _, err := wire.Read(&b); err != io.EOF {
		t.Errorf("after the last: %v", err)
	}
}

// TestEveryBitOfAFrameMatters: a frame with one bit changed is refused, whichever it is.
func TestEveryBitOfAFrameMatters(t *testing.T) {
	var b bytes.Buffer
	if err := wire.Write(&b, example); err != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	for i := range len(text) * 8 {
		text[i/8] ^= 1 << (i % 8)
		if f, err := wire.Read(bytes.NewReader(text)); err == nil {
			t.Errorf("bit %d: %+v", i, f)
		}
		text[i/8] ^= 1 << (i % 8)
	}
	for n := range text {
		if f, err := wire.Read(bytes.NewReader(text[:n])); err == nil {
			t.Errorf("%d bytes: %+v", n, f)
		}
	}
}

func TestTooLargeAFrameIsRefusedBeforeItIsRead(t *testing.T) {
	if err := wire.Write(io.Discard, &wire.Frame{Kind: wire.Data, Payload: make([]byte, wire.MaxPayload+1)}); err == nil {
		t.Error("written")
	}
	head := append([]byte{'L', 'P', wire.Version, byte(wire.Data), 0xff, 0xff, 0xff, 0xff}, make([]byte, 28)...)
	var garbage *wire.Error
	if _, err := wire.Read(bytes.NewReader(head)); !errors.As(err, &garbage) {
		t.Errorf("read: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	wire.Write(&b, example)
	f.Add(b.Bytes())
	f.Add([]byte("LP\x01\x05\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		frame, err := wire.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := wire.Write(&again, frame); err != nil || !bytes.HasPrefix(text, again.Bytes()) {
			t.Errorf("%x becomes %x, %v", text, again.Bytes(), err)
		}
	})
}

// networks are the networks on which every test of connections runs.
func networks() map[string]wire.Network {
	return map[string]wire.Network{"memory": wire.NewMemory(), "tcp": wire.TCP{}}
}

// connect makes a connection.
func connect(t *testing.T, n wire.Network) (client, server wire.Conn) {
	t.Helper()
	l, err := n.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan wire.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	if client, err = n.Dial(t.Context(), l.Address()); err != nil {
		t.Fatal(err)
	}
	server = <-accepted
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return client, server
}

func TestConnectionsCarryFramesBothWays(t *testing.T) {
	for name, n := range networks() {
		client, server := connect(t, n)
		for _, c := range [][2]wire.Conn{{client, server}, {server, client}} {
			if err := c[0].Send(example); err != nil {
				t.Fatal(err)
			}
			if got, err := c[1].Receive(); err != nil || !reflect.DeepEqual(got, example) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		if err := server.Send(example); err != nil {
			t.Fatal(err)
		}
		server.Close()
		if _, err := client.Receive(); err != nil {
			t.Errorf("%s: what was sent before the end is lost: %v", name, err)
		}
		if _, err := client.Receive(); !gone(err) {
			t.Errorf("%s: after the end: %v", name, err)
		}
	}
}

func TestOnlyThoseWhoKnowTheSecretMeet(t *testing.T) {
	id := wire.Identity{Role: wire.RankRole, Rank: 3, Plan: "digest"}
	for name, n := range networks() {
		for _, c := range []struct {
			client, server string
			accept         error
			ok             bool
			want           string // of the client's error
		}{
			{"secret", "secret", nil, true, ""},
			{"other", "secret", nil, false, "wrong secret"},
			{"", "secret", nil, false, "wrong secret"},
			{"secret", "secret", errors.New("no room"), false, "no room"},
		} {
			client, server := connect(t, n)
			joined := make(chan error, 1)
			go func() { joined <- wire.Join(client, []byte(c.client), id) }()
			got, err := wire.Admit(server, []byte(c.server), func(wire.Identity) error { return c.accept })
			if (err == nil) != c.ok || got != id {
				t.Errorf("%s, %+v: admitted %+v, %v", name, c, got, err)
			}
			if err := <-joined; (err == nil) != c.ok || !c.ok && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %+v: joined: %v", name, c, err)
			}
		}
	}
}

// TestAServerMustKnowTheSecretToo: a client does not accept every server that says welcome.
func TestAServerMustKnowTheSecretToo(t *testing.T) {
	client, server := connect(t, wire.NewMemory())
	go func() {
		wire.SendJSON(server, wire.Challenge, map[string][]byte{"nonce": make([]byte, 32)})
		server.Receive()
		wire.SendJSON(server, wire.Welcome, map[string][]byte{"proof": make([]byte, 32)})
	}()
	if err := wire.Join(client, []byte("secret"), wire.Identity{Role: wire.RankRole}); !errors.Is(err, wire.ErrSecret) {
		t.Errorf("%v", err)
	}
}

// TestAStrangerCannotMakeAServerAllocate: before the handshake is over, frames are small.
func TestAStrangerCannotMakeAServerAllocate(t *testing.T) {
	l, err := wire.TCP{}.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	raw, err := net.DialTimeout("tcp", l.Address(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw.Write(append([]byte{'L', 'P', wire.Version, byte(wire.Hello), 0, 0x10, 0, 0}, make([]byte, 28)...))
	var garbage *wire.Error
	if _, err := wire.Admit(c, []byte("secret"), nil); !errors.As(err, &garbage) {
		t.Errorf("%v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	for name, n := range networks() {
		l, err := n.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Address()
		l.Close()
		if _, err := n.Dial(t.Context(), address); err == nil {
			t.Errorf("%s: connected to nobody", name)
		}
		if _, err := l.Accept(); err == nil {
			t.Errorf("%s: accepted after the end", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := wire.NewMemory()
	l, err := m.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := m.Dial(ctx, l.Address()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// gone reports whether an error means that either side has closed the connection.
func gone(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || errors.As(err, &op)
}
