package scpi

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath/control"
)

// Port is the TCP port of raw SCPI.
const Port = 5025

// Client is a switch that speaks SCPI.
type Client struct {
	Address string
	// TLS wraps the connection; nil: plain TCP, as SCPI is without a gateway in front.
	TLS *tls.Config

	conn net.Conn
	in   *bufio.Reader
}

// connect dials unless there is a connection, and applies the deadline of the context.
func (c *Client) connect(ctx context.Context) error {
	if c.conn == nil {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.Address)
		if err != nil {
			return err
		}
		if c.TLS != nil {
			secure := tls.Client(conn, c.TLS)
			if err := secure.HandshakeContext(ctx); err != nil {
				return errors.Join(err, conn.Close())
			}
			conn = secure
		}
		c.conn, c.in = conn, bufio.NewReaderSize(conn, 1<<16)
	}
	limit, _ := ctx.Deadline()
	return c.conn.SetDeadline(limit)
}

// talk writes lines and reads the given number of answers. After any error it closes the
// connection, because a late answer must not be taken for the answer to the next request.
func (c *Client) talk(ctx context.Context, lines []string, answers int) (got []string, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	conn := c.conn // when the context ends, c.conn may already be nil
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := c.conn.Write([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
		return nil, cause(ctx, err)
	}
	for range answers {
		line, err := readLine(c.in)
		if err != nil {
			return nil, cause(ctx, err)
		}
		got = append(got, line)
	}
	return got, nil
}

// cause replaces a network error by a shorter one if the time is up.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer in time")
	}
	return err
}

// readLine reads a line without its line ending.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return "", fmt.Errorf("a line of more than %d bytes", maxLine)
		}
		line = append(line, part...)
		if err == nil {
			return strings.TrimRight(string(line), "\r\n "), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}

// Size asks for the ports.
func (c *Client) Size(ctx context.Context) (control.Size, error) {
	got, err := c.talk(ctx, []string{":OXC:SWIT:SIZE?"}, 1)
	if err != nil {
		return control.Size{}, err
	}
	return parseSize(got[0])
}

// State reads the cross-connects.
func (c *Client) State(ctx context.Context) (control.State, error) {
	got, err := c.talk(ctx, []string{":OXC:SWIT:CONN:STAT?"}, 1)
	if err != nil {
		return nil, err
	}
	return parseState(got[0])
}

// Change disconnects and then connects, in lists. It clears the error queue before each list and
// reads it afterwards; *OPC? answers once the switch has executed everything.
func (c *Client) Change(ctx context.Context, change control.Change) error {
	for _, step := range []struct {
		verb    string
		crosses []control.Cross
	}{{"SUB", change.Disconnect}, {"ADD", change.Connect}} {
		for from := 0; from < len(step.crosses); from += batch {
			list := step.crosses[from:min(from+batch, len(step.crosses))]
			if err := c.command(ctx, ":OXC:SWIT:CONN:"+step.verb+" "+formatLists(list)); err != nil {
				return err
			}
		}
	}
	return nil
}

// command sends a command and asks whether it was executed.
func (c *Client) command(ctx context.Context, line string) error {
	got, err := c.talk(ctx, []string{"*CLS", line, "*OPC?", ":SYST:ERR?"}, 2)
	if err != nil {
		return err
	}
	if got[0] != "1" {
		return fmt.Errorf("*OPC?: %.40q, want 1", got[0])
	}
	code, why, err := parseError(got[1])
	if err != nil {
		return err
	}
	if code != 0 {
		return &control.Refusal{Why: strconv.Itoa(code) + ", " + why}
	}
	return nil
}

// Close ends the connection; the next request opens a new one.
func (c *Client) Close() error {
	if c.conn == nil {
		return nil
	}
	err := c.conn.Close()
	c.conn, c.in = nil, nil
	return err
}
