package wire

import (
	"bufio"
	"context"
	"net"
	"sync"
	"time"
)

// TCP is the network of the machine.
type TCP struct{}

// dialTimeout bounds how long a connection may take.
const dialTimeout = 5 * time.Second

// Listen waits for connections at an address such as 127.0.0.1:0.
func (TCP) Listen(address string) (Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return tcpListener{l}, nil
}

// Dial connects to a listener.
func (TCP) Dial(ctx context.Context, address string) (Conn, error) {
	d := net.Dialer{Timeout: dialTimeout}
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return newTCPConn(c), nil
}

type tcpListener struct{ net.Listener }

// Accept implements Listener.
func (l tcpListener) Accept() (Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newTCPConn(c), nil
}

// Address implements Listener.
func (l tcpListener) Address() string { return l.Addr().String() }

type tcpConn struct {
	net.Conn
	in    *bufio.Reader
	limit uint32 // of a frame's payload; small until the handshake is over

	sending sync.Mutex // control frames come from several goroutines
	head    [headerSize]byte
}

// readBuffer is how many bytes are read from the system at once; larger payloads bypass the
// buffer.
const readBuffer = 64 << 10

func newTCPConn(c net.Conn) *tcpConn {
	return &tcpConn{Conn: c, in: bufio.NewReaderSize(c, readBuffer), limit: MaxPayload}
}

// Send implements Conn. Header and payload go out in one system call.
func (c *tcpConn) Send(f *Frame) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	if len(f.Payload) > MaxPayload {
		return Write(c.Conn, f) // which refuses it
	}
	f.header(c.head[:])
	buffers := net.Buffers{c.head[:], f.Payload}
	_, err := buffers.WriteTo(c.Conn)
	return err
}

// Receive implements Conn.
func (c *tcpConn) Receive() (*Frame, error) { return read(c.in, c.limit) }

// restrict bounds frames and time until the handshake is over, so that a stranger cannot
// make us allocate or wait.
func (c *tcpConn) restrict(on bool) {
	if on {
		c.limit = helloLimit
		c.SetDeadline(time.Now().Add(dialTimeout))
		return
	}
	c.limit = MaxPayload
	c.SetDeadline(time.Time{})
}
