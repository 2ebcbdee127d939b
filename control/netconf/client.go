package netconf

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Client is a switch that speaks NETCONF.
type Client struct {
	Address, User, Secret string
	// HostKey is the switch's public key, as a line of known_hosts or of a .pub file; nil: any
	// key, and so any switch.
	HostKey []byte

	conn     net.Conn
	session  *ssh.Client
	messages framed
	server   hello
	number   int
	locked   bool // the session has the lock of the datastore
}

// ParseHostKey reads a public key.
func ParseHostKey(text []byte) (ssh.PublicKey, error) {
	if key, _, _, _, err := ssh.ParseAuthorizedKey(text); err == nil {
		return key, nil
	}
	_, _, key, _, _, err := ssh.ParseKnownHosts(text)
	if err != nil {
		return nil, errors.New("not a public key of SSH")
	}
	return key, nil
}

// connect opens a session unless there is one, and applies the deadline of the context. It
// reopens a session that was lost between two requests, unless the session held the lock.
func (c *Client) connect(ctx context.Context) error {
	limit, _ := ctx.Deadline()
	if c.session != nil {
		if err := c.conn.SetDeadline(limit); err == nil || c.locked {
			return err
		}
		c.Close()
	}
	config := &ssh.ClientConfig{User: c.User, HostKeyCallback: ssh.InsecureIgnoreHostKey()}
	if c.HostKey != nil {
		key, err := ParseHostKey(c.HostKey)
		if err != nil {
			return err
		}
		config.HostKeyCallback = ssh.FixedHostKey(key)
		config.HostKeyAlgorithms = algorithms(key)
	}
	config.Auth = []ssh.AuthMethod{ssh.Password(c.Secret), ssh.KeyboardInteractive(func(_, _ string, questions []string, _ []bool) ([]string, error) {
		answers := slices.Repeat([]string{c.Secret}, len(questions))
		return answers, nil
	})}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.Address)
	if err != nil {
		return err
	}
	if err := conn.SetDeadline(limit); err != nil {
		return errors.Join(err, conn.Close())
	}
	// The deadline of the connection bounds the handshake.
	inner, channels, requests, err := ssh.NewClientConn(conn, c.Address, config)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	c.conn, c.session = conn, ssh.NewClient(inner, channels, requests)
	return c.begin()
}

// algorithms returns the algorithms with which a key can sign.
func algorithms(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}

// begin opens the channel and exchanges capabilities.
func (c *Client) begin() error {
	channel, err := c.session.NewSession()
	if err != nil {
		return err
	}
	out, err := channel.StdinPipe()
	if err != nil {
		return err
	}
	in, err := channel.StdoutPipe()
	if err != nil {
		return err
	}
	if err := channel.RequestSubsystem("netconf"); err != nil {
		return fmt.Errorf("subsystem netconf: %w", err)
	}
	c.messages = framed{in: bufio.NewReaderSize(in, 1<<16), out: out}
	ours, err := xml.Marshal(hello{Capabilities: []string{base10, base11}})
	if err != nil {
		return err
	}
	if err := c.messages.write(append([]byte(xml.Header), ours...)); err != nil {
		return err
	}
	theirs, err := c.messages.read()
	if err != nil {
		return err
	}
	c.server = hello{}
	if err := decode(theirs, &c.server); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	c.messages.chunked = c.server.knows(base11)
	return nil
}

// ask sends a request and reads the answer. After an error the connection is closed.
func (c *Client) ask(ctx context.Context, r rpc) (answer *reply, err error) {
	defer func() {
		var refusal *control.Refusal
		if err != nil && !errors.As(err, &refusal) {
			if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
				err = errors.New("no answer in time")
			}
			c.Close()
		}
	}()
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if stop() {
			conn.SetDeadline(time.Time{}) // the session outlives the request
		}
	}()
	c.number++
	r.ID = strconv.Itoa(c.number)
	text, err := xml.Marshal(r)
	if err != nil {
		return nil, err
	}
	if err := c.messages.write(text); err != nil {
		return nil, err
	}
	for {
		text, err := c.messages.read()
		if err != nil {
			return nil, err
		}
		if bytes.Contains(text, []byte("<notification")) {
			continue
		}
		answer := &reply{}
		if err := decode(text, answer); err != nil {
			return nil, fmt.Errorf("answer: %w", err)
		}
		if answer.ID != r.ID {
			return nil, fmt.Errorf("an answer to message %.20q, not %s", answer.ID, r.ID)
		}
		return answer, answer.refusal()
	}
}

// Size reads the number of ports in the name of the product.
func (c *Client) Size(ctx context.Context) (control.Size, error) {
	got, err := c.ask(ctx, rpc{Get: &read{Filter: &filter{Type: "subtree", tree: tree{Product: &product{}}}}})
	if err != nil {
		return control.Size{}, err
	}
	if got.Data == nil || got.Data.Product == nil {
		return control.Size{}, errors.New("says nothing of its product")
	}
	return opticalswitch.SizeOf(got.Data.Product.Model)
}

// State reads the cross-connects.
func (c *Client) State(ctx context.Context) (control.State, error) {
	got, err := c.ask(ctx, rpc{GetConfig: &read{Source: &datastore{&empty{}}, Filter: &filter{Type: "subtree", tree: tree{Crosses: &opticalswitch.CrossConnects{}}}}})
	if err != nil {
		return nil, err
	}
	if got.Data == nil || got.Data.Crosses == nil { // there are none
		return control.State{}, nil
	}
	return got.Data.Crosses.State()
}

// Change edits the running datastore under its lock.
func (c *Client) Change(ctx context.Context, change control.Change) error {
	if err := c.lock(ctx); err != nil {
		return err
	}
	c.locked = true
	defer func() { c.locked = false }()
	e := editOf(change)
	if c.server.knows(rollback) {
		e.Error = "rollback-on-error"
	}
	_, failed := c.ask(ctx, rpc{Edit: e})
	if c.session == nil { // the lock is lost with the session
		return failed
	}
	_, err := c.ask(ctx, rpc{Unlock: &lock{datastore{&empty{}}}})
	if failed != nil {
		return failed
	}
	return err
}

// lock takes the lock of the datastore. If another session has it, lock retries until the
// deadline, because a lost session keeps the lock for a moment.
func (c *Client) lock(ctx context.Context) error {
	const pause = 50 * time.Millisecond
	for {
		_, err := c.ask(ctx, rpc{Lock: &lock{datastore{&empty{}}}})
		limit, limited := ctx.Deadline()
		var refusal *control.Refusal
		if !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Why, "lock-denied") || !limited || time.Until(limit) < 2*pause {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// Close ends the session; the next request begins a new one.
func (c *Client) Close() error {
	if c.session == nil {
		return nil
	}
	err := c.session.Close()
	c.session, c.conn = nil, nil
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
