package netconf

import (
	"bufio"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/subtle"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Face lets clients reach a switch.
type Face struct {
	User, Secret string // "": every client is let in
	// PrivateKey is the key of the host, in PEM; nil: a new one.
	PrivateKey []byte
	// Announce, if not nil, is called with the public key, as a line of a .pub file.
	Announce func(line string)
}

// handshake is how long a client may take to authenticate.
const handshake = 10 * time.Second

// Serve lets clients reach a switch by NETCONF until the context ends.
func (f Face) Serve(ctx context.Context, listener net.Listener, to control.Switch) error {
	config, err := f.config()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	s := &server{to: to}
	return emulated.Serve(ctx, listener, func(ctx context.Context, conn net.Conn) { s.client(ctx, conn, config) })
}

// config makes the settings of SSH.
func (f Face) config() (*ssh.ServerConfig, error) {
	config := &ssh.ServerConfig{NoClientAuth: f.Secret == ""}
	if f.Secret != "" {
		config.PasswordCallback = func(about ssh.ConnMetadata, secret []byte) (*ssh.Permissions, error) {
			given := append([]byte(about.User()+"\x00"), secret...)
			if subtle.ConstantTimeCompare(given, []byte(f.User+"\x00"+f.Secret)) != 1 {
				return nil, errors.New("user or password")
			}
			return nil, nil
		}
	}
	var key ssh.Signer
	var err error
	if f.PrivateKey != nil {
		key, err = ssh.ParsePrivateKey(f.PrivateKey)
	} else {
		var made ed25519.PrivateKey
		if _, made, err = ed25519.GenerateKey(rand.Reader); err == nil {
			key, err = ssh.NewSignerFromKey(made)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("host key: %w", err)
	}
	config.AddHostKey(key)
	if f.Announce != nil {
		f.Announce(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
	}
	return config, nil
}

// server is a switch with its lock.
type server struct {
	to control.Switch

	mu     sync.Mutex
	last   uint32
	holder uint32 // the session that has locked the datastore; 0: none
}

// client serves one connection.
func (s *server) client(ctx context.Context, conn net.Conn, config *ssh.ServerConfig) {
	if conn.SetDeadline(time.Now().Add(handshake)) != nil {
		return
	}
	secure, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil || conn.SetDeadline(time.Time{}) != nil {
		return
	}
	defer secure.Close()
	go ssh.DiscardRequests(requests)
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for asked := range channels {
		if asked.ChannelType() != "session" {
			_ = asked.Reject(ssh.UnknownChannelType, "session") // the client has left
			continue
		}
		channel, requests, err := asked.Accept()
		if err != nil {
			return
		}
		sessions.Go(func() {
			defer channel.Close()
			if subsystem(requests) {
				s.session(ctx, channel)
			}
		})
	}
}

// subsystem waits until a client asks for NETCONF, and then refuses all other requests.
func subsystem(requests <-chan *ssh.Request) bool {
	for r := range requests {
		var name struct{ Name string }
		yes := r.Type == "subsystem" && ssh.Unmarshal(r.Payload, &name) == nil && name.Name == "netconf"
		if r.WantReply {
			_ = r.Reply(yes, nil) // the client has left
		}
		if yes {
			go ssh.DiscardRequests(requests)
			return true
		}
	}
	return false
}

// session exchanges messages with a client.
func (s *server) session(ctx context.Context, channel io.ReadWriter) {
	s.mu.Lock()
	s.last++
	number := s.last
	s.mu.Unlock()
	defer s.unlock(number)
	m := framed{in: bufio.NewReaderSize(channel, 1<<16), out: channel}
	ours, err := xml.Marshal(hello{Capabilities: []string{base10, base11, writable, rollback, opticalswitch.Namespace + "?module=" + opticalswitch.Module + "&revision=2018-03-22"}, Session: number})
	if err != nil || m.write(append([]byte(xml.Header), ours...)) != nil {
		return
	}
	text, err := m.read()
	var theirs hello
	if err != nil || decode(text, &theirs) != nil {
		return
	}
	m.chunked = theirs.knows(base11)
	for {
		text, err := m.read()
		if err != nil {
			return
		}
		answer, err := s.answer(ctx, text, number)
		if errors.Is(err, control.ErrSilent) { // until the client gives up
			_, _ = m.read()
			return
		}
		if err != nil || m.write(answer) != nil {
			return
		}
	}
}

// unlock releases the lock of a session, and reports whether the session held it.
func (s *server) unlock(number uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder != number {
		return false
	}
	s.holder = 0
	return true
}

// answer executes a request.
func (s *server) answer(ctx context.Context, text []byte, number uint32) ([]byte, error) {
	var r rpc
	if err := decode(text, &r); err != nil {
		return xml.Marshal(reply{Errors: []rpcError{{Type: "rpc", Tag: "malformed-message", Severity: "error", Message: err.Error()}}})
	}
	a := reply{ID: r.ID}
	bad, err := s.carry(ctx, &r, &a, number)
	var refusal *control.Refusal
	switch {
	case errors.As(err, &refusal):
		bad = &rpcError{Tag: "operation-failed", Message: refusal.Why}
	case err != nil:
		return nil, err
	}
	if bad != nil {
		bad.Type, bad.Severity = "application", "error"
		a.OK, a.Data, a.Errors = nil, nil, []rpcError{*bad}
	}
	return xml.Marshal(a)
}

// carry fills in an answer, or says what is wrong with the request.
func (s *server) carry(ctx context.Context, r *rpc, a *reply, number uint32) (*rpcError, error) {
	a.OK = &empty{}
	switch {
	case r.Lock != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.holder != 0 {
			return &rpcError{Tag: "lock-denied", Message: fmt.Sprintf("session %d has the lock", s.holder)}, nil
		}
		s.holder = number
		return nil, nil
	case r.Unlock != nil:
		if !s.unlock(number) {
			return &rpcError{Tag: "operation-failed", Message: "not locked by this session"}, nil
		}
		return nil, nil
	case r.Edit != nil:
		return s.edit(ctx, r.Edit, number)
	case r.Close != nil:
		return nil, nil
	case r.Get != nil || r.GetConfig != nil:
		asked := cmp.Or(r.Get, r.GetConfig)
		a.OK = nil
		return nil, s.read(ctx, asked.Filter, r.Get != nil, a)
	}
	return &rpcError{Tag: "operation-not-supported", Message: "want get, get-config, edit-config, lock, unlock or close-session"}, nil
}

// read fills an answer with what a filter asks for; it includes data that is not configuration
// only if all is set.
func (s *server) read(ctx context.Context, f *filter, all bool, a *reply) error {
	a.Data = &tree{}
	if f == nil || f.Crosses != nil {
		up, err := s.to.State(ctx)
		if err != nil {
			return err
		}
		a.Data.Crosses = opticalswitch.NewCrossConnects(up)
	}
	if all && (f == nil || f.Product != nil) {
		size, err := s.to.Size(ctx)
		if err != nil {
			return err
		}
		a.Data.Product = &product{Manufacturer: "Lightpath", Model: opticalswitch.ModelOf(size)}
	}
	return nil
}

// edit changes cross-connects.
func (s *server) edit(ctx context.Context, e *edit, number uint32) (*rpcError, error) {
	s.mu.Lock()
	holder := s.holder
	s.mu.Unlock()
	if holder != 0 && holder != number {
		return &rpcError{Tag: "in-use", Message: fmt.Sprintf("session %d has the lock", holder)}, nil
	}
	up, err := s.to.State(ctx)
	if err != nil {
		return nil, err
	}
	next, bad := e.applied(up)
	if bad != nil {
		return bad, nil
	}
	return nil, s.to.Change(ctx, control.Difference(up, next))
}
